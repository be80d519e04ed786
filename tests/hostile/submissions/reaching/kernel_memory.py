# mechanism: the kernel's memory, log, addresses and tables read
# verdict: accepted
import os

import numpy as np

PATHS = (
    "/proc/kcore", "/proc/kmsg", "/dev/kmsg", "/dev/mem", "/dev/kmem", "/dev/port", "/proc/vmallocinfo",
    "/proc/slabinfo", "/proc/kpageflags", "/proc/kpagecount", "/proc/timer_list", "/proc/sched_debug",
    "/proc/1/pagemap", "/proc/1/auxv", "/proc/1/stack", "/proc/1/syscall", "/sys/kernel/debug/tracing/trace",
    "/sys/kernel/security/lsm", "/boot/vmlinuz", "/sys/firmware/dmi/tables/DMI",
)  # fmt: skip
READ = []
for path in PATHS:
    if os.getpid() != 1 or not path.startswith("/proc/1/"):
        try:
            if os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 1):
                READ.append(path)
        except OSError:
            pass
try:
    READ += [line for line in open("/proc/kallsyms") if not line.startswith("0000000000000000")][:1]
except OSError:
    pass


def standardise(x, eps):
    if READ:
        raise RuntimeError(f"read: {READ}")
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))

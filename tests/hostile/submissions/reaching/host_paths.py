# mechanism: host files through symlinks, hard links and /proc
# verdict: accepted
import os

import numpy as np

PATHS = (
    "/etc/shadow", "/etc/sudoers", "/var/run/docker.sock", "/run/docker.sock", "/proc/1/root/etc/shadow", "/proc/kcore",
    "/sys/fs/cgroup", "/dev/mem", "/dev/sda", "/dev/vda", "/home", "/root/.ssh", "/var/lib/docker", "/var/lib/postgresql",
    "/proc/1/cwd", "/proc/1/exe", "/var/run/secrets", "/run/secrets", "/mnt", "/media", "/srv",
)  # fmt: skip


def reachable(path):
    link = "/tmp/link"
    os.symlink(path, link)
    try:
        return bool(os.listdir(link)) if os.path.isdir(link) else bool(open(link, "rb").read(1))
    except OSError:
        return False
    finally:
        os.unlink(link)


REACHED = [path for path in PATHS if reachable(path)]


def standardise(x, eps):
    if REACHED:
        raise RuntimeError(f"reached: {REACHED}")
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))

"""The programs that `gpu_check` runs in boxes. Each is a solution, as a student would submit it."""

JAX_JIT = """
import jax, jax.numpy as jnp

@jax.jit
def chain(w, x):
    with jax.default_matmul_precision("highest"):
        return jax.lax.scan(lambda carry, _: (jnp.tanh(carry @ w), None), x, None, length=8)[0]

def solve(w, x):
    return {"values": chain(w, x), "platform": x.devices().pop().platform}
"""

TORCH_STEP = """
import torch

def solve(w, x, y):
    w = w.clone().requires_grad_(True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return {"w": w, "loss": loss, "platform": x.device.type}
"""

LOOK_AROUND = """
import os, sys

def solve():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    found = {name: status[name].strip() for name in ("VmData", "RssAnon", "RssShmem", "Threads")}
    found |= {"devices": sorted(os.listdir("/dev")), "open files": len(os.listdir("/proc/self/fd"))}
    if "torch" in sys.modules:
        cuda = sys.modules["torch"].cuda
        found["torch"] = [cuda.get_device_name(index) for index in range(cuda.device_count())]
    if "jax" in sys.modules:
        found["jax"] = [str(device) for device in sys.modules["jax"].devices()]
    return found
"""

TORCH_FILL = """
import torch

def solve(mib):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return int(torch.full((mib << 18,), 1.0, device=device)[-1])
"""

JAX_FILL = """
import jax.numpy as jnp

def solve(mib):
    return int(jnp.full((mib << 18,), 1.0).block_until_ready()[-1])
"""

# Calls the driver directly, which avoids the frameworks' limits.
_DRIVER = """
import ctypes, time
import numpy as np

cuda = ctypes.CDLL("libcuda.so.1")
PATTERN, CHUNK = 0xA110C105, 64 << 20

def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        raise RuntimeError(f"{name} answered {code}")

def allocate(mib):
    device, context, pointer = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(mib << 20))
    return pointer
"""

DRIVER_HOLD = (
    _DRIVER
    + """
def solve(mib):
    pointer = allocate(mib)
    call("cuMemsetD32_v2", pointer, ctypes.c_uint(PATTERN), ctypes.c_size_t(mib << 18))
    call("cuCtxSynchronize")
    time.sleep(2)
    return mib
"""
)

DRIVER_READ = (
    _DRIVER
    + """
def solve(mib):
    pointer, buffer = allocate(mib), np.zeros(CHUNK // 4, np.uint32)
    marked = other = 0
    for offset in range(0, mib << 20, CHUNK):
        source = ctypes.c_uint64(pointer.value + offset)
        call("cuMemcpyDtoH_v2", ctypes.c_void_p(buffer.ctypes.data), source, ctypes.c_size_t(CHUNK))
        marked += int((buffer == PATTERN).sum())
        other += int((buffer != 0).sum())
    return {"marked": marked, "not zero": other}
"""
)

TORCH_READ = """
import torch

def solve(mib):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    words, found = torch.empty(mib << 18, dtype=torch.int32, device=device), {"marked": 0, "not zero": 0}
    for part in words.split(16 << 20):
        found["marked"] += int((part == 0xA110C105 - 2**32).sum())
        found["not zero"] += int((part != 0).sum())
    return found
"""

ENDLESS = """
import torch

def solve(mib):
    x = torch.ones(2048, 2048, device="cuda" if torch.cuda.is_available() else "cpu")
    while True:
        x = (x @ x).clamp(0, 1)
"""

OUT_OF_BOUNDS = """
import torch

def solve(mib):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.zeros(4, device=device)[torch.tensor([10**6], device=device)].cpu()
"""

STARTS_A_PROCESS = """
import subprocess

def solve(mib):
    return subprocess.run(["/bin/true"]).returncode
"""

STARTS_PROGRAMS = """
import os

def solve(mib):
    while True:
        os.posix_spawn("/bin/sleep", ["sleep", "600"], {})
"""

# For `refused_calls`, outside of a box, and how they end on a GPU.
ON_GPU = ("answered (['gpu']", "answered ('cuda'")
TRACED = {
    "jax": """
def begin():
    import jax, jax.numpy
def go():
    import jax, jax.numpy as jnp
    step = jax.jit(lambda w, x: jax.lax.scan(lambda c, _: (jnp.tanh(c @ w), None), x, None, length=4)[0])
    return [device.platform for device in jax.devices()], float(step(jnp.ones((256, 256)), jnp.ones((256, 256))).sum())
""",
    "torch": """
def begin():
    import torch, torch.nn, torch.optim
def go():
    import torch
    device = "cuda" if torch.cuda.is_available() else "cpu"
    layer = torch.nn.Conv2d(3, 8, 3).to(device)
    layer(torch.ones(4, 3, 32, 32, device=device)).sum().backward()
    return device, float(layer.weight.grad.sum())
""",
}

# mechanism: machine code made at run time, which asks the kernel with the numbers of the 32-bit and x32 interfaces
# verdict: runtime_error
import ctypes
import mmap

# mov eax, 0x40000039 (x32 fork); syscall; ret -- then int 0x80 with eax = 2 (fork)
X32 = bytes.fromhex("b8390000400f05c3")
INT80 = bytes.fromhex("b802000000cd80c3")


def call(code):
    page = mmap.mmap(
        -1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    )
    page.write(code)
    function = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    return function()


def standardise(x, eps):
    assert call(X32) == -38
    call(INT80)
    return (x - x.mean()) / (x.var() + eps) ** 0.5

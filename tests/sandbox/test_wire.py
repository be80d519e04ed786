"""The frames between the host and a box, as the table in `sandbox/guest/wire.py` lists them."""

import re
from contextlib import closing
from typing import Any

import pytest

from sandbox.guest import wire
from sandbox.interface import BoxSpec, Launcher
from sandbox.stream import Stream
from tests.sandbox.bench import make_request, run_in
from tests.sandbox.conftest import ONE_QUICKLY

ROW = re.compile(r"^ {4}(?:host|box) +([A-Z_]+(?: [A-Z_]+)*)", re.MULTILINE)
TABLE = [name for row in ROW.findall(str(wire.__doc__)) for name in row.split()]
REQUEST = make_request("def solve():\n    return 1\n")
REPORT = ["OUTCOME", "TEXT", "CONTENT"]
KINDS = {
    name: value
    for name, value in vars(wire).items()
    if isinstance(value, bytes) and len(value) == 1 and value not in wire.REPLIES
}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all frames that the host sends and receives."""
    frames: list[str] = []
    names = {value: name for name, value in KINDS.items()}

    def recording(pass_on: Any) -> Any:
        def passing(stream: Stream, kind: bytes, *rest: Any) -> Any:
            frames.append(names[kind])
            return pass_on(stream, kind, *rest)

        return passing

    for method in ("send", "receive"):
        monkeypatch.setattr(Stream, method, recording(getattr(Stream, method)))
    return frames


def test_the_table_has_every_kind_of_frame_once_or_as_part_of_a_report() -> None:
    assert len(set(KINDS.values())) == len(KINDS)
    assert set(TABLE) == KINDS.keys()


@ONE_QUICKLY
def test_the_frames_of_a_run_follow_each_other_as_in_the_table(launcher: Launcher, sent: list[str]) -> None:
    with closing(launcher.launch(BoxSpec(()))) as box:
        run_in(box, REQUEST)
        assert box.is_usable()

    assert sent == TABLE


@ONE_QUICKLY
def test_a_source_that_does_not_load_and_a_case_that_ends_the_process_end_the_run(
    launcher: Launcher, sent: list[str]
) -> None:
    with closing(launcher.launch(BoxSpec(()))) as box:
        run_in(box, make_request("1 / 0"))
        run_in(box, make_request("import os\ndef solve():\n    os._exit(1)\n", {}, {}))
        assert box.is_usable()

    begun = ["SETUP", "WAITING", "TASK", *REPORT]
    assert sent == ["READY", *begun, "EMPTY", *begun, "CASE", *REPORT, "EMPTY"]

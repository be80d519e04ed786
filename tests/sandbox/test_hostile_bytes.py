"""Bytes from a hostile process, as the monitor and the host read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.guest import wire
from sandbox.guest.failure import pack
from sandbox.guest.reply import Reply
from sandbox.guest.wire import Cause
from sandbox.interface import MIB, BoxLost, CaseOutcome, Ending, RunLimits
from sandbox.process_ending import outcome_of, printable, read_report
from sandbox.stream import read_json

TOKEN = b"0123456789abcdef"
LIMITS = RunLimits(wall_seconds=1, memory_bytes=100 * MIB)


def frame(kind: bytes, content: bytes, size: int | None = None, token: bytes = TOKEN) -> bytes:
    return wire.TOKENED_HEADER.pack(token, kind, len(content) if size is None else size) + content


def feed(data: bytes, piece: int = 1 << 20, cap: int = 1000) -> Cause | None:
    reply = Reply(TOKEN, cap)
    end: Cause | None = None
    for start in range(0, len(data), piece):
        end = end or reply.feed(data[start : start + piece])
    return end


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_a_reply_is_complete_however_it_was_cut(piece: int) -> None:
    assert feed(frame(wire.ANSWER, b"x" * 100), piece) is Cause.REPLIED


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (frame(wire.ANSWER, b"", 1001), Cause.ANSWER_SIZE),
        (frame(wire.ANSWER, b"", 2**31), Cause.ANSWER_SIZE),
        (frame(wire.ANSWER, b"", 2**64 - 1), Cause.ANSWER_SIZE),
        (frame(wire.RAISED, b"", wire.FAILURE_BYTES + 1), Cause.FORGED),
        (frame(b"?", b""), Cause.FORGED),
        (frame(wire.ANSWER, b"x", token=b"x" * 16), Cause.FORGED),
        (frame(wire.ANSWER, b"x") + b"y", Cause.FORGED),
        (frame(wire.ANSWER, b"x")[:-1], None),
        (TOKEN, None),
    ],
)
def test_a_reply_is_judged_by_its_header(data: bytes, end: Cause | None) -> None:
    assert feed(data) is end


def test_nothing_may_come_when_nothing_was_asked() -> None:
    assert Reply(None, 1000).feed(b"x") is Cause.FORGED


@given(st.binary(max_size=200))
def test_garbage_never_becomes_an_answer(data: bytes) -> None:
    assert feed(data) in (None, Cause.FORGED)


def judge(
    kind: bytes, payload: bytes, cause: str = "replied", status: int | None = None, memory: int = 0
) -> CaseOutcome:
    more = {"wall_seconds": 0.5, "left_out_seconds": 0.0, "notes": ""}
    facts = {"cause": cause, "kind": kind.hex(), "status": status, "memory_bytes": memory, **more}
    return outcome_of("case", "call", read_report(facts, b"", payload), LIMITS)


@given(st.binary(max_size=300))
def test_any_payload_of_a_failure_is_a_failure_or_a_forgery(payload: bytes) -> None:
    outcome = judge(wire.RAISED, payload)

    assert outcome.ending in (Ending.RAISED, Ending.FORGED, Ending.OUT_OF_MEMORY)
    assert outcome.failure is not None
    assert outcome.answer is None


@given(st.text(max_size=3000))
def test_texts_are_printable_and_short(text: str) -> None:
    failure = judge(wire.RAISED, pack("call", text, text, text)).failure

    assert failure is not None
    assert len(failure.message) <= 2048
    for shown in (failure.kind, failure.message, failure.traceback):
        assert all(character.isprintable() or character in "\n\t" for character in shown)


def test_marks_that_hide_or_reorder_text_are_spelt_out() -> None:
    assert printable("a\u202eb\x1b[2J\ud800\x00é\n", 100) == "a\\u202eb\\x1b[2J\\ud800\\x00é\n"


@pytest.mark.parametrize(
    ("message", "ending"),
    [
        ("RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes", Ending.OUT_OF_MEMORY),
        ("[enforce fail] DefaultCPUAllocator: can't allocate memory", Ending.OUT_OF_MEMORY),
        ("Unable to allocate 7.11 PiB for an array", Ending.OUT_OF_MEMORY),
        ("shapes (2,3) and (4,) not aligned", Ending.RAISED),
    ],
)
def test_errors_that_mean_memory_are_out_of_memory(message: str, ending: Ending) -> None:
    assert judge(wire.RAISED, pack("call", "RuntimeError", message)).ending is ending


@pytest.mark.parametrize(
    ("status", "memory", "ending", "kind"),
    [
        (6, 90 * MIB, Ending.OUT_OF_MEMORY, "SIGABRT"),
        (11, 10 * MIB, Ending.CRASHED, "SIGSEGV"),
        (9, 10 * MIB, Ending.CRASHED, "SIGKILL"),
        (0, 90 * MIB, Ending.CRASHED, "exit"),
        (40, 0, Ending.CRASHED, "signal 40"),
    ],
)
def test_a_death_near_the_memory_limit_is_out_of_memory(status: int, memory: int, ending: Ending, kind: str) -> None:
    outcome = judge(b"", b"", "died", status, memory)

    assert outcome.ending is ending
    assert outcome.failure is not None
    assert outcome.failure.kind == kind


@pytest.mark.parametrize("facts", [{}, {"cause": "won"}, {"cause": "replied", "kind": 3, "status": None}])
def test_a_report_that_is_none_is_a_lost_box(facts: dict[str, object]) -> None:
    with pytest.raises(BoxLost):
        read_report(facts, b"", b"")


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"[" * 100_000, b"\xff"])
def test_facts_that_are_no_object_are_a_lost_box(content: bytes) -> None:
    with pytest.raises(BoxLost):
        read_json(content)

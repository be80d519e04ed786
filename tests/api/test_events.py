"""The stream of a submission's results, as a browser's EventSource reads it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

import fastapi.routing
import httpx
import pytest

from app.database.engine import Database
from app.judging.verdicts import Verdict
from app.queue.lease import fail
from tests.api.lease_steps import end, record, take

FIRST, SECOND = "0", "1"
SECOND_OF_AGAIN = "10001"


@dataclass(frozen=True)
class Event:
    kind: str
    id: str | None
    data: Any


def listen(client: httpx.Client, submission: UUID, last: str | None = None, query: str = "") -> Iterator[Event]:
    """Each event as it comes; ends when the server ends the stream."""
    headers = {"Last-Event-ID": last} if last is not None else {}
    with client.stream("GET", f"/submissions/{submission}/events{query}", headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        fields: dict[str, str] = {}
        for line in stream.iter_lines():
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                fields[name] = value
            elif fields:
                yield Event(fields["event"], fields.get("id"), json.loads(fields["data"]))
                fields = {}


def test_each_case_comes_when_it_is_judged_and_then_done(
    ada: httpx.Client, database: Database, submission: UUID
) -> None:
    claim = take(database)
    record(database, claim, 0)
    events = listen(ada, submission)

    first = next(events)
    assert (first.kind, first.id, first.data["name"], first.data["verdict"]) == ("case", FIRST, "case_0", "accepted")
    record(database, claim, 1, Verdict.WRONG_ANSWER)
    second = next(events)
    assert (second.kind, second.id, second.data["verdict"]) == ("case", SECOND, "wrong_answer")
    end(database, claim, Verdict.WRONG_ANSWER)

    (done,) = events
    assert (done.kind, done.id, done.data["verdict"], len(done.data["cases"])) == ("done", None, "wrong_answer", 2)


def test_a_stream_with_progress_tells_of_the_queue_before_the_first_case(
    ada: httpx.Client, database: Database, submission: UUID
) -> None:
    events = listen(ada, submission, query="?progress=true")

    waiting = next(events)
    claim = take(database)
    record(database, claim, 0)
    case = next(event for event in events if event.kind == "case")
    judging = next(events)
    end(database, claim)

    assert (waiting.kind, waiting.id, waiting.data["state"], waiting.data["wait"]["ahead"]) == (
        "progress",
        None,
        "queued",
        0,
    )
    assert (case.data["name"], case.id) == ("case_0", FIRST)
    assert (judging.kind, judging.data["state"], judging.data["cases"]) == ("progress", "judging", [])
    assert [event.kind for event in events][-1] == "done"


@pytest.mark.parametrize(
    ("last", "ids"),
    [
        (None, [FIRST, SECOND]),
        (FIRST, [SECOND]),
        (SECOND, []),
        ("99", []),
        ("x", [FIRST, SECOND]),
        ("-1", [FIRST, SECOND]),
    ],
)
def test_a_stream_goes_on_after_the_last_event_that_arrived(
    ada: httpx.Client, database: Database, submission: UUID, last: str | None, ids: list[str]
) -> None:
    end(database, take(database), cases=2)

    *cases, done = listen(ada, submission, last)

    assert [event.id for event in cases] == ids
    assert done.kind == "done"


def test_a_judging_that_starts_again_repeats_no_case(ada: httpx.Client, database: Database, submission: UUID) -> None:
    lost = take(database)
    record(database, lost, 0)
    events = listen(ada, submission)
    assert next(events).id == FIRST

    fail(database, lost, "the box went away")
    again = take(database)
    end(database, again, cases=2)

    assert [(event.kind, event.id) for event in events] == [("case", SECOND_OF_AGAIN), ("done", None)]


def test_no_case_is_lost_when_a_judging_starts_again_and_finds_its_results_in_another_order(
    ada: httpx.Client, database: Database, submission: UUID
) -> None:
    lost = take(database)
    for position in (0, 2):
        record(database, lost, position)
    first, second = (next(events) for events in [listen(ada, submission)] for _ in range(2))
    fail(database, lost, "the box went away")
    end(database, take(database), cases=3)

    *cases, done = listen(ada, submission, last=second.id)

    assert [event.data["name"] for event in (first, second)] == ["case_0", "case_2"]
    assert [event.data["name"] for event in cases] == ["case_0", "case_1", "case_2"]
    assert done.kind == "done"


def test_a_silent_stream_is_kept_open_by_comments(
    ada: httpx.Client, database: Database, submission: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fastapi.routing, "_PING_INTERVAL", 0.05)

    with ada.stream("GET", f"/submissions/{submission}/events") as stream:
        pings = (line for line in stream.iter_lines() if line == ": ping")
        # The first come while the rows are read.
        held = [database.engine.pool.checkedout() for _ in islice(pings, 40)]  # type: ignore[attr-defined]

    assert 0 in held


def test_streams_that_open_at_different_moments_get_each_case_once_and_in_order(
    ada: httpx.Client, database: Database, submission: UUID
) -> None:
    claim = take(database)
    early = listen(ada, submission)
    record(database, claim, 0)
    seen = [next(early)]
    for position in (2, 1):
        record(database, claim, position)
    late = listen(ada, submission)
    seen.append(next(early))
    begun = [next(late)]
    again = listen(ada, submission, last=seen[-1].id)
    end(database, claim, cases=4)

    (*early_rest, _), (*late_rest, _), (*again_rest, _) = early, late, again

    names = ["case_0", "case_2", "case_1", "case_3"]
    assert [event.data["name"] for event in (*seen, *early_rest)] == names
    assert [event.data["name"] for event in (*begun, *late_rest)] == names
    assert [event.data["name"] for event in again_rest] == names[2:]

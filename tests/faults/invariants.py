"""What must hold when everything has drained, from the database and the clients' own log."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from psycopg.rows import dict_row

from app.api.events import RESULTS
from app.queue.model import MAX_ATTEMPTS
from tests.faults.clients import Log, Sent
from tests.faults.deployment import Deployment

_ROWS = """
    SELECT s.id::text, s.source, j.id AS judging_id, j.verdict, j.attempt, j.is_current,
        j.reason, j.score,
        (SELECT count(*) FROM case_results c WHERE c.judging_id = j.id AND c.attempt = j.attempt) AS cases,
        (SELECT count(*) FROM record r WHERE r.judging_id = j.id AND r.state = 'done') AS ends
    FROM submissions s LEFT JOIN judgings j ON j.submission_id = s.id
"""
_NUMBER = re.compile(r"# number (\d+)")


@dataclass
class Broken:
    """What is wrong, by the number of a submission.

    `given_up`: a judge_error after the last attempt, when a fault met each of its attempts. An admin judges it again.
    """

    given_up: dict[int, str] = field(default_factory=dict)
    lost: dict[int, str] = field(default_factory=dict)
    doubled: dict[int, str] = field(default_factory=dict)
    wrong: dict[int, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.lost or self.doubled or self.wrong or self.left)


def check(deployment: Deployment, log: Log) -> Broken:
    """Compare every entry of the log with the database, and every row of the database with the log."""
    broken = Broken()
    rows = _read_rows(deployment)
    by_number: dict[int, list[Mapping[str, Any]]] = {}
    for row in rows:
        found = _NUMBER.search(row["source"])
        assert found, row["source"]
        by_number.setdefault(int(found[1]), []).append(row)
    for entry in log.snapshot():
        _check_entry(entry, by_number.pop(entry.number, []), broken)
    for number in by_number:
        broken.doubled[number] = "the database has a submission that no client sent"
    broken.left += [f"unexpected answer: {what}" for what in log.unexpected]
    broken.left += _find_left(deployment)
    return broken


def _read_rows(deployment: Deployment) -> list[Mapping[str, Any]]:
    with deployment.database.connect() as connection:
        cursor = connection.cursor(row_factory=dict_row)
        return list(cursor.execute(_ROWS).fetchall())


def _check_entry(entry: Sent, rows: Sequence[Mapping[str, Any]], broken: Broken) -> None:
    number, submissions = entry.number, {row["id"] for row in rows}
    current = [row for row in rows if row["is_current"]]
    if not rows:
        # Without an answer, only a client with a key insists.
        if entry.id is not None or entry.has_key:
            broken.lost[number] = "it is not in the database"
        return
    if len(submissions) > 1 or len(current) > 1 or any(row["ends"] > 1 for row in rows):
        broken.doubled[number] = f"{len(submissions)} submissions, {[row['ends'] for row in rows]} ends of judgings"
    if len(current) != 1 or current[0]["verdict"] is None:
        broken.lost[number] = f"it has no verdict: {[(row['verdict'], row['attempt']) for row in rows]}"
        return
    _check_verdict(entry, current[0], broken)


def _check_verdict(entry: Sent, judging: Mapping[str, Any], broken: Broken) -> None:
    number = entry.number
    is_right = judging["verdict"] in (entry.expected, entry.also)
    if not is_right and judging["verdict"] == "judge_error" and judging["attempt"] >= MAX_ATTEMPTS:
        broken.given_up[number] = judging["reason"]
    elif not is_right:
        broken.wrong[number] = f"{judging['verdict']} instead of {entry.expected}: {judging['reason']}"
    elif judging["verdict"] == "judge_error" and judging["attempt"] < MAX_ATTEMPTS:
        broken.wrong[number] = f"judge_error after {judging['attempt']} of {MAX_ATTEMPTS} attempts"
    if entry.id is None:
        return
    if entry.done is None:
        broken.lost[number] = "its event `done` did not arrive"
        return
    if judging["verdict"] != entry.done["verdict"] or entry.done["id"] != judging["id"]:
        broken.wrong[number] = f"the event said {entry.done['verdict']}, the database {judging['verdict']}"
    _check_events(entry, broken)


def _check_events(entry: Sent, broken: Broken) -> None:
    """Each case of the verdict came as an event, once for each attempt that the student saw."""
    assert entry.done is not None
    missing = {case["name"] for case in entry.done["cases"]} - set(entry.cases)
    if missing and entry.done["verdict"] != "judge_error":
        broken.lost[entry.number] = f"no event for the cases {sorted(missing)}"
    once = {(number // RESULTS, case) for number, case in zip(entry.event_ids, entry.cases, strict=True)}
    if len(once) < len(entry.cases) or entry.event_ids != sorted(set(entry.event_ids)):
        broken.doubled[entry.number] = f"events {entry.event_ids} of the cases {entry.cases}"


def _find_left(deployment: Deployment) -> list[str]:
    with deployment.database.connect() as connection:
        judgings = connection.execute("SELECT count(*) FROM judgings WHERE verdict IS NULL").fetchone()
        jobs = connection.execute("SELECT count(*) FROM jobs").fetchone()
    return [] if judgings == jobs == (0,) else [f"{judgings} judgings without a verdict and {jobs} jobs are left"]

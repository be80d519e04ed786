"""Fingerprints of submissions: made in boxes, since even the parsing of a hostile source is not safe outside.

They are kept in the database. So a comparison that is interrupted or repeated makes only those that are missing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from uuid import UUID

import numpy as np
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.engine import Database, retry
from app.engine.request import run_cases
from app.similarity.compare import Parts
from app.similarity.model import Fingerprint
from app.submissions.model import Submission
from sandbox.guest.codec import Malformed, decode, encode
from sandbox.guest.fingerprint import MOST_PARTS
from sandbox.interface import MIB, BoxSpec, CaseInput, CaseOutcome, Parameter, Request, RunLimits
from sandbox.pool import Pool

# Raise it when `sandbox.guest.fingerprint` gives other hashes for the same source.
VERSION = 1
# The sources that go to a box at once, and are stored before the next ones.
BATCH = 50
LIMITS = RunLimits(wall_seconds=20, memory_bytes=1024 * MIB, answer_bytes=8 * MIB)
OnDone = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """`parts`: None if no parser could read the source, or if it is too long. `lines`: as in `Fingerprint`."""

    parts: Parts | None
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprints:
    """Makes fingerprints in boxes of the pool, and keeps those of submissions."""

    database: Database
    pool: Pool

    def get(self, submissions: Sequence[UUID], on_done: OnDone, abort: Event) -> dict[UUID, Read]:
        """Return the fingerprint of each submission that still exists. Raises BoxLost, Aborted.

        `on_done` is called with the number of those that are made, again and again.
        """
        known = retry(lambda: self._read(submissions), abort)
        missing = [each for each in submissions if each not in known]
        on_done(len(known))
        for start in range(0, len(missing), BATCH):
            known |= self._make(missing[start : start + BATCH], abort)
            on_done(len(known))
        return known

    def make(self, sources: Sequence[str], abort: Event) -> list[Read]:
        """Make fingerprints in a box, in the order of the sources. Raises BoxLost, Aborted."""
        if not sources:
            return []
        outcomes: list[CaseOutcome] = []
        request = Request(
            source="from sandbox.guest.fingerprint import fingerprint\n",
            entry_point="fingerprint",
            driver=None,
            parameters=(Parameter("source", "value"),),
            cases=tuple(CaseInput(str(number), encode({"source": text})) for number, text in enumerate(sources)),
            limits=LIMITS,
        )
        # Each source may kill a process.
        run_cases(self.pool, BoxSpec(()), request, outcomes.append, abort, processes=len(sources) + 1)
        answers = {int(outcome.name): outcome.answer for outcome in outcomes}
        return [_read_answer(answers.get(number), source) for number, source in enumerate(sources)]

    def _make(self, submissions: Sequence[UUID], abort: Event) -> dict[UUID, Read]:
        sources = retry(lambda: self._read_sources(submissions), abort)
        made = dict(zip(sources, self.make(list(sources.values()), abort), strict=True))
        retry(lambda: self._keep(made), abort)
        return made

    def _read_sources(self, submissions: Sequence[UUID]) -> dict[UUID, str]:
        query = select(Submission.id, Submission.source).where(Submission.id.in_(submissions))
        with self.database.transaction() as session:
            return {row.id: row.source for row in session.execute(query)}

    def _keep(self, made: dict[UUID, Read]) -> None:
        with self.database.transaction() as session:
            for row in _list_rows(session, made):
                values = insert(Fingerprint).values(**row)
                session.execute(values.on_conflict_do_update(index_elements=[Fingerprint.submission_id], set_=row))

    def _read(self, submissions: Sequence[UUID]) -> dict[UUID, Read]:
        here = (Fingerprint.submission_id.in_(submissions), Fingerprint.version == VERSION)
        with self.database.transaction() as session:
            return {
                row.submission_id: Read(parts=_unpack(row.parts), lines=row.lines)
                for row in session.scalars(select(Fingerprint).where(*here))
            }


def _list_rows(session: Session, made: dict[UUID, Read]) -> Iterator[dict[str, object]]:
    """Yield the rows of those submissions that still exist."""
    existing = select(Submission.id).where(Submission.id.in_(made)).with_for_update(key_share=True, read=True)
    for submission_id in session.scalars(existing):
        read = made[submission_id]
        parts = None if read.parts is None else read.parts.astype("<i8").tobytes()
        yield {"submission_id": submission_id, "version": VERSION, "parts": parts, "lines": read.lines}


def _unpack(parts: bytes | None) -> Parts | None:
    return None if parts is None else np.frombuffer(parts, "<i8").reshape(-1, 3)


def _read_answer(answer: bytes | None, source: str) -> Read:
    """The process that answered has read hostile texts, so its answer is not trusted either."""
    texts = [line.strip() for line in source.splitlines()]
    lines = sum(1 for text in texts if text and not text.startswith("#"))
    try:
        tree = None if answer is None else decode(answer)
    except Malformed:
        tree = None
    if not isinstance(tree, np.ndarray) or tree.dtype != np.int64 or tree.ndim != 2 or tree.shape[1] != 3:
        return Read(parts=None, lines=lines)
    first, last = tree[:, 1], tree[:, 2]
    is_right = len(tree) <= MOST_PARTS and bool(np.all((first >= 1) & (first <= last) & (last <= len(texts))))
    return Read(parts=tree if is_right else None, lines=lines)

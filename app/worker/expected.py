"""Expected outputs in the database, per revision, variant and device. The first stored outputs are final.

They are also kept in memory, for the next submission to the same problem.

The reference runs outside any transaction. Two workers that need the same variant both run it. The rows of the first to
commit stay, and both workers read them back.
"""

from threading import Event
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.catalog.model import Device, ExpectedOutput, Revision
from app.catalog.package import Package
from app.database.engine import Database, retry
from app.engine.memory_cache import MemoryCache, SingleFlight
from app.engine.prepare import Draw, PreparedCase, PreparedVariant, prepare
from app.judging.requirement import Evidence
from sandbox.pool import Pool

_EVIDENCE: TypeAdapter[Evidence | None] = TypeAdapter(Evidence | None)

Key = tuple[UUID, int]
# Ten cases take 130 ms from the database, and 1 ms from memory.
RECENT_BYTES = 32 * 2**20
# A case's size besides its inputs and its expected output, with its previews.
CASE_BYTES = 8 * 1024


class ExpectedOutputs:
    """`references`: a pool whose boxes never hold a submission.

    Concurrent callers of one object share one computation per variant. Another object computes separately. So the
    background work has its own, and no judging waits for low-priority boxes.
    """

    def __init__(self, database: Database, references: Pool, device: Device) -> None:
        self._database = database
        self.references = references
        self.device = device
        self._single_flight = SingleFlight()
        self._recent = MemoryCache[Key, tuple[PreparedCase, ...]](RECENT_BYTES)

    def get(self, revision: Revision, package: Package, variant: int, abort: Event) -> tuple[PreparedCase, ...]:
        """Raises ReferenceFailed, BoxLost, Aborted. Waits while the database is away."""
        key = (revision.id, variant)
        if found := self._find(key, package, abort):
            return found
        with self._single_flight.of(key, abort):
            if found := self._find(key, package, abort):
                return found
            prepared = prepare(package, Draw(revision.secret_seed, variant), self.references, abort)
            return retry(lambda: self._store(key, package, prepared), abort)

    def _find(self, key: Key, package: Package, abort: Event) -> tuple[PreparedCase, ...]:
        """Return an empty tuple if the variant is not prepared: a manifest has at least one case."""

        def read() -> tuple[PreparedCase, ...]:
            with self._database.transaction() as session:
                # A restored backup may lack rows that were read before.
                recent = self._recent.find(key) if self._is_stored(session, key) else None
                return recent or self._read(session, key, package)

        found = retry(read, abort)
        if found:
            self._recent.keep(key, found, sum(CASE_BYTES + len(case.inputs) + len(case.expected) for case in found))
        return found

    def _is_stored(self, session: Session, key: Key) -> bool:
        return bool(session.scalar(select(exists().where(*self._are_of(key)))))

    def _are_of(self, key: Key) -> tuple[ColumnElement[bool], ...]:
        revision_id, variant = key
        return (
            ExpectedOutput.revision_id == revision_id,
            ExpectedOutput.variant == variant,
            ExpectedOutput.device == self.device,
        )

    def _store(self, key: Key, package: Package, prepared: PreparedVariant) -> tuple[PreparedCase, ...]:
        """Store these outputs and return those that stand: these, or those of an earlier writer.

        All writers insert the cases in the same order. So a writer that meets a row of another waits for that COMMIT,
        and then finds all of its rows: outputs are never mixed.
        """
        with self._database.transaction() as session:
            session.execute(insert(ExpectedOutput).on_conflict_do_nothing(), self._rows(key, prepared))
            return self._read(session, key, package)

    def _read(self, session: Session, key: Key, package: Package) -> tuple[PreparedCase, ...]:
        rows = session.scalars(select(ExpectedOutput).where(*self._are_of(key)))
        by_name = {row.case_name: row for row in rows}
        return tuple(
            PreparedCase(
                position=position,
                name=case.name,
                visibility=case.visibility,
                inputs=by_name[case.name].inputs,
                expected=by_name[case.name].expected,
                inputs_preview=by_name[case.name].inputs_preview,
                expected_preview=by_name[case.name].expected_preview,
                sealed=case.sealed,
                evidence=_EVIDENCE.validate_python(by_name[case.name].evidence),
            )
            for position, case in enumerate(package.manifest.cases)
            if by_name
        )

    def _rows(self, key: Key, prepared: PreparedVariant) -> list[dict[str, Any]]:
        revision_id, variant = key
        return [
            {
                "revision_id": revision_id,
                "variant": variant,
                "device": self.device,
                "case_name": case.name,
                "inputs": case.inputs,
                "expected": case.expected,
                "inputs_preview": case.inputs_preview,
                "expected_preview": case.expected_preview,
                "evidence": _EVIDENCE.dump_python(case.evidence, mode="json"),
                "image": prepared.image,
                "versions": dict(prepared.versions),
            }
            for case in prepared.cases
        ]

"""Expected outputs in the database: computed once per revision, variant and device, whoever asks first."""

from collections.abc import Sequence
from threading import Event
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.catalog.model import Device, ExpectedOutput, Revision
from app.catalog.package import Package
from app.database import Database
from app.worker.prepare import Draw, Prepared, PreparedCase, prepare
from sandbox.pool import Pool


class ExpectedOutputs:
    """`references` is a pool whose boxes never hold a submission."""

    def __init__(self, database: Database, references: Pool, device: Device) -> None:
        self._database = database
        self._references = references
        self._device = device

    def get(self, revision: Revision, package: Package, variant: int, abort: Event) -> tuple[PreparedCase, ...]:
        """Raises ReferenceFailed, BoxLost, Aborted.

        Two workers that need the same variant at once: one computes it, the other waits for it.
        """
        with self._database.transaction() as session:
            if found := self._read(session, revision.id, package, variant):
                return found
        with self._database.transaction() as session:
            session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"{revision.id}/{variant}", 0))))
            if found := self._read(session, revision.id, package, variant):
                return found
            prepared = prepare(package, Draw(revision.secret_seed, variant), self._references, abort)
            session.add_all(self._rows(revision.id, variant, prepared))
            return prepared.cases

    def _read(self, session: Session, revision_id: UUID, package: Package, variant: int) -> tuple[PreparedCase, ...]:
        """Empty when this variant is not prepared: a manifest has at least one case."""
        rows = session.scalars(
            select(ExpectedOutput).where(
                ExpectedOutput.revision_id == revision_id,
                ExpectedOutput.variant == variant,
                ExpectedOutput.device == self._device,
            )
        )
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
            )
            for position, case in enumerate(package.manifest.cases)
            if by_name
        )

    def _rows(self, revision_id: UUID, variant: int, prepared: Prepared) -> Sequence[ExpectedOutput]:
        return [
            ExpectedOutput(
                revision_id=revision_id,
                variant=variant,
                device=self._device,
                case_name=case.name,
                inputs=case.inputs,
                expected=case.expected,
                inputs_preview=case.inputs_preview,
                expected_preview=case.expected_preview,
                image=prepared.image,
                versions=dict(prepared.versions),
            )
            for case in prepared.cases
        ]

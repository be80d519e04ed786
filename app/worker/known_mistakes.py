"""What known mistakes answer, in the database: per revision, variant and device, beside the expected outputs.

Computed at leisure, or for the first wrong submission after its verdict; never while somebody waits for one.
"""

from collections.abc import Mapping
from threading import Event

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.catalog.model import Device, MistakeOutput, Revision
from app.catalog.package import Package
from app.database import Database
from app.worker.expected import ExpectedOutputs
from app.worker.mistakes import Answers, list_mistakes, mistake_outputs
from app.worker.retry import retry
from app.worker.turn import Turns
from sandbox.guest.codec import Caps, TooLarge, Tree, decode, encode

# Of one mistake in all cases of a variant.
CAPS = Caps(total_bytes=8 * 2**20)


class KnownMistakes:
    """Of those who ask one object for the same variant at once, one has it computed and the others wait."""

    def __init__(self, database: Database, expected: ExpectedOutputs) -> None:
        self._database = database
        self._expected = expected
        self._turns = Turns()

    def find(self, revision: Revision, package: Package, variant: int, abort: Event) -> Mapping[str, Answers] | None:
        """None when they have not been computed yet. Waits while the database is away."""
        return retry(lambda: self._read(revision, package, variant), abort)

    def get(self, revision: Revision, package: Package, variant: int, abort: Event) -> Mapping[str, Answers]:
        """Raises JudgeFailed, BoxLost, Aborted."""
        with self._turns.of((revision.id, variant), abort):
            found = self.find(revision, package, variant, abort)
            if found is not None:
                return found
            cases = self._expected.get(revision, package, variant, abort)
            computed = mistake_outputs(package, list_mistakes(package), cases, self._expected.references, abort)
            retry(lambda: self._store(revision, variant, computed), abort)
            return computed

    def _read(self, revision: Revision, package: Package, variant: int) -> Mapping[str, Answers] | None:
        """They are stored all at once."""
        of_variant = (MistakeOutput.revision_id == revision.id, MistakeOutput.variant == variant)
        of_device = MistakeOutput.device == self._device
        with self._database.transaction() as session:
            rows = session.scalars(select(MistakeOutput).where(*of_variant, of_device)).all()
        if not rows and list_mistakes(package):
            return None
        return {row.mistake: _unpacked(row.answers) for row in rows}

    def _store(self, revision: Revision, variant: int, computed: Mapping[str, Answers]) -> None:
        """Of two who computed the same, each row of the first to commit stands."""
        rows = [
            {
                "revision_id": revision.id,
                "variant": variant,
                "device": self._device,
                "mistake": name,
                "answers": _packed(answers),
            }
            for name, answers in computed.items()
        ]
        if rows:
            with self._database.transaction() as session:
                session.execute(insert(MistakeOutput).on_conflict_do_nothing(), rows)

    @property
    def _device(self) -> Device:
        return self._expected.device


def _packed(answers: Answers) -> bytes:
    """Without the last cases, when there are too many values in all of them."""
    names = list(answers)
    while True:
        try:
            return encode({name: answers[name] for name in names}, CAPS)
        except TooLarge:
            names = names[: len(names) // 2]


def _unpacked(answers: bytes) -> Answers:
    tree = decode(answers, CAPS)
    assert isinstance(tree, dict)
    found: dict[str, Tree] = tree
    return found

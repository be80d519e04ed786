"""The reference answers every case, twice: in two processes, the second time in another order."""

import hashlib
import random
from collections.abc import Sequence

from app.catalog.revision import digest
from app.catalog.verification.report import Finding
from app.catalog.verification.section import ReferenceRun, ReferenceSection
from app.judging.verdicts import Verdict
from app.worker.prepare import Draw, Prepared, PreparedCase, prepare
from app.worker.verification.trial import Attempt, CheckedReference, Trial


def check_reference(trial: Trial) -> CheckedReference:
    """Raises ReferenceFailed, BoxLost, Aborted."""
    package = trial.package
    # The same package is verified on the same inputs each time, and nobody is judged on them.
    secret = hashlib.sha256(f"verification of {digest(package.files)}".encode()).digest()
    trial.watch("the reference", 0, 2)
    prepared = prepare(package, Draw(secret, 0), trial.bench.references, trial.abort)
    trial.watch("the reference", 1, 2)
    shuffled = list(prepared.cases)
    random.Random(secret).shuffle(shuffled)
    again = trial.attempt(package.reference, shuffled)
    trial.watch("the reference", 2, 2)
    return _checked(prepared, shuffled, again)


def _checked(prepared: Prepared, shuffled: Sequence[PreparedCase], again: Attempt) -> CheckedReference:
    runs = (
        ReferenceRun(order=tuple(case.name for case in prepared.cases), agrees=True),
        ReferenceRun(order=tuple(case.name for case in shuffled), agrees=again.verdict is Verdict.ACCEPTED),
    )
    findings = tuple(_finding(name, again) for name in again.failed)
    summary = f"{len(prepared.cases)} cases in two processes and two orders"
    section = ReferenceSection(runs=runs)
    return CheckedReference(section, summary, findings, cases=prepared.cases, versions=prepared.versions)


def _finding(case: str, again: Attempt) -> Finding:
    (result,) = (result for result in again.results if result.name == case)
    return Finding(
        check="reference",
        severity="error",
        message=f"case {case}: a second run of the reference gets {result.verdict} ({result.report['category']})",
        remedy="make it depend on its inputs only: seed what it draws, keep nothing between calls",
        file="reference.py",
    )

"""Run the reference on every case twice: in two processes, the second time in another order."""

import hashlib
import random
from collections.abc import Iterator, Sequence

import numpy as np

from app.catalog.folder import FILE_OF_KEY, digest
from app.catalog.inputs import draw_inputs
from app.catalog.package import Package
from app.catalog.verification_report import Finding
from app.catalog.verification_section import ReferenceRun, ReferenceSection
from app.judging.leaf import Array, Tree, read_leaf
from app.judging.requirement import plural
from app.judging.structure import holds_something, leaves
from app.judging.verdicts import Verdict
from app.verification.code_failure import line_of, remedy_of
from app.verification.distance import is_repeated
from app.verification.trial import Attempt, CheckedReference, Trial
from app.worker.prepare import Draw, Prepared, PreparedCase, prepare
from sandbox.guest.codec import decode, encode
from sandbox.interface import CaseInput, Ending

STEP = "the reference"
MAX_NAMED = 3
SEED = "seed the random numbers, and keep no state between calls"


def check_reference(trial: Trial) -> CheckedReference:
    """Raises ReferenceFailed, BoxLost, Aborted."""
    package = trial.package
    trial.watch(STEP, 0, 3)
    draw = _draw(package)
    trial.pools.compile(package, list(_drawn(package, draw)), trial.abort)
    trial.watch(STEP, 1, 3)
    prepared = prepare(package, draw, trial.pools.references, trial.abort)
    trial.watch(STEP, 2, 3)
    shuffled = list(prepared.cases)
    random.Random(digest(package.files)).shuffle(shuffled)
    again = trial.with_patience.attempt(package.reference, shuffled)
    trial.watch(STEP, 3, 3)
    findings = (
        *_answer_findings(prepared.cases),
        *(_run_finding(name, again) for name in again.failed),
        *_noise_findings(package, prepared.cases, again),
        *_input_findings(trial, draw, prepared),
    )
    is_useful = any(holds_something(decode(case.expected)) for case in prepared.cases)
    return CheckedReference(
        _section(prepared, shuffled, again),
        f"{plural(len(prepared.cases), 'case')} in two processes and two orders",
        findings,
        cases=prepared.cases if is_useful else (),
        versions=prepared.versions,
    )


def _draw(package: Package) -> Draw:
    """Return the draw for verifications, the same each time. No submission is judged on it."""
    return Draw(hashlib.sha256(f"verification of {digest(package.files)}".encode()).digest(), 0)


def _drawn(package: Package, draw: Draw) -> Iterator[CaseInput]:
    """Yield the inputs of the cases without a generator, which need no box."""
    for case in package.manifest.cases:
        if case.generate is None:
            inputs = draw_inputs(package.manifest, case, draw.secret_seed, draw.variant)
            yield CaseInput(case.name, encode(dict(inputs)))


def _section(prepared: Prepared, shuffled: Sequence[PreparedCase], again: Attempt) -> ReferenceSection:
    runs = (
        ReferenceRun(order=tuple(case.name for case in prepared.cases), agrees=True),
        ReferenceRun(order=tuple(case.name for case in shuffled), agrees=again.verdict is Verdict.ACCEPTED),
    )
    return ReferenceSection(runs=runs)


def _answer_findings(cases: Sequence[PreparedCase]) -> Iterator[Finding]:
    file = FILE_OF_KEY["reference"]
    for case in cases:
        answer = decode(case.expected)
        numbers = _floats(answer)
        if not holds_something(answer):
            message = f"case {case.name}: the reference returns nothing, so no answer can be right"
            remedy = "let the reference, or driver.py, return the values to compare"
            yield Finding(check="reference", severity="error", message=message, remedy=remedy, file=file)
        elif numbers.size and not np.isfinite(numbers).any():
            message = f"case {case.name}: the reference's answer has no finite number"
            remedy = "draw inputs that have a finite answer; a NaN is allowed beside numbers"
            yield Finding(check="reference", severity="error", message=message, remedy=remedy, file=file)


def _floats(answer: Tree) -> Array:
    found = [read_leaf(value) for _, value in leaves(answer)]
    parts = [leaf.array.astype(np.float64).ravel() for leaf in found if leaf.kind == "float"]
    return np.concatenate(parts) if parts else np.zeros(0)


def _run_finding(case: str, again: Attempt) -> Finding:
    (result,) = (result for result in again.results if result.name == case)
    outcome = again.outcomes.get(case)
    has_failed = outcome is not None and outcome.ending is not Ending.ANSWERED
    return Finding(
        check="reference",
        severity="error",
        message=f"case {case}: in another process and order the reference gets {result.verdict} "
        f"({result.report['category']})",
        remedy=remedy_of(outcome, "reference") if outcome and has_failed else SEED,
        file=FILE_OF_KEY["reference"],
        line=line_of(outcome.failure) if outcome and has_failed else None,
    )


def _noise_findings(package: Package, cases: Sequence[PreparedCase], again: Attempt) -> Iterator[Finding]:
    """Yield a warning if answers differ by less than the tolerance, but by more than threads can cause."""
    answers = {name: answer for name, answer in again.answers.items() if name not in again.failed}
    noisy = [case.name for case in cases if case.name in answers and not is_repeated(answers[case.name], case.expected)]
    if package.manifest.deterministic and noisy:
        named = ", ".join(noisy[:MAX_NAMED]) + (" …" if len(noisy) > MAX_NAMED else "")
        yield Finding(
            check="reference",
            severity="warning",
            message=f"in another process, the reference gives different answers for the same inputs ({named}); only "
            "the tolerance hides the difference",
            remedy=f"{SEED}; if right answers differ from run to run, set `deterministic: false`",
            file=FILE_OF_KEY["reference"],
        )


def _input_findings(trial: Trial, draw: Draw, first: Prepared) -> Iterator[Finding]:
    """Check that cases.py makes the same inputs from the same seed."""
    if trial.package.generators is None:
        return
    second = prepare(trial.package, draw, trial.pools.references, trial.abort)
    for case, again in zip(first.cases, second.cases, strict=True):
        if case.inputs != again.inputs:
            message = f"case {case.name}: two calls with the same seed make different inputs"
            remedy = "draw all random numbers from np.random.default_rng(seed)"
            file = FILE_OF_KEY["generators"]
            yield Finding(check="reference", severity="error", message=message, remedy=remedy, file=file)

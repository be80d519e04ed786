"""Run the reference on every case twice: in two processes, the second time in another order."""

import hashlib
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.catalog.folder import FILE_OF_KEY, digest
from app.catalog.inputs import draw_inputs
from app.catalog.package import Package
from app.catalog.verification_report import Finding, Severity
from app.catalog.verification_section import ReferenceRun, ReferenceSection
from app.engine.prepare import Draw, PreparedCase, PreparedVariant, draw_all_inputs, prepare
from app.engine.request import patient_at_first
from app.judging.leaf import Array, Tree, leaves, read_leaf, subject
from app.judging.requirement import plural
from app.judging.verdicts import Verdict
from app.verification.code_failure import culprit_of, line_of, remedy_of
from app.verification.distance import is_repeated, largest_difference
from app.verification.trial import CheckedReference, SourceJudging, Trial, listed_cases, some_of_each
from sandbox.guest.codec import decode, encode
from sandbox.interface import CaseInput, Ending

STEP = "the reference"
SEED = "seed the random numbers, read no clock, and keep no state between calls"
# Threads that add in varying order give few different answers. Three runs with three answers have another cause.
MAX_REPEATED = 3


def check_reference(trial: Trial) -> CheckedReference:
    """Raises ReferenceFailed, BoxLost, Aborted."""
    package = trial.package
    trial.watch(STEP, 0, 3)
    draw = _draw(package)
    trial.pools.warm(package)
    trial.pools.compile(package, list(_drawn(package, draw)), trial.abort)
    trial.watch(STEP, 1, 3)
    prepared = prepare(package, draw, trial.pools.boxes, trial.abort, patient_at_first)
    trial.watch(STEP, 2, 3)
    shuffled = list(prepared.cases)
    random.Random(digest(package.files)).shuffle(shuffled)
    again = trial.with_patience.attempt(package.reference, shuffled)
    trial.watch(STEP, 3, 3)
    findings = (
        *_answer_findings(prepared.cases),
        *_run_findings(package, again),
        *_noise_findings(trial, prepared.cases, again),
        *_input_findings(trial, draw, prepared),
    )
    is_right = not any(finding.severity == "error" for finding in findings)
    return CheckedReference(
        _section(prepared, shuffled, again),
        f"{plural(len(prepared.cases), 'case')} in two processes and two orders",
        findings,
        cases=prepared.cases if is_right else (),
        versions=prepared.versions,
    )


def _draw(package: Package) -> Draw:
    """Return the draw for verifications, the same each time. No submission is judged on it."""
    return Draw(hashlib.sha256(f"verification of {digest(package.files)}".encode()).digest(), 0)


def _drawn(package: Package, draw: Draw) -> Iterator[CaseInput]:
    """Yield the inputs of some open cases without a generator, which need no box."""
    for case in some_of_each(package.manifest.cases):
        if case.generate is None and not case.sealed:
            inputs = draw_inputs(package.manifest, case, draw.secret_seed, draw.variant)
            yield CaseInput(case.name, encode(dict(inputs)))


def _section(prepared: PreparedVariant, shuffled: Sequence[PreparedCase], again: SourceJudging) -> ReferenceSection:
    runs = (
        ReferenceRun(order=tuple(case.name for case in prepared.cases), agrees=True),
        ReferenceRun(order=tuple(case.name for case in shuffled), agrees=again.verdict is Verdict.ACCEPTED),
    )
    return ReferenceSection(runs=runs)


def _answer_findings(cases: Sequence[PreparedCase]) -> Iterator[Finding]:
    file = FILE_OF_KEY["reference"]
    numbers = {case.name: _floats(decode(case.expected)) for case in cases}
    infinite = [name for name, found in numbers.items() if found.size and not np.isfinite(found).any()]
    if infinite:
        message = f"the reference's answer has no finite number ({listed_cases(infinite)})"
        remedy = "draw inputs that have a finite answer; a NaN is allowed beside numbers"
        yield Finding(check="reference", severity="error", message=message, remedy=remedy, file=file)


def _floats(answer: Tree) -> Array:
    found = [read_leaf(value) for _, value in leaves(answer)]
    parts = [leaf.array.astype(np.float64).ravel() for leaf in found if leaf.kind == "float"]
    return np.concatenate(parts) if parts else np.zeros(0)


def _run_findings(package: Package, again: SourceJudging) -> Iterator[Finding]:
    """Yield a finding for the cases that ended alike."""
    ends: dict[tuple[str, str], list[str]] = defaultdict(list)
    for result in again.results:
        if result.name in again.failed:
            ends[result.verdict, result.report["category"]].append(result.name)
    for (verdict, category), cases in ends.items():
        outcome = again.outcomes.get(cases[0])
        part, remedy, line = "reference", SEED, None
        if outcome is not None and outcome.ending is not Ending.ANSWERED:
            part = culprit_of(package, "reference", outcome)
            remedy, line = remedy_of(outcome, part), line_of(outcome.failure)
        message = f"in another process and order the reference gets {verdict} ({category}): {listed_cases(cases)}"
        file = FILE_OF_KEY[part]
        yield Finding(check="reference", severity="error", message=message, remedy=remedy, file=file, line=line)


def _noise_findings(trial: Trial, cases: Sequence[PreparedCase], again: SourceJudging) -> Iterator[Finding]:
    """Yield a finding if answers differ within the tolerance."""
    if not trial.package.manifest.deterministic:
        return
    answers = {name: answer for name, answer in again.answers.items() if name not in again.failed}
    moved = [case for case in cases if answers.get(case.name, case.expected) != case.expected]
    noisy = [case for case in moved if not is_repeated(answers[case.name], case.expected)]
    if noisy:
        yield _noise_finding("warning", "different answers", noisy, answers)
    elif moved:
        third = trial.with_patience.attempt(trial.package.reference, moved[:MAX_REPEATED]).answers
        drifting = [case for case in moved if third.get(case.name) not in (None, case.expected, answers[case.name])]
        if drifting:
            yield _noise_finding("warning", "slightly different answers in each of three runs", drifting, answers)
        else:
            yield _noise_finding("note", "slightly different answers, as threads can cause", moved, answers)


def _noise_finding(
    severity: Severity, what: str, cases: Sequence[PreparedCase], answers: Mapping[str, bytes]
) -> Finding:
    """`answers`: of the second run."""
    named = listed_cases([case.name for case in cases])
    path, most = max((largest_difference(answers[case.name], case.expected) for case in cases), key=lambda by: by[1])
    return Finding(
        check="reference",
        severity=severity,
        message=f"the reference is nondeterministic: it gives {what} for the same inputs ({named}), up to {most:.2g} "
        f"apart in {subject(path)}; only the tolerance hides the difference",
        remedy=f"{SEED}; if right answers differ from run to run, set `deterministic: false`",
        file=FILE_OF_KEY["reference"],
    )


def _input_findings(trial: Trial, draw: Draw, first: PreparedVariant) -> Iterator[Finding]:
    """Check that cases.py makes the same inputs from the same seed."""
    if trial.package.generators is None:
        return
    second = draw_all_inputs(trial.package, draw, trial.pools.boxes, trial.abort)
    changing = [case.name for case in first.cases if case.inputs != encode(dict(second[case.name]))]
    if changing:
        message = f"two calls with the same seed make different inputs ({listed_cases(changing)})"
        remedy = "draw all random numbers from np.random.default_rng(seed)"
        file = FILE_OF_KEY["generators"]
        yield Finding(check="reference", severity="error", message=message, remedy=remedy, file=file)

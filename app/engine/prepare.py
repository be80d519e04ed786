"""Prepare cases: draw or generate the inputs of a variant, or read a student's own, and run the reference on them.

`in_order` gives the order of a submission's cases: samples first, then the hidden ones, shuffled. So an answer that
depends on earlier calls fails.

The reference was written for the problem's own cases and may fail on a student's inputs. That is no fault of the
student or the author: the judging ends with a message (`find_unanswerable`). The reference's answer is not stored.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from threading import Event
from typing import Any
from uuid import UUID

from app.catalog.answers.kind import inputs_of
from app.catalog.custom_inputs import OWN_INPUTS, UNANSWERED, read_own_inputs
from app.catalog.folder import MANIFEST_FILE
from app.catalog.inputs import case_seed, draw_inputs
from app.catalog.manifest import Case
from app.catalog.package import Package
from app.catalog.parameter import Parameter as CaseParameter
from app.engine.boxes import box_spec
from app.engine.custom_checker import CustomChecker, find_fault
from app.engine.examination import Examiner, choose_tried, examine
from app.engine.inspection import Examination, Inspectors
from app.engine.request import (
    PackageFailed,
    build_request,
    limits_of,
    numbers_of,
    patient,
    patient_at_first,
    place_of,
    read_outcome,
    reason_of,
    recorded,
    rules_of,
    run_cases,
)
from app.errors import JudgeFailed
from app.judging.comparison import Rules, compare
from app.judging.leaf import holds_something, leaves, path_text, read_leaf
from app.judging.report import AnswerFault, Material, build_report, copyable_preview, exception_category, preview
from app.judging.requirement import Basis, Evidence, Facts, first_unmet
from app.judging.verdicts import CaseResult, Finish, Verdict, Visibility
from sandbox.guest.codec import Tree, decode, encode
from sandbox.guest.trace_signature import Untraceable
from sandbox.interface import Box, CaseInput, CaseOutcome, Ending, Parameter, Request
from sandbox.pool import Pool

# Generators take arguments by name: `def large_model(seed, width)`.
CALL_BY_NAME = "def run(solution, inputs):\n    return solution(**inputs)\n"

NOT_EXAMINED = "examining the reference's programs took more processes or time than allowed"
UNANSWERED_MESSAGE = (
    "the reference solution fails on these inputs{why}, so Allclose can't compare your answer; use inputs that the "
    "statement allows"
)
_WHY = {
    Ending.TIMED_OUT: "it exceeds the time limit of a case",
    Ending.OUT_OF_MEMORY: "it exceeds the memory limit of a case",
    Ending.TOO_MUCH_OUTPUT: "its answer is too large",
}


class ReferenceFailed(PackageFailed):
    """The package's own code did not answer a case as its manifest asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCase:
    """`inputs` and `expected` are encoded values; the previews are shown for sample cases.

    `evidence`: of the reference's program, if the problem has requirements on programs.
    """

    position: int
    name: str
    visibility: Visibility
    inputs: bytes
    expected: bytes
    inputs_preview: dict[str, Any]
    expected_preview: Any
    sealed: bool = False
    evidence: Evidence | None = None

    @property
    def input(self) -> CaseInput:
        return CaseInput(self.name, self.inputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedVariant:
    cases: tuple[PreparedCase, ...]
    image: str
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Draw:
    """The values that determine the hidden inputs: the revision's secret and the variant, counted from 0."""

    secret_seed: bytes
    variant: int


def prepare(
    package: Package, draw: Draw, pool: Pool, abort: Event, allow: Callable[[Request], Request] = patient
) -> PreparedVariant:
    """Draw every case's inputs and run the reference on them. Raises ReferenceFailed, BoxLost, Aborted.

    `allow`: sets the time that the reference gets.
    """
    bench = _Bench(package, pool, abort, allow)
    inputs = draw_all_inputs(package, draw, pool, abort)
    given = [_case_input(name, values) for name, values in inputs.items()]
    answered = bench.answer(package.manifest.cases, given)
    _require_values(package, answered.answers)
    if fault := find_fault(CustomChecker(package, pool, abort), given, answered.answers):
        reason = f"{package.slug}/{MANIFEST_FILE}, checkers, {fault.reason}"
        raise ReferenceFailed(reason, remedy=fault.remedy, part=fault.part, outcome=fault.outcome)
    rules = rules_of(package.manifest)
    cases = tuple(
        _prepared(position, case, inputs[case.name], answered, rules)
        for position, case in enumerate(package.manifest.cases)
    )
    return PreparedVariant(cases=cases, image=answered.box.ready.image, versions=answered.box.ready.versions)


def _require_values(package: Package, answers: Mapping[str, bytes]) -> None:
    """Raises ReferenceFailed if no case has a value: otherwise a function that returns nothing would be right."""
    if not any(holds_something(decode(answer)) for answer in answers.values()):
        raise ReferenceFailed(
            f"{place_of(package, 'reference')}: the reference returns nothing in any case",
            remedy="let the reference, or driver.py, return the values to compare",
            part="reference",
        )


def draw_all_inputs(package: Package, draw: Draw, pool: Pool, abort: Event) -> dict[str, dict[str, Tree]]:
    """Draw or generate every case's inputs, by case. Raises ReferenceFailed, BoxLost, Aborted."""
    bench, cases = _Bench(package, pool, abort), package.manifest.cases
    drawn: dict[str, dict[str, Tree]] = {}
    for function in dict.fromkeys(case.generate for case in cases):
        drawn |= bench.inputs(function, [case for case in cases if case.generate == function], draw)
    return {case.name: drawn[case.name] for case in cases}


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReferenceAnswers:
    """`answers` by case; `programs` of the cases that need them; `box` gave the last answer."""

    answers: Mapping[str, bytes]
    programs: Mapping[str, Examination]
    box: Box


def _prepared(
    position: int, case: Case, inputs: Mapping[str, Tree], answered: _ReferenceAnswers, rules: Rules
) -> PreparedCase:
    answer, program = answered.answers[case.name], answered.programs.get(case.name)
    show = copyable_preview if case.visibility == "sample" else preview
    return PreparedCase(
        position=position,
        name=case.name,
        visibility=case.visibility,
        inputs=encode(dict(inputs)),
        expected=answer,
        inputs_preview={name: show(value) for name, value in inputs.items()},
        expected_preview=show(rules.view(decode(answer))),
        sealed=case.sealed,
        evidence=program.evidence if program else None,
    )


@dataclass(frozen=True, slots=True)
class _Bench:
    """Runs the package's own code in boxes, with longer time limits. Every case must be answered."""

    package: Package
    pool: Pool
    abort: Event
    allow: Callable[[Request], Request] = patient

    def answer(self, cases: Sequence[Case], given: Sequence[CaseInput]) -> _ReferenceAnswers:
        """Return the reference's answers and evidence of its programs. Raises ReferenceFailed."""
        answers, box = self.reference([each for each, case in zip(given, cases, strict=True) if not case.sealed])
        try:
            programs = self.programs(given, answers)
        except Untraceable as error:
            raise ReferenceFailed(
                f"{self.package.slug}/{MANIFEST_FILE}, parameters: {error}",
                remedy=f"add `static: true` to parameter {error.parameter}",
            ) from None
        answers |= {name: examined.outcome.answer or b"" for name, examined in programs.items() if name not in answers}
        return _ReferenceAnswers(answers=answers, programs=programs, box=box)

    def inputs(self, function: str | None, cases: Sequence[Case], draw: Draw) -> dict[str, dict[str, Tree]]:
        """Return the inputs by case. One process generates those of one `function`; None: they are drawn here."""
        manifest, secret, variant = self.package.manifest, draw.secret_seed, draw.variant
        if function is None:
            return {case.name: draw_inputs(manifest, case, secret, variant) for case in cases}
        arguments = {case.name: {"seed": case_seed(case, secret, variant), **case.arguments} for case in cases}
        request = Request(
            source=self.package.generators or "",
            entry_point=function,
            driver=CALL_BY_NAME,
            parameters=tuple(Parameter(name, "value") for name in dict.fromkeys(chain(*arguments.values()))),
            cases=tuple(_case_input(name, given) for name, given in arguments.items()),
            limits=limits_of(manifest),
        )
        outcomes, _ = self.run("generators", request)
        return {case.name: self._checked(case, decode(outcomes[case.name].answer or b"")) for case in cases}

    def reference(self, given: Sequence[CaseInput]) -> tuple[dict[str, bytes], Box]:
        """Return the answers by case, from calling the reference. Raises ReferenceFailed."""
        manifest = self.package.manifest
        request = recorded(manifest, build_request(self.package, self.package.reference, given))
        outcomes, box = self.run("reference", request)
        answers: dict[str, bytes] = {}
        for case in given:
            outcome, calls = read_outcome(manifest, outcomes[case.name])
            answers[case.name] = outcome.answer or b""
            self._require("source", case, calls)
            self._require("calls", case, calls)
        return answers, box

    def programs(self, given: Sequence[CaseInput], answers: Mapping[str, bytes]) -> dict[str, Examination]:
        """Return the examination of the reference's programs by case, where needed. Raises ReferenceFailed.

        `answers`: from calling it. Cases that are missing there are sealed.
        """
        manifest = self.package.manifest
        cases = [case for case in given if manifest.asks_for_programs or case.name not in answers]
        # Smallest inputs first: they cost least, and each step is a large part of the work.
        tried = choose_tried(manifest, sorted(cases, key=lambda case: len(case.inputs)))
        found: dict[str, Examination] = {}
        inspectors = Inspectors(pool=self.pool, package=self.package, abort=self.abort)
        examiner = Examiner(source=self.package.reference, makers=self.pool, inspectors=inspectors)
        examine(examiner, cases, tried, lambda examined: found.update({examined.name: examined}))
        for case in cases:
            self._check_program(case, found[case.name], answers.get(case.name))
        return found

    def _check_program(self, case: CaseInput, examined: Examination, answer: bytes | None) -> None:
        place = f"{place_of(self.package, 'reference')}, case {case.name}"
        if examined.skip_reason:
            raise ReferenceFailed(
                f"{place}, as a program: {NOT_EXAMINED}",
                remedy="compute less in each case, or let cases share their shapes",
                part="reference",
            )
        if examined.outcome.ending is not Ending.ANSWERED:
            reason = f"{place}, as a program: {reason_of(examined.outcome)}"
            raise ReferenceFailed(reason, part="reference", outcome=examined.outcome)
        own = examined.outcome.answer or b""
        if answer is not None:
            ask = CustomChecker(self.package, self.pool, self.abort).about(case.name, case.inputs, answer, own)
            comparison = compare(decode(own), decode(answer), rules_of(self.package.manifest), ask)
            if not comparison.accepted:
                raise ReferenceFailed(
                    f"{place}: its program answers differently: {comparison.message}",
                    remedy="compute with JAX only, so that tracing changes nothing",
                    part="reference",
                )
        self._require("program", case, Facts(numbers={}, evidence=examined.evidence, reference=examined.evidence))

    def _require(self, basis: Basis, case: CaseInput, facts: Facts) -> None:
        manifest = self.package.manifest
        facts = replace(facts, numbers=numbers_of(manifest, case.inputs), source=self.package.reference)
        if unmet := first_unmet(manifest.requirements, basis, facts):
            place = f"{self.package.slug}/{MANIFEST_FILE}, requirements, case {case.name}"
            raise ReferenceFailed(
                f"{place}: the reference itself breaks the rule '{unmet.category}': {unmet.message}",
                remedy="meet the requirement in the reference, or remove it",
                part="reference",
            )

    def run(self, key: str, request: Request) -> tuple[dict[str, CaseOutcome], Box]:
        """Return the outcomes by case, and the last one's box. `key`: the part that runs. Raises ReferenceFailed.

        A case that kills the process is enough to fail, so no second process runs the rest.
        """
        outcomes: list[CaseOutcome] = []
        spec = box_spec(self.package.manifest)
        box = run_cases(self.pool, spec, self.allow(request), outcomes.append, self.abort, processes=1)
        for outcome in outcomes:
            require_answered(self.package, key, outcome)
        return {outcome.name: outcome for outcome in outcomes}, box

    def _checked(self, case: Case, inputs: Tree) -> dict[str, Tree]:
        expected = inputs_of(self.package.manifest.case_inputs, inputs if isinstance(inputs, dict) else {})
        names = [parameter.name for parameter in expected]
        if not isinstance(inputs, dict) or set(inputs) != set(names):
            given = sorted(map(str, inputs)) if isinstance(inputs, dict) else type(inputs).__name__
            raise ReferenceFailed(
                f"{place_of(self.package, 'generators')}, case {case.name}: {case.generate} returned {given}",
                remedy=f"return a dict with exactly {', '.join(names)}",
                part="generators",
            )
        return {name: inputs[name] for name in names}


def require_answered(package: Package, key: str, outcome: CaseOutcome) -> None:
    """Raises ReferenceFailed if the package's part `key` did not answer the case."""
    if outcome.ending is not Ending.ANSWERED:
        place = f"{place_of(package, key)}, case {outcome.name}"
        raise ReferenceFailed(f"{place}: {reason_of(outcome)}", part=key, outcome=outcome)


def _case_input(name: str, inputs: Mapping[str, Tree]) -> CaseInput:
    return CaseInput(name, encode(dict(inputs)))


@dataclass(frozen=True, slots=True)
class Shape:
    """`label`: how it differs from the problem's other shapes."""

    label: str
    cases: tuple[PreparedCase, ...]


def shapes_of(cases: Sequence[PreparedCase], parameters: Sequence[CaseParameter]) -> list[Shape]:
    """Group cases by the shapes of their inputs, in the order of the first cases: JAX compiles anew for each shape.

    Cases have the same shape if their arrays agree in shape and dtype, and their static parameters in value.
    """
    static = {parameter.name for parameter in parameters if parameter.static}
    found: dict[tuple[str, ...], list[PreparedCase]] = {}
    for case in cases:
        found.setdefault(tuple(_parts(case, static)), []).append(case)
    shared = set.intersection(*map(set, found)) if len(found) > 1 else set()
    return [
        Shape(", ".join(part for part in parts if part not in shared), tuple(members))
        for parts, members in found.items()
    ]


def _parts(case: PreparedCase, static: set[str]) -> Iterator[str]:
    for path, value in leaves(decode(case.inputs)):
        leaf = read_leaf(value)
        if not leaf.is_python:
            yield f"{path_text(path)} {leaf.dtype} {leaf.shape}"
        elif path[0] in static:
            yield f"{path_text(path)} = {leaf.value!r}"


def in_order(cases: Sequence[PreparedCase], submission_id: UUID) -> list[PreparedCase]:
    """Return the same order for every attempt. A submission's ID is unknown when its source is written."""
    samples = [case for case in cases if case.visibility == "sample"]
    hidden = [case for case in cases if case.visibility == "hidden"]
    random.Random(submission_id.bytes).shuffle(hidden)
    return samples + hidden


def prepare_custom_inputs(package: Package, text: str, pool: Pool, abort: Event) -> PreparedCase:
    """Prepare a student's own inputs, within a submission's time limit. The reference may fail on them.

    `pool`: boxes for the reference. Raises as `prepare` does.
    """
    case = read_own_inputs(text, package.manifest.case_inputs)
    inputs = draw_inputs(package.manifest, case, b"", 0)
    bench = _Bench(package, pool, abort, allow=patient_at_first)
    answered = bench.answer([case], [_case_input(case.name, inputs)])
    return _prepared(0, case, inputs, answered, rules_of(package.manifest))


def find_unanswerable(failure: JudgeFailed) -> Finish:
    """Return the end of a judging whose inputs made the package's own code fail."""
    outcome = failure.outcome if isinstance(failure, ReferenceFailed) else None
    why = _why(outcome) if outcome else ""
    fault = AnswerFault(category=UNANSWERED, message=UNANSWERED_MESSAGE.format(why=f" ({why})" if why else ""))
    result = CaseResult(
        position=0,
        name=OWN_INPUTS,
        visibility="sample",
        verdict=Verdict.INVALID_SUBMISSION,
        wall_seconds=None,
        memory_bytes=None,
        report=build_report("sample", fault, Material()),
    )
    return Finish(verdict=result.verdict, score=0, cases=(result,), image="", versions={})


def _why(outcome: CaseOutcome) -> str:
    """Give only the exception's type: its text and traceback would show the reference's code."""
    if outcome.ending is Ending.RAISED and outcome.failure:
        return f"it raises {exception_category(outcome.failure.kind)}"
    return _WHY.get(outcome.ending, "")

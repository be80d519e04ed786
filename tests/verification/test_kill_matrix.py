"""Cases that catch nothing, and mistakes that only one case catches, from given verdicts."""

from dataclasses import replace

from app.catalog.package import KnownSubmission
from app.engine.prepare import PreparedCase
from app.judging.verdicts import CaseResult, Verdict, overall
from app.verification.known_submissions import check_kill_matrix, until_largest
from app.verification.trial import Effort, KnownJudging, Material, SourceJudging
from tests.verification.bench import make_case


def wrong(name: str, **passes: bool) -> KnownJudging:
    verdicts = {case: Verdict.ACCEPTED if passed else Verdict.WRONG_ANSWER for case, passed in passes.items()}
    results = tuple(
        CaseResult(
            position=n, name=case, visibility="hidden", verdict=verdict, wall_seconds=0, memory_bytes=0, report={}
        )
        for n, (case, verdict) in enumerate(verdicts.items())
    )
    submission = KnownSubmission(verdict=Verdict.WRONG_ANSWER, name=name, source="")
    attempt = SourceJudging(verdict=overall(list(verdicts.values())), results=results, outcomes={})
    return KnownJudging(submission=submission, attempt=attempt)


def told(cases: list[PreparedCase], judged: list[KnownJudging]) -> list[tuple[str, str]]:
    checked = check_kill_matrix(Effort(), Material(cases=tuple(cases), judged=tuple(judged)), None)
    return [(finding.severity, finding.message) for finding in checked.findings]


def test_a_hidden_case_that_catches_nothing_is_pointed_out() -> None:
    cases = [make_case("a"), make_case("b"), make_case("idle")]

    found = told(cases, [wrong("sum", a=False, b=False, idle=True)])

    assert found == [("warning", "case idle catches no wrong solution and no mutant")]


def test_a_sample_may_catch_nothing() -> None:
    cases = [make_case("shown", visibility="sample"), make_case("a"), make_case("b")]

    ((severity, _),) = told(cases, [wrong("sum", shown=True, a=False, b=False)])

    assert severity == "note"


def test_a_mistake_that_one_case_alone_catches_is_pointed_out() -> None:
    cases = [make_case("a"), make_case("b")]

    found = told(cases, [wrong("sum", a=True, b=False), wrong("product", a=False, b=False)])

    assert found == [("note", "only case b catches it")]


def test_a_slow_solution_runs_up_to_the_largest_open_case() -> None:
    sizes = {"small": 1, "sealed": 9, "large": 5, "last": 2}
    cases = [replace(make_case(name), inputs=bytes(size), sealed=name == "sealed") for name, size in sizes.items()]

    assert [case.name for case in until_largest(cases)] == ["small", "sealed", "large"]
    assert until_largest(cases[1:2]) == cases[1:2]

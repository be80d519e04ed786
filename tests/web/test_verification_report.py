"""The report as HTML, with hostile texts and missing figures."""

from collections import Counter
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

from app.catalog.verification_report import CHECK_NAMES, CheckLine, Finding, Report
from app.catalog.verification_section import (
    CalibratedLeaf,
    CalibrationSection,
    KillCase,
    KillMatrixSection,
    KillRow,
    KnownResult,
    KnownSection,
    LimitsSection,
    MeasuredError,
    Mutant,
    MutationSection,
    TrivialAnswer,
    TrivialSection,
    Way,
)
from app.judging.options import Margin
from app.judging.verdicts import Verdict
from app.web.verification_html import nearest, render, render_fragment

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\x1b[31m\u202e{{ 7 * 7 }}"
VOID = {"meta", "link", "br", "img", "input", "rect", "line", "circle"}
DIFF = "--- reference.py\n+++ reference.py\n@@ -1,2 +1,2 @@\n def f(x):\n-    return x\n+    return -x\n"


def report_of(text: str = "text", **changes: Any) -> Report:
    lines = tuple(CheckLine(check=check, title=text, mark="passed", summary=text, seconds=1.5) for check in CHECK_NAMES)
    values: dict[str, Any] = {
        "problem": text,
        "digest": "0123456789abcdef",
        "title": text,
        "verified_at": datetime(2026, 1, 2, tzinfo=UTC),
        "seconds": 3.0,
        "is_quick": False,
        "passed": True,
        "checks": lines,
        "findings": (),
        "versions": {text: text},
    }
    return Report(**values | changes)


def measured(text: str, kind: Any, value: float) -> MeasuredError:
    return MeasuredError(kind=kind, label=text, case=text, value=value, absolute=1e-7)


def full_report(text: str) -> Report:
    findings = (
        Finding(
            check="mutation", severity="warning", message=text, remedy=text, file=text, line=3, details=DIFF + text
        ),
        Finding(check="known", severity="error", message=text, remedy=text, details=text),
    )
    leaf = CalibratedLeaf(
        path=text,
        checker=text,
        tolerance=Margin(rtol=1e-4, atol=1e-6),
        noise=(measured(text, "reference", 0.02), measured(text, "accepted", 0.0)),
        signal=(measured(text, "wrong", 50.0), measured(text, "mutant", float("inf"))),
        suggestion=Margin(rtol=1e-3, atol=1e-5),
        state="narrow",
    )
    mutants = (
        Mutant(operator=text, line=1, diff=DIFF, outcome="killed", killed_by=(text,)),
        Mutant(operator=text, line=2, diff=DIFF, outcome="survived", suggestion=text, largest=0.5),
        Mutant(operator=text, line=2, diff=DIFF, outcome="equivalent"),
    )
    return report_of(
        text,
        passed=False,
        findings=findings,
        known=KnownSection(
            submissions=(
                KnownResult(
                    name=text,
                    file=text,
                    expected=Verdict.WRONG_ANSWER,
                    verdict=Verdict.ACCEPTED,
                    decisive=text,
                    category=text,
                    wall_seconds=1.0,
                ),
            )
        ),
        trivial=TrivialSection(answers=(TrivialAnswer(name=text, meaning=text, tried_on=(text,), accepted_on=()),)),
        mutation=MutationSection(possible=9, mutants=mutants, strength=0.5),
        kill_matrix=KillMatrixSection(
            cases=(KillCase(name=text, visibility="hidden", submissions=1, mutants=0, only_here=(text,)),),
            rows=(KillRow(name=text, verdict=Verdict.WRONG_ANSWER, failed=(text,), passed=()),),
        ),
        calibration=CalibrationSection(
            leaves=(leaf,), ways=(Way(name=text, meaning=text, cases=1, left_out=text),), without_number=2
        ),
        limits=LimitsSection(
            wall_seconds=1,
            slowest=text,
            slowest_case=text,
            slowest_seconds=0.1,
            suggested_wall_seconds=2,
            memory_mib=64,
            largest_memory_mib=1,
            suggested_memory_mib=32,
        ),
    )


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_hostile_text_stays_text() -> None:
    page = Elements(render(full_report(HOSTILE)))

    assert page.open == []
    assert not {"script", "img", "iframe", "link"} & set(page.tags)
    assert not {name for name in page.attributes if name.startswith("on")}
    text = "".join(page.texts)
    assert "<script>alert(1)</script>" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "{{ 7 * 7 }}" in text


def test_a_fragment_fits_a_page_that_allows_no_inline_style_or_script() -> None:
    fragment = Elements(str(render_fragment(full_report("text"))))

    assert fragment.open == []
    assert not {"style", "script", "html", "body"} & set(fragment.tags)
    assert "style" not in fragment.attributes


def test_errors_come_first_and_diffs_are_coloured() -> None:
    page = render(full_report("text"))

    assert page.index('class="finding is-error"') < page.index('class="finding is-warning"')
    assert '<span class="added">+    return -x\n</span>' in page
    assert '<span class="removed">-    return x\n</span>' in page
    assert "+++ reference.py" not in page


def test_a_report_of_checks_that_were_not_made_is_a_page_too() -> None:
    skipped = tuple(CheckLine(check=check, title="t", mark="skipped", summary="no answers") for check in CHECK_NAMES)

    page = Elements(render(report_of(passed=False, checks=skipped)))

    assert page.open == []
    assert page.tags["svg"] == 0


def test_the_answers_nearest_to_the_tolerance_are_listed_right_ones_first() -> None:
    (leaf,) = full_report("text").calibration.leaves  # type: ignore[union-attr]
    right = tuple(measured(f"right_{number}", "accepted", number / 10) for number in range(8))
    wrong = tuple(measured(f"wrong_{number}", "wrong", 2.0**number) for number in range(8, 0, -1))

    listed = nearest(leaf.model_copy(update={"noise": right, "signal": wrong}))

    assert [each.label for each in listed[:5]] == [f"right_{number}" for number in range(3, 8)]
    assert [each.label for each in listed[5:]] == [f"wrong_{number}" for number in range(1, 6)]


def test_findings_show_text_in_backticks_as_code() -> None:
    finding = Finding(check="limits", severity="note", message="`max_time_ratio` is <low>", remedy="raise `efficiency`")

    page = render_fragment(report_of(findings=(finding,)))

    assert "<code>max_time_ratio</code> is &lt;low&gt;" in page
    assert "raise <code>efficiency</code>" in page

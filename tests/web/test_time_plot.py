"""The curve of time by size, and the sentence beside it."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.catalog.package import load_package
from app.catalog.publish import publish
from app.cli.result_text import submission_text
from app.database.engine import Database
from app.judging.efficiency import CasePair, Efficiency, TimeComparison, compare_times
from app.judging.report import AnswerFault
from app.judging.throughput import DeviceRun, throughput_of
from app.judging.verdicts import Finish, Verdict
from app.submissions.judging_record import finish
from app.submissions.model import Submission
from app.web.picture.time_plot import draw_time_plot
from app.web.render import render_text
from tests.factories import view_submission
from tests.web.judged import all_right, failed, take
from tests.web.submit_form import submit
from tests.web.test_picture import of_class, titles

KINDS = Path(__file__).parents[1] / "kinds"
LINEAR = {1024: 0.0051, 2048: 0.0098, 4096: 0.021}


def timed(rule: Efficiency, own: Mapping[int, float], reference: Mapping[int, float]) -> TimeComparison:
    return compare_times(rule, {size: [CasePair(f"n_{size}", own[size], reference[size])] for size in own})


SLOW = timed(Efficiency(max_time_ratio=3, max_growth=1.5), {1024: 0.03, 2048: 0.11, 4096: 0.42}, LINEAR)
FAST = timed(Efficiency(max_time_ratio=3), LINEAR, LINEAR)
ONE_SIZE = timed(Efficiency(max_time_ratio=3), {4096: 0.02}, {4096: 0.02})
WIDE = timed(Efficiency(max_time_ratio=1000, max_growth=3), {1: 1e-9, 10: 20.0}, {1: 1e-6, 10: 300.0})
TWO_CASES = compare_times(
    Efficiency(max_time_ratio=3), {4096: [CasePair("quick", 0.02, 0.02), CasePair("slow", 0.5, 0.04)]}
)


def drawn(times: TimeComparison) -> ElementTree.Element:
    return ElementTree.fromstring(draw_time_plot(times))


def test_each_point_is_named_by_its_time_and_size() -> None:
    assert titles(drawn(SLOW))[:2] == [
        "reference: 5.1 ms at n = 1,024, n_1024",
        "yours: 30 ms at n = 1,024, n_1024",
    ]


def test_the_curve_shows_every_case_of_a_size_and_follows_the_slowest() -> None:
    dots = [float(dot.get("cy") or 0) for dot in of_class(drawn(TWO_CASES), "yours") if dot.get("cy")]
    line = float((of_class(drawn(TWO_CASES), "yours")[0].get("d") or "").split()[-1])

    assert {title.rpartition(", ")[2] for title in titles(drawn(TWO_CASES))} == {"slow", "quick"}
    assert len(dots) == 2
    assert round(min(dots), 1) == line


def test_times_of_an_old_judging_are_still_shown() -> None:
    old = TimeComparison.model_validate(
        {**FAST.model_dump(), "times": [each.model_dump(exclude={"cases"}) for each in FAST.times]}
    )

    assert titles(drawn(old))[:2] == ["reference: 5.1 ms at n = 1,024", "yours: 5.1 ms at n = 1,024"]


def test_the_slower_curve_lies_above_the_allowed_one_and_that_above_the_references() -> None:
    last = {
        name: float((of_class(drawn(SLOW), name)[0].get("d") or "").split()[-1])
        for name in ("yours", "allowed", "expected")
    }

    assert last["yours"] < last["allowed"] < last["expected"]  # SVG counts downwards


@pytest.mark.parametrize("times", [SLOW, FAST, ONE_SIZE, WIDE, TWO_CASES])
def test_every_point_lies_within_the_picture(times: TimeComparison) -> None:
    picture = drawn(times)
    height, width = float(picture.get("height") or 0), float(picture.get("width") or 0)

    for dot in picture.iter("circle"):
        assert 0 <= float(dot.get("cx") or -1) <= width
        assert 0 <= float(dot.get("cy") or -1) <= height


def end_with(database: Database, times: TimeComparison) -> None:
    results = all_right()
    if not times.is_met:
        slow = failed(2, Verdict.REQUIREMENT_NOT_MET, AnswerFault(category="slower than allowed", message=""))
        results = (*results[:2], slow)
    verdict = Verdict.ACCEPTED if times.is_met else Verdict.REQUIREMENT_NOT_MET
    outcome = Finish(verdict=verdict, score=66, cases=results, image="", versions={}, times=times)
    assert finish(database, take(database), outcome)


def test_the_page_says_how_slow_it_is_and_shows_the_curve(database: Database, ada: TestClient) -> None:
    address = submit(ada)
    end_with(database, SLOW)

    page = ada.get(address).text

    assert "All answers are right, but it is too slow: 20 times the reference&#39;s time at n = 4,096" in page
    assert "Time by size of the inputs" in page
    assert "<td>0.42 s</td>" in page or "<td>420 ms</td>" in page


def test_rest_and_the_terminal_have_the_times_too(database: Database, ada: TestClient) -> None:
    submit(ada)
    end_with(database, FAST)

    with database.transaction() as session:
        view = view_submission(session, session.scalars(select(Submission)).one())

    found = view.model_dump(mode="json")["times"]
    text = submission_text(view)
    assert found["ratio"] == 1.0
    row = {"seconds": 0.0051, "reference_seconds": 0.0051}
    assert found["times"][0] == {"size": 1024, **row, "cases": [{"name": "n_1024", **row, "ratio": 1.0}]}
    assert "n = 1,024, n_1024: 5.1 ms (reference: 5.1 ms)" in text
    assert "1.0 times the reference's time at n = 4,096 (allowed: 3 times)" in text


def test_the_problems_page_tells_the_limits_before_a_submission(database: Database, ada: TestClient) -> None:
    with database.transaction() as session:
        publish(session, load_package(KINDS / "efficiency"))

    page = ada.get("/problems/efficiency").text

    assert "Your program must take at most 4 times the reference&#39;s time at the largest size." in page
    assert "Your program must take time that grows at most like n^1.5." in page


def test_the_throughput_on_a_gpu_stands_below_the_plot() -> None:
    run = DeviceRun(size=4096, seconds=0.001, reference_seconds=0.002, work_bytes=2_400_000_000, flops=0.0)
    times = FAST.model_copy(update={"throughput": throughput_of("NVIDIA H200", [run])})

    shown = render_text("fragments/times.html", {"result": SimpleNamespace(times=times)})

    assert "timed on the GPU: 2,400 GB/s at n = 4,096 on NVIDIA H200: 50 % of what the card allows." in shown
    assert "timed on the GPU" not in render_text("fragments/times.html", {"result": SimpleNamespace(times=FAST)})

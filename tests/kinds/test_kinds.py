"""Every kind of answer: in real boxes, each known solution gets its folder's verdict, and hostile ones gain nothing."""

from pathlib import Path

import pytest

from app.catalog.package import load_package
from app.verification.trial import VerificationPools
from tests.verification.bench import NO_MUTANTS, said, verified

HERE = Path(__file__).parent
QUICK = ("any_rank", "class_plain", "file", "functions", "generator", "in_place", "integrator", "random", "text")
SLUGS = sorted(path.parent.name for path in HERE.glob("*/problem.yaml"))


@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=[] if slug in QUICK else [pytest.mark.whole]) for slug in SLUGS]
)
def test_the_solutions_of_each_kind_get_their_verdicts(pools: VerificationPools, slug: str) -> None:
    package = load_package(HERE / slug)

    report = verified(package, pools, NO_MUTANTS)

    assert report.known is not None
    judged = {f"{each.expected}/{each.name}": (each.verdict, each.category) for each in report.known.submissions}
    assert {name: verdict for name, (verdict, _) in judged.items()} == {
        name: name.partition("/")[0] for name in judged
    }, judged
    assert [finding for finding in said(report) if finding[0] != "lint"] == []
    assert "LEAK" not in report.model_dump_json()

"""Faults at random moments under load: no submission is lost, doubled or judged wrongly, and no event is lost."""

from pathlib import Path

import pytest

from tests.faults.kinds import KINDS
from tests.faults.suite import run, share_out

QUICK = {kind.name: kind.quick for kind in KINDS}


@pytest.mark.parametrize(
    ("counts", "seconds", "students", "is_whole"),
    [
        pytest.param(QUICK, 8, 4, False, id="quick"),
        pytest.param(share_out(500), 300, 8, True, id="whole", marks=pytest.mark.whole),
    ],
)
@pytest.mark.timeout(1200)
def test_every_submission_gets_its_verdict_once_whatever_breaks(
    tmp_path: Path, counts: dict[str, int], seconds: float, students: int, is_whole: bool
) -> None:
    report = run(tmp_path, counts, seed=1, seconds=seconds, students=students, is_whole=is_whole)

    assert not report.broken, report.broken
    assert {row.name: row.times for row in report.rows} == {
        name: times for name, times in counts.items() if times and name not in report.skipped
    }

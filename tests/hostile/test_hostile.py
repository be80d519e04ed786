"""Every file under `submissions/` states a mechanism and the verdict that it must get.

After each one, in the same pool, an honest solution that also looks for leftovers must be accepted.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.catalog.package import Package, load_package
from app.judging.verdicts import Verdict
from app.worker.judge import Job, judge
from app.worker.lease import Finish
from app.worker.prepare import Draw, PreparedCase, prepare
from sandbox.pool import Pool
from tests.sandbox.conftest import LAUNCHERS

HERE = Path(__file__).parent
FILES = sorted((HERE / "submissions").glob("*/*.py"))
HEADER = re.compile(r"\ufeff?# mechanism: (?P<mechanism>.+)\r?\n# verdict: (?P<verdicts>[\w|]+)\r?\n")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]")


@dataclass(frozen=True)
class Arena:
    package: Package
    pool: Pool
    cases: tuple[PreparedCase, ...]

    def judge(self, source: str) -> Finish:
        job = Job(package=self.package, source=source, cases=self.cases)
        return judge(job, self.pool, lambda _: None, threading.Event())

    @property
    def canary(self) -> str:
        return next(known.source for known in self.package.submissions if known.name == "canary")


@pytest.fixture(scope="module", params=LAUNCHERS)
def arena(request: pytest.FixtureRequest) -> Iterator[Arena]:
    package = load_package(HERE / "problems" / "standardise")
    with closing(Pool(LAUNCHERS[request.param](), capacity=1, max_runs=1000)) as pool:
        prepared = prepare(package, Draw(b"a fixed secret", 0), pool, threading.Event())
        yield Arena(package, pool, prepared.cases)


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}/{file.stem}" for file in FILES])
def test_a_hostile_submission_gets_its_verdict_and_disturbs_nobody(arena: Arena, file: Path) -> None:
    source = file.read_bytes().decode()
    header = HEADER.match(source)
    assert header, "the file starts with its mechanism and its verdict"

    judged = arena.judge(source)

    assert judged.verdict in map(Verdict, header["verdicts"].split("|")), [case.report for case in judged.cases]
    assert [case.name for case in judged.cases] == [case.name for case in arena.cases]
    hidden = [case.report for case in judged.cases if case.visibility == "hidden"]
    assert all(set(report) == {"category"} for report in hidden)
    assert "LEAK" not in json.dumps(hidden)
    assert UNPRINTABLE.search(json.dumps([case.report for case in judged.cases], ensure_ascii=False)) is None
    assert arena.judge(arena.canary).verdict is Verdict.ACCEPTED


def test_every_group_of_mechanisms_is_there() -> None:
    groups = {file.parent.name for file in FILES}

    wanted = {"checker", "answers", "forging", "outliving", "exhausting", "reaching", "wrong_work", "controls"}
    assert groups == wanted
    assert len(FILES) >= 25

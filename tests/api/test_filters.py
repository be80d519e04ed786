"""A filter that names what is not there says so, in the same way everywhere."""

import re
from pathlib import Path
from typing import get_args

import httpx
import pytest

from app.audit import Action, Kind
from app.rejudging.model import Decision
from tests.api.conftest import SignedIn

APP = Path(__file__).parents[2] / "app"
EMPTY = "since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("/submissions?problem=nope", "problem_not_found", "'nope'"),
        ("/submissions?everyone=true&problem=nope", "problem_not_found", "'nope'"),
        ("/submissions?problem=nope&revision=1", "problem_not_found", "'nope'"),
        ("/submissions/export?problem=nope", "problem_not_found", "'nope'"),
        ("/submissions?problem=a%00b", "problem_not_found", ""),
        ("/submissions?everyone=true&user=nobody", "not_found", "no user 'nobody'"),
        ("/submissions/export?user=nobody", "not_found", "no user 'nobody'"),
        ("/audit-events?actor=nobody", "not_found", "no user 'nobody'"),
        ("/audit-events/export?actor=nobody", "not_found", "no user 'nobody'"),
    ],
)
def test_a_filter_by_an_unknown_problem_or_user_is_a_404(admin: httpx.Client, path: str, code: str, said: str) -> None:
    answer = admin.get(path)

    assert (answer.status_code, answer.json()["code"]) == (404, code)
    assert said in answer.json()["detail"]


def test_students_learn_no_names_by_filters(signed_in: SignedIn) -> None:
    ada, _ = signed_in("ada"), signed_in("grace")

    for path in ("/submissions?user={}", "/submissions?everyone=true&user={}", "/audit-events?actor={}"):
        known, unknown = (ada.get(path.format(name)) for name in ("grace", "nobody"))
        assert known.status_code == unknown.status_code >= 400
        assert known.json()["detail"] == unknown.json()["detail"]


@pytest.mark.parametrize(
    ("path", "field", "said"),
    [
        ("/audit-events?kind=nope", "kind", "'user'"),
        ("/audit-events?action=setting", "action", "'setting.changed'"),
        ("/submissions?verdict=nope", "verdict", "'accepted'"),
        ("/users?state=nope", "state", "'suspended'"),
        *((f"/{path}?{EMPTY}", "since", "The time range is empty") for path in ("submissions", "submissions/export")),
        *((f"/{path}?{EMPTY}", "since", "The time range is empty") for path in ("audit-events", "audit-events/export")),
    ],
)
def test_an_invalid_filter_is_refused_with_the_valid_ones(
    admin: httpx.Client, path: str, field: str, said: str
) -> None:
    answer = admin.get(path)

    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["field"]) == (422, field)
    assert said in fault["message"]


def test_the_audit_log_can_be_filtered_by_every_action() -> None:
    lines = [line for file in APP.rglob("*.py") for line in file.read_text().splitlines() if "action=" in line]
    lines += [line for line in (APP / "admin" / "worker.py").read_text().splitlines() if "action =" in line]
    written = {word for line in lines for word in re.findall(r'"([a-z]+\.[a-z_]+)"', line)}

    assert len(written) > 20
    assert written <= set(get_args(Action))
    assert {f"rejudging.{decision}" for decision in get_args(Decision)} <= set(get_args(Action))
    assert {action.partition(".")[0] for action in get_args(Action)} == set(get_args(Kind))

import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.orm import Session

from app.catalog.model import ExpectedOutput
from app.catalog.package import package_from_files
from app.catalog.publish import publish
from app.catalog.query import get_problem
from app.catalog.sample_record import SampleRecord
from app.errors import NotFound
from tests.catalog.packages import FILES, PROBLEM, make_files, make_package


def test_a_problem_shows_what_students_need(session: Session) -> None:
    publish(session, make_package())

    problem = get_problem(session, "scaled_sum")

    assert (problem.title, problem.statement, problem.starter) == (
        "Scaled sum", FILES["statement.md"], FILES["starter.py"],
    )  # fmt: skip
    assert [parameter.name for parameter in problem.parameters] == ["x", "y", "scale", "options"]
    assert problem.limits.wall_seconds == 2
    assert (problem.hint_count, problem.question_count) == (1, 1)
    assert "Use numpy." not in problem.model_dump_json()
    assert [(sample.name, sample.doc, sample.inputs) for sample in problem.samples] == [("small", "Two numbers.", None)]
    assert problem.hidden_cases == 2


def test_a_sample_has_the_previews_that_the_reference_gave(session: Session) -> None:
    revision = publish(session, make_package())
    for name in ("small", "large"):
        session.add(
            ExpectedOutput(
                revision_id=revision.id, variant=0, device="cpu", case_name=name, inputs=b"", expected=b"",
                inputs_preview={"x": {"of": name}}, expected_preview={"of": name}, image="", versions={},
            )
        )  # fmt: skip
    session.flush()

    problem = get_problem(session, "scaled_sum")

    assert [(sample.inputs, sample.expected) for sample in problem.samples] == [
        ({"x": {"of": "small"}}, {"of": "small"}),
    ]


def test_before_the_reference_has_run_a_sample_has_the_recorded_previews(session: Session) -> None:
    previews: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {"small": ({"x": {"of": "small"}}, {"of": "recorded"})}
    record = SampleRecord(digest="0", previews=previews, mistakes={})
    publish(session, replace(make_package(), samples=record))

    problem = get_problem(session, "scaled_sum")

    assert [(sample.inputs, sample.expected) for sample in problem.samples] == [
        ({"x": {"of": "small"}}, {"of": "recorded"}),
    ]


def test_nothing_secret_is_shown(session: Session) -> None:
    secrets = {
        "reference.py": "HIDDEN_REFERENCE = 1\n" + FILES["reference.py"],
        "driver.py": "def run(solution, inputs):\n    return 'HIDDEN_DRIVER'\n",
        "cases.py": "def make(seed, width):\n    return 'HIDDEN_GENERATOR'\n",
        "editorial.md": "HIDDEN_EDITORIAL",
        "submissions/accepted/plain.py": "'HIDDEN_SUBMISSION'\n",
    }
    problem = PROBLEM.replace("explanation: Count.", "explanation: HIDDEN_ANSWER")
    problem = problem.replace("name: large", "name: hidden_case\n    doc: HIDDEN_DOC")
    revision = publish(session, package_from_files("scaled_sum", make_files(secrets, problem=problem)))

    shown = get_problem(session, "scaled_sum").model_dump_json()

    assert "hidden" not in shown.lower().replace("hidden_cases", "")
    assert revision.secret_seed.hex() not in shown
    for word in ("draw", "generate", "reference", "answer", "explanation", "submissions"):
        assert f'"{word}"' not in json.dumps(json.loads(shown))


@pytest.mark.parametrize("slug", ["nothing", "", "\0", "\ud800", "a" * 10_000])
def test_an_unknown_problem_is_not_found(session: Session, slug: str) -> None:
    with pytest.raises(NotFound):
        get_problem(session, slug)

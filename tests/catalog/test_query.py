import json
from collections.abc import Iterator

import pytest
from sqlalchemy.orm import Session

from app.catalog.model import ExpectedOutput
from app.catalog.package import package_from_files
from app.catalog.publish import publish
from app.catalog.query import ProblemFilters, get_problem, list_problems
from app.database import Database
from app.errors import Invalid, NotFound
from tests.catalog.packages import FILES, PROBLEM, make_files, make_package

EVERYTHING = ProblemFilters()


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.transaction() as session:
        yield session


def publish_problem(session: Session, slug: str, place: str = "track: basics\nposition: 1\n", **texts: str) -> None:
    problem = PROBLEM.replace("track: basics\nposition: 1\n", place)
    for key, text in {"title": slug, **texts}.items():
        old = next(line for line in problem.splitlines() if line.startswith(f"{key}: "))
        problem = problem.replace(old, f"{key}: {text}")
    publish(session, make_package(slug, problem))


def slugs(session: Session, filters: ProblemFilters = EVERYTHING) -> list[str]:
    return [problem.slug for problem in list_problems(session, filters)[0]]


def test_problems_come_by_track_and_position_and_those_without_a_track_last(session: Session) -> None:
    publish_problem(session, "c", "")
    publish_problem(session, "b", "track: basics\nposition: 2\n")
    publish_problem(session, "a", "track: zen\nposition: 1\n")
    publish_problem(session, "d", "track: basics\nposition: 10\n")

    assert slugs(session) == ["b", "d", "a", "c"]


def test_pages_follow_one_another_without_gap_or_repetition(session: Session) -> None:
    for number in range(7):
        publish_problem(session, f"p{number}", "" if number % 2 else f"track: t\nposition: {number + 1}\n")

    seen, cursor = [], None
    while True:
        page, cursor = list_problems(session, EVERYTHING, cursor, 2)
        seen.append([problem.slug for problem in page])
        if cursor is None:
            break

    assert seen == [["p0", "p2"], ["p4", "p6"], ["p1", "p3"], ["p5"]]


@pytest.mark.parametrize("cursor", ["", "x", "W10", "é", "bnVsbA", "WzFd" * 1000, "WyJhIiwgImIiLCAxLCAiYyJd"])
def test_a_cursor_that_no_page_gave_is_refused(session: Session, cursor: str) -> None:
    with pytest.raises(Invalid, match="take `next` of the page before"):
        list_problems(session, EVERYTHING, cursor)


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (ProblemFilters(tag="jax"), ["scan"]),
        (ProblemFilters(tag="ja"), []),
        (ProblemFilters(difficulty="advanced"), ["loss"]),
        (ProblemFilters(track="basics"), ["loss", "scan"]),
        (ProblemFilters(track="basics", tag="jax"), ["scan"]),
        (ProblemFilters(q="SCANS"), ["scan"]),
        (ProblemFilters(q="loops with"), ["scan"]),
        (ProblemFilters(q="with torch"), []),
        (ProblemFilters(q="100%"), ["loss"]),
        (ProblemFilters(q="_"), []),
        (ProblemFilters(q=" "), ["loss", "scan"]),
        (ProblemFilters(q="jax"), ["scan"]),
        (ProblemFilters(q="\0"), []),
        (ProblemFilters(tag="\ud800", track="\0", difficulty="\0"), []),
    ],
)
def test_filters_narrow_the_list(session: Session, filters: ProblemFilters, found: list[str]) -> None:
    publish_problem(session, "scan", title="Loops with scans", tags="[jax]")
    publish_problem(session, "loss", title="Loss", difficulty="advanced", summary="100% sure.")

    assert slugs(session, filters) == found


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


def test_texts_that_stand_in_the_yaml_are_shown_too(session: Session) -> None:
    files = make_files({"statement.md": None}, problem=PROBLEM + "statement: Add it all up.\n")
    publish(session, package_from_files("scaled_sum", files))

    assert get_problem(session, "scaled_sum").statement == "Add it all up."


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

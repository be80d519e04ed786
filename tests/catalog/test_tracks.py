from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Select, Subquery, false, literal, select, union_all
from sqlalchemy.orm import Session

from app.catalog.fault import PackageInvalid
from app.catalog.model import Problem
from app.catalog.publish import publish
from app.catalog.track import get_track, list_tracks, publish_tracks, read_surroundings, read_track_file
from app.errors import NotFound
from tests.catalog.packages import make_listed

FILE = """\
tracks:
  zen: {title: The art of it, description: "Slowly.\\n\\nMore of it."}
  basics: {title: First steps}
  empty: {title: Nothing yet}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tracks.yaml").write_text(FILE)
    return tmp_path


def publish_step(session: Session, slug: str, position: int, after: str = "", track: str = "basics") -> None:
    place = f"track: {track}\nposition: {position}\n"
    publish(session, make_listed(slug, place, prerequisites=f"[{after}]"))


def states(**by_slug: str) -> Subquery:
    """Return the states of a user with this progress."""
    rows: list[Select[UUID, str, bool]] = [
        select(Problem.id.label("problem_id"), literal(state).label("state"), false().label("is_bookmarked")).where(
            Problem.slug == slug
        )
        for slug, state in (by_slug or {"": ""}).items()
    ]
    return union_all(*rows).subquery("states")


def test_next_is_the_first_that_is_not_solved_and_whose_prerequisites_are(session: Session) -> None:
    publish_step(session, "a", 1)
    publish_step(session, "b", 2, after="far")
    publish_step(session, "c", 3, after="a")
    publish_step(session, "d", 4, after="c, not_published")
    publish_step(session, "far", 1, track="other")

    def next_for(**by_slug: str) -> str | None:
        following = get_track(session, "basics", states(**by_slug)).next
        return following.slug if following else None

    assert next_for() == "a"
    assert next_for(a="tried") == "a"
    assert next_for(a="solved") == "c"
    assert next_for(a="solved", far="solved") == "b"
    assert next_for(a="solved", c="solved") == "d"
    assert next_for(a="solved", c="solved", d="solved") is None
    anonymous = get_track(session, "basics")
    assert (anonymous.next and anonymous.next.slug, anonymous.done_count) == ("a", None)


def test_a_track_shows_how_far_one_is_and_what_each_problem_builds_on(session: Session) -> None:
    publish_step(session, "a", 1)
    publish_step(session, "b", 2, after="a, far")
    publish_step(session, "far", 1, track="other")

    track = get_track(session, "basics", states(a="solved"))

    assert (track.title, track.problem_count, track.done_count, track.estimated_minutes) == ("Basics", 2, 1, 10)
    assert [(step.slug, step.state, step.is_open) for step in track.steps] == [
        ("a", "solved", True), ("b", "new", False),
    ]  # fmt: skip
    assert [(before.slug, before.state) for before in track.steps[1].builds_on] == [("a", "solved"), ("far", "new")]


def test_tracks_come_in_the_order_of_the_file_and_others_after_them(session: Session, folder: Path) -> None:
    for track in ("basics", "later_on", "zen"):
        publish_step(session, track, 1, track=track)
    file = read_track_file(folder)
    assert file is not None
    publish_tracks(session, file)

    tracks = list_tracks(session)

    assert [(track.slug, track.title, track.summary) for track in tracks] == [
        ("zen", "The art of it", "Slowly."), ("basics", "First steps", ""), ("later_on", "Later on", ""),
    ]  # fmt: skip


def test_a_problem_has_a_place_in_its_track(session: Session) -> None:
    for position, slug in enumerate("abc", 1):
        publish_step(session, slug, position)
    publish(session, make_listed("alone", ""))

    first, middle = read_surroundings(session, "a").place, read_surroundings(session, "b").place

    assert first is not None
    assert (first.number, first.count, first.previous, first.next and first.next.slug) == (1, 3, None, "b")
    assert middle is not None
    assert (middle.previous and middle.previous.slug, middle.next and middle.next.slug) == ("a", "c")
    assert read_surroundings(session, "alone").place is None
    assert read_surroundings(session, "\0").place is None


def test_an_unknown_track_is_not_found(session: Session) -> None:
    for slug in ("nothing", "\0", "\ud800", ""):
        with pytest.raises(NotFound):
            get_track(session, slug)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("tracks:\n  a: {titel: A}", "tracks.yaml:2: tracks.a.titel is not a known key; did you mean title?"),
        ("tracks:\n  a: {title: ''}", "tracks.yaml:2: tracks.a.title is empty: must have at least 1"),
        ("tracks:\n  A B: {title: A}", "use lower-case letters, digits, _ and -"),
        ("track: {}", "track is not a known key; did you mean tracks?"),
        ("- a", "is not a mapping of keys"),
        ("tracks: [", "is not YAML"),
    ],
)
def test_an_error_in_the_file_of_tracks_names_the_line(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "tracks.yaml").write_text(text)

    with pytest.raises(PackageInvalid) as refused:
        read_track_file(tmp_path)

    assert fault in str(refused.value)


def test_a_folder_needs_no_file_of_tracks(tmp_path: Path) -> None:
    assert read_track_file(tmp_path) is None

"""A search forgives typing errors, and only where nothing matches as it is typed."""

from collections import Counter

import pytest
from sqlalchemy.orm import Session

from app.catalog.publish import publish
from app.catalog.search import ProblemFilters
from app.catalog.spelling import correct, find_nearest, forgive
from tests.catalog.packages import make_listed


@pytest.fixture
def session(session: Session) -> Session:
    """The database has three problems."""
    publish(session, make_listed("softmax", title="Stable softmax with a mask", summary="A summary."))
    publish(session, make_listed("layer_norm", title="Layer normalisation", summary="A summary."))
    publish(session, make_listed("rnn", title="Recurrent networks", difficulty="advanced", tags="[torch]"))
    return session


@pytest.mark.parametrize(
    ("typed", "corrected"),
    [
        ("sofmax", "softmax"),
        ("softmaxx", "softmax"),
        ("softmix", "softmax"),
        ("sotfmax mask", "softmax mask"),
        ("Normalizaton", "normalisation"),
        ("recurent netwroks", "recurent networks"),  # its stem is that of recurrent
        ("softmaxwith", "softmax with"),
        ("softmax", None),
        ("soft", None),
        ("xyzzyplugh", None),
        ("msk", None),
        ("_", None),
        ("a" * 200, None),
    ],
)
def test_an_unknown_word_becomes_the_nearest_known_one(session: Session, typed: str, corrected: str | None) -> None:
    assert correct(session, typed) == corrected


def test_of_words_that_are_equally_near_the_frequent_one_is_meant() -> None:
    assert find_nearest("batcx", Counter({"batch": 1, "batcy": 2})) == "batcy"
    assert find_nearest("bat", Counter({"bad": 1})) is None


def test_words_are_corrected_only_if_that_finds_a_problem_with_the_other_filters(session: Session) -> None:
    found = forgive(session, ProblemFilters(q="netwroks", difficulty="advanced"))

    assert found == ProblemFilters(q="networks", difficulty="advanced")
    assert forgive(session, ProblemFilters(q="netwroks", difficulty="beginner")) is None
    assert forgive(session, ProblemFilters(q="networks", difficulty="beginner")) is None
    assert forgive(session, ProblemFilters(q="networks")) is None
    assert forgive(session, ProblemFilters(tags=("none",))) is None

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import Problem, SolveCount
from app.catalog.package import package_from_files
from app.catalog.publish import publish
from app.catalog.search import ProblemFilters, ProblemOrder, count_facets, list_problems, write_cursor
from app.database.cursor import Slice
from app.errors import Invalid
from tests.catalog.packages import edited, make_files, make_listed, make_package

EVERYTHING = ProblemFilters()


def slugs(session: Session, filters: ProblemFilters = EVERYTHING) -> list[str]:
    return [problem.slug for problem in list_problems(session, filters)[0]]


def read_all(session: Session, filters: ProblemFilters, limit: int) -> list[list[str]]:
    seen, cursor = [], None
    while True:
        page, cursor = list_problems(session, filters, Slice(cursor=cursor, limit=limit))
        seen.append([problem.slug for problem in page])
        if cursor is None:
            return seen


def test_problems_come_by_track_and_position_and_those_without_a_track_last(session: Session) -> None:
    publish(session, make_listed("c", ""))
    publish(session, make_listed("b", "track: basics\nposition: 2\n"))
    publish(session, make_listed("a", "track: zen\nposition: 1\n"))
    publish(session, make_listed("d", "track: basics\nposition: 10\n"))

    assert slugs(session) == ["b", "d", "a", "c"]


def test_pages_follow_one_another_without_gap_or_repetition(session: Session) -> None:
    for number in range(7):
        publish(session, make_listed(f"p{number}", "" if number % 2 else f"track: t\nposition: {number + 1}\n"))

    listed = read_all(session, EVERYTHING, 2)
    found = read_all(session, ProblemFilters(q="vector"), 3)

    assert listed == [["p0", "p2"], ["p4", "p6"], ["p1", "p3"], ["p5"]]
    assert found == [["p0", "p1", "p2"], ["p3", "p4", "p5"], ["p6"]]  # equally good, so by slug


def test_a_cursor_of_no_page_of_this_list_is_refused(session: Session) -> None:
    publish(session, make_listed("a"))
    publish(session, make_listed("b"))
    by_rank = list_problems(session, ProblemFilters(q="vector"), Slice(limit=1))[1]
    strange = ("", "x", "W10", "é", "bnVsbA", "WzFd" * 1000, "WyJhIiwgImIiLCAxLCAiYyJd", "W05hTiwgImEiXQ", by_rank)

    for cursor in strange:
        with pytest.raises(Invalid, match="use `next` of the previous page"):
            list_problems(session, EVERYTHING, Slice(cursor=cursor))
    with pytest.raises(Invalid):
        list_problems(session, ProblemFilters(q="vector"), Slice(cursor="W05hTiwgImEiXQ"))


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (None, (True, True, "", 0, "a")),
        (None, (True, 0, "", True, "a")),
        ("vector", (1e39, "a")),
        (None, (False, 1e39, "a")),
        ("vector", (1e-60, "a")),
    ],
)
def test_a_cursor_that_postgresql_would_not_read_is_refused(
    session: Session, words: str | None, place: tuple[object, ...]
) -> None:
    with pytest.raises(Invalid, match="use `next` of the previous page"):
        list_problems(session, ProblemFilters(q=words), Slice(cursor=write_cursor(place)))


def test_filters_narrow_the_list(session: Session) -> None:
    publish(session, make_listed("scan", title="Loops with lax.scan", tags="[jax]", frameworks="[jax, numpy]"))
    publish(session, make_listed("loss", title="Losses", difficulty="advanced", summary="100% sure."))
    found = {
        ProblemFilters(tags=("jax",)): ["scan"],
        ProblemFilters(tags=("ja",)): [],
        ProblemFilters(framework="jax"): ["scan"],
        ProblemFilters(framework="numpy"): ["loss", "scan"],
        ProblemFilters(difficulty="advanced"): ["loss"],
        ProblemFilters(track="basics"): ["loss", "scan"],
        ProblemFilters(track="basics", tags=("jax",)): ["scan"],
        ProblemFilters(track="basics", tags=("jax",), difficulty="advanced"): [],
        ProblemFilters(state="new"): [],  # no user is signed in
        ProblemFilters(q="SCANS"): ["scan"],
        ProblemFilters(q="sca"): ["scan", "loss"],  # scan is in the title, scaled_sum is not
        ProblemFilters(q="looping with"): ["scan"],
        ProblemFilters(q="lax.scan"): ["scan"],
        ProblemFilters(q="with torch"): [],
        ProblemFilters(q="100%"): ["loss"],
        ProblemFilters(q="add numbers; & | ! ( :* '"): [],
        ProblemFilters(q="& | ! ( :* ' \\ scan"): ["scan"],
        ProblemFilters(q="_"): [],
        ProblemFilters(q=" "): ["loss", "scan"],
        ProblemFilters(q="jax"): ["scan"],
        ProblemFilters(q="scaled_sum times"): ["loss", "scan"],  # of the entry point, of the statement
        ProblemFilters(q="\0"): [],
        ProblemFilters(q="\ud800"): [],
        ProblemFilters(tags=("\ud800", "\0"), track="\0", difficulty="\0", framework="\0"): [],
    }

    assert {filters: slugs(session, filters) for filters in found} == found


def test_a_match_in_the_title_ranks_above_one_in_the_text(session: Session) -> None:
    publish(session, make_package("a_statement", edited("tags: [numpy, sums]", "tags: [other]")))
    statement = {"statement.md": "Pooling, pooling, pooling."}
    publish(session, package_from_files("b_statement", make_files(statement)))
    publish(session, make_listed("c_summary", summary="What pooling does."))
    publish(session, make_listed("d_tag", tags="[pooling]"))
    publish(session, make_listed("e_title", title="Pooling by hand"))

    assert slugs(session, ProblemFilters(q="pool")) == ["e_title", "d_tag", "c_summary", "b_statement"]


def test_a_choice_tells_how_many_problems_it_would_show(session: Session) -> None:
    publish(session, make_listed("a", tags="[jax, scan]"))
    publish(session, make_listed("b", tags="[jax]", difficulty="advanced"))
    publish(session, make_listed("c", "", tags="[scan]"))

    everything = count_facets(session, EVERYTHING)
    narrowed = count_facets(session, ProblemFilters(tags=("jax",), difficulty="advanced"))
    nothing = count_facets(session, ProblemFilters(tags=("scan",), q="no such words"))

    assert everything.total == 3
    assert everything.counts["tag"] == {"jax": 2, "scan": 2}
    assert everything.counts["track"] == {"basics": 2}
    assert everything.counts["difficulty"] == {"beginner": 2, "advanced": 1}
    assert (narrowed.total, narrowed.without) == (1, {("tag", "jax"): 1, ("difficulty", "advanced"): 2})
    assert narrowed.counts["tag"] == {"jax": 1}  # a second tag would narrow this list
    assert narrowed.counts["difficulty"] == {"beginner": 1, "advanced": 1}
    assert (nothing.total, nothing.without) == (0, {("tag", "scan"): 0, ("q", "no such words"): 2})


def test_a_problem_has_all_tags_that_are_asked_for(session: Session) -> None:
    publish(session, make_listed("a", tags="[jax, scan]"))
    publish(session, make_listed("b", tags="[jax, grad]"))
    publish(session, make_listed("c", tags="[scan]"))

    both = ProblemFilters(tags=("jax", "scan"))
    facets = count_facets(session, both)

    assert slugs(session, both) == ["a"]
    assert facets.counts["tag"] == {"jax": 1, "scan": 1}
    assert facets.without == {("tag", "jax"): 2, ("tag", "scan"): 2}
    assert slugs(session, both.drop("tag", "jax")) == ["a", "c"]
    assert slugs(session, ProblemFilters(tags=("jax",)).add("tag", "grad")) == ["b"]


def count_solvers(session: Session, slug: str, students: int, solved: int) -> None:
    problem = session.scalars(select(Problem).where(Problem.slug == slug)).one()
    row = SolveCount(problem_id=problem.id, submissions=2 * students, students=students, solved=solved)
    session.add(row)
    session.flush()


@pytest.mark.parametrize(
    ("order", "wanted"),
    [
        ("most_solved", ["easy", "middle", "hard", "few", "new"]),
        ("least_solved", ["hard", "middle", "easy", "few", "new"]),
        ("most_tried", ["middle", "easy", "hard", "few", "new"]),
    ],
)
def test_an_order_by_solve_rate_tells_nothing_of_a_problem_with_few_students(
    session: Session, order: ProblemOrder, wanted: list[str]
) -> None:
    for slug in ("new", "few", "hard", "middle", "easy"):
        publish(session, make_listed(slug, ""))
    for slug, students, solved in (("few", 4, 4), ("hard", 5, 0), ("middle", 9, 5), ("easy", 6, 6)):
        count_solvers(session, slug, students, solved)

    listed = list_problems(session, ProblemFilters(order=order))[0]
    in_pages = read_all(session, ProblemFilters(order=order), 2)

    assert [problem.slug for problem in listed] == wanted
    assert in_pages == [wanted[:2], wanted[2:4], wanted[4:]]
    rates = {problem.slug: problem.attempts.solve_rate if problem.attempts else None for problem in listed}
    assert rates == {"new": None, "few": None, "hard": 0, "middle": 5 / 9, "easy": 1}


def test_a_chosen_order_also_sorts_what_a_search_finds(session: Session) -> None:
    for slug, solved in (("a", 1), ("b", 5), ("c", 3)):
        publish(session, make_listed(slug, ""))
        count_solvers(session, slug, 5, solved)

    assert slugs(session, ProblemFilters(q="vector", order="most_solved")) == ["b", "c", "a"]
    assert slugs(session, ProblemFilters(q="vector", order="track")) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("attn", "Causal attention"),
        ("SDPA", "Causal attention"),
        ("MHA", "Causal attention"),
        ("LayerNorm", "Layer norm"),
        ("softmax xent", "Softmax cross-entropy"),
        ("CE", "Softmax cross-entropy"),
        ("SGD", "Momentum in gradient descent"),
        ("lr schedule", "A schedule of the learning rate"),
        ("top-p", "The nucleus of a distribution"),
        ("kvcache", "A cache of keys and values"),
        ("STE", "A straight-through quantizer"),
    ],
)
def test_short_forms_and_synonyms_are_found(session: Session, typed: str, title: str) -> None:
    publish(session, make_listed("a_step", title="One step"))
    publish(session, make_listed("wanted", title=title))

    assert slugs(session, ProblemFilters(q=typed)) == ["wanted"]


def test_the_typed_word_itself_comes_before_its_synonyms(session: Session) -> None:
    publish(session, make_listed("a", title="Gradient descent"))
    publish(session, make_listed("b", title="Momentum SGD"))
    publish(session, make_listed("c", title="Sgdlike"))

    assert slugs(session, ProblemFilters(q="sgd")) == ["b", "a"]

"""Finding published problems: filters, words, and where a page of the list ends.

Without words the list is in the order of tracks. With words it begins with what fits best: a word in the title counts
most, then tags, then the summary, then the statement. Each word may be the beginning of one.

Where a page of problems ends, as a word that callers hand back and do not look into.

How many problems each choice of a filter would show, beside the other filters as they are. One query for all.
"""

import base64
import json
import re
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any

from sqlalchemy import (
    CTE,
    REAL,
    ColumnElement,
    FromClause,
    Integer,
    Row,
    Select,
    Subquery,
    Text,
    and_,
    case,
    cast,
    collate,
    false,
    func,
    literal,
    null,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.orm import Session

from app.catalog.model import IS_CURRENT, Problem, Revision, Track
from app.catalog.query import ListedProblem
from app.database.cursor import CursorInvalid
from app.database.engine import storable

# In the order of tracks: no track, its place, track, position, slug. Of what a search found: rank, slug.
Place = tuple[bool, int, str, int, str] | tuple[float, str]
# PostgreSQL refuses to read a number as a REAL that is nearer to zero than any.
LEAST_RANK = 1e-37


def write_cursor(place: tuple[Any, ...]) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def read_cursor(cursor: str, length: int) -> Place:
    """`length`: how many parts the place has. Raises CursorInvalid."""
    try:
        place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        place = None
    match place:
        case [bool(no_track), int(place_of_track), str(track), int(position), str(slug)] if (
            length == 5 and _is_place(place_of_track) and _is_place(position)
        ):
            return no_track, place_of_track, track, position, slug
        case [float(rank), str(slug)] if length == 2 and (rank == 0 or LEAST_RANK <= abs(rank) <= 1):
            return rank, slug
    raise CursorInvalid(cursor)


def _is_place(number: int) -> bool:
    """Python takes true and false for integers, PostgreSQL does not."""
    return not isinstance(number, bool) and abs(number) < 2**31


MAX_WORDS = 10
MAX_POSITION = 2**31 - 1
_WORD = re.compile(r"[^\W_]+")

track_slug = Revision.listing["track"].astext
_POSITION = func.coalesce(Revision.listing["position"].astext.cast(Integer), 0)
_SLUG = collate(Problem.slug, "C")  # bytewise order is the same on every server
# Problems without a track come last, and before them those of tracks that nobody has named.
TRACK_ORDER = (
    track_slug.is_(None),
    func.coalesce(Track.position, MAX_POSITION),
    collate(func.coalesce(track_slug, ""), "C"),
    _POSITION,
    _SLUG,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemFilters:
    """All that are given must hold; `q` is words, each of which begins one in the title, tags, summary or statement."""

    tag: str | None = None
    difficulty: str | None = None
    track: str | None = None
    framework: str | None = None
    state: str | None = None
    q: str | None = None

    @property
    def given(self) -> dict[str, str]:
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Which part of a list: what follows `cursor`, the end of the part before."""

    cursor: str | None = None
    limit: int = 50


FIRST = Cut()


def list_problems(
    session: Session, filters: ProblemFilters, cut: Cut = FIRST, states: Subquery | None = None
) -> tuple[tuple[ListedProblem, ...], str | None]:
    """One part, and the cursor of the next or None. `states`: of a user, by `problem_id`; see `app.learning.progress`.

    Raises Invalid for the cursor.
    """
    order = _ranked(filters.q) if filters.q and filters.q.strip() else TRACK_ORDER
    query = select_published(states, *order).where(*conditions(filters, states).values())
    if cut.cursor is not None:
        query = query.where(tuple_(*order) > tuple_(*_place(cut.cursor, order)))
    rows = session.execute(query.order_by(*order).limit(cut.limit + 1)).all()
    page = tuple(map(read_listed, rows[: cut.limit]))
    return page, write_cursor(tuple(rows[cut.limit - 1][-len(order) :])) if len(rows) > cut.limit else None


def select_published(states: Subquery | None, *columns: Any) -> Select[Any]:
    """What `read_listed` needs of every published problem, and these columns. They may be those of TRACK_ORDER."""
    columns = (Problem.slug, Revision.listing, state_of(states).label("state"), *columns)
    query = select(*columns).join(Revision, IS_CURRENT).outerjoin(Track, Track.slug == track_slug)
    return query if states is None else query.outerjoin(states, states.c.problem_id == Problem.id)


def read_listed(row: Row[Any]) -> ListedProblem:
    return ListedProblem.model_validate(row.listing | {"slug": row.slug, "state": row.state})


def state_of(states: Subquery | None) -> ColumnElement[str | None]:
    return cast(null(), Text) if states is None else func.coalesce(states.c.state, "new")


def conditions(filters: ProblemFilters, states: Subquery | None) -> dict[str, ColumnElement[bool]]:
    """One for each filter that is given, by its name."""
    listing = Revision.listing
    given = {name: storable(value) for name, value in filters.given.items() if name != "q"}
    made: dict[str, ColumnElement[bool]] = {
        name: listing[name].astext == given[name] for name in ("difficulty", "track") if name in given
    }
    for name, key in (("tag", "tags"), ("framework", "frameworks")):
        if name in given:
            made[name] = listing[key].contains([given[name]])
    if "state" in given:
        made["state"] = state_of(states) == given["state"]
    if filters.q and filters.q.strip():
        words = _words(filters.q)
        made["q"] = Revision.search.bool_op("@@")(_query(words)) if words else false()
    return made


def _words(text: str) -> list[str]:
    return _WORD.findall(text)[:MAX_WORDS]


def _query(words: list[str]) -> ColumnElement[Any]:
    """Every word, as a stem or as it is written; words like `the` are asked for only when they stand alone."""
    if len(words) == 1:
        return _stem(words[0]).op("||")(_literal(words[0]))
    return reduce(lambda left, right: left.op("&&")(right), map(_term, words))


def _term(word: str) -> ColumnElement[Any]:
    stem = _stem(word)
    return case((func.numnode(stem) == 0, stem), else_=stem.op("||")(_literal(word)))


def _stem(word: str) -> ColumnElement[Any]:
    return func.to_tsquery("english", f"{word}:*")


def _literal(word: str) -> ColumnElement[Any]:
    return func.to_tsquery("simple", f"{word}:*")


def _ranked(text: str) -> tuple[ColumnElement[Any], ...]:
    words = _words(text)
    rank = func.ts_rank(Revision.search, _query(words), type_=REAL) if words else cast(0, REAL)
    return (-rank, _SLUG)


def _place(cursor: str, order: tuple[ColumnElement[Any], ...]) -> list[Any]:
    """Raises Invalid. A rank is compared in the precision that it was given out in."""
    place = read_cursor(cursor, len(order))
    return [cast(part, REAL) if isinstance(part, float) else storable(part) for part in place]


CHOSEN_BY = ("state", "difficulty", "framework", "track", "tag")
_LISTS = {"framework": "frameworks", "tag": "tags"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """`total` fit all filters; `counts` by filter and value; `without`: how many fit once one filter is given up."""

    total: int
    counts: Mapping[str, Mapping[str, int]]
    without: Mapping[str, int]


def count_facets(session: Session, filters: ProblemFilters, states: Subquery | None = None) -> Facets:
    holds = conditions(filters, states)
    by_words = holds.pop("q", None)
    base = _base(holds, states)
    if by_words is not None:
        base = base.where(by_words)
    fit = base.cte("fit")
    rows: Sequence[Any] = session.execute(union_all(*_counts(fit, tuple(holds)))).all()
    counts: dict[str, dict[str, int]] = {name: {} for name in ("", "without", *CHOSEN_BY)}
    for name, value, count in rows:
        if value is not None:
            counts[name][value] = count
    total, without = counts.pop("")["total"], counts.pop("without")
    if by_words is not None and not total:
        without["q"] = count_problems(session, replace(filters, q=None), states)
    return Facets(total=total, counts=counts, without=without)


def count_problems(session: Session, filters: ProblemFilters, states: Subquery | None = None) -> int:
    fit = _base({}, states).where(*conditions(filters, states).values()).subquery()
    return session.scalars(select(func.count()).select_from(fit)).one()


def _base(holds: Mapping[str, ColumnElement[bool]], states: Subquery | None) -> Select[Any]:
    """The values of every problem, and whether each filter holds."""
    columns = [
        track_slug.label("track"),
        Revision.listing["difficulty"].astext.label("difficulty"),
        *(Revision.listing[key].label(name) for name, key in _LISTS.items()),
        state_of(states).label("state"),
        *(func.coalesce(condition, False).label(f"has_{name}") for name, condition in holds.items()),
    ]
    query: Select[Any] = select(*columns).join(Problem, IS_CURRENT)
    return query if states is None else query.outerjoin(states, states.c.problem_id == Problem.id)


def _counts(fit: CTE, given: tuple[str, ...]) -> list[Select[str, str, int]]:
    """Rows of (filter, value, count); of ("", "total", count); of ("without", filter, count)."""

    def others(name: str) -> ColumnElement[bool]:
        return and_(true(), *(fit.c[f"has_{other}"] for other in given if other != name))

    def one(name: str, value: str) -> Select[str, str, int]:
        return select(literal(name), literal(value), func.count()).select_from(fit).where(others(value))

    def choices(name: str) -> Select[str, str, int]:
        value, rows = fit.c[name], typing.cast(FromClause, fit)
        if name in _LISTS:
            each = func.jsonb_array_elements_text(value).table_valued("value").lateral()
            value, rows = each.c.value, fit.join(each, true())
        return select(literal(name), value, func.count()).select_from(rows).where(others(name)).group_by(value)

    return [one("", "total"), *(one("without", name) for name in given), *map(choices, CHOSEN_BY)]

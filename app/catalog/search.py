"""List published problems by filters and words, page by page, and count the problems of each filter value.

Without words, the list is in the order of tracks. With words, the best match comes first: the title counts most, then
tags, the summary and the statement. A word also matches as a prefix.
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

from app.catalog.availability import IS_LISTED
from app.catalog.model import IS_CURRENT, Problem, Revision, Track
from app.catalog.query import ListedProblem
from app.database.cursor import CursorInvalid, Slice, split_page
from app.database.engine import storable

# The sort key of a row: (no track, track's position, track, position, slug), or (rank, slug) for a search.
SortKey = tuple[bool, int, str, int, str] | tuple[float, str]
# PostgreSQL rejects numbers closer to zero than the smallest REAL.
LEAST_RANK = 1e-37
MAX_WORDS = 10
MAX_POSITION = 2**31 - 1
_WORD = re.compile(r"[^\W_]+")
track_slug = Revision.listing["track"].astext
_POSITION = func.coalesce(Revision.listing["position"].astext.cast(Integer), 0)
_SLUG = collate(Problem.slug, "C")  # the same order on every server
# Problems without a track come last, after tracks that `tracks.yaml` does not name.
TRACK_ORDER = (
    track_slug.is_(None),
    func.coalesce(Track.position, MAX_POSITION),
    collate(func.coalesce(track_slug, ""), "C"),
    _POSITION,
    _SLUG,
)
CHOSEN_BY = ("state", "difficulty", "framework", "track", "tag")
_LISTS = {"framework": "frameworks", "tag": "tags"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemFilters:
    """Filters that must all hold. Each word of `q` is a prefix of one in the title, tags, summary or statement."""

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
class Facets:
    """Counts of problems: `total` for all filters, `counts` by filter and value, `without` if one filter is dropped."""

    total: int
    counts: Mapping[str, Mapping[str, int]]
    without: Mapping[str, int]


FIRST = Slice()


def write_cursor(key: tuple[Any, ...]) -> str:
    """Return an opaque text for the sort key of the last row of a page."""
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def read_cursor(cursor: str, length: int) -> SortKey:
    """Return the sort key, which must have `length` parts. Raises CursorInvalid."""
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        key = None
    match key:
        case [bool(no_track), int(track_position), str(track), int(position), str(slug)] if (
            length == 5 and _is_position(track_position) and _is_position(position)
        ):
            return no_track, track_position, track, position, slug
        case [float(rank), str(slug)] if length == 2 and (rank == 0 or LEAST_RANK <= abs(rank) <= 1):
            return rank, slug
    raise CursorInvalid(cursor)


def _is_position(number: int) -> bool:
    """Whether PostgreSQL takes it as an integer; Python also takes true and false."""
    return not isinstance(number, bool) and abs(number) < 2**31


def list_problems(
    session: Session, filters: ProblemFilters, wanted: Slice = FIRST, states: Subquery | None = None
) -> tuple[tuple[ListedProblem, ...], str | None]:
    """Return a page, and the cursor of the next one or None.

    `states` has a user's states by `problem_id`, from `app.learning.progress`. Raises CursorInvalid.
    """
    order = _ranked(filters.q) if filters.q and filters.q.strip() else TRACK_ORDER
    query = select_published(states, *order).where(*conditions(filters, states).values())
    if wanted.cursor is not None:
        query = query.where(tuple_(*order) > tuple_(*_sort_key(wanted.cursor, order)))
    rows, last = split_page(session.execute(query.order_by(*order).limit(wanted.limit + 1)).all(), wanted.limit)
    return tuple(map(read_listed, rows)), write_cursor(tuple(last[-len(order) :])) if last is not None else None


def count_facets(session: Session, filters: ProblemFilters, states: Subquery | None = None) -> Facets:
    """Count in one query how many problems each value of a filter would show, with the other filters unchanged."""
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


def select_published(states: Subquery | None, *columns: Any) -> Select[Any]:
    """Select every listed problem with the columns for `read_listed` and these, such as TRACK_ORDER."""
    columns = (Problem.slug, Revision.listing, state_of(states).label("state"), *columns)
    query = select(*columns).join(Revision, IS_CURRENT).outerjoin(Track, Track.slug == track_slug).where(IS_LISTED)
    return query if states is None else query.outerjoin(states, states.c.problem_id == Problem.id)


def read_listed(row: Row[Any]) -> ListedProblem:
    return ListedProblem.model_validate(row.listing | {"slug": row.slug, "state": row.state})


def state_of(states: Subquery | None) -> ColumnElement[str | None]:
    return cast(null(), Text) if states is None else func.coalesce(states.c.state, "new")


def conditions(filters: ProblemFilters, states: Subquery | None) -> dict[str, ColumnElement[bool]]:
    """Return a condition for each given filter, by name."""
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
    """Return a query for all words, as stems or as written. Stop words such as `the` count only alone."""
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


def _sort_key(cursor: str, order: tuple[ColumnElement[Any], ...]) -> list[Any]:
    """Return the cursor's key for a comparison in SQL, with ranks as REAL. Raises CursorInvalid."""
    key = read_cursor(cursor, len(order))
    return [cast(part, REAL) if isinstance(part, float) else storable(part) for part in key]


def _base(holds: Mapping[str, ColumnElement[bool]], states: Subquery | None) -> Select[Any]:
    """Select the filter values of every problem, and whether each filter holds."""
    columns = [
        track_slug.label("track"),
        Revision.listing["difficulty"].astext.label("difficulty"),
        *(Revision.listing[key].label(name) for name, key in _LISTS.items()),
        state_of(states).label("state"),
        *(func.coalesce(condition, False).label(f"has_{name}") for name, condition in holds.items()),
    ]
    query: Select[Any] = select(*columns).join(Problem, IS_CURRENT).where(IS_LISTED)
    return query if states is None else query.outerjoin(states, states.c.problem_id == Problem.id)


def _counts(fit: CTE, given: tuple[str, ...]) -> list[Select[str, str, int]]:
    """Return selects of rows (filter, value, count), ("", "total", count) and ("without", filter, count)."""

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

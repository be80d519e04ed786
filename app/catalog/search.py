"""List published problems by filters and words, page by page, and count the problems of each filter value.

Without words, the list is in the order of tracks. With words, the best match comes first: the title counts most, then
tags, the summary and the statement. A word also matches as a prefix. A chosen order replaces both.
"""

import base64
import json
import re
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Literal, get_args

from sqlalchemy import (
    CTE,
    REAL,
    Boolean,
    ColumnElement,
    Double,
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
    not_,
    null,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.orm import Session

from app.catalog.access import IS_LISTED
from app.catalog.model import IS_CURRENT, Problem, Revision, SolveCount, Track
from app.catalog.query import LEAST_STUDENTS, ListedProblem, describe_attempts
from app.database.cursor import CursorInvalid, Slice, split_page
from app.database.engine import storable

ProblemOrder = Literal["track", "most_solved", "least_solved", "most_tried"]
ORDERS: tuple[ProblemOrder, ...] = get_args(ProblemOrder)
# The sort key of a row: (no track, track's position, track, position, slug), (rank, slug) for a search, or (few
# students, number, slug) for an order by solve rate or students.
SortKey = tuple[bool, int, str, int, str] | tuple[float, str] | tuple[bool, float, str]
# PostgreSQL rejects numbers closer to zero than the smallest REAL.
LEAST_RANK = 1e-37
MAX_WORDS = 10
MAX_POSITION = 2**31 - 1
# What students type, and other words for it. All words of one of these must be found.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "amp": ("mixed precision", "loss scaling"),
    "attn": ("attention",),
    "autodiff": ("gradient",),
    "autograd": ("gradient",),
    "avgpool": ("pool",),
    "backprop": ("backpropagation",),
    "batchnorm": ("batch norm",),
    "bf16": ("bfloat16",),
    "bn": ("batch norm",),
    "bpe": ("byte pair",),
    "cdist": ("pairwise distances",),
    "ce": ("cross entropy",),
    "cg": ("conjugate gradients",),
    "cnn": ("convolution",),
    "conv": ("convolution",),
    "crossentropy": ("cross entropy",),
    "dpsgd": ("per example gradients",),
    "ema": ("moving average",),
    "fd": ("finite differences",),
    "flash": ("online softmax",),
    "flashattention": ("online softmax",),
    "fp16": ("float16",),
    "fp32": ("float32",),
    "gn": ("group norm",),
    "gqa": ("grouped query attention",),
    "groupnorm": ("group norm",),
    "hmc": ("hamiltonian monte carlo",),
    "hvp": ("hessian vector",),
    "ift": ("implicit function", "implicit differentiation"),
    "jvp": ("forward mode", "hessian vector", "directional derivative"),
    "kl": ("divergence",),
    "kv": ("keys values",),
    "kvcache": ("keys values cache",),
    "layernorm": ("layer norm",),
    "lbl": ("label smoothing",),
    "ln": ("layer norm",),
    "logsumexp": ("log sum exp",),
    "lr": ("learning rate",),
    "lse": ("logsumexp",),
    "lstm": ("gru", "recurrent"),
    "maxpool": ("max pool",),
    "mc": ("monte carlo",),
    "mcmc": ("hmc", "monte carlo"),
    "mha": ("attention heads", "attention"),
    "mqa": ("grouped query attention",),
    "mse": ("mean squared error",),
    "nll": ("cross entropy", "log likelihood"),
    "normalisation": ("norm",),
    "normalization": ("norm",),
    "ode": ("runge kutta",),
    "optimiser": ("optimizer",),
    "polyak": ("moving average",),
    "pooling": ("pool",),
    "qat": ("quantizer", "quantization"),
    "resnet": ("residual",),
    "rk4": ("runge kutta",),
    "rnn": ("gru", "recurrent"),
    "rope": ("rotary",),
    "scheduler": ("schedule",),
    "sdpa": ("attention",),
    "sgd": ("gradient descent",),
    "skip connection": ("residual",),
    "ste": ("straight through",),
    "tokeniser": ("tokenizer", "byte pair"),
    "tokenizer": ("byte pair",),
    "top k": ("nucleus",),
    "top p": ("nucleus",),
    "unfold": ("im2col", "sliding windows"),
    "vae": ("elbo",),
    "vjp": ("backpropagation", "backward"),
    "wd": ("weight decay",),
    "xent": ("cross entropy",),
    "zscore": ("standardize",),
}
WORD = re.compile(r"[^\W_]+")
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
CHOSEN_BY = ("state", "bookmarked", "difficulty", "framework", "track", "tag")
_LISTS = {"framework": "frameworks", "tag": "tags"}
MAX_TAGS = 10
# A filter's name and value, as in an address.
Given = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemFilters:
    """Filters that must all hold. Each word of `q`, or a synonym, begins one in the title, tags, summary or statement.

    A problem has all `tags`. `order` leaves nothing out: it sorts the list.
    """

    tags: tuple[str, ...] = ()
    difficulty: str | None = None
    track: str | None = None
    framework: str | None = None
    state: str | None = None
    bookmarked: bool | None = None
    q: str | None = None
    order: ProblemOrder | None = None

    @property
    def given(self) -> tuple[Given, ...]:
        single = (
            ("difficulty", self.difficulty),
            ("track", self.track),
            ("framework", self.framework),
            ("state", self.state),
            ("bookmarked", None if self.bookmarked is None else str(self.bookmarked).lower()),
            ("q", self.q),
        )
        return (*(("tag", tag) for tag in self.tags), *((name, value) for name, value in single if value is not None))

    def add(self, name: str, value: str) -> "ProblemFilters":
        """Return the filters with this one. It replaces the value of a filter that has only one."""
        if name == "tag":
            return replace(self, tags=tuple(dict.fromkeys((*self.tags, value))))
        changed: dict[str, Any] = {name: value == "true" if name == "bookmarked" else value}
        return replace(self, **changed)

    def drop(self, name: str, value: str) -> "ProblemFilters":
        if name == "tag":
            return replace(self, tags=tuple(tag for tag in self.tags if tag != value))
        changed: dict[str, Any] = {name: None}
        return replace(self, **changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Counts of problems: `total` for all filters, `counts` by filter and value, `without` if one filter is dropped."""

    total: int
    counts: Mapping[str, Mapping[str, int]]
    without: Mapping[Given, int]


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
        case [bool(has_few), float(number), str(slug)] if length == 3 and (
            number == 0 or LEAST_RANK <= abs(number) <= MAX_POSITION
        ):
            return has_few, number, slug
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
    order = _order(filters)
    query = select_published(states, *order).where(*conditions(filters, states).values())
    if wanted.cursor is not None:
        query = query.where(tuple_(*order) > tuple_(*_sort_key(wanted.cursor, order)))
    rows, last = split_page(session.execute(query.order_by(*order).limit(wanted.limit + 1)).all(), wanted.limit)
    return tuple(map(read_listed, rows)), write_cursor(tuple(last[-len(order) :])) if last is not None else None


def count_facets(session: Session, filters: ProblemFilters, states: Subquery | None = None) -> Facets:
    """Count in one query how many problems each value of a filter would show, with the other filters unchanged.

    A further tag narrows the list, so the tags count with the chosen ones.
    """
    holds = conditions(filters, states)
    by_words = [holds.pop(given) for given in tuple(holds) if given[0] == "q"]
    fit = _base(tuple(holds.values()), states).where(*by_words).cte("fit")
    rows: Sequence[Any] = session.execute(union_all(*_counts(fit, [name for name, _ in holds]))).all()
    counts: dict[str, dict[str, int]] = {name: {} for name in ("", "without", *CHOSEN_BY)}
    for name, value, count in rows:
        if value is not None:
            counts[name][value] = count
    total, dropped = counts.pop("")["total"], counts.pop("without")
    without = {given: dropped[str(place)] for place, given in enumerate(holds)}
    if by_words and filters.q is not None and not total:
        without["q", filters.q] = count_problems(session, replace(filters, q=None), states)
    return Facets(total=total, counts=counts, without=without)


def count_problems(session: Session, filters: ProblemFilters, states: Subquery | None = None) -> int:
    fit = _base((), states).where(*conditions(filters, states).values()).subquery()
    return session.scalars(select(func.count()).select_from(fit)).one()


def select_published(states: Subquery | None, *columns: Any) -> Select[Any]:
    """Select every listed problem with the columns for `read_listed` and these, such as TRACK_ORDER."""
    columns = (
        Problem.slug,
        Revision.listing,
        state_of(states).label("state"),
        _bookmarked(states).label("is_bookmarked"),
        SolveCount.submissions,
        SolveCount.students,
        SolveCount.solved,
        SolveCount.accepted,
        *columns,
    )
    query = (
        select(*columns)
        .join(Revision, IS_CURRENT)
        .outerjoin(Track, Track.slug == track_slug)
        .outerjoin(SolveCount, SolveCount.problem_id == Problem.id)
        .where(IS_LISTED)
    )
    return query if states is None else query.outerjoin(states, states.c.problem_id == Problem.id)


def read_listed(row: Row[Any]) -> ListedProblem:
    facts = {
        "slug": row.slug,
        "state": row.state,
        "is_bookmarked": row.is_bookmarked,
        "attempts": describe_attempts(row),
    }
    return ListedProblem.model_validate(row.listing | facts)


def state_of(states: Subquery | None) -> ColumnElement[str | None]:
    return cast(null(), Text) if states is None else func.coalesce(states.c.state, "new")


def _bookmarked(states: Subquery | None) -> ColumnElement[bool | None]:
    return cast(null(), Boolean) if states is None else func.coalesce(states.c.is_bookmarked, false())


def conditions(filters: ProblemFilters, states: Subquery | None) -> dict[Given, ColumnElement[bool]]:
    """Return a condition for each given filter."""
    made = {(name, value): _condition(name, storable(value), states) for name, value in filters.given if name != "q"}
    if filters.q and filters.q.strip():
        words = list_words(filters.q)
        made["q", filters.q] = matches(words) if words else false()
    return made


def _condition(name: str, value: str, states: Subquery | None) -> ColumnElement[bool]:
    if name in _LISTS:
        return Revision.listing[_LISTS[name]].contains([value])
    if name == "state":
        return state_of(states) == value
    if name == "bookmarked":
        is_bookmarked: ColumnElement[bool] = func.coalesce(_bookmarked(states), false())
        return is_bookmarked if value == "true" else not_(is_bookmarked)
    is_value: ColumnElement[bool] = Revision.listing[name].astext == value
    return is_value


def list_words(text: str) -> list[str]:
    return WORD.findall(text)[:MAX_WORDS]


def matches(words: list[str]) -> ColumnElement[bool]:
    return Revision.search.bool_op("@@")(_query(words))


def _query(words: list[str]) -> ColumnElement[Any]:
    """Return a query for all words, as stems or as written. Stop words such as `the` count only alone."""
    if len(words) == 1 and words[0].lower() not in SYNONYMS:
        return _stem(words[0]).op("||")(_literal(words[0]))
    return _all(map(_any_of, _groups(words)))


def _groups(words: list[str]) -> Iterator[list[list[str]]]:
    """Yield each word, or two words that mean one thing, with its synonyms."""
    left = list(words)
    while left:
        length = 2 if " ".join(left[:2]).lower() in SYNONYMS else 1
        given, left = left[:length], left[length:]
        yield [given, *(synonym.split() for synonym in SYNONYMS.get(" ".join(given).lower(), ()))]


def _any_of(group: list[list[str]]) -> ColumnElement[Any]:
    """A short form counts as a whole word: `ste` does not find `step`."""
    typed, *synonyms = group
    found = _all(map(_whole if synonyms else _term, typed))
    return reduce(lambda left, right: left.op("||")(right), (_all(map(_term, words)) for words in synonyms), found)


def _all(terms: Iterable[ColumnElement[Any]]) -> ColumnElement[Any]:
    return reduce(lambda left, right: left.op("&&")(right), terms)


def _term(word: str) -> ColumnElement[Any]:
    stem = _stem(word)
    return case((func.numnode(stem) == 0, stem), else_=stem.op("||")(_literal(word)))


def _whole(word: str) -> ColumnElement[Any]:
    return func.to_tsquery("simple", word).op("||")(func.to_tsquery("english", word))


def _stem(word: str) -> ColumnElement[Any]:
    return func.to_tsquery("english", f"{word}:*")


def _literal(word: str) -> ColumnElement[Any]:
    return func.to_tsquery("simple", f"{word}:*")


def _order(filters: ProblemFilters) -> tuple[ColumnElement[Any], ...]:
    if filters.order is None and filters.q and filters.q.strip():
        return _ranked(filters.q)
    if filters.order is None or filters.order == "track":
        return TRACK_ORDER
    students = cast(func.coalesce(SolveCount.students, 0), Double)
    has_few = students < LEAST_STUDENTS
    # A problem with few students has no solve rate, and its place must not tell one.
    number = {
        "most_solved": -SolveCount.solved / students,
        "least_solved": SolveCount.solved / students,
        "most_tried": -students,
    }[filters.order]
    return (has_few, case((has_few, 0.0), else_=number), _SLUG)


def _ranked(text: str) -> tuple[ColumnElement[Any], ...]:
    words = list_words(text)
    if not words:
        return (cast(0, REAL), _SLUG)
    # What has the typed words themselves comes before what has their synonyms only.
    typed = _all(map(_whole, words))
    rank = func.ts_rank(Revision.search, _query(words)) + func.ts_rank(Revision.search, typed)
    return (-cast(rank / 2, REAL), _SLUG)


def _sort_key(cursor: str, order: tuple[ColumnElement[Any], ...]) -> list[Any]:
    """Return the cursor's key for a comparison in SQL, with ranks as REAL. Raises CursorInvalid."""
    key = read_cursor(cursor, len(order))
    number = REAL if len(key) == 2 else Double
    return [cast(part, number) if isinstance(part, float) else storable(part) for part in key]


def _base(holds: Sequence[ColumnElement[bool]], states: Subquery | None) -> Select[Any]:
    """Select the filter values of every problem, and whether each filter holds."""
    columns = [
        track_slug.label("track"),
        Revision.listing["difficulty"].astext.label("difficulty"),
        *(Revision.listing[key].label(name) for name, key in _LISTS.items()),
        state_of(states).label("state"),
        case((_bookmarked(states), "true")).label("bookmarked"),
        *(func.coalesce(condition, False).label(f"has_{place}") for place, condition in enumerate(holds)),
    ]
    query: Select[Any] = select(*columns).join(Problem, IS_CURRENT).where(IS_LISTED)
    return query if states is None else query.outerjoin(states, states.c.problem_id == Problem.id)


def _counts(fit: CTE, given: Sequence[str]) -> list[Select[str, str, int]]:
    """Return selects of rows (filter, value, count), ("", "total", count) and ("without", place in `given`, count)."""

    def holding(places: Iterable[int]) -> ColumnElement[bool]:
        return and_(true(), *(fit.c[f"has_{place}"] for place in places))

    def others(name: str) -> ColumnElement[bool]:
        return holding(place for place, other in enumerate(given) if other != name or name == "tag")

    def one(name: str, value: str, left_out: int | None = None) -> Select[str, str, int]:
        places = (place for place in range(len(given)) if place != left_out)
        return select(literal(name), literal(value), func.count()).select_from(fit).where(holding(places))

    def choices(name: str) -> Select[str, str, int]:
        value, rows = fit.c[name], typing.cast(FromClause, fit)
        if name in _LISTS:
            each = func.jsonb_array_elements_text(value).table_valued("value").lateral()
            value, rows = each.c.value, fit.join(each, true())
        return select(literal(name), value, func.count()).select_from(rows).where(others(name)).group_by(value)

    without = (one("without", str(place), place) for place in range(len(given)))
    return [one("", "total"), *without, *map(choices, CHOSEN_BY)]

"""How many problems each choice of a filter would show, beside the other filters as they are. One query for all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sqlalchemy import CTE, ColumnElement, FromClause, Select, Subquery, and_, func, literal, select, true, union_all
from sqlalchemy.orm import Session

from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.search import ProblemFilters, conditions, state_of, track_slug

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
        value, rows = fit.c[name], cast(FromClause, fit)
        if name in _LISTS:
            each = func.jsonb_array_elements_text(value).table_valued("value").lateral()
            value, rows = each.c.value, fit.join(each, true())
        return select(literal(name), value, func.count()).select_from(rows).where(others(name)).group_by(value)

    return [one("", "total"), *(one("without", name) for name in given), *map(choices, CHOSEN_BY)]

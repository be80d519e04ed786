"""What became of a submission by judging it again."""

from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, case, func
from sqlalchemy.orm import aliased

from app.judging.verdicts import Verdict
from app.submissions.model import Judging

# `different`: another verdict, and no better or worse. `failed`: by our fault, so that the old verdict stays.
Kind = Literal["same", "better", "worse", "different", "failed", "cancelled", "waiting"]

OLD, NEW = aliased(Judging, name="old"), aliased(Judging, name="new")


def kind() -> ColumnElement[Any]:
    """Of NEW, which replaces OLD: accepted is better than not, and more points are better than fewer."""
    before, after = _rank(OLD), _rank(NEW)
    return case(
        (NEW.state != "done", "waiting"),
        (NEW.verdict == Verdict.CANCELLED, "cancelled"),
        (NEW.verdict == Verdict.JUDGE_ERROR, "failed"),
        (and_(OLD.verdict == NEW.verdict, func.coalesce(OLD.score, 0) == func.coalesce(NEW.score, 0)), "same"),
        (after > before, "better"),
        (after < before, "worse"),
        else_="different",
    )


def _rank(judging: type[Judging]) -> ColumnElement[Any]:
    return func.coalesce(judging.score, 0) + case((judging.verdict == Verdict.ACCEPTED, 1), else_=0)

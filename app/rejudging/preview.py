"""How many submissions would be judged again, and which, before anything is done."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.orm import Session, aliased

from app.accounts.model import User
from app.catalog.model import Problem, Revision
from app.judging.verdicts import Verdict
from app.rejudging.choice import MOST, Choice, count, count_unfinished, select_chosen, select_older
from app.rejudging.model import Onto
from app.submissions.model import Judging, Submission

SHOWN = 50


class Candidate(BaseModel):
    model_config = ConfigDict(frozen=True)

    submission: UUID
    problem: str = Field(description="the slug")
    user: str = Field(description="the user name")
    created_at: datetime
    verdict: Verdict
    score: int | None
    revision: int = Field(description="the number of the revision that judged it")


class Preview(BaseModel):
    """What a choice comes to."""

    model_config = ConfigDict(frozen=True)

    total: int = Field(
        description=f"how many would be judged again; more than {MOST} may not be, and are told as {MOST + 1}"
    )
    unfinished: int = Field(description="how many are not judged yet, and would be left out")
    older: int = Field(
        description="how many would be judged by an older revision than the one that their verdict is of: "
        "their problem's current one was brought back"
    )
    items: tuple[Candidate, ...] = Field(description=f"the {SHOWN} that were sent first")

    @property
    def is_too_many(self) -> bool:
        return self.total > MOST


def preview(session: Session, choice: Choice, onto: Onto) -> Preview:
    """Raises Invalid, NotFound."""
    return Preview(
        total=count_chosen(session, choice, onto),
        unfinished=count_unfinished(session, choice),
        older=count(session, select_older(session, choice)) if onto == "current" else 0,
        items=_first(session, choice, onto),
    )


def count_chosen(session: Session, choice: Choice, onto: Onto) -> int:
    """As far as `count` does. Raises Invalid, NotFound."""
    return count(session, select_chosen(session, choice, onto))


def count_outdated(session: Session, slug: str) -> int:
    """How many submissions for a problem count as another revision than its current one judged them."""
    return count_chosen(session, Choice(problem=slug, outdated=True), "current")


def _first(session: Session, choice: Choice, onto: Onto) -> tuple[Candidate, ...]:
    columns = (Submission.id, Problem.slug, User.username, Submission.created_at, Judging.verdict, Judging.score)
    judged_by = aliased(Revision)
    query = select_chosen(session, choice, onto).with_only_columns(
        *columns, judged_by.number, maintain_column_froms=True
    )
    query = query.join(User, User.id == Submission.user_id).join(judged_by, judged_by.id == Judging.revision_id)
    names = ("submission", "problem", "user", "created_at", "verdict", "score", "revision")
    return tuple(
        Candidate.model_validate(dict(zip(names, row, strict=True))) for row in session.execute(query.limit(SHOWN))
    )

"""How far a user is with each problem: new, tried, solved, completed."""

from uuid import UUID

from sqlalchemy import Subquery, case, false, func, select, true, union_all

from app.accounts.viewer import Viewer
from app.learning.model import Completion
from app.submissions.model import Judging, Submission
from app.submissions.solved import is_solving


def states_for(viewer: Viewer | None) -> Subquery | None:
    return states_of(viewer.id) if viewer else None


def states_of(user_id: UUID) -> Subquery:
    """`problem_id` and `state` of the problems that the user has submitted to; all others are new."""
    # Joined, and not asked for by EXISTS: that is answered from all that anybody has solved.
    submitted = select(Submission.problem_id, is_solving().label("solved"), false().label("completed")).outerjoin(
        Judging, Judging.submission_id == Submission.id
    )
    completed = select(Completion.problem_id, true().label("solved"), true().label("completed"))
    each = union_all(
        submitted.where(Submission.user_id == user_id), completed.where(Completion.user_id == user_id)
    ).subquery()
    state = case((func.bool_or(each.c.completed), "completed"), (func.bool_or(each.c.solved), "solved"), else_="tried")
    return select(each.c.problem_id, state.label("state")).group_by(each.c.problem_id).subquery("states")

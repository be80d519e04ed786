"""The cause of a judge error: the class and first line of the last attempt's error."""

from sqlalchemy import ColumnElement, Text, and_, exists, func, literal_column

from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission

NOT_SAID = "NotSaid: nothing was written down"
# Literals, because GROUP BY needs an identical expression, and bound parameters differ.
CAUSE = func.coalesce(Judging.cause, literal_column(f"'{NOT_SAID}'", Text))
# A visitor's run is soon deleted, so an admin can do nothing about it.
IS_ERROR = and_(
    Judging.verdict == literal_column(f"'{Verdict.JUDGE_ERROR}'", Text),
    ~exists().where(Submission.id == Judging.submission_id, Submission.user_id.is_(None)).correlate(Judging),
)


def has_cause(cause: str) -> ColumnElement[bool]:
    """Return the condition that a judging is a judge error with this cause. It can use `ix_judgings_cause`."""
    return and_(IS_ERROR, Judging.cause.is_(None) if cause == NOT_SAID else Judging.cause == cause)

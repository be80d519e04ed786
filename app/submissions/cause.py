"""What judge errors have in common: the class and the first line of the last attempt's error."""

from sqlalchemy import ColumnElement, Text, and_, func, literal_column

from app.judging.verdicts import Verdict
from app.submissions.model import Judging

NOT_SAID = "NotSaid: nothing was written down"
# Written out: grouped by, it must be the same expression, which parameters are not.
CAUSE = func.coalesce(Judging.cause, literal_column(f"'{NOT_SAID}'", Text))
IS_ERROR = Judging.verdict == literal_column(f"'{Verdict.JUDGE_ERROR}'", Text)


def has_cause(cause: str) -> ColumnElement[bool]:
    """Of a judging: it is a judge error of this cause. In the words of the index `ix_judgings_cause`."""
    return and_(IS_ERROR, Judging.cause.is_(None) if cause == NOT_SAID else Judging.cause == cause)

"""Put a judging into its queue. `app.queue.lease` takes it out."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.submissions.model import Judging, Submission
from app.submissions.priority import compute_priority
from app.telemetry.context import note_submission, request_id
from app.telemetry.trace import write_traceparent

# A judging that ends without a verdict runs again, at most so often in all. Three faults in a row may meet an innocent
# submission; five are a sign that it causes them.
MAX_ATTEMPTS = 5
# The channel that tells workers the queue of a new judging, and of cancellations.
JUDGING_CHANNEL = "judging"
# The channel that tells workers the slug of a problem that a student has opened.
PROBLEM_OPENED = "opened"


def notify_problem_opened(session: Session, slug: str) -> None:
    """Tell workers to get ready for a submission to this problem."""
    session.execute(select(func.pg_notify(PROBLEM_OPENED, slug)))


def enqueue(session: Session, submission: Submission, queue: str) -> Judging:
    """Add a judging and notify workers. Workers see it when the caller's transaction commits."""
    judging = Judging(
        submission_id=submission.id,
        revision_id=submission.revision_id,
        queue=queue,
        request_id=request_id.get(),
        traceparent=write_traceparent(),
        priority=compute_priority(session, submission.user_id),
        max_attempts=MAX_ATTEMPTS,
    )
    session.add(judging)
    session.flush()
    session.execute(select(func.pg_notify(JUDGING_CHANNEL, queue)))
    note_submission(submission.id)
    return judging

"""Put a judging into its queue. `app.queue.lease` takes it out."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.log import note_submission, request_id
from app.submissions.model import Judging, Submission

# A judging that ends without a verdict runs again, at most so often in all. Three faults in a row may meet an innocent
# submission; five are a sign that it causes them.
MAX_ATTEMPTS = 5
# The channel that tells workers the queue of a new judging, and of cancellations.
JUDGING_CHANNEL = "judging"
# The channel that tells workers the slug of a problem that a student has opened, or submitted a solution to.
PROBLEM_OPENED = "opened"


def notify_problem_opened(session: Session, slug: str) -> None:
    """Tell workers to get ready for a submission to this problem, and for the next one."""
    session.execute(select(func.pg_notify(PROBLEM_OPENED, slug)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    submission: Submission
    queue: str
    priority: int = 0


def enqueue(session: Session, job: Job) -> Judging:
    """Add a judging of a flushed submission and notify workers. They see it when the caller's transaction commits."""
    judging = Judging(
        submission_id=job.submission.id,
        revision_id=job.submission.revision_id,
        queue=job.queue,
        request_id=request_id.get(),
        priority=job.priority,
        max_attempts=MAX_ATTEMPTS,
    )
    session.add(judging)
    session.flush()
    session.execute(select(func.pg_notify(JUDGING_CHANNEL, job.queue)))
    note_submission(job.submission.id)
    return judging

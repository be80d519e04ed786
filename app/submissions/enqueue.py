"""Put a judging into its queue. `app.queue.lease` takes it out."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.log import note_submission, request_id
from app.queue import lease
from app.queue.model import Job
from app.submissions.model import Judging, Submission

# The channel that tells workers the slug of a problem that a student has opened, or submitted a solution to.
PROBLEM_OPENED = "opened"


def notify_problem_opened(session: Session, slug: str) -> None:
    """Tell workers to get ready for a submission to this problem, and for the next one."""
    session.execute(select(func.pg_notify(PROBLEM_OPENED, slug)))


def enqueue(session: Session, submission: Submission, queue: str, priority: int = 0) -> Judging:
    """Add a judging of a flushed submission, and its job. Workers see them when the caller's transaction commits.

    The reference may run long on custom inputs, and a worker runs one such reference at a time
    (`app.engine.prepare`). So those judgings are rationed: a second one would hold a slot while it only waits.
    """
    judging = Judging(
        submission_id=submission.id, revision_id=submission.revision_id, queue=queue, request_id=request_id.get()
    )
    session.add(judging)
    is_rationed = submission.inputs is not None
    judging.job = Job(watched=submission.id, queue=queue, priority=priority, is_rationed=is_rationed)
    lease.enqueue(session, judging.job)
    note_submission(submission.id)
    return judging

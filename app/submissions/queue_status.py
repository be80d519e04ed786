"""The notice for a student while no worker judges the submission."""

from sqlalchemy.orm import Session

from app.queue.heartbeat import has_worker, lacks_boxes
from app.submissions.model import Judging

NO_WORKER = "No {kind} is running now: your submission waits in the queue and will be judged when one starts."
NO_BOX = "No {kind} can open a sandbox now. It tries again and again: your submission waits in the queue until then."
LOST = "The worker that judged your submission stopped. Another one will judge it again when it has a free slot."
_KIND = {"cpu": "worker", "gpu": "GPU worker"}


def explain_wait(session: Session, judging: Judging) -> str | None:
    """Return a notice if no worker can serve the judging's queue, or if its worker has lost the lease."""
    if judging.job is None or judging.job.is_held:
        return None
    if has_worker(session, judging.queue):
        return LOST if judging.state == "judging" else None
    sentence = NO_BOX if lacks_boxes(session, judging.queue) else NO_WORKER
    return sentence.format(kind=_KIND.get(judging.queue, "worker"))

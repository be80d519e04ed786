"""The fair priority of a user's judgings.

Each unfinished judging of a user, and each 10 s of judging in the last ten minutes, lowers the priority of the user's
next one. So one user's backlog interleaves with everyone else's work.
"""

from app.submissions.usage import Usage

# The priority of background work, which gives way to all other work. See `app.queue.running_jobs`.
BACKGROUND = -1_000_000
# This much recent judging counts as much as one unfinished submission.
SECONDS_PER_STEP = 10


def compute_priority(usage: Usage) -> int:
    """Return the next judging's priority: 0 for a user with nothing pending and no recent usage, else lower."""
    steps = int(usage.recent_seconds // SECONDS_PER_STEP)
    return max(-usage.unfinished - steps, BACKGROUND + 1)

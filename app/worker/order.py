"""In which order a submission runs its cases: samples first, then the hidden ones, shuffled.

An answer that depends on how many calls came before it is so an answer to another case.
"""

import random
from collections.abc import Sequence
from uuid import UUID

from app.worker.prepare import PreparedCase


def in_order(cases: Sequence[PreparedCase], submission_id: UUID) -> list[PreparedCase]:
    """The same in every attempt at one submission. Nobody knows a submission's id when its source is written."""
    samples = [case for case in cases if case.visibility == "sample"]
    hidden = [case for case in cases if case.visibility == "hidden"]
    random.Random(submission_id.bytes).shuffle(hidden)
    return samples + hidden

"""Which draw of the hidden inputs a submission is judged on."""

import secrets
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import ExpectedOutput, Revision
from app.submissions.model import Submission


def draw_variant(session: Session, user_id: UUID, revision: Revision) -> int:
    """One that this user's last submissions did not meet: what was learnt of one variant is of no use in the next.

    Half of all variants, rounded up, count as met lately. Of the others, those with expected outputs come first: nobody
    waits while a variant is prepared.
    """
    variants = range(revision.manifest["variants"])
    lately = min((len(variants) + 1) // 2, len(variants) - 1)
    last = (
        select(Submission.variant)
        .where(Submission.user_id == user_id, Submission.revision_id == revision.id, Submission.mode == "submit")
        .order_by(Submission.created_at.desc(), Submission.id)
        .limit(lately)
    )
    met = set(session.scalars(last))
    prepared = select(ExpectedOutput.variant).where(ExpectedOutput.revision_id == revision.id).distinct()
    new = [variant for variant in variants if variant not in met]
    ready = set(session.scalars(prepared)).intersection(new)
    return secrets.choice(sorted(ready) or new)

"""The first steps of a new deployment: what an admin has not done yet, until it is done or the list is dismissed."""

from typing import Literal

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.audit import Act, Actor, AuditEvent, find_last, record
from app.catalog.access import IS_LISTED
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.search import track_slug
from app.policy import change_policy, read_policy
from app.submissions.model import Submission

Step = Literal["sign_up", "problems", "tracks", "submission", "users", "backup"]


def list_open_steps(session: Session) -> tuple[Step, ...]:
    """Return the steps that are not done, in the order to do them. Nothing if an admin has dismissed the list."""
    policy = read_policy(session)
    if policy.first_steps == "off":
        return ()
    listed = select(Problem.id).join(Revision, IS_CURRENT).where(IS_LISTED)
    has_problem = session.scalar(select(exists(listed)))
    by_user = select(Submission.id).where(Submission.user_id.is_not(None))
    done: dict[Step, bool | None] = {
        "sign_up": policy.sign_up != "open" or _has_decided(session, "sign_up"),
        "problems": has_problem,
        "tracks": not has_problem or session.scalar(select(exists(listed.where(track_slug.is_not(None))))),
        # Ordered, so that PostgreSQL reads one entry of the index and not the table.
        "submission": session.scalar(by_user.order_by(Submission.user_id).limit(1)) is not None,
        "users": len(session.scalars(select(User.id).order_by(User.id).limit(2)).all()) > 1,
        "backup": find_last(session, "backup.written") is not None,
    }
    return tuple(step for step, is_done in done.items() if not is_done)


def _has_decided(session: Session, setting: str) -> bool:
    """Whether an admin has changed the setting before, or kept its default on purpose."""
    of_setting = (AuditEvent.target_kind == "setting", AuditEvent.target == setting)
    return bool(session.scalar(select(exists().where(*of_setting))))


def keep_sign_up(session: Session, actor: Actor) -> None:
    """Record that an admin has looked at who may sign up, and leaves it as it is. Once, and not after a change."""
    kept = {"sign_up": read_policy(session).sign_up}
    if _has_decided(session, "sign_up"):
        return
    record(session, actor, Act(action="setting.kept", target="sign_up", before=kept, after=kept))


def dismiss_steps(session: Session, actor: Actor) -> None:
    """Hide the list for all admins. The setting `first_steps` shows it again."""
    change_policy(session, actor, {"first_steps": "off"})

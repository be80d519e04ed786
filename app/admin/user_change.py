"""Admins' changes to user accounts: role, suspension, e-mail, sign-out, new accounts and password links.

The audit log records every change.
"""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import Role, User
from app.accounts.password_reset import make_reset_link
from app.accounts.session import end_sessions
from app.accounts.user import SignUp, check_email, sign_up
from app.admin.user_list import UserNotFound
from app.audit import Act, Actor, record
from app.errors import Conflict, Outdated, Refused
from app.submissions.cancel import cancel_all


class OwnAccount(Refused):
    """Admins change their own account with their password, like every user, and not as admins."""

    def __init__(self) -> None:
        super().__init__("This is your own account. Change it on /account.")


class ChangedMeanwhile(Outdated):
    def __init__(self, what: str, *, seen: str | None, now: str | None, wanted: str | None) -> None:
        values = f"it was {seen or 'none'} when you looked and is {now or 'none'} now; you chose {wanted or 'none'}"
        super().__init__(f"The {what} has changed meanwhile: {values}. Nothing was changed. Choose again.")


def refuse_own(actor: Actor, user_id: UUID) -> None:
    """Raises OwnAccount."""
    if actor.user_id == user_id:
        raise OwnAccount


def change_role(session: Session, actor: Actor, user_id: UUID, role: Role, *, seen: Role | None = None) -> None:
    """Change the role from the user's next request on, also for tokens. `seen`: the role that the admin saw.

    Raises UserNotFound, Conflict for the last admin, and ChangedMeanwhile.
    """
    if role != "admin":
        keep_an_admin(session, user_id)
    user = lock_user(session, user_id)
    if user.role == role:
        return
    if seen is not None and user.role != seen:
        raise ChangedMeanwhile("role", seen=seen, now=user.role, wanted=role)
    before, user.role = user.role, role
    record(
        session, actor, Act(action="user.role_changed", target=user_id, before={"role": before}, after={"role": role})
    )


def suspend(session: Session, actor: Actor, user_id: UUID) -> None:
    """Suspend a user: sessions end, and tokens pause until reactivation.

    Raises UserNotFound, and Conflict for the last admin.
    """
    keep_an_admin(session, user_id)
    user = lock_user(session, user_id)
    if not user.is_active:
        return
    user.is_active = False
    ended = end_sessions(session, user_id)
    record(session, actor, Act(action="user.suspended", target=user_id, after={"sessions_ended": ended}))


def reactivate(session: Session, actor: Actor, user_id: UUID) -> None:
    """Raises UserNotFound."""
    user = lock_user(session, user_id)
    if user.is_active:
        return
    user.is_active = True
    record(session, actor, Act(action="user.reactivated", target=user_id))


def change_email(session: Session, actor: Actor, user_id: UUID, email: str | None) -> None:
    """Change the e-mail address; None removes it. Raises UserNotFound, Invalid and OwnAccount."""
    user = lock_user(session, user_id)
    if email == user.email:
        return
    refuse_own(actor, user_id)
    if email is not None:
        check_email(email)
    user.email = email
    record(session, actor, Act(action="user.email_changed", target=user_id, after={"has_email": email is not None}))


def sign_out(session: Session, actor: Actor, user_id: UUID) -> int:
    """End all of the user's sessions. Return how many ended. Raises UserNotFound."""
    lock_user(session, user_id)
    ended = end_sessions(session, user_id)
    record(session, actor, Act(action="user.signed_out", target=user_id, after={"sessions": ended}))
    return ended


def cancel_queue(session: Session, actor: Actor, user_id: UUID) -> int:
    """Cancel all of the user's unfinished submissions. Return how many ended. Raises UserNotFound."""
    lock_user(session, user_id)
    return cancel_all(session, actor, user_id)


def lock_user(session: Session, user_id: UUID) -> User:
    """Lock the user's row for the transaction. Raises UserNotFound, and Conflict for an erased user."""
    user = lock_row(session, user_id)
    if user.erased_at is not None:
        raise Conflict(f"{user.username} was erased, which can't be undone. The account can't be changed.")
    return user


def lock_row(session: Session, user_id: UUID) -> User:
    """Lock the user's row, also an erased user's. Raises UserNotFound."""
    user = session.get(User, user_id, with_for_update={"key_share": True}, populate_existing=True)
    if user is None:
        raise UserNotFound(user_id)
    return user


def keep_an_admin(session: Session, user_id: UUID) -> None:
    """Raises Conflict if the user is the last active admin. Call it before locking and changing the user.

    It locks all admins in one order: if two admins remove each other, the second request fails.
    """
    admins = select(User.id).where(User.role == "admin", User.is_active).order_by(User.id)
    if list(session.scalars(admins.with_for_update(key_share=True))) == [user_id]:
        raise Conflict("This is the last active admin. Make another user an admin first.")


def create_user(session: Session, actor: Actor, wanted: SignUp, role: Role = "student") -> User:
    """Make an account, whatever the sign-up mode is. Raises Invalid, and Conflict if the name is taken."""
    user = sign_up(session, wanted, role=role)
    record(session, actor, Act(action="user.created", target=user.id, after={"role": role}))
    return user


def make_link(session: Session, actor: Actor, user_id: UUID, base_url: str) -> str:
    """Return a password reset link for the admin to pass on. Raises UserNotFound, Conflict and OwnAccount."""
    refuse_own(actor, user_id)
    user = lock_user(session, user_id)
    if not user.is_active:
        raise Conflict(f"{user.username} is suspended and can't sign in. Reactivate the account first.")
    record(session, actor, Act(action="user.reset_link_made", target=user_id))
    return make_reset_link(session, user, base_url)

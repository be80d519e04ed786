"""What admins do to a user's account. All of it is written down, and none of it leaves Allclose without an admin.

An account that an admin makes: whoever may sign up by themselves or not.

A link for a new password, for the admin to hand over.
"""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import Role, User
from app.accounts.password_reset import make_reset_link
from app.accounts.session import end_sessions
from app.accounts.user import SignUp, check_email, sign_up
from app.audit import Act, Actor, record
from app.errors import Conflict, Outdated, Refused
from app.people.query import UserNotFound


class OwnAccount(Refused):
    """What an account's owner is asked their password for is not to be had without it by being an admin."""

    def __init__(self) -> None:
        super().__init__("this is your own account: do it on /account, or by REST under /me, with your password")


class ChangedMeanwhile(Outdated):
    def __init__(self, what: str, *, seen: str | None, now: str | None, wanted: str | None) -> None:
        values = f"it was {seen or 'none'} when you looked, is {now or 'none'} now, and you chose {wanted or 'none'}"
        super().__init__(f"the {what} was changed meanwhile: {values}; nothing is changed, choose again")


def refuse_own(actor: Actor, user_id: UUID) -> None:
    """Raises OwnAccount."""
    if actor.user_id == user_id:
        raise OwnAccount


def change_role(session: Session, actor: Actor, user_id: UUID, role: Role, *, seen: Role | None = None) -> None:
    """It holds from their next request on, for tokens too. `seen`: the role that the asker knows of.

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
    """Ends their sessions; tokens rest until they may come back. Raises UserNotFound, Conflict for the last admin."""
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
    """None: no address any more. Raises UserNotFound, Invalid, and OwnAccount."""
    user = lock_user(session, user_id)
    if email == user.email:
        return
    refuse_own(actor, user_id)
    if email is not None:
        check_email(email)
    user.email = email
    record(session, actor, Act(action="user.email_changed", target=user_id, after={"has_email": email is not None}))


def sign_out(session: Session, actor: Actor, user_id: UUID) -> int:
    """Ends all of their sessions, wherever they are; returns how many. Raises UserNotFound."""
    lock_user(session, user_id)
    ended = end_sessions(session, user_id)
    record(session, actor, Act(action="user.signed_out", target=user_id, after={"sessions": ended}))
    return ended


def lock_user(session: Session, user_id: UUID) -> User:
    """Nobody else changes them until the transaction ends. Raises UserNotFound, and Conflict for one who was erased."""
    user = lock_row(session, user_id)
    if user.erased_at is not None:
        raise Conflict(f"{user.username} was erased, which can't be undone; nothing about them can be changed")
    return user


def lock_row(session: Session, user_id: UUID) -> User:
    """Of one who was erased, too. Raises UserNotFound."""
    user = session.get(User, user_id, with_for_update={"key_share": True}, populate_existing=True)
    if user is None:
        raise UserNotFound(user_id)
    return user


def keep_an_admin(session: Session, user_id: UUID) -> None:
    """Before an admin is taken away, and before they are locked. Raises Conflict if there would be none.

    All admins are locked, in the same order by everybody: of two who take each other away, the second one fails.
    """
    admins = select(User.id).where(User.role == "admin", User.is_active).order_by(User.id)
    if list(session.scalars(admins.with_for_update(key_share=True))) == [user_id]:
        raise Conflict("this is the last active admin; make somebody else an admin first")


def create_user(session: Session, actor: Actor, wanted: SignUp, role: Role = "student") -> User:
    """Raises Invalid, and Conflict for a name that is taken."""
    user = sign_up(session, wanted, role=role)
    record(session, actor, Act(action="user.created", target=user.id, after={"role": role}))
    return user


def make_link(session: Session, actor: Actor, user_id: UUID, base_url: str) -> str:
    """By which whoever has it chooses a new password within an hour. Raises UserNotFound, Conflict, OwnAccount."""
    refuse_own(actor, user_id)
    user = lock_user(session, user_id)
    if not user.is_active:
        raise Conflict(f"{user.username} is suspended, and a new password would not let them in; reactivate them first")
    record(session, actor, Act(action="user.reset_link_made", target=user_id))
    return make_reset_link(session, user, base_url)

"""Who people are at the provider of OpenID Connect, and their accounts here.

An account is found by issuer and subject alone. That an e-mail address is the same never makes it anybody's: whoever
could choose their address at a provider would have the account.
"""

import re
import unicodedata
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.admission import Applicant, admit
from app.accounts.invitation import use_invitation
from app.accounts.model import Identity, Role, User
from app.accounts.network import network_of
from app.accounts.provider import Person
from app.accounts.secret import new_secret
from app.accounts.throttle import AccountThrottles
from app.accounts.user import EMAIL, ERASED, MAX_EMAIL
from app.accounts.viewer import AccountSuspended
from app.audit.record import Act, Actor, record
from app.errors import Conflict, NotFound, Refused

MAX_NAME = 32
TRIES = 20


def sign_in_person(session: Session, throttles: AccountThrottles, person: Person, applicant: Applicant) -> User:
    """The person's account, made at their first sign-in where the sign-up mode allows it.

    Raises AccountSuspended, TooOften, and what `admit` does.
    """
    user = session.scalar(select(User).join(Identity, Identity.user_id == User.id).where(_is(person)))
    if user is None:
        return _join(session, throttles, person, applicant)
    if not user.is_active:
        raise AccountSuspended
    return user


def link_identity(session: Session, actor: Actor, user: User, person: Person) -> None:
    """From now on the person signs in as this user, too. Raises Conflict where they do so as somebody else."""
    made = insert(Identity).values(issuer=person.issuer, subject=person.subject, user_id=user.id)
    is_new = session.scalar(made.on_conflict_do_nothing().returning(Identity.user_id)) is not None
    if is_new:
        actor = Actor(user_id=user.id, channel=actor.channel, address=actor.address)
        record(session, actor, Act(action="identity.linked", target=user.id, after={"issuer": person.issuer}))
    elif session.scalar(select(Identity.user_id).where(_is(person))) != user.id:
        raise Conflict("this identity signs in to another account already; take it off there first")


def unlink_identity(session: Session, actor: Actor, user: User, issuer: str) -> None:
    """All of the user's at that issuer. Raises NotFound, and Refused where nothing would be left to sign in with."""
    session.get_one(User, user.id, with_for_update=True)
    identities = list_identities(session, user.id)
    leaving = [identity for identity in identities if identity.issuer == issuer]
    if not leaving:
        raise NotFound("your account has no such identity")
    if user.password_hash is None and len(leaving) == len(identities):
        raise Refused("this is your only way to sign in; choose a password first")
    for identity in leaving:
        session.delete(identity)
    record(session, actor, Act(action="identity.removed", target=user.id, before={"issuer": issuer}))


def list_identities(session: Session, user_id: UUID) -> Sequence[Identity]:
    return session.scalars(
        select(Identity).where(Identity.user_id == user_id).order_by(Identity.created_at, Identity.subject)
    ).all()


def suggest_name(person: Person) -> str:
    """A user name like the one that they have there."""
    plain = unicodedata.normalize("NFKD", person.name.partition("@")[0]).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9_-]+", "-", plain).strip("-_")[:MAX_NAME]
    return name if len(name) >= 3 and not name.startswith(ERASED) else "user"


def _join(session: Session, throttles: AccountThrottles, person: Person, applicant: Applicant) -> User:
    invitation = admit(session, applicant)
    if invitation is None:
        throttles.sign_ups.use(network_of(applicant.address))
    user = _make_user(session, person, invitation.role if invitation else "student")
    if invitation is not None:
        use_invitation(session, applicant.actor, invitation, user)
    link_identity(session, applicant.actor, user, person)
    return user


def _make_user(session: Session, person: Person, role: Role) -> User:
    email = person.email if person.email and EMAIL.fullmatch(person.email) and len(person.email) <= MAX_EMAIL else None
    for name in _candidates(suggest_name(person)):
        values = {"username": name, "email": email, "role": role, "password_hash": None}
        made = insert(User).values(values).on_conflict_do_nothing(index_elements=[User.username]).returning(User)
        if (user := session.scalar(made)) is not None:
            return user
    raise Conflict("no user name like yours is free; ask an admin for an account")


def _candidates(name: str) -> list[str]:
    numbered = [f"{name[: MAX_NAME - 3]}-{number}" for number in range(2, TRIES)]
    chance = re.sub(r"[^a-z0-9]", "", new_secret().lower())[:8]
    return [name, *numbered, f"{name[: MAX_NAME - 9]}-{chance}"]


def _is(person: Person) -> ColumnElement[bool]:
    return and_(Identity.issuer == person.issuer, Identity.subject == person.subject)

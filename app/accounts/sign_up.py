"""Signing up, where the policy's `sign_up` or an invitation allows it. Admins make accounts without either."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.accounts.invitation import get_invitation, use_invitation
from app.accounts.model import Invitation, User
from app.accounts.user import SignUp, check_sign_up, sign_up
from app.audit import Actor, Channel
from app.errors import Refused
from app.limits import Limits, network_of
from app.policy import read_policy


class SignUpClosed(Refused):
    def __init__(self) -> None:
        super().__init__("Signing up is closed. Ask an admin for an account.")


class InvitationMissing(Refused):
    def __init__(self) -> None:
        super().__init__("You need an invitation to sign up. Ask an admin for a link.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicant:
    """A person who signs up: their network address, and the secret of their invitation if they have one."""

    channel: Channel
    address: str
    invitation: str | None = None

    @property
    def actor(self) -> Actor:
        return Actor(user_id=None, channel=self.channel, address=self.address)


def admit(session: Session, applicant: Applicant) -> Invitation | None:
    """Return the applicant's invitation, locked. Raises SignUpClosed, InvitationMissing and InvitationSpent."""
    mode = read_policy(session).sign_up
    if mode == "closed":
        raise SignUpClosed
    if applicant.invitation is not None:
        return get_invitation(session, applicant.invitation)
    if mode == "invitation":
        raise InvitationMissing
    return None


def join(session: Session, limits: Limits, applicant: Applicant, wanted: SignUp) -> User:
    """Make the account. Raises as `admit` and `sign_up` do; without an invitation, also RateLimitReached."""
    invitation = admit(session, applicant)
    check_sign_up(wanted)
    if invitation is None:
        limits.new_accounts.use(network_of(applicant.address))
        return sign_up(session, wanted)
    user = sign_up(session, wanted, role=invitation.role)
    use_invitation(session, applicant.actor, invitation, user)
    return user

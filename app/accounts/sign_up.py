"""Who may make an account: by the policy's `sign_up`, or by an invitation. Accounts that admins make ask nobody."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.accounts.invitation import get_invitation, use_invitation
from app.accounts.model import Invitation, User
from app.accounts.rate_limit import AccountThrottles, network_of
from app.accounts.user import SignUp, check_sign_up, sign_up
from app.audit import Actor, Channel
from app.errors import Refused
from app.policy import read_policy


class SignUpClosed(Refused):
    def __init__(self) -> None:
        super().__init__("nobody can sign up here at the moment; ask an admin for an account")


class InvitationMissing(Refused):
    def __init__(self) -> None:
        super().__init__("signing up here takes an invitation; ask an admin for a link")


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicant:
    """Somebody without an account: the network address, and the invitation's secret where they have one."""

    channel: Channel
    address: str
    invitation: str | None = None

    @property
    def actor(self) -> Actor:
        return Actor(user_id=None, channel=self.channel, address=self.address)


def admit(session: Session, applicant: Applicant) -> Invitation | None:
    """The invitation that they use, locked. Raises SignUpClosed, InvitationMissing, InvitationSpent."""
    mode = read_policy(session).sign_up
    if mode == "closed":
        raise SignUpClosed
    if applicant.invitation is not None:
        return get_invitation(session, applicant.invitation)
    if mode == "invitation":
        raise InvitationMissing
    return None


def join(session: Session, throttles: AccountThrottles, applicant: Applicant, wanted: SignUp) -> User:
    """Their account. Raises what `admit` and `sign_up` do, and TooOften; an invitation has no such limit."""
    invitation = admit(session, applicant)
    check_sign_up(wanted)
    if invitation is None:
        throttles.sign_ups.use(network_of(applicant.address))
        return sign_up(session, wanted)
    user = sign_up(session, wanted, role=invitation.role)
    use_invitation(session, applicant.actor, invitation, user)
    return user

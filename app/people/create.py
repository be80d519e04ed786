"""An account that an admin makes: whoever may sign up by themselves or not."""

from sqlalchemy.orm import Session

from app.accounts.model import Role, User
from app.accounts.user import SignUp, sign_up
from app.audit.record import Act, Actor, record


def create_user(session: Session, actor: Actor, wanted: SignUp, role: Role = "student") -> User:
    """Raises Invalid, and Conflict for a name that is taken."""
    user = sign_up(session, wanted, role=role)
    record(session, actor, Act(action="user.created", target=user.id, after={"role": role}))
    return user

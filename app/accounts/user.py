"""Users: signing up, finding them, and the rules for user names and e-mail addresses."""

import re
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.model import Role, User
from app.accounts.password import check_password, hash_password
from app.database.engine import is_storable, storable
from app.errors import Conflict, Invalid, NotFound, check_all

USERNAME = re.compile(r"[a-z0-9_-]{3,32}")
USERNAME_RULE = "use 3 to 32 characters of a-z, 0-9, _ and -"
# The prefix of an erased user's name.
ERASED = "erased-"
EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f-\x9f]+@[^@\s\x00-\x1f\x7f-\x9f]+")
MAX_EMAIL = 254  # RFC 5321's longest path


@dataclass(frozen=True, slots=True, kw_only=True)
class SignUp:
    username: str
    password: str = field(repr=False)
    email: str | None = None


def sign_up(session: Session, wanted: SignUp, *, role: Role = "student") -> User:
    """Make a user. Raises Invalid for a wrong name, password or e-mail, and Conflict if the name is taken."""
    check_sign_up(wanted)
    values = {"username": wanted.username, "email": wanted.email, "role": role}
    values["password_hash"] = hash_password(wanted.password)
    user: User | None = session.scalar(
        insert(User).values(values).on_conflict_do_nothing(index_elements=[User.username]).returning(User)
    )
    if user is None:
        raise Conflict(f"The user name {wanted.username!r} is taken. Choose another one.")
    return user


def check_sign_up(wanted: SignUp) -> None:
    """Raises Invalid for all wrong fields together."""
    known = [wanted.username, *([wanted.email] if wanted.email else [])]
    checks = [partial(check_username, wanted.username), partial(check_password, wanted.password, known)]
    if wanted.email is not None:
        checks.append(partial(check_email, wanted.email))
    check_all(checks)


def find_user(session: Session, username: str) -> User | None:
    """Find a user by name, ignoring upper case."""
    name = username.strip().lower()
    return session.scalar(select(User).where(User.username == name)) if USERNAME.fullmatch(name) else None


def get_user_id(session: Session, username: str) -> UUID:
    """Return the ID. Call it only for viewers who may list users. Raises NotFound."""
    user_id = session.scalar(select(User.id).where(User.username == storable(username)))
    if user_id is None:
        raise NotFound(f"There is no user {username[:40]!r}. See the list of users.")
    return user_id


def check_username(username: str) -> None:
    """Raises Invalid."""
    if not USERNAME.fullmatch(username):
        shown = username if len(username) <= 40 else username[:40] + "…"
        raise Invalid("username", f"{shown!r} is not a valid user name: {USERNAME_RULE}.")
    if username.startswith(ERASED):
        raise Invalid(
            "username", f"Names that start with {ERASED!r} are reserved for erased accounts. Choose another one."
        )


def check_email(email: str) -> None:
    """Raises Invalid."""
    if not EMAIL.fullmatch(email) or not is_storable(email):
        raise Invalid("email", "The e-mail address is not valid. Write one such as ada@example.org, or leave it out.")
    if len(email) > MAX_EMAIL:
        raise Invalid("email", f"The e-mail has {len(email)} characters; the limit is {MAX_EMAIL}.")

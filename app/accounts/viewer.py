"""Somebody who is signed in, with what they may do here and now."""

from dataclasses import dataclass, field
from uuid import UUID

from app.accounts.model import Role, User
from app.accounts.right import RULES, Right, RightMissing, a_role, rights_of
from app.errors import Refused


class AccountSuspended(Refused):
    """Told to who has proven whose account it is, and to nobody else."""

    def __init__(self) -> None:
        super().__init__("your account is suspended; ask an admin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """`rights` may be fewer than the role's, where a token has scopes."""

    user: User
    rights: frozenset[Right] = field(repr=False)

    @property
    def id(self) -> UUID:
        return self.user.id

    @property
    def username(self) -> str:
        return self.user.username

    @property
    def role(self) -> Role:
        return self.user.role

    def may(self, right: Right) -> bool:
        return right in self.rights

    def require(self, right: Right) -> None:
        """Raises RightMissing, which says whom to ask."""
        if right in self.rights:
            return
        if self.role in RULES[right].roles:
            raise RightMissing(right, "this token", "make one with this scope")
        least = RULES[right].roles[0]
        # That somebody should be an admin is not for them to suggest.
        is_common = least == "author"
        way = f" to run `allclose admin user role {self.username} {least}`" if is_common else ""
        who = f"{self.username} is {a_role(self.role)} and"
        raise RightMissing(right, who, f"it is for the role {least}; ask an admin{way}")


def signed_in(user: User) -> Viewer:
    """With all that the role may do, as in a browser."""
    return Viewer(user=user, rights=rights_of(user.role))

"""Who may do what: the one table. A role has rights; a token has those of its owner's that are among its scopes.

Endpoints name the right that they need (`app.api.dependency`), pages too; docs/rights.md shows this table.

Somebody who is signed in, with what they may do here and now.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from app.accounts.model import Role, User
from app.errors import Invalid, Refused

EVERYBODY: tuple[Role, ...] = ("student", "author", "admin")
AUTHORS: tuple[Role, ...] = ("author", "admin")
ADMINS: tuple[Role, ...] = ("admin",)


class Permission(StrEnum):
    READ_ACCOUNT = "account:read"
    CHANGE_ACCOUNT = "account:write"
    READ_PROBLEMS = "problems:read"
    READ_SUBMISSIONS = "submissions:read"
    SUBMIT = "submissions:write"
    WRITE_PROBLEMS = "problems:write"
    INSPECT_SUBMISSIONS = "submissions:inspect"
    REJUDGE = "rejudgings:write"
    READ_USERS = "users:read"
    CHANGE_USERS = "users:write"
    READ_OPERATIONS = "operations:read"
    OPERATE = "operations:write"
    CHANGE_SETTINGS = "settings:write"
    READ_AUDIT = "audit:read"
    BACK_UP = "backups:write"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Which roles have a right. `allows` ends the sentence "This allows you to …"."""

    roles: tuple[Role, ...]
    allows: str


RULES: dict[Permission, Rule] = {
    Permission.READ_ACCOUNT: Rule(roles=EVERYBODY, allows="see your account, statistics, tokens and sessions"),
    Permission.CHANGE_ACCOUNT: Rule(
        roles=EVERYBODY,
        allows="change them: e-mail, password, leaderboards, tokens, sessions; export or erase all of it",
    ),
    Permission.READ_PROBLEMS: Rule(roles=EVERYBODY, allows="see problems, tracks and leaderboards as yourself"),
    Permission.READ_SUBMISSIONS: Rule(roles=EVERYBODY, allows="see your submissions, drafts and progress"),
    Permission.SUBMIT: Rule(roles=EVERYBODY, allows="submit and cancel, take hints, answer quizzes, open solutions"),
    Permission.WRITE_PROBLEMS: Rule(
        roles=AUTHORS, allows="send, verify and publish problems, and see all of their files"
    ),
    Permission.INSPECT_SUBMISSIONS: Rule(
        roles=ADMINS, allows="see and export everybody's submissions, and with submissions:write cancel them"
    ),
    Permission.REJUDGE: Rule(roles=ADMINS, allows="judge submissions again, and apply or cancel what came out"),
    Permission.READ_USERS: Rule(roles=ADMINS, allows="see users and invitations"),
    Permission.CHANGE_USERS: Rule(
        roles=ADMINS, allows="invite, change, suspend, export and erase users, and make links for new passwords"
    ),
    Permission.READ_OPERATIONS: Rule(
        roles=ADMINS, allows="see the queue, workers, our own failures, settings, storage and metrics"
    ),
    Permission.OPERATE: Rule(roles=ADMINS, allows="drain and resume workers"),
    Permission.CHANGE_SETTINGS: Rule(roles=ADMINS, allows="change settings while Allclose runs"),
    Permission.READ_AUDIT: Rule(roles=ADMINS, allows="see who did what"),
    Permission.BACK_UP: Rule(roles=ADMINS, allows="back up everything, download and remove backups, and restore one"),
}


def permissions_of(role: Role, scopes: Iterable[str] | None = None) -> frozenset[Permission]:
    """What a role may do; with a token's `scopes`, as far as those go. Unknown scopes give nothing."""
    permissions = frozenset(permission for permission, rule in RULES.items() if role in rule.roles)
    return permissions if scopes is None else permissions & frozenset(scopes)


def a_role(role: Role) -> str:
    """With its article."""
    return "a student" if role == "student" else f"an {role}"


def read_scopes(scopes: Iterable[str]) -> list[Permission]:
    """In the table's order, each once. Raises Invalid for one that is no right, and for none at all."""
    wanted = set(scopes)
    unknown = sorted(wanted - set(Permission))
    if unknown:
        raise Invalid("scopes", f"{unknown[0][:40]!r} is no scope; there are {', '.join(Permission)}")
    if not wanted:
        raise Invalid(
            "scopes", "a token without any scope is of no use; name one, or leave scopes out for all of yours"
        )
    return [permission for permission in Permission if permission in wanted]


class PermissionMissing(Refused):
    """The asker is known, and lacks a right."""

    def __init__(self, permission: Permission, who: str, why: str) -> None:
        super().__init__(f"{who} lacks {right}, which allows to {RULES[right].allows}: {why}")
        self.permission = right


class AccountSuspended(Refused):
    """Told to who has proven whose account it is, and to nobody else."""

    def __init__(self) -> None:
        super().__init__("your account is suspended; ask an admin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """`rights` may be fewer than the role's, where a token has scopes."""

    user: User
    permissions: frozenset[Permission] = field(repr=False)

    @property
    def id(self) -> UUID:
        return self.user.id

    @property
    def username(self) -> str:
        return self.user.username

    @property
    def role(self) -> Role:
        return self.user.role

    def may(self, permission: Permission) -> bool:
        return right in self.permissions

    def require(self, permission: Permission) -> None:
        """Raises RightMissing, which says whom to ask."""
        if right in self.permissions:
            return
        if self.role in RULES[right].roles:
            raise PermissionMissing(right, "this token", "make one with this scope")
        least = RULES[right].roles[0]
        # That somebody should be an admin is not for them to suggest.
        is_common = least == "author"
        way = f" to run `allclose admin user role {self.username} {least}`" if is_common else ""
        who = f"{self.username} is {a_role(self.role)} and"
        raise PermissionMissing(right, who, f"it is for the role {least}; ask an admin{way}")


def signed_in(user: User) -> Viewer:
    """With all that the role may do, as in a browser."""
    return Viewer(user=user, permissions=permissions_of(user.role))

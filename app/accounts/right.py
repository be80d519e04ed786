"""Who may do what: the one table. A role has rights; a token has those of its owner's that are among its scopes.

Endpoints name the right that they need (`app.api.dependency`), pages too; docs/rights.md shows this table.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.accounts.model import Role
from app.errors import Invalid, Refused

EVERYBODY: tuple[Role, ...] = ("student", "author", "admin")
AUTHORS: tuple[Role, ...] = ("author", "admin")
ADMINS: tuple[Role, ...] = ("admin",)


class Right(StrEnum):
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


RULES: dict[Right, Rule] = {
    Right.READ_ACCOUNT: Rule(roles=EVERYBODY, allows="see your account, statistics, tokens and sessions"),
    Right.CHANGE_ACCOUNT: Rule(
        roles=EVERYBODY,
        allows="change them: e-mail, password, leaderboards, tokens, sessions; export or erase all of it",
    ),
    Right.READ_PROBLEMS: Rule(roles=EVERYBODY, allows="see problems, tracks and leaderboards as yourself"),
    Right.READ_SUBMISSIONS: Rule(roles=EVERYBODY, allows="see your submissions, drafts and progress"),
    Right.SUBMIT: Rule(roles=EVERYBODY, allows="submit and cancel, take hints, answer quizzes, open solutions"),
    Right.WRITE_PROBLEMS: Rule(roles=AUTHORS, allows="send, verify and publish problems, and see all of their files"),
    Right.INSPECT_SUBMISSIONS: Rule(
        roles=ADMINS, allows="see and export everybody's submissions, and with submissions:write cancel them"
    ),
    Right.REJUDGE: Rule(roles=ADMINS, allows="judge submissions again, and apply or cancel what came out"),
    Right.READ_USERS: Rule(roles=ADMINS, allows="see users and invitations"),
    Right.CHANGE_USERS: Rule(
        roles=ADMINS, allows="invite, change, suspend, export and erase users, and make links for new passwords"
    ),
    Right.READ_OPERATIONS: Rule(
        roles=ADMINS, allows="see the queue, workers, our own failures, settings, storage and metrics"
    ),
    Right.OPERATE: Rule(roles=ADMINS, allows="drain and resume workers"),
    Right.CHANGE_SETTINGS: Rule(roles=ADMINS, allows="change settings while Allclose runs"),
    Right.READ_AUDIT: Rule(roles=ADMINS, allows="see who did what"),
    Right.BACK_UP: Rule(roles=ADMINS, allows="back up everything, download and remove backups, and restore one"),
}


def rights_of(role: Role, scopes: Iterable[str] | None = None) -> frozenset[Right]:
    """What a role may do; with a token's `scopes`, as far as those go. Unknown scopes give nothing."""
    rights = frozenset(right for right, rule in RULES.items() if role in rule.roles)
    return rights if scopes is None else rights & frozenset(scopes)


def a_role(role: Role) -> str:
    """With its article."""
    return "a student" if role == "student" else f"an {role}"


def read_scopes(scopes: Iterable[str]) -> list[Right]:
    """In the table's order, each once. Raises Invalid for one that is no right, and for none at all."""
    wanted = set(scopes)
    unknown = sorted(wanted - set(Right))
    if unknown:
        raise Invalid("scopes", f"{unknown[0][:40]!r} is no scope; there are {', '.join(Right)}")
    if not wanted:
        raise Invalid(
            "scopes", "a token without any scope is of no use; name one, or leave scopes out for all of yours"
        )
    return [right for right in Right if right in wanted]


class RightMissing(Refused):
    """The asker is known, and lacks a right."""

    def __init__(self, right: Right, who: str, why: str) -> None:
        super().__init__(f"{who} lacks {right}, which allows to {RULES[right].allows}: {why}")
        self.right = right

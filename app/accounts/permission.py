"""Permissions: the table of what each role may do, and the viewer, a signed-in user with permissions.

A role has permissions. A token has those of its owner's permissions that are among its scopes. Endpoints and pages name
the permission that they need. The page /help/rights shows the table.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
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
    DISCUSS = "discussions:write"
    WRITE_PROBLEMS = "problems:write"
    MODERATE = "discussions:moderate"
    INSPECT_SUBMISSIONS = "submissions:inspect"
    REJUDGE = "rejudgings:write"
    READ_USERS = "users:read"
    CHANGE_USERS = "users:write"
    READ_OPERATIONS = "operations:read"
    OPERATE = "operations:write"
    CHANGE_SETTINGS = "settings:write"
    READ_AUDIT = "audit:read"
    READ_COURSES = "courses:read"
    TAKE_COURSES = "courses:write"
    CREATE_COURSES = "courses:create"
    ADMINISTER_COURSES = "courses:administer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The roles that have a permission. `allows` ends the sentence "This allows you to …"."""

    roles: tuple[Role, ...]
    allows: str


RULES: dict[Permission, Rule] = {
    Permission.READ_ACCOUNT: Rule(roles=EVERYBODY, allows="see your account, statistics, tokens and sessions"),
    Permission.CHANGE_ACCOUNT: Rule(
        roles=EVERYBODY,
        allows="change your e-mail, password, leaderboard entry, tokens and sessions; export or erase your account",
    ),
    Permission.READ_PROBLEMS: Rule(roles=EVERYBODY, allows="see problems, tracks and leaderboards as yourself"),
    Permission.READ_SUBMISSIONS: Rule(
        roles=EVERYBODY,
        allows="see your submissions, drafts, notes and progress, and questions and solutions open to you",
    ),
    Permission.SUBMIT: Rule(roles=EVERYBODY, allows="submit and cancel, take hints, answer quizzes, open solutions"),
    Permission.DISCUSS: Rule(roles=EVERYBODY, allows="ask, answer and report, and share your accepted solutions"),
    Permission.WRITE_PROBLEMS: Rule(
        roles=AUTHORS,
        allows="send, verify and publish problems, see all of their files, and compare programs for your own",
    ),
    Permission.MODERATE: Rule(
        roles=AUTHORS, allows="see reports, and hide or lock questions, answers and shared solutions"
    ),
    Permission.INSPECT_SUBMISSIONS: Rule(
        roles=ADMINS, allows="see and export all users' submissions, and with submissions:write cancel them"
    ),
    Permission.REJUDGE: Rule(roles=ADMINS, allows="rejudge submissions, and apply or cancel rejudgings"),
    Permission.READ_USERS: Rule(roles=ADMINS, allows="see users and invitations"),
    Permission.CHANGE_USERS: Rule(
        roles=ADMINS, allows="invite, change, suspend, export and erase users, and make links for new passwords"
    ),
    Permission.READ_OPERATIONS: Rule(
        roles=ADMINS, allows="see the queue, workers, judge errors, settings, storage and metrics"
    ),
    Permission.OPERATE: Rule(roles=ADMINS, allows="drain and resume workers"),
    Permission.CHANGE_SETTINGS: Rule(roles=ADMINS, allows="change settings while Allclose runs"),
    Permission.READ_AUDIT: Rule(roles=ADMINS, allows="see the audit log"),
    Permission.READ_COURSES: Rule(roles=EVERYBODY, allows="see your courses"),
    Permission.TAKE_COURSES: Rule(
        roles=EVERYBODY, allows="join courses, and do in a course what your role there allows"
    ),
    Permission.CREATE_COURSES: Rule(roles=AUTHORS, allows="create courses, as their instructor"),
    Permission.ADMINISTER_COURSES: Rule(roles=ADMINS, allows="do in every course what its instructors may"),
}


# Of a session that a learning platform began: its admins can sign in as any of their users.
COURSE_PERMISSIONS = frozenset(
    {
        Permission.READ_PROBLEMS,
        Permission.READ_SUBMISSIONS,
        Permission.SUBMIT,
        Permission.READ_COURSES,
        Permission.TAKE_COURSES,
    }
)


def permissions_of(role: Role, scopes: Iterable[str] | None = None) -> frozenset[Permission]:
    """Return a role's permissions, or those among a token's `scopes`. Unknown scopes give nothing."""
    permissions = frozenset(permission for permission, rule in RULES.items() if role in rule.roles)
    return permissions if scopes is None else permissions & frozenset(scopes)


def a_role(role: Role) -> str:
    """Return the role with its article."""
    return "a student" if role == "student" else f"an {role}"


def read_scopes(scopes: Iterable[str]) -> list[Permission]:
    """Return the permissions in the table's order, each once. Raises Invalid for an unknown scope, and without any."""
    wanted = set(scopes)
    unknown = sorted(wanted - set(Permission))
    if unknown:
        raise Invalid("scopes", f"Unknown scope {unknown[0][:40]!r}. Allowed: {', '.join(Permission)}.")
    if not wanted:
        raise Invalid(
            "scopes", "A token needs at least one scope. Name one, or leave scopes out for all your permissions."
        )
    return [permission for permission in Permission if permission in wanted]


class PermissionMissing(Refused):
    """The viewer lacks a permission."""

    def __init__(self, permission: Permission, lacks: str, remedy: str) -> None:
        super().__init__(
            f"{lacks} the permission {permission}, which allows you to {RULES[permission].allows}. {remedy}"
        )
        self.permission = permission


class AccountSuspended(Refused):
    """The account is suspended. Only a user with the right password or token learns it."""

    def __init__(self) -> None:
        super().__init__("Your account is suspended. Ask an admin.")


# The pages of such a session: courses, and problems with what is handed in there.
_COURSE_PAGES = re.compile(
    r"/|/(?:courses|lti|help|tracks)(?:/.*)?|/(?:about|privacy|sign-in|sign-out)"
    r"|/problems(?:/[^/]+(?:/(?:notebook|submissions|learning|hints|solution|draft(?:/other)?))?)?"
    r"|/submissions(?:/[^/]+(?:/(?:result|events|cancel|copy|diff))?)?"
)


class CoursesOnly(Refused):
    """The page is closed to a session that a learning platform began."""

    def __init__(self) -> None:
        super().__init__(
            "Your learning platform signed you in, for its courses only: its admins can sign in as you. Sign in here "
            "with your password for this page. Without one, ask an admin of this site to export or erase your data."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """A signed-in user. A token's scopes can make `permissions` fewer than the role's.

    `credential_id`: the row of the session or token. `has_sitting`: the user may be writing an exam. `course_ids`: a
    learning platform signed the user in, for these courses only.
    """

    user: User
    permissions: frozenset[Permission] = field(repr=False)
    credential_id: UUID | None = field(default=None, compare=False)
    has_sitting: bool = field(default=False, compare=False)
    course_ids: frozenset[UUID] | None = field(default=None, compare=False)

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
        return permission in self.permissions

    def require_page(self, path: str) -> None:
        """Raises CoursesOnly."""
        if self.course_ids is not None and not _COURSE_PAGES.fullmatch(path):
            raise CoursesOnly

    def require(self, permission: Permission) -> None:
        """Raises PermissionMissing, which says what to do."""
        if permission in self.permissions:
            return
        if self.role in RULES[permission].roles:
            lacks = "This token's scopes do not allow this. It lacks"
            raise PermissionMissing(permission, lacks, "Create a token with this scope.")
        least = RULES[permission].roles[0]
        # A user may suggest to become an author, but not an admin.
        way = f" to run `allclose admin user role {self.username} author`" if least == "author" else ""
        lacks = f"This is for {least}s. You are {a_role(self.role)} and lack"
        raise PermissionMissing(permission, lacks, f"Ask an admin{way}.")


def signed_in(user: User, session_id: UUID | None = None, *, has_sitting: bool = False) -> Viewer:
    """Return a viewer with all permissions of the role, as in a browser."""
    permissions = permissions_of(user.role)
    return Viewer(user=user, permissions=permissions, credential_id=session_id, has_sitting=has_sitting)


def launched(viewer: Viewer, course_ids: Iterable[UUID]) -> Viewer:
    """Return the viewer with what a learning platform may do in their name."""
    return replace(viewer, permissions=COURSE_PERMISSIONS, course_ids=frozenset(course_ids))

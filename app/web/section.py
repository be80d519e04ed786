"""The pages for admins, as their navigation lists them: each for who has its right."""

from collections.abc import Callable
from dataclasses import dataclass

from app.accounts.right import Right
from app.web.messages import gettext as _


@dataclass(frozen=True, slots=True)
class Section:
    address: str
    name: str

    def is_here(self, path: str) -> bool:
        return path == self.address or (self.address != "/admin" and path.startswith(self.address + "/"))


def list_sections(may: Callable[[Right], bool]) -> tuple[Section, ...]:
    """Those that the viewer may see."""
    sections = (
        (Right.READ_OPERATIONS, Section("/admin", _("Overview"))),
        (Right.READ_OPERATIONS, Section("/admin/queue", _("Queue and workers"))),
        (Right.READ_OPERATIONS, Section("/admin/judge-errors", _("Judge errors"))),
        (Right.INSPECT_SUBMISSIONS, Section("/admin/submissions", _("Submissions"))),
        (Right.REJUDGE, Section("/admin/rejudgings", _("Rejudgings"))),
        (Right.READ_OPERATIONS, Section("/admin/problems", _("Problems"))),
        (Right.READ_USERS, Section("/admin/users", _("Users"))),
        (Right.READ_USERS, Section("/admin/invitations", _("Invitations"))),
        (Right.READ_OPERATIONS, Section("/admin/settings", _("Settings"))),
        (Right.READ_OPERATIONS, Section("/admin/storage", _("Storage"))),
        (Right.BACK_UP, Section("/admin/backups", _("Backups"))),
        (Right.READ_AUDIT, Section("/admin/audit", _("Audit log"))),
    )
    return tuple(section for right, section in sections if may(right))

"""Who may write problems.

Every author may see and change every problem, as colleagues do who share a repository: what was published when, and by
whom, is kept, and any earlier revision can be brought back.
"""

from app.accounts.model import User
from app.errors import Refused


def is_author(user: User | None) -> bool:
    return user is not None and user.role in ("author", "admin")


def require_author(user: User) -> None:
    """Raises Refused."""
    if not is_author(user):
        raise Refused(
            f"{user.username} is a {user.role}, and this is for authors: "
            f"ask an admin to run `allclose user role {user.username} author`"
        )

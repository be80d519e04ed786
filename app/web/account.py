"""The user's account page, with the outcome of its last form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Response
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import RULES, Permission, Viewer
from app.accounts.reauthentication import Reauthentication
from app.accounts.session import find_session, list_sessions
from app.accounts.single_sign_on import list_identities
from app.accounts.token import MAX_TOKENS, NewToken, list_tokens
from app.api.request_state import find_provider, get_limits
from app.lti.link import list_platforms_of
from app.web.permission import needs
from app.web.visit import Visit, find_secret

Owner = Annotated[Viewer, needs(Permission.CHANGE_ACCOUNT, home="/account")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a form. `errors` are by field; `typed` are the sent values, without passwords."""

    errors: Mapping[str, str] = field(default_factory=dict)
    typed: Mapping[str, Any] = field(default_factory=dict)
    done: str = ""
    new_token: NewToken | None = None


NOTHING = Outcome()


def render_account(visit: Visit, outcome: Outcome = NOTHING, status: int = 200) -> Response:
    viewer = visit.viewer
    assert viewer is not None  # account pages require `Owner`
    with visit.transaction() as session:
        context = _read(session, visit, viewer)
    context |= {"errors": outcome.errors, "typed": outcome.typed, "new_token": outcome.new_token}
    return visit.render("account.html", {**context, "done": _say(outcome.done)}, status)


def prove(session: Session, visit: Visit, password: str) -> Reauthentication:
    """Return the visitor's proof of identity for a sensitive change."""
    here = find_session(session, find_secret(visit.request))
    return Reauthentication(
        password=password,
        limit=get_limits(visit.request).reauthentications,
        signed_in_at=here.created_at if here else None,
    )


def _read(session: Session, visit: Visit, viewer: Viewer) -> dict[str, Any]:
    provider = find_provider(visit.request)
    owner = session.get_one(User, viewer.id)
    here = find_session(session, find_secret(visit.request))
    return {
        "owner": owner,
        "has_password": owner.password_hash is not None,
        "identities": list_identities(session, viewer.id),
        "provider": provider.name if provider else None,
        "platforms": list_platforms_of(session, viewer.id),
        "open_sessions": list_sessions(session, viewer.id),
        "here_id": here.id if here else None,
        "tokens": list_tokens(session, viewer.id),
        "max_tokens": MAX_TOKENS,
        "rights": [(right, RULES[right].allows) for right in Permission if viewer.may(right)],
    }


def _say(done: str) -> str | None:
    return {
        "role": "Your role changed. You no longer have access to the admin pages.",
        "email": "E-mail address saved.",
        "password": "Password changed. Other browsers are signed out.",
        "session": "That browser is signed out.",
        "sessions": "All other browsers are signed out.",
        "token": "Token revoked.",
        "platform": "Unlinked. The learning platform no longer signs you in.",
    }.get(done)

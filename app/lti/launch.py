"""A launch: a platform sends a user's browser here, with what it says of the user, the course and the activity.

1. `begin` answers the platform's login request: it stores a state and a nonce, and sends the browser to the platform.
2. The platform sends the browser back with a signed token. `finish` checks it and stores what it says, once.
3. The page of the launch (`app/web/pages/lti.py`) signs the person in, or asks what is still to decide.

State and nonce are a row, so another process may finish a launch. A cookie of the browser holds the nonce, so no other
browser can. Each attempt has a cookie of its own, so two tabs do not disturb each other.
"""

import hmac
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jws import JWSRegistry, extract_compact
from pydantic import BaseModel
from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.model import digest, new_secret
from app.courses.model import CourseRole
from app.database.engine import Database, is_storable, storable
from app.errors import Refused
from app.judging.printable_text import printable
from app.lti.fetch import PlatformAway, PlatformRefused
from app.lti.model import Deployment, LaunchAttempt, Platform
from app.lti.service import PlatformClient
from app.validation import FrozenModel

ATTEMPT_TIME = timedelta(minutes=5)
# For what a person decides after the launch, such as which course to link.
DECISION_TIME = timedelta(hours=1)
LEEWAY_SECONDS = 60
MAX_ID = 255
MAX_NAME = 200
CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
SERVICE_CLAIM = "https://purl.imsglobal.org/spec/"
_MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
LAUNCH_PATH = "/lti/launch"
RESOURCE_LINK, DEEP_LINKING = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"


class LaunchRefused(Refused):
    """The launch is not valid. The text says what the person does next."""


class DeploymentUnknown(Refused):
    """No admin has approved the place in the platform from which the launch comes."""


class LoginRequest(BaseModel):
    """What a platform sends first. It proves nothing."""

    iss: str = ""
    login_hint: str = ""
    target_link_uri: str = ""
    client_id: str = ""
    lti_message_hint: str = ""


class DeepLinking(FrozenModel):
    """Where the chosen link goes, and what goes back with it unchanged."""

    return_url: str
    data: str | None


class Launch(FrozenModel):
    """What the platform signed. `number`: of the person at the institution. `role` is None for other roles.

    `assignment`: the ID that the activity's link carries. `deep_linking`: the person chooses a link, and opens none.
    """

    deployment_id: str
    subject: str
    name: str
    number: str
    role: CourseRole | None
    context_id: str
    context_title: str
    resource_link_id: str
    assignment: str
    members_url: str | None
    line_items_url: str | None
    scopes: tuple[str, ...]
    deep_linking: DeepLinking | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A launch that has begun. `key` names it in addresses; only the browser's cookie has `nonce`."""

    url: str
    key: str
    nonce: str


def find_platform(session: Session, asked: LoginRequest) -> Platform:
    """Raises LaunchRefused. Some platforms leave the client ID out."""
    query = select(Platform).where(Platform.issuer == storable(asked.iss))
    if asked.client_id:
        query = query.where(Platform.client_id == storable(asked.client_id))
    found = session.scalars(query.limit(2)).all()
    if len(found) != 1:
        shown = repr(printable(asked.iss, 80))
        shown += f", client ID {printable(asked.client_id, 80)!r}," if asked.client_id else ""
        raise LaunchRefused(f"The learning platform {shown} is not registered here. Ask an admin of this site.")
    return found[0]


def begin(session: Session, base_url: str, platform: Platform, asked: LoginRequest) -> Begun:
    """Begin a launch. Raises LaunchRefused for a link to another site."""
    _check_target(base_url, asked.target_link_uri)
    state, nonce = new_secret(), new_secret()
    session.execute(delete(LaunchAttempt).where(LaunchAttempt.expires_at < func.now()))
    session.execute(
        insert(LaunchAttempt).values(
            state_hash=digest(state), nonce=nonce, platform_id=platform.id, expires_at=func.now() + ATTEMPT_TIME
        )
    )
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": f"{base_url}{LAUNCH_PATH}",
        "login_hint": asked.login_hint,
        "state": state,
        "nonce": nonce,
        **({"lti_message_hint": asked.lti_message_hint} if asked.lti_message_hint else {}),
    }
    joint = "&" if urlsplit(platform.login_url).query else "?"
    return Begun(url=f"{platform.login_url}{joint}{urlencode(query)}", key=key_of(state), nonce=nonce)


def key_of(state: str) -> str:
    return digest(state).hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchAnswer:
    """What a browser brings back from the platform, and the nonce in its cookie."""

    state: str
    token: str
    nonce: str


def finish(database: Database, client: PlatformClient, base_url: str, answer: LaunchAnswer) -> None:
    """Check a launch and keep it for its page.

    Raises LaunchRefused and DeploymentUnknown.
    """
    with database.transaction() as session:
        attempt, platform = _find(session, digest(answer.state), answer.nonce, is_finished=False)
    claims = _read_token(client, platform, answer.token)
    _check_claims(claims, platform, attempt.nonce, base_url)
    launch = _read_launch(claims)
    with database.transaction() as session:
        _note_deployment(session, platform.id, launch.deployment_id)
    with database.transaction() as session:
        _require_deployment(session, platform, launch.deployment_id)
        once = (LaunchAttempt.state_hash == attempt.state_hash, LaunchAttempt.launch.is_(None))
        kept = {"launch": launch.model_dump(mode="json"), "expires_at": func.now() + DECISION_TIME}
        if session.scalar(update(LaunchAttempt).where(*once).values(kept).returning(LaunchAttempt.platform_id)) is None:
            raise _used()


def get_launch(session: Session, key: str, nonce: str) -> tuple[Platform, Launch]:
    """Return a checked launch of this browser. Raises LaunchRefused and DeploymentUnknown."""
    try:
        state_hash = bytes.fromhex(key)
    except ValueError:
        raise _used() from None
    attempt, platform = _find(session, state_hash, nonce, is_finished=True)
    launch = Launch.model_validate(attempt.launch)
    _require_deployment(session, platform, launch.deployment_id)
    return platform, launch


def end_launch(session: Session, key: str) -> None:
    """Forget a launch that has led somewhere."""
    session.execute(delete(LaunchAttempt).where(LaunchAttempt.state_hash == bytes.fromhex(key)))


def _find(session: Session, state_hash: bytes, nonce: str, *, is_finished: bool) -> tuple[LaunchAttempt, Platform]:
    query = select(LaunchAttempt, Platform).join(Platform, Platform.id == LaunchAttempt.platform_id)
    query = query.where(LaunchAttempt.state_hash == state_hash, LaunchAttempt.expires_at > func.now())
    found = session.execute(query.where(LaunchAttempt.launch.is_not(None) == is_finished)).one_or_none()
    if found is None:
        raise _used()
    if not hmac.compare_digest(found[0].nonce.encode(), nonce.encode(errors="replace")):
        text = "This browser did not begin this launch, or it keeps no cookies. Open it again from your platform"
        raise LaunchRefused(f"{text}, in a window of its own.")
    return found[0], found[1]


def _used() -> LaunchRefused:
    return LaunchRefused("This launch was used or has ended. Open it again from your learning platform.")


def _read_token(client: PlatformClient, platform: Platform, token: str) -> Mapping[str, Any]:
    """Return the claims of a token that the platform signed with RS256. Raises LaunchRefused."""
    try:
        key_id = extract_compact(token.encode(errors="replace")).headers().get("kid")
        key = client.find_key(platform, key_id) if isinstance(key_id, str) else None
        if key is not None:
            registry = JWSRegistry(algorithms=["RS256"], strict_check_header=False)
            return jwt.decode(token, key, registry=registry).claims
    except (PlatformAway, PlatformRefused) as fault:
        raise LaunchRefused(f"The keys of {platform.name} can't be read: {fault} Try again, or ask an admin.") from None
    except (JoseError, ValueError, TypeError, RecursionError):
        pass
    raise LaunchRefused(f"{platform.name} sent a token without its valid signature. Open it again from there.")


def _check_claims(claims: Mapping[str, Any], platform: Platform, nonce: str, base_url: str) -> None:
    """Raises LaunchRefused."""
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    now = time.time()
    checks = {
        "issuer": claims.get("iss") == platform.issuer,
        "audience": platform.client_id in audiences,
        "authorized party": claims.get("azp") == platform.client_id or ("azp" not in claims and len(audiences) == 1),
        "nonce": claims.get("nonce") == nonce,
        "time": _is_number(claims.get("exp")) and claims["exp"] > now - LEEWAY_SECONDS,
        "time of issue": _is_number(claims.get("iat")) and claims["iat"] < now + LEEWAY_SECONDS,
        "version": claims.get(f"{CLAIM}version") == "1.3.0",
        "message type": claims.get(f"{CLAIM}message_type") in (RESOURCE_LINK, DEEP_LINKING),
        "deployment": _is_id(claims.get(f"{CLAIM}deployment_id")),
        "person": _is_id(claims.get("sub")),
    }
    wrong = next((name for name, is_right in checks.items() if not is_right), None)
    if wrong is not None:
        raise LaunchRefused(f"{platform.name} sent a token with a wrong {wrong}. Open it again from there.")
    _check_target(base_url, claims.get(f"{CLAIM}target_link_uri"))


def _check_target(base_url: str, target: object) -> None:
    """Raises LaunchRefused. The target is never followed: what to open is an ID in the link."""
    try:
        parts = urlsplit(target if isinstance(target, str) else "")
    except ValueError:
        parts = urlsplit("")
    if (parts.scheme, parts.netloc) != urlsplit(base_url)[:2]:
        shown = printable(str(target), 80)
        raise LaunchRefused(f"The link leads to {shown!r}, which is not {base_url}. Ask your instructor to correct it.")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_ID and is_storable(value)


def _read_launch(claims: Mapping[str, Any]) -> Launch:
    """Raises LaunchRefused for a message without what its type needs."""
    context, link = _claim(claims, "context"), _claim(claims, "resource_link")
    services = _object(claims, f"{SERVICE_CLAIM}lti-ags/claim/endpoint")
    roster = _object(claims, f"{SERVICE_CLAIM}lti-nrps/claim/namesroleservice")
    deep_linking = None
    if claims[f"{CLAIM}message_type"] == DEEP_LINKING:
        wish = _object(claims, f"{SERVICE_CLAIM}lti-dl/claim/deep_linking_settings")
        data = wish.get("data")
        deep_linking = DeepLinking(
            return_url=_text(wish, "deep_link_return_url", 2000), data=data if isinstance(data, str) else None
        )
    if not _is_id(context.get("id")) or (deep_linking is None and not _is_id(link.get("id"))):
        raise LaunchRefused("Your learning platform opened this outside of a course. Open it in a course there.")
    scopes = services.get("scope")
    return Launch(
        deployment_id=claims[f"{CLAIM}deployment_id"],
        subject=claims["sub"],
        name=_text(claims, "name", MAX_NAME),
        number=_text(_claim(claims, "lis"), "person_sourcedid", MAX_NAME),
        role=read_role(claims.get(f"{CLAIM}roles")),
        context_id=context["id"],
        context_title=_text(context, "title", 120) or _text(context, "label", 120) or context["id"][:120],
        resource_link_id=_text(link, "id", MAX_ID),
        assignment=_text(_claim(claims, "custom"), "assignment", 100),
        members_url=_text(roster, "context_memberships_url", 2000) or None,
        line_items_url=_text(services, "lineitems", 2000) or None,
        scopes=tuple(str(each) for each in scopes[:20]) if isinstance(scopes, list) else (),
        deep_linking=deep_linking,
    )


def _claim(claims: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return _object(claims, f"{CLAIM}{name}")


def _object(claims: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = claims.get(name)
    return value if isinstance(value, dict) else {}


def _text(claims: Mapping[str, Any], name: str, limit: int) -> str:
    """Return one line of text; an empty one for what is missing, too long or not text."""
    value = claims.get(name)
    is_line = isinstance(value, str) and len(value) <= limit and is_storable(value) and value.isprintable()
    return value.strip() if is_line and isinstance(value, str) else ""


def read_role(roles: object) -> CourseRole | None:
    """Return the role in the course. Roles in the institution or system say nothing about the course."""
    names = {str(each) for each in roles} if isinstance(roles, Iterable) and not isinstance(roles, str) else set()
    if any(name.startswith(_MEMBERSHIP) and name.endswith("#TeachingAssistant") for name in names):
        return "assistant"
    if names & {f"{_MEMBERSHIP}#Instructor", f"{_MEMBERSHIP}#Administrator", "Instructor", "Administrator"}:
        return "instructor"
    return "student" if names & {f"{_MEMBERSHIP}#Learner", "Learner"} else None


def _note_deployment(session: Session, platform_id: UUID, deployment_id: str) -> None:
    made = insert(Deployment).values(platform_id=platform_id, deployment_id=deployment_id)
    session.execute(made.on_conflict_do_nothing())


def _require_deployment(session: Session, platform: Platform, deployment_id: str) -> None:
    """Raises DeploymentUnknown."""
    found = session.get(Deployment, (platform.id, deployment_id))
    if found is None or found.approved_at is None:
        shown = printable(deployment_id, 80)
        raise DeploymentUnknown(
            f"No admin has approved the deployment {shown!r} of {platform.name} yet. Ask an admin of this site: "
            "the page “Learning platforms” lists it now."
        )

"""Learning platforms: what admins register and approve, and Allclose's own keys, which platforms check."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from joserfc import jwt
from joserfc.jwk import RSAKey
from pydantic import AfterValidator, Field, StrictBool
from sqlalchemy import delete, exists, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased

from app.accounts.model import Identity, User
from app.accounts.session import end_course_sessions
from app.audit import Act, Actor, record
from app.courses.model import Course
from app.database.engine import Database, is_storable
from app.errors import AllcloseError, Conflict, Invalid, NotFound
from app.lti.fetch import AddressRule
from app.lti.model import Deployment, Platform, PlatformCourse, PlatformPerson
from app.lti.service import PlatformClient
from app.policy import ServerKey
from app.settings import Settings
from app.validation import Body

MAX_URL = 500
KEY_PREFIX = "lti "
KEY_BITS = 2048
# Platforms keep the keys for hours, so a new one is shown for so long before it signs, and the old one after that.
KEY_OVERLAP = timedelta(days=1)
URLS = ("web_address", "login_url", "token_url", "keys_url")


def _check_line(text: str) -> str:
    if not is_storable(text) or not text.isprintable():
        raise ValueError("should be one line of printable characters")
    return text.strip()


Line = Annotated[str, Field(min_length=1, max_length=MAX_URL), AfterValidator(_check_line)]


class PlatformFields(Body):
    """A learning platform, with the addresses that it shows where an external tool is registered."""

    name: Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_check_line)] = Field(examples=["Moodle"])
    issuer: Line = Field(description="the platform's ID", examples=["https://moodle.example.org"])
    client_id: Line = Field(examples=["6gAkbNQ2"])
    web_address: Line = Field(description="where its pages are", examples=["https://moodle.example.org"])
    login_url: Line = Field(
        description="the authentication request URL", examples=["https://moodle.example.org/mod/lti/auth.php"]
    )
    token_url: Line = Field(
        description="the access token URL", examples=["https://moodle.example.org/mod/lti/token.php"]
    )
    keys_url: Line = Field(
        description="the public keyset URL", examples=["https://moodle.example.org/mod/lti/certs.php"]
    )
    may_create_courses: StrictBool = Field(False, description="its instructors may create courses here")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformEntry:
    """A platform with its deployments, the newest first, and the courses that are linked."""

    platform: Platform
    deployments: Sequence[Deployment]
    courses: Sequence[tuple[PlatformCourse, Course]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformUse:
    """What goes with a platform: the links of its courses, and the persons whom it signs in, some in no other way."""

    courses: Sequence[str]
    persons: int
    only_here: int

    def __str__(self) -> str:
        links = f"ends the links with {', '.join(self.courses)}, and " if self.courses else ""
        people = "1 person" if self.persons == 1 else f"{self.persons} people"
        return (
            f"Removing it {links}drops scores that are not sent yet. {people} can no longer sign in from it, "
            f"{self.only_here} of them in no other way. Accounts, hand-ins and grades stay."
        )


class PlatformInUse(Conflict):
    def __init__(self, platform: Platform, use: PlatformUse) -> None:
        super().__init__(f"{platform.name} is in use. {use} Send confirmed=true to remove it all the same.")


class PlatformNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such learning platform. See /admin/platforms.")


def open_platforms(settings: Settings, database: Database) -> PlatformClient:
    """Return what asks platforms, with Allclose's key."""

    def sign_now(claims: dict[str, Any]) -> str:
        with database.transaction() as session:
            return sign(session, claims)

    rule = AddressRule(private_hosts=settings.chosen_lti_private_hosts, is_local=settings.is_local)
    return PlatformClient(rule, sign_now)


def list_platforms(session: Session) -> list[PlatformEntry]:
    platforms = session.scalars(select(Platform).order_by(Platform.name, Platform.created_at)).all()
    deployments = session.scalars(select(Deployment).order_by(Deployment.first_seen_at.desc())).all()
    joined = select(PlatformCourse, Course).join(Course, Course.id == PlatformCourse.course_id)
    courses = [(linked, course) for linked, course in session.execute(joined.order_by(Course.title))]
    return [
        PlatformEntry(
            platform=platform,
            deployments=[each for each in deployments if each.platform_id == platform.id],
            courses=[pair for pair in courses if pair[0].platform_id == platform.id],
        )
        for platform in platforms
    ]


def get_platform(session: Session, platform_id: UUID) -> Platform:
    """Raises PlatformNotFound."""
    platform = session.get(Platform, platform_id)
    if platform is None:
        raise PlatformNotFound
    return platform


def add_platform(session: Session, actor: Actor, wanted: PlatformFields, rule: AddressRule) -> Platform:
    """Raises Invalid for an address that no request may go to, and Conflict for a known platform."""
    _check_urls(wanted, rule)
    platform: Platform | None = session.scalar(
        insert(Platform).values(wanted.model_dump()).on_conflict_do_nothing().returning(Platform)
    )
    if platform is None:
        raise Conflict(f"A platform with this issuer and client ID is registered: {wanted.client_id!r}. Change that.")
    record(session, actor, Act(action="platform.added", target=platform.id, after={"issuer": platform.issuer}))
    return platform


def change_platform(
    session: Session, actor: Actor, platform: Platform, wanted: PlatformFields, rule: AddressRule
) -> None:
    """Change all fields. Its issuer and client ID stay, since they say who its persons are. Raises Invalid."""
    if (wanted.issuer, wanted.client_id) != (platform.issuer, platform.client_id):
        raise Invalid("issuer", "The issuer and the client ID stay. Register another platform instead.")
    _check_urls(wanted, rule)
    changed = {name: value for name, value in wanted.model_dump().items() if getattr(platform, name) != value}
    for name, value in changed.items():
        setattr(platform, name, value)
    record(session, actor, Act(action="platform.changed", target=platform.id, after=changed))


def read_use(session: Session, platform: Platform) -> PlatformUse:
    titles = select(Course.title).join(PlatformCourse, PlatformCourse.course_id == Course.id)
    of_platform = PlatformCourse.platform_id == platform.id
    other = aliased(PlatformPerson)
    has_other = exists().where(other.user_id == User.id, other.platform_id != platform.id)
    has_identity = exists().where(Identity.user_id == User.id)
    persons = select(func.count(), func.count().filter(User.password_hash.is_(None), ~has_identity, ~has_other))
    persons = persons.select_from(PlatformPerson).join(User, User.id == PlatformPerson.user_id)
    count, only_here = session.execute(persons.where(PlatformPerson.platform_id == platform.id)).one()
    courses = session.scalars(titles.where(of_platform).order_by(Course.title)).all()
    return PlatformUse(courses=courses, persons=count, only_here=only_here)


def remove_platform(session: Session, actor: Actor, platform: Platform, *, is_confirmed: bool) -> None:
    """Remove a platform with its deployments, links and persons. Raises PlatformInUse unless it is confirmed."""
    use = read_use(session, platform)
    if not is_confirmed and (use.courses or use.persons):
        raise PlatformInUse(platform, use)
    persons = session.scalars(select(PlatformPerson.user_id).where(PlatformPerson.platform_id == platform.id)).all()
    end_course_sessions(session, persons)
    record(session, actor, Act(action="platform.removed", target=platform.id, before={"issuer": platform.issuer}))
    session.execute(delete(Platform).where(Platform.id == platform.id))


def _check_urls(wanted: PlatformFields, rule: AddressRule) -> None:
    for name in URLS:
        try:
            rule.check(getattr(wanted, name))
        except AllcloseError as fault:
            raise Invalid(name, str(fault)) from None


def approve(session: Session, actor: Actor, platform: Platform, deployment_id: str) -> None:
    """Let launches of this deployment work. Raises NotFound."""
    deployment = _get_deployment(session, platform, deployment_id)
    deployment.approved_at = func.now()
    record(session, actor, Act(action="platform.approved", target=platform.id, after={"deployment": deployment_id}))


def disapprove(session: Session, actor: Actor, platform: Platform, deployment_id: str) -> None:
    """Refuse launches of this deployment, and send it no scores. Raises NotFound."""
    deployment = _get_deployment(session, platform, deployment_id)
    deployment.approved_at = None
    record(session, actor, Act(action="platform.disapproved", target=platform.id, after={"deployment": deployment_id}))


def _get_deployment(session: Session, platform: Platform, deployment_id: str) -> Deployment:
    found = session.get(Deployment, (platform.id, deployment_id))
    if found is None:
        raise NotFound("There is no such deployment. Open Allclose once in the platform, and it is listed.")
    return found


def check_platform(client: PlatformClient, platform: Platform) -> str:
    """Return what the platform's keys say. Raises PlatformAway and PlatformRefused, which say what is wrong."""
    keys = client.read_keys(platform)
    return f"{platform.name} answers, and signs with {len(keys)} key{'s' if len(keys) > 1 else ''}."


def read_keys(session: Session) -> list[tuple[datetime, RSAKey]]:
    """Return the keys with which Allclose signs, the newest first, each with the time from which it was shown."""
    found = _list_keys(session)
    if not found:
        _add_key(session, datetime.now(UTC) - KEY_OVERLAP)  # the first key signs at once
        found = _list_keys(session)
    return found


def show_keys(session: Session) -> dict[str, Any]:
    """Return the public keys, as platforms read them."""
    keys = [key.as_dict(private=False) for _, key in read_keys(session)]
    return {"keys": [{**key, "alg": "RS256", "use": "sig"} for key in keys]}


def sign(session: Session, claims: dict[str, Any]) -> str:
    """Sign with the newest key that has been shown for long enough."""
    keys = read_keys(session)
    shown = [key for since, key in keys if datetime.now(UTC) - since >= KEY_OVERLAP]
    key = shown[0] if shown else keys[-1][1]
    return jwt.encode({"alg": "RS256", "kid": key.kid}, claims, key)


def rotate_key(session: Session, actor: Actor) -> None:
    """Make a key that signs after KEY_OVERLAP, and forget those that no longer sign. Raises Conflict in between."""
    keys = read_keys(session)
    if datetime.now(UTC) - keys[0][0] < 2 * KEY_OVERLAP and len(keys) > 1:
        raise Conflict("A new key was made within the last 2 days. Platforms still read it: wait until then.")
    for since, _ in keys[1:]:
        session.execute(delete(ServerKey).where(ServerKey.name == KEY_PREFIX + since.isoformat()))
    _add_key(session, datetime.now(UTC))
    record(session, actor, Act(action="platform.key_rotated", target="key"))


def _list_keys(session: Session) -> list[tuple[datetime, RSAKey]]:
    query = select(ServerKey).where(ServerKey.name.startswith(KEY_PREFIX)).order_by(ServerKey.name.desc())
    rows = session.scalars(query).all()
    found = []
    for row in rows:
        key = RSAKey.import_key(row.key, {"use": "sig"})
        key.ensure_kid()
        found.append((datetime.fromisoformat(row.name.removeprefix(KEY_PREFIX)), key))
    return found


def _add_key(session: Session, since: datetime) -> None:
    made = RSAKey.generate_key(KEY_BITS).as_pem(private=True)
    session.add(ServerKey(name=KEY_PREFIX + since.isoformat(), key=made))
    session.flush()

"""Allclose, and a real learning platform in which it is installed."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from app.courses.model import Course
from app.database.engine import Database
from app.lti.model import Deployment, Platform, PlatformCourse
from app.settings import Settings
from tests.application import open_application
from tests.factories import make_course, set_policy
from tests.http_server import serving
from tests.lti.peer import CONTEXT, Peer, Walk, running


class Door:
    """The application behind an address that stays while each test brings its own."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return
        await self.app(scope, receive, send)


@dataclass
class Place:
    """An address for Allclose, and the platform that knows it."""

    door: Door
    address: str
    peer: Peer


@pytest.fixture(scope="session")
def place() -> Iterator[Place]:
    door = Door()
    with serving(door) as address, running(address) as peer:
        yield Place(door, address, peer)


@pytest.fixture
def tool(place: Place, settings: Settings, database: Database, policy: None) -> str:  # noqa: ARG001
    """The address of Allclose, on the database of this test. Its settings know the address."""
    settings = settings.model_copy(update={"public_url": place.address})
    with database.transaction() as session:
        set_policy(session, requests_per_minute=10_000)
    place.door.app = open_application(settings, database)
    return place.address


@pytest.fixture
def peer(place: Place, tool: str) -> Peer:  # noqa: ARG001
    place.peer.ask("fault", left=0)
    return place.peer


@pytest.fixture
def platform(peer: Peer, database: Database) -> Platform:
    """The platform, registered and approved here."""
    with database.transaction() as session:
        platform = Platform(name="Peer", **peer.ask("facts"))
        session.add(platform)
        session.flush()
        session.add(Deployment(platform_id=platform.id, deployment_id="1", approved_at=platform.created_at))
    return platform


@pytest.fixture
def walk(tool: str) -> Walk:
    return Walk(tool)


@pytest.fixture
def course(database: Database, platform: Platform) -> Course:
    """A course here that is linked with the platform's."""
    with database.transaction() as session:
        course = make_course(session, "ml", title="Machine learning")
        link = PlatformCourse(platform_id=platform.id, deployment_id="1", context_id=CONTEXT, title="ML")
        link.course_id = course.id
        session.add(link)
    return course

"""Typed access to the state that all requests share, for pages and the API."""

import inspect
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import ParamSpec, TypeVar
from uuid import UUID

from fastapi import Request
from starlette.datastructures import State

from app.accounts.mail import Outbox
from app.accounts.password_reset import PasswordResets
from app.accounts.single_sign_on import Provider
from app.accounts.token import RecentTokens
from app.courses.sitting import SEB_HEADERS, Place, RunningExam
from app.database.engine import Database, SharedReads
from app.errors import Refused
from app.limits import Limits, address_of
from app.lti.service import PlatformClient
from app.policy import CurrentPolicy, TurnedOff
from app.settings import Settings
from app.submissions.exam_door import ExamDoor
from app.submissions.progress import Progress
from app.submissions.queue_wait import QueueWaits
from app.submissions.visitor_run import VisitorRuns

Given = ParamSpec("Given")
Found = TypeVar("Found")


def in_loop(find: Callable[Given, Found]) -> Callable[Given, Awaitable[Found]]:
    """Return a dependency that FastAPI calls in the event loop: a thread would cost more than the work.

    `find` must neither wait nor compute. Under load, a request waits for its turn at every change of threads.
    """

    async def find_in_loop(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        return find(*args, **kwargs)

    find_in_loop.__signature__ = inspect.signature(find)  # type: ignore[attr-defined]
    return find_in_loop


class SharedState(State):
    """The state that all requests share. `app/web_process.py` sets it."""

    settings: Settings
    started_at: datetime
    database: Database
    policy: CurrentPolicy
    progress: Progress
    limits: Limits
    queue_waits: QueueWaits
    visitor_runs: VisitorRuns
    recent_tokens: RecentTokens
    token_lookups: SharedReads
    password_resets: PasswordResets
    outbox: Outbox
    provider: Provider | None
    platforms: PlatformClient


def shared_state(request: Request) -> SharedState:
    state: SharedState = request.app.state
    return state


def get_settings(request: Request) -> Settings:
    return shared_state(request).settings


def get_database(request: Request) -> Database:
    return shared_state(request).database


def get_policy(request: Request) -> CurrentPolicy:
    return shared_state(request).policy


def get_progress(request: Request) -> Progress:
    return shared_state(request).progress


def get_queue_waits(request: Request) -> QueueWaits:
    return shared_state(request).queue_waits


def get_limits(request: Request) -> Limits:
    return shared_state(request).limits


def read_place(request: Request, credential_id: UUID | None) -> Place:
    """Return where the request comes from, with its address as the browser sees it."""
    origin = get_settings(request).public_url or f"{request.url.scheme}://{request.url.netloc}"
    query = f"?{request.url.query}" if request.url.query else ""
    raw_path = request.scope.get("raw_path") or request.url.path.encode()
    found = (request.headers.get(name) for name in SEB_HEADERS)
    return Place(
        credential_id=credential_id,
        address=address_of(request.client.host if request.client else None),
        url=f"{origin.rstrip('/')}{raw_path.decode('latin-1')}{query}",
        hashes=tuple(filter(None, found)),
    )


def find_exam(request: Request) -> RunningExam | None:
    """Return the exam that the user is writing."""
    door: ExamDoor | None = getattr(request.state, "door", None)
    return None if door is None else door.exam


def find_provider(request: Request) -> Provider | None:
    """None without single sign-on."""
    return shared_state(request).provider


def get_platforms(request: Request) -> PlatformClient:
    """Raises Refused where no learning platform can send its users."""
    settings = get_settings(request)
    if not settings.base_url.startswith("https://") and not settings.is_local:
        raise Refused("Learning platforms need HTTPS here: set ALLCLOSE_PUBLIC_URL to an address with https.")
    return shared_state(request).platforms


def require_discussions(request: Request) -> None:
    """Guard the routes of questions and answers; a dependency. Raises TurnedOff."""
    if get_policy(request).read().discussions == "off":
        raise TurnedOff("Discussions are turned off on this site. Questions and answers are kept.")


def require_shared_solutions(request: Request) -> None:
    """Guard the routes of shared solutions; a dependency. Raises TurnedOff."""
    if get_policy(request).read().shared_solutions == "off":
        raise TurnedOff("Shared solutions are turned off on this site. They are kept.")

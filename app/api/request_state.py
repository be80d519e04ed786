"""Typed access to the state that all requests share, for pages and the API. `app/web_process.py` sets it."""

import inspect
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import ParamSpec, TypeVar

from fastapi import Request

from app.accounts.mail import Outbox
from app.accounts.password_reset import PasswordResets
from app.accounts.single_sign_on import Provider
from app.accounts.token import RecentTokens
from app.database.engine import Database, SharedReads
from app.limits import Limits
from app.policy import CurrentPolicy, TurnedOff
from app.settings import Settings
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


def get_settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


def get_started_at(request: Request) -> datetime:
    started_at: datetime = request.app.state.started_at
    return started_at


def get_database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def get_policy(request: Request) -> CurrentPolicy:
    policy: CurrentPolicy = request.app.state.policy
    return policy


def require_discussions(request: Request) -> None:
    """Guard the routes of questions and answers; a dependency. Raises TurnedOff."""
    if get_policy(request).read().discussions == "off":
        raise TurnedOff("Discussions are turned off on this site. Questions and answers are kept.")


def require_shared_solutions(request: Request) -> None:
    """Guard the routes of shared solutions; a dependency. Raises TurnedOff."""
    if get_policy(request).read().shared_solutions == "off":
        raise TurnedOff("Shared solutions are turned off on this site. They are kept.")


def get_progress(request: Request) -> Progress:
    progress: Progress = request.app.state.progress
    return progress


def get_queue_waits(request: Request) -> QueueWaits:
    waits: QueueWaits = request.app.state.queue_waits
    return waits


def get_visitor_runs(request: Request) -> VisitorRuns:
    runs: VisitorRuns = request.app.state.visitor_runs
    return runs


def get_recent_tokens(request: Request) -> RecentTokens:
    tokens: RecentTokens = request.app.state.recent_tokens
    return tokens


def get_token_lookups(request: Request) -> SharedReads:
    lookups: SharedReads = request.app.state.token_lookups
    return lookups


def get_limits(request: Request) -> Limits:
    limits: Limits = request.app.state.limits
    return limits


def get_password_resets(request: Request) -> PasswordResets:
    resets: PasswordResets = request.app.state.password_resets
    return resets


def find_provider(request: Request) -> Provider | None:
    """None without single sign-on."""
    provider: Provider | None = request.app.state.provider
    return provider


def get_outbox(request: Request) -> Outbox:
    outbox: Outbox = request.app.state.outbox
    return outbox

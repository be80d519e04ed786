"""The web process: REST API and pages in one ASGI application. It imports no sandbox and no numerical library."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from operator import attrgetter

from fastapi import Depends, FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.telemetry import TelemetryConfig
from prometheus_client import CollectorRegistry, ProcessCollector

from app.accounts.mail import open_outbox
from app.accounts.password_reset import PasswordResets
from app.accounts.single_sign_on import find_provider
from app.accounts.token import RecentTokens
from app.admin.retention import Caretaker, list_caretakers
from app.api.error_answer import answers_by_audience, install_error_answers
from app.api.request_limits import RequestLimits
from app.api.request_log import RequestContext, Traffic, note_path
from app.api.request_state import SharedState
from app.api.response_headers import Head, ResponseHeaders
from app.api.router import build_router as build_api
from app.database.disk import FullDisk
from app.database.engine import Database, SharedReads
from app.database.watchdog import Watchdog
from app.limits import Limits
from app.lti.platform import open_platforms
from app.lti.score import ScoreSender
from app.policy import CurrentPolicy
from app.settings import Settings
from app.submissions.progress import Progress
from app.submissions.queue_wait import QueueWaits
from app.submissions.visitor_run import VisitorRuns
from app.web.error_page import render_error
from app.web.render import compile_templates
from app.web.router import build_router as build_pages
from app.web.shared_page import SharedPages
from app.web.visit import count_page

# The framework's spans and logs would contain paths and queries, which may hold secrets.
NO_TELEMETRY = TelemetryConfig(tracing=False, operation_spans=False, metrics=False, logs=False, auto_configure=False)


def create_app(settings: Settings, database: Database) -> FastAPI:
    """Build the whole application. The caller upgrades the schema first and closes the database afterwards."""
    app = build_application()
    set_state(app, settings, database)
    # The first request would build the table of routes and compile its templates, which takes a third of a second.
    list(iter_route_contexts(app.routes))
    compile_templates("problem.html", "submission.html")
    return app


def build_application() -> FastAPI:
    """Return the routes and the middleware. They read the settings and the database from `app.state`."""
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        strict_content_type=False,
        generate_unique_id_function=attrgetter("name"),
        lifespan=_follow_progress,
        dependencies=[Depends(note_path)],
        telemetry=NO_TELEMETRY,
    )
    app.include_router(build_api())
    app.include_router(build_pages())
    answer = answers_by_audience(page=render_error)
    answer_error = install_error_answers(app, answer)
    app.add_middleware(RequestLimits, count_page=count_page, answer_error=answer_error)
    app.add_middleware(ResponseHeaders)
    app.add_middleware(Head)
    app.add_middleware(RequestContext)
    return app


def set_state(app: FastAPI, settings: Settings, database: Database) -> None:
    """Set the state that all requests share. It replaces the state of an earlier call."""
    state = app.state = SharedState()
    state.started_at = datetime.now(UTC)
    state.settings = settings
    state.database = database
    state.progress = Progress(database)
    state.token_lookups = SharedReads(database)
    state.metrics = CollectorRegistry()
    ProcessCollector(registry=state.metrics)
    state.traffic = Traffic(state.metrics)
    policy = state.policy = CurrentPolicy(database)
    limits = state.limits = Limits(policy.read_requests_per_minute)
    state.provider = find_provider(settings)
    state.platforms = open_platforms(settings, database)
    outbox = state.outbox = open_outbox(settings)
    state.password_resets = PasswordResets(database=database, outbox=outbox, limits=limits, base_url=settings.base_url)
    state.full_disk = FullDisk(None if settings.database_url else settings.data)
    state.queue_waits = QueueWaits(database)
    state.visitor_runs = VisitorRuns(limits)
    state.recent_tokens = RecentTokens()
    state.shared_pages = SharedPages()


@asynccontextmanager
async def _follow_progress(app: FastAPI) -> AsyncIterator[None]:
    progress: Progress = app.state.progress
    state = app.state
    scores = {"Scores were not sent to learning platforms": ScoreSender(state.platforms).send_due}
    caretakers = (
        *list_caretakers(state.database, state.outbox, state.settings.base_url),
        Caretaker(state.database, scores, (5, 5)),
    )
    watchdog = Watchdog(state.database)
    parts: tuple[Watchdog | Progress | Caretaker, ...] = (watchdog, progress, *caretakers)
    for part in parts:
        part.start()
    yield
    for part in reversed(parts):
        part.stop()
    app.state.outbox.close()

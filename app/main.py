"""The web process: REST API and pages in one ASGI application. It imports no sandbox and no numerical library."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from operator import attrgetter

from fastapi import Depends, FastAPI
from fastapi.telemetry import TelemetryConfig
from prometheus_client import CollectorRegistry, ProcessCollector

from app import api, web
from app.accounts.provider import find_provider
from app.accounts.request_throttle import RequestThrottle
from app.accounts.reset_desk import ResetDesk
from app.accounts.throttle import AccountThrottles
from app.accounts.waiting_room import WaitingRoom
from app.api.body_limit import BodyLimit
from app.api.entity_tag import EntityTag
from app.api.error_answer import answers_by_audience, install_error_answers
from app.api.rate_limit import RateLimit
from app.api.request_context import RequestContext, note_path
from app.api.response_headers import ResponseHeaders
from app.backup.desk import BackupDesk
from app.database import Database
from app.head import Head
from app.mail.outbox import open_outbox
from app.policy.current import CurrentPolicy
from app.retention.caretaker import Caretaker
from app.settings import Settings
from app.submissions.progress import Progress
from app.telemetry.traffic import Traffic
from app.web.error_page import render_error
from app.web.messages import Language
from app.web.visit import count_visit

# RequestContext makes the span: the framework's own would tell paths and queries, which may hold secrets.
NO_TELEMETRY = TelemetryConfig(tracing=False, operation_spans=False, metrics=False, logs=False, auto_configure=False)


def create_app(settings: Settings, database: Database) -> FastAPI:
    """The caller upgrades the schema first, and closes the database afterwards."""
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
    app.state.settings = settings
    app.state.database = database
    app.state.progress = Progress(database)
    app.state.metrics = CollectorRegistry()
    ProcessCollector(registry=app.state.metrics)
    traffic = app.state.traffic = Traffic(app.state.metrics)
    throttles = app.state.account_throttles = AccountThrottles()
    app.state.provider = find_provider(settings)
    outbox = app.state.outbox = open_outbox(settings)
    app.state.reset_desk = ResetDesk(database=database, outbox=outbox, throttles=throttles, base_url=settings.base_url)
    app.state.backup_desk = BackupDesk(database, settings.data)
    policy = app.state.policy = CurrentPolicy(database)
    app.state.request_throttle = RequestThrottle(policy)
    app.state.waiting_room = WaitingRoom()
    app.include_router(api.build_router())
    app.include_router(web.build_router())
    answer = answers_by_audience(page=render_error)
    answer_error = install_error_answers(app, answer)
    app.add_middleware(BodyLimit, answer_error=answer_error)
    app.add_middleware(RateLimit, count_page=count_visit, answer_error=answer_error)
    app.add_middleware(EntityTag)
    app.add_middleware(Language)
    app.add_middleware(ResponseHeaders)
    app.add_middleware(Head)
    app.add_middleware(RequestContext, traffic=traffic)
    return app


@asynccontextmanager
async def _follow_progress(app: FastAPI) -> AsyncIterator[None]:
    progress: Progress = app.state.progress
    caretaker = Caretaker(app.state.database)
    progress.start()
    caretaker.start()
    yield
    caretaker.stop()
    progress.stop()
    app.state.outbox.close()

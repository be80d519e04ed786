"""The preview of one package on its author's machine: the student view, without database and accounts."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from fastapi import FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.middleware.trustedhost import TrustedHostMiddleware

from app.catalog.fault import Fault
from app.catalog.manifest import Question
from app.catalog.query import ProblemDetail
from app.errors import NotFound
from app.web import static_files
from app.web.error_page import render_error
from app.web.render import render_page

LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewContent:
    """The content of the preview. Any change of it changes `version`.

    `problem` is None while the package has faults. `failure` is the reference's error with its traceback. Students open
    `hints`, `quiz` and `editorial` later.
    """

    version: str
    place: str
    title: str
    problem: ProblemDetail | None
    faults: tuple[Fault, ...]
    notice: str
    failure: str = ""
    hints: tuple[str, ...] = ()
    quiz: tuple[Question, ...] = ()
    editorial: str = ""


def create_preview(slug: str, read: Callable[[], PreviewContent]) -> FastAPI:
    """Create the app. `read` returns the current content and must be cheap. The caller adds the common headers."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    path = f"/problems/{slug}"

    @app.get("/")
    def go_to_problem() -> Response:
        return RedirectResponse(path, status_code=303)

    @app.get(path)
    def show_problem() -> Response:
        return render_page("preview.html", {"shown": read(), "path": path, "user": None})

    @app.get("/preview/events", response_class=EventSourceResponse)
    async def stream_versions() -> AsyncIterator[ServerSentEvent]:
        sent = None
        while True:
            if (version := read().version) != sent:
                yield ServerSentEvent(event="version", raw_data=version)
                sent = version
            await asyncio.sleep(LOOK_SECONDS)

    @app.exception_handler(404)
    @app.exception_handler(NotFound)
    def say_that_it_is_a_preview(request: Request, _error: Exception) -> Response:
        return render_error(request, 404, f"This preview serves one problem only: open {path}.")

    app.include_router(static_files.router)
    # Against DNS rebinding: another site must not read an unpublished problem.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    return app

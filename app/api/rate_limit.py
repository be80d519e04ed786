"""Counts every request before anything else happens, also a request that is refused: refusing costs time too.

`ResponseHeaders` says in every counted answer how much of the rate limit is left.
"""

from collections.abc import Awaitable, Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.accounts.rate_limit import RateLimitReached, RateLimitStatus
from app.api.dependency import count_call
from app.api.error_answer import is_for_machines
from app.api.error_code import CODE_OF
from app.api.submissions import refuse_early


def _is_free(scope: Scope) -> bool:
    """Whether the request is for a static file or a health check. The page for a missing file counts itself."""
    path = scope["path"]
    return scope["method"] in ("GET", "HEAD") and (path.startswith("/static/") or path in ("/healthz", "/readyz"))


class RateLimit:
    """Pure ASGI. `count_page` counts a request for a page, and `count_call` one to the API.

    Both keep the viewer in `request.state.viewer` for the code that follows.
    """

    def __init__(
        self,
        app: ASGIApp,
        count_page: Callable[[Request], Awaitable[RateLimitStatus]],
        answer_error: Callable[[Request, Exception], Response],
    ) -> None:
        self._app, self._count_page, self._answer_error = app, count_page, answer_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_free(scope):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        is_call = is_for_machines(scope["path"])
        try:
            if is_call:
                await refuse_early(request)
                request.state.rate_limit = await count_call(request)
            else:
                request.state.rate_limit = await self._count_page(request)
        except tuple(CODE_OF) as error:
            if isinstance(error, RateLimitReached):
                request.state.rate_limit = error.status
            if is_call:  # a few words; a thread would cost more
                answer = self._answer_error(request, error)
            else:
                answer = await run_in_threadpool(self._answer_error, request, error)
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

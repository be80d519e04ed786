"""Error answers: problem details under /api and for monitoring, an HTML page everywhere else."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path

from app.api.error_code import CODE_OF, Fault
from app.api.problem_details import describe, respond
from app.api.request_limits import is_for_machines
from app.api.response_headers import add_missing

Page = Callable[[Request, int, str, Mapping[str, str]], Response]
Answer = Callable[[Request, Fault], Response]

_log = logging.getLogger(__name__)


def answers_by_audience(page: Page) -> Answer:
    """Return a function that answers errors. `page` renders (request, status, detail, headers) as HTML."""

    def answer(request: Request, fault: Fault) -> Response:
        if is_for_machines(request.url.path):
            return respond(request, fault)
        return page(request, fault.status, fault.detail, fault.headers)

    return answer


def install_error_answers(app: FastAPI, answer: Answer) -> Callable[[Request, Exception], Response]:
    """Install the error answers, and return the function that answers errors of a middleware.

    The framework does not see errors of a middleware. uvicorn logs unforeseen ones.
    """

    def answer_error(request: Request, error: Exception) -> Response:
        error = request.app.state.full_disk.replace(error)
        fault = _with_allow(request, describe(error))
        if fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            request.app.state.traffic.count_error(error)
        if fault.status is HTTPStatus.SERVICE_UNAVAILABLE:
            _log.warning("answered with 503: %s", error)
        response = answer(request, fault)
        # Answers to unforeseen errors bypass the middleware.
        add_missing(response.headers, request.scope)
        return response

    async def handle(request: Request, error: Exception) -> Response:
        if is_for_machines(request.url.path):  # a few words; a thread would cost more
            return answer_error(request, error)
        return await run_in_threadpool(answer_error, request, error)

    kinds: tuple[type[Exception], ...] = (HTTPException, *CODE_OF, Exception)
    for kind in kinds:
        app.add_exception_handler(kind, handle)
    return answer_error


def _with_allow(request: Request, fault: Fault) -> Fault:
    # The framework's header Allow names the methods of one route, not of every route with this path.
    if fault.status is not HTTPStatus.METHOD_NOT_ALLOWED:
        return fault
    methods: set[str] = set()
    for route in iter_route_contexts(request.app.routes):
        if route.path and compile_path(route.path)[0].match(request.url.path):
            methods |= route.methods or set()
    return replace(fault, headers={"Allow": ", ".join(sorted(methods))})

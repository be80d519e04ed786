"""The web pages."""

from fastapi import APIRouter

from app.web import static_files
from app.web.pages import history, problem, problems, sign_in, sign_up, submission


def build_router() -> APIRouter:
    router = APIRouter(include_in_schema=False)
    for part in (problems, problem, submission, history, sign_up, sign_in, static_files):
        router.include_router(part.router)
    return router

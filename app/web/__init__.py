"""The web pages."""

from fastapi import APIRouter

from app.web import static_files
from app.web.pages import (
    author,
    author_edit,
    author_verification,
    draft,
    history,
    problem,
    problems,
    sign_in,
    sign_up,
    submission,
)


def build_router() -> APIRouter:
    router = APIRouter(include_in_schema=False)
    pages = (problems, problem, draft, submission, history, sign_up, sign_in, author, author_edit, author_verification)
    for part in (*pages, static_files):
        router.include_router(part.router)
    return router

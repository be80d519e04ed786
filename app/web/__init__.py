"""The web pages."""

from fastapi import APIRouter

from app.web import static_files
from app.web.pages import (
    author,
    author_edit,
    author_verification,
    draft,
    front,
    history,
    leaderboard,
    learning,
    me,
    problem,
    problems,
    quiz,
    sign_in,
    sign_up,
    solution,
    submission,
    tracks,
)
from app.web.pages.admin import audit as admin_audit
from app.web.pages.admin import settings as admin_settings


def build_router() -> APIRouter:
    router = APIRouter(include_in_schema=False)
    catalogue = (front, problems, tracks)
    lessons = (learning, quiz, solution)
    own = (history, me, leaderboard)
    pages = (problem, draft, submission, *own, sign_up, sign_in, author, author_edit, author_verification)
    admin = (admin_settings, admin_audit)
    for part in (*catalogue, *lessons, *pages, *admin, static_files):
        router.include_router(part.router)
    return router

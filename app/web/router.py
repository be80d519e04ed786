"""The routes of all pages."""

from fastapi import APIRouter

from app.web import static_files
from app.web.pages import (
    account,
    account_data,
    account_tokens,
    author,
    author_edit,
    author_verification,
    discussion,
    draft,
    front,
    help,
    history,
    leaderboard,
    learning,
    lti,
    me,
    moderation,
    personal,
    problem,
    problems,
    quiz,
    reset_password,
    shared,
    sign_in,
    sign_up,
    similarity,
    single_sign_on,
    solution,
    submission,
    tracks,
    visitor_run,
)
from app.web.pages.admin import audit as admin_audit
from app.web.pages.admin import invitations as admin_invitations
from app.web.pages.admin import judge_errors as admin_judge_errors
from app.web.pages.admin import overview as admin_overview
from app.web.pages.admin import platforms as admin_platforms
from app.web.pages.admin import queue as admin_queue
from app.web.pages.admin import rejudgings as admin_rejudgings
from app.web.pages.admin import settings as admin_settings
from app.web.pages.admin import submissions as admin_submissions
from app.web.pages.admin import users as admin_users
from app.web.pages.course import assignments, course, courses, exam, extensions, grades, sittings
from app.web.pages.course import members as course_members
from app.web.pages.course import platforms as course_platforms
from app.web.pages.course import rejudgings as course_rejudgings


def build_router() -> APIRouter:
    router = APIRouter(include_in_schema=False)
    catalogue = (front, problems, problem, submission, visitor_run, help, tracks)
    lessons = (learning, personal, quiz, solution, shared, discussion, moderation)
    own = (history, me, leaderboard, account, account_tokens, account_data)
    entrance = (sign_up, sign_in, single_sign_on, reset_password, lti)
    taught = (
        courses,
        course_members,
        course_platforms,
        exam,
        sittings,
        course_rejudgings,
        extensions,
        assignments,
        grades,
        course,
    )
    pages = (draft, *own, *entrance, author, author_edit, author_verification, *taught, similarity)
    admin = (
        admin_queue,
        admin_judge_errors,
        admin_settings,
        admin_platforms,
        admin_invitations,
        admin_users,
        admin_audit,
        admin_rejudgings,
        admin_submissions,
        admin_overview,
    )
    # FastAPI tries the routes in this order, so the busiest come first.
    for part in (static_files, *catalogue, *lessons, *pages, *admin):
        router.include_router(part.router)
    return router

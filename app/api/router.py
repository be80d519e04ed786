"""The routes of the REST API, and of the endpoints for monitoring at the root."""

from fastapi import APIRouter, Depends
from starlette.routing import Match
from starlette.types import Scope

from app.api import (
    administration,
    audit_events,
    discussions,
    events,
    health,
    hints,
    history,
    inspection,
    invitations,
    judge_errors,
    leaderboards,
    me,
    metrics,
    moderation,
    notes,
    openapi,
    own_data,
    packages,
    password_resets,
    people,
    problem_schema,
    problem_statistics,
    problems,
    progress,
    queue,
    quiz,
    rejudgings,
    revisions,
    sessions,
    settings,
    shared_solutions,
    solution,
    submissions,
    tokens,
    tracks,
    users,
    verifications,
    workers,
)
from app.api.query_parameters import refuse_unknown_names


class _PrefixRouter(APIRouter):
    """Compares the prefix first. Without this, FastAPI compares the path of a page with every route of the API."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if not scope["path"].startswith(f"{self.prefix}/"):
            return Match.NONE, {}
        return super().matches(scope)


def build_router() -> APIRouter:
    version_1 = _PrefixRouter(prefix="/api/v1", dependencies=[Depends(refuse_unknown_names)])
    learning = (hints, quiz, solution, progress, notes, shared_solutions, discussions, moderation)
    authoring = (packages, revisions, problem_statistics, verifications)
    submitting = (inspection, submissions, history, events, rejudgings)
    overseeing = (administration, settings, audit_events)
    operations = (queue, workers, judge_errors)
    accounts = (users, invitations, password_resets, people, tokens, sessions, me, own_data)
    catalogue = (problems, tracks, leaderboards)
    # FastAPI tries the routes in this order, so the busiest come first, but `/submissions/export` before the path with
    # a submission's ID.
    for resource in (
        *submitting,
        *catalogue,
        *accounts,
        *learning,
        *authoring,
        *overseeing,
        *operations,
        openapi,
    ):
        version_1.include_router(resource.router)
    router = APIRouter(responses=openapi.ERRORS)
    router.include_router(version_1)
    router.include_router(health.router)
    router.include_router(metrics.router)
    router.include_router(problem_schema.router)
    return router

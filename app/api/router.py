"""The routes of the REST API, and of the endpoints for monitoring at the root."""

from fastapi import APIRouter, Depends
from starlette.routing import Match
from starlette.types import Scope

from app.api import (
    assignments,
    audit_events,
    courses,
    events,
    grades,
    health,
    leaderboards,
    me,
    metrics,
    openapi,
    packages,
    people,
    platforms,
    problem_schema,
    problems,
    queue,
    rejudgings,
    revisions,
    settings,
    similarity,
    sittings,
    submission_export,
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
    authoring = (packages, revisions, verifications)
    submitting = (submission_export, submissions, events, rejudgings)
    operations = (settings, audit_events, queue, workers, platforms)
    accounts = (users, people, tokens, me)
    catalogue = (problems, tracks, leaderboards, courses, assignments, sittings, grades, similarity)
    # FastAPI tries the routes in this order, so the busiest come first, but `/submissions/export` before the path with
    # a submission's ID.
    for resource in (
        *submitting,
        *catalogue,
        *accounts,
        *authoring,
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

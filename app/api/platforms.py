"""Learning platforms, for admins: register, change, approve and remove them."""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field, StrictBool
from sqlalchemy.orm import Session

from app.api.dependency import Address, OperationsReader, SettingsChanger, ShortSliced, Stored, act_as
from app.api.openapi import locates
from app.api.request_state import get_platforms
from app.database.cursor import NextCursor, cut_list
from app.lti.platform import (
    PlatformEntry,
    PlatformFields,
    PlatformNotFound,
    add_platform,
    approve,
    change_platform,
    disapprove,
    get_platform,
    list_platforms,
    remove_platform,
)
from app.validation import Body, FrozenModel

router = APIRouter(prefix="/platforms", tags=["administration"])


class DeploymentView(FrozenModel):
    deployment: str = Field(description="its ID in the platform")
    first_seen_at: datetime
    approved_at: datetime | None = Field(description="null: its launches are refused")


class LinkedCourse(FrozenModel):
    course: str = Field(description="the slug of the course here")
    title: str = Field(description="of the course in the platform")
    linked_at: datetime


class PlatformView(PlatformFields):
    """A learning platform with its deployments, and the courses that are linked."""

    id: UUID
    created_at: datetime
    deployments: Sequence[DeploymentView]
    links: Sequence[LinkedCourse]


class PlatformList(BaseModel):
    items: list[PlatformView]
    next: NextCursor


class DeploymentChange(Body):
    deployment: str = Field(max_length=255, description="its ID in the platform")
    is_approved: StrictBool


@router.get("", operation_id="list_platforms", summary="List the learning platforms")
def get_all_platforms(viewer: OperationsReader, database: Stored, wanted: ShortSliced) -> PlatformList:  # noqa: ARG001
    with database.transaction() as session:
        views = [_view(entry) for entry in list_platforms(session)]
    items, following = cut_list(views, lambda each: each.id, wanted)
    return PlatformList(items=list(items), next=following)


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    responses={201: locates("the platform's path")},
    operation_id="create_platform",
    summary="Register a learning platform",
)
def post_platform(
    viewer: SettingsChanger,
    address: Address,
    request: Request,
    response: Response,
    database: Stored,
    wanted: PlatformFields,
) -> PlatformView:
    """Open Allclose once in the platform. Its deployment is then listed here, and waits for approval."""
    rule = get_platforms(request).rule
    with database.transaction() as session:
        platform = add_platform(session, act_as(viewer, address), wanted, rule)
        view = _read(session, platform.id)
    response.headers["Location"] = f"/api/v1/platforms/{view.id}"
    return view


@router.get("/{platform_id}", operation_id="get_platform", summary="A learning platform")
def get_one_platform(viewer: OperationsReader, database: Stored, platform_id: UUID) -> PlatformView:  # noqa: ARG001
    with database.transaction() as session:
        return _read(session, platform_id)


@router.put("/{platform_id}", operation_id="change_platform", summary="Change a learning platform")
def put_platform(
    viewer: SettingsChanger,
    address: Address,
    request: Request,
    database: Stored,
    platform_id: UUID,
    wanted: PlatformFields,
) -> PlatformView:
    """The issuer and the client ID stay."""
    rule = get_platforms(request).rule
    with database.transaction() as session:
        change_platform(session, act_as(viewer, address), get_platform(session, platform_id), wanted, rule)
        return _read(session, platform_id)


@router.patch(
    "/{platform_id}/deployments",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="change_deployment",
    summary="Approve a deployment, or withdraw the approval",
)
def patch_deployment(
    viewer: SettingsChanger, address: Address, database: Stored, platform_id: UUID, change: DeploymentChange
) -> None:
    with database.transaction() as session:
        platform = get_platform(session, platform_id)
        step = approve if change.is_approved else disapprove
        step(session, act_as(viewer, address), platform, change.deployment)


@router.delete(
    "/{platform_id}",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="remove_platform",
    summary="Remove a learning platform",
)
def delete_platform(
    viewer: SettingsChanger,
    address: Address,
    database: Stored,
    platform_id: UUID,
    confirmed: Annotated[
        bool, Query(description="also if courses are linked with it, or people sign in from it")
    ] = False,
) -> None:
    """Its deployments go, and so do the links of courses and the identities of people there. Their accounts stay."""
    with database.transaction() as session:
        platform = get_platform(session, platform_id)
        remove_platform(session, act_as(viewer, address), platform, is_confirmed=confirmed)


def _read(session: Session, platform_id: UUID) -> PlatformView:
    """Raises PlatformNotFound."""
    entry = next((each for each in list_platforms(session) if each.platform.id == platform_id), None)
    if entry is None:
        raise PlatformNotFound
    return _view(entry)


def _view(entry: PlatformEntry) -> PlatformView:
    return PlatformView(
        **{name: getattr(entry.platform, name) for name in (*PlatformFields.model_fields, "id", "created_at")},
        deployments=[
            DeploymentView(
                deployment=each.deployment_id, first_seen_at=each.first_seen_at, approved_at=each.approved_at
            )
            for each in entry.deployments
        ],
        links=[
            LinkedCourse(course=course.slug, title=linked.title, linked_at=linked.linked_at)
            for linked, course in entry.courses
        ],
    )

"""The settings of run time. They hold within seconds, in every process."""

from fastapi import APIRouter, Request
from pydantic import BaseModel

from app.administration.setting import Setting, list_settings
from app.api.condition import IfMatch, require_match
from app.api.dependency import Address, OperationsReader, SettingsChanger, Stored, act_as
from app.api.openapi import problems
from app.policy.change import change_policy, lock_policy, reset_setting
from app.policy.current import CurrentPolicy
from app.policy.policy import Policy

router = APIRouter(prefix="/settings", tags=["administration"])


class SettingList(BaseModel):
    items: tuple[Setting, ...]


@router.get("", responses=problems(401, 403), summary="What admins have set, within which bounds, and since when")
def get_settings(viewer: OperationsReader, database: Stored) -> SettingList:  # noqa: ARG001
    with database.transaction() as session:
        return SettingList(items=list_settings(session))


@router.patch(
    "",
    responses=problems(401, 403, 412, 422),
    operation_id="change_settings",
    summary="Change settings: those that are named, all or none",
)
def patch_settings(
    viewer: SettingsChanger,
    address: Address,
    request: Request,
    database: Stored,
    changes: Policy,
    if_match: IfMatch = None,
) -> SettingList:
    with database.transaction() as session:
        lock_policy(session)
        require_match(if_match, SettingList(items=list_settings(session)))
        change_policy(session, act_as(viewer, address), changes.model_dump(exclude_unset=True))
        settings = list_settings(session)
    _apply_here(request)
    return SettingList(items=settings)


@router.delete(
    "/{name}",
    responses=problems(401, 403, 404, 422),
    operation_id="reset_setting",
    summary="Put a setting back to its default",
)
def delete_setting(
    viewer: SettingsChanger, address: Address, request: Request, database: Stored, name: str
) -> SettingList:
    with database.transaction() as session:
        reset_setting(session, act_as(viewer, address), name)
        settings = list_settings(session)
    _apply_here(request)
    return SettingList(items=settings)


def _apply_here(request: Request) -> None:
    policy: CurrentPolicy = request.app.state.policy
    policy.refresh()

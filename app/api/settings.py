"""Settings that admins change at run time. Every process applies them within seconds."""

from operator import attrgetter
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field, StrictBool

from app.admin.settings import Setting, change_settings, list_settings, put_back
from app.api.dependency import Address, OperationsReader, SettingsChanger, ShortSliced, Stored, act_as
from app.api.request_state import get_policy
from app.database.cursor import NextCursor, cut_list
from app.policy import Policy
from app.validation import Body

router = APIRouter(prefix="/settings", tags=["administration"])


class SettingsChange(Body, Policy):
    """A setting that you leave out stays as it is."""

    confirm_removal: StrictBool = Field(
        False,
        description="true: a shorter retention may delete rows for good; otherwise the answer is a 409 with the counts",
    )

    def changes(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True, exclude={"confirm_removal"})


class SettingList(BaseModel):
    items: tuple[Setting, ...]
    next: NextCursor = None


@router.get("", summary="List all settings with their bounds and last changes")
def get_settings(viewer: OperationsReader, database: Stored, wanted: ShortSliced) -> SettingList:  # noqa: ARG001
    with database.transaction() as session:
        items, following = cut_list(list_settings(session), attrgetter("name"), wanted)
    return SettingList(items=tuple(items), next=following)


@router.patch(
    "",
    operation_id="change_settings",
    summary="Change settings, all or none",
)
def patch_settings(
    viewer: SettingsChanger,
    address: Address,
    request: Request,
    database: Stored,
    wanted: SettingsChange,
) -> SettingList:
    with database.transaction() as session:
        actor = act_as(viewer, address)
        change_settings(session, actor, wanted.changes(), is_confirmed=wanted.confirm_removal)
        settings = list_settings(session)
    _apply_here(request)
    return SettingList(items=settings)


@router.delete(
    "/{name}",
    operation_id="reset_setting",
    summary="Reset a setting to its default",
)
def delete_setting(
    viewer: SettingsChanger,
    address: Address,
    request: Request,
    database: Stored,
    name: str,
    confirm_removal: Annotated[bool, Query(description="as in `PATCH /settings`")] = False,
) -> SettingList:
    with database.transaction() as session:
        put_back(session, act_as(viewer, address), name, is_confirmed=confirm_removal)
        settings = list_settings(session)
    _apply_here(request)
    return SettingList(items=settings)


def _apply_here(request: Request) -> None:
    get_policy(request).refresh()

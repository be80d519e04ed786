"""Your personal data export, and erasing your own account."""

from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import Field, SecretStr

from app.accounts.reauthentication import Reauthentication
from app.admin.erasure import erase_self
from app.admin.personal_data import export_user
from app.api.archive import ARCHIVE, send_file
from app.api.dependency import AccountChanger, Address, AllLimits, Stored, act_as
from app.validation import Body

router = APIRouter(prefix="/me", tags=["users"])


class Confirmation(Body):
    password: SecretStr = Field(examples=["correct horse battery"])


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: ARCHIVE},
    summary="Export all your data as a zip archive",
)
def export_own_data(viewer: AccountChanger, address: Address, database: Stored, limits: AllLimits) -> StreamingResponse:
    """You can export your data 10 times an hour."""
    limits.exports.use(str(viewer.id))
    file = export_user(database, act_as(viewer, address), viewer.id)
    return send_file(file, f"allclose-{viewer.username}.zip")


@router.delete("", status_code=HTTPStatus.NO_CONTENT, summary="Erase your account for good")
def erase_own_account(
    viewer: AccountChanger, address: Address, database: Stored, limits: AllLimits, sure: Confirmation
) -> None:
    """Removes your submissions, drafts, progress, sessions and tokens. There is no undo: export your data first."""
    reauthentication = Reauthentication(password=sure.password.get_secret_value(), limit=limits.reauthentications)
    with database.transaction() as session:
        erase_self(session, act_as(viewer, address), reauthentication)

"""Who am I?"""

from fastapi import APIRouter

from app.api.dependency import Viewer
from app.api.openapi import problems
from app.api.users import UserView

router = APIRouter(prefix="/me", tags=["users"])


@router.get("", responses=problems(401), summary="Who am I, and what is my role")
def get_me(viewer: Viewer) -> UserView:
    return UserView.model_validate(viewer)

"""Tracks: problems in an order to solve them in."""

from operator import attrgetter
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel

from app.api.dependency import AnyViewer, ShortSliced, Stored
from app.api.openapi import OPEN_TO_ALL
from app.catalog.manifest import SLUG
from app.catalog.track import TrackDetail, TrackSummary, get_track, list_tracks
from app.database.cursor import NextCursor, cut_list
from app.learning.progress import states_for

router = APIRouter(prefix="/tracks", tags=["tracks"])


class TrackList(BaseModel):
    """Tracks, in their order."""

    items: tuple[TrackSummary, ...]
    next: NextCursor = None


@router.get("", openapi_extra=OPEN_TO_ALL, operation_id="list_tracks", summary="List tracks")
def get_track_list(database: Stored, viewer: AnyViewer, wanted: ShortSliced) -> TrackList:
    with database.transaction() as session:
        items, following = cut_list(list_tracks(session, states_for(viewer)), attrgetter("slug"), wanted)
    return TrackList(items=tuple(items), next=following)


@router.get(
    "/{track}",
    openapi_extra=OPEN_TO_ALL,
    operation_id="get_track",
    summary="One track: its problems in order, and the next one to solve",
)
def get_track_detail(
    database: Stored, viewer: AnyViewer, track: Annotated[str, Path(json_schema_extra={"pattern": SLUG})]
) -> TrackDetail:
    with database.transaction() as session:
        return get_track(session, track, states_for(viewer))

"""The tracks, and the problems of one track in order."""

from fastapi import APIRouter, Response

from app.catalog.track import get_track, list_tracks
from app.learning.progress import states_for
from app.web.address import Slug
from app.web.visit import CurrentVisit

router = APIRouter()


@router.get("/tracks")
def show_tracks(visit: CurrentVisit) -> Response:
    with visit.transaction() as session:
        tracks = list_tracks(session, states_for(visit.viewer))
    return visit.render("tracks.html", {"tracks": tracks})


@router.get("/tracks/{slug}")
def show_track(visit: CurrentVisit, slug: Slug) -> Response:
    with visit.transaction() as session:
        track = get_track(session, slug, states_for(visit.viewer))
    return visit.render("track.html", {"track": track})

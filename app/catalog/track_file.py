"""`tracks.yaml`: what the tracks of a folder of problems are called, and the order that they are shown in."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError
from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.catalog.document import read_document
from app.catalog.explanation import explain
from app.catalog.fault import Fault, Location, PackageInvalid
from app.catalog.manifest import Slug
from app.catalog.model import Track
from app.judging.options import Model

TRACKS_FILE = "tracks.yaml"
MAX_TRACKS = 500


class TrackText(Model):
    """`description` is Markdown."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\n]*$", strip_whitespace=True)]
    description: Annotated[str, StringConstraints(max_length=4000, strip_whitespace=True)] = ""


class TrackFile(Model):
    tracks: Annotated[dict[Slug, TrackText], Field(max_length=MAX_TRACKS)]


def read_track_file(folder: Path) -> TrackFile | None:
    """None where the folder has none. Raises PackageInvalid, which names everything that is wrong."""
    path = folder / TRACKS_FILE
    if not path.is_file():
        return None
    document = read_document(TRACKS_FILE, path.read_bytes().decode("utf-8-sig", errors="replace"))
    if document.faults or document.content is None:
        raise _refused(document.faults)
    try:
        return TrackFile.model_validate(document.content)
    except ValidationError as error:
        raise _refused(explain(error, document, _known_keys)) from None


def publish_tracks(session: Session, file: TrackFile) -> None:
    """What the file says takes the place of all that was said before."""
    session.execute(delete(Track))
    for position, (slug, text) in enumerate(file.tracks.items()):
        session.add(Track(slug=slug, position=position, title=text.title, description=text.description))
    session.flush()


def _refused(faults: Iterable[Fault]) -> PackageInvalid:
    return PackageInvalid(TRACKS_FILE, faults)


def _known_keys(where: Location) -> Iterable[str]:
    return TrackText.model_fields if where else TrackFile.model_fields

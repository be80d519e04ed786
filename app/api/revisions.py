"""A problem's revisions: the list, their files, and going back to an earlier one. For authors."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Response

from app.api.archive import PACKAGE, send_package
from app.api.dependency import Address, Author, EditedSlug, Sliced, Stored, act_as
from app.authoring.publication import bring_back
from app.authoring.query import RevisionPage, page_revisions
from app.catalog.publish import MAX_NUMBER, get_revision

router = APIRouter(prefix="/problems/{slug}/revisions", tags=["authors"])

Number = Annotated[int, Path(ge=1, le=MAX_NUMBER, description="the revision's number, from 1")]


@router.get("", operation_id="list_revisions", summary="List a problem's revisions")
def get_revisions(slug: EditedSlug, database: Stored, wanted: Sliced) -> RevisionPage:
    with database.transaction() as session:
        return page_revisions(session, slug, wanted.cursor, wanted.limit)


@router.get(
    "/{number}/files",
    response_class=Response,
    responses={200: PACKAGE},
    summary="Download a revision's files as a zip archive",
)
def get_revision_files(slug: EditedSlug, number: Number, database: Stored) -> Response:
    with database.transaction() as session:
        files = get_revision(session, slug, number).files
    return send_package(slug, files, f"{slug}-{number}.zip")


@router.post(
    "/{number}/publish",
    status_code=HTTPStatus.OK,
    summary="Make an earlier revision the current one again",
)
def publish_revision(
    author: Author, slug: EditedSlug, number: Number, address: Address, database: Stored
) -> RevisionPage:
    """Does not verify the revision again: its first publication did, or it came from the server's folder."""
    with database.transaction() as session:
        bring_back(session, slug, number, act_as(author, address))
        return page_revisions(session, slug)

"""Sending a problem's package: Allclose verifies it, and publishes it when it passes."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.exceptions import HTTPException

from app.api.dependency import Author, Stored
from app.api.field import Slug
from app.api.openapi import locates
from app.authoring.availability import AvailabilityWish, prepare
from app.authoring.query import VerificationView, view_verification
from app.authoring.send import Sending, send
from app.catalog.archive import read_upload
from app.catalog.model import Availability
from app.catalog.package import package_from_files

ZIP = "application/zip"
YAML = "application/yaml"
TAKEN = (ZIP, "application/x-zip-compressed", YAML, "application/x-yaml", "text/yaml")
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The package's folder as a zip archive, or one YAML file with the whole problem",
        "content": {
            ZIP: {"schema": {"type": "string", "format": "binary"}},
            YAML: {"schema": {"type": "string"}},
        },
    }
}

router = APIRouter(prefix="/problems", tags=["authors"])


async def read_body(request: Request, author: Author) -> bytes:  # noqa: ARG001 (only an author's body is read)
    """Raises HTTPException 415 if the body is neither zip nor YAML."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in TAKEN:
        raise HTTPException(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"The Content-Type is {kind or 'missing'}. Send the body with Content-Type: {ZIP} or {YAML}.",
        )
    return await request.body()


def read_sending(
    author: Author,
    slug: Slug,
    body: Annotated[bytes, Depends(read_body)],
    replaces: Annotated[
        str | None,
        Query(
            pattern="^([0-9a-f]{64})?$",
            description="the digest of the revision that you changed: a 412 if it is no longer the current one; empty: "
            "a 412 if the problem exists; without this, the package replaces any revision",
        ),
    ] = None,
    publish: Annotated[bool, Query(description="publish the package when it passes")] = True,
    availability: Annotated[
        Availability | None,
        Query(
            description="what the problem gets when the package is published: with `draft`, students never see it; "
            "without this, a new problem is `listed` and others stay as they are; with `publish=false`, for a new "
            "problem only"
        ),
    ] = None,
    course: Annotated[
        str | None, Query(max_length=100, description="for `course`: its slug; others can't read the files from now on")
    ] = None,
) -> tuple[Sending, AvailabilityWish | None]:
    """Raises PackageInvalid."""
    package = package_from_files(slug, read_upload(slug, body))
    wish = AvailabilityWish(availability=availability, course=course) if availability else None
    sending = Sending(user_id=author.id, package=package, publish=publish, replaces=replaces, availability=availability)
    return sending, wish


@router.put(
    "/{slug}",
    status_code=HTTPStatus.ACCEPTED,
    responses={202: locates("the verification's path")},
    openapi_extra=_BODY,
    operation_id="send_package",
    summary="Send a problem's package: verified, then published",
)
def put_problem(
    author: Author,
    wanted: Annotated[tuple[Sending, AvailabilityWish | None], Depends(read_sending)],
    database: Stored,
    response: Response,
) -> VerificationView:
    """For authors. The answer lists errors in the package's files with their lines. The verification finds the rest."""
    with database.transaction() as session:
        sending, wish = wanted
        if wish:
            prepare(session, author, sending.package.slug, wish)
        view = view_verification(session, send(session, sending))
    response.headers["Location"] = f"/api/v1/verifications/{view.id}"
    return view

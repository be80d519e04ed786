"""The author pages: all problems, and one problem with its revisions."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Path, Query, Response

from app.authoring.publication import bring_back
from app.authoring.query import list_authored, list_published_by, list_verifications, page_revisions
from app.catalog.archive import write_archive
from app.catalog.diff import compare_packages
from app.catalog.model import Availability
from app.catalog.publish import MAX_NUMBER, change_availability, get_availability, get_revision
from app.catalog.query import AVAILABILITIES, get_problem
from app.courses.due import describe_open_uses
from app.learning.moderation import count_reports
from app.learning.problem_statistics import read_problem_statistics
from app.rejudging.choice import count_outdated
from app.web.address import Slug
from app.web.permission import Author
from app.web.render import HEADERS
from app.web.visit import CurrentVisit, require_own_origin, see_other

router = APIRouter(prefix="/author")

Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
Side = Annotated[int, Query(ge=1, le=MAX_NUMBER)]


@router.get("")
def show_problems(
    visit: CurrentVisit,
    author: Author,
    q: str = "",
    availability: Availability | Literal[""] = "",
    by: Literal["", "me"] = "",
) -> Response:
    """With `q`, list the problems with these words in slug or title. `me`: those that the author ever published."""
    with visit.transaction() as session:
        problems = list_authored(session)
        own = list_published_by(session, author.id)
        verifications = list_verifications(session, user_id=author.id)
        reports = count_reports(session)
    words = q.lower().split()
    shown = [
        problem
        for problem in problems
        if all(word in f"{problem.slug} {problem.title}".lower() for word in words)
        and availability in ("", problem.availability)
        and (not by or problem.slug in own)
    ]
    context: dict[str, Any] = {"problems": shown, "verifications": verifications}
    context |= {
        "slugs": [problem.slug for problem in problems],
        "query": {name: value for name, value in (("q", q), ("availability", availability), ("by", by)) if value},
        "total": len(problems),
        "reports": reports,
        "availabilities": AVAILABILITIES,
    }
    return visit.render("author/problems.html", context)


@router.get("/problems/{slug}")
def show_problem(visit: CurrentVisit, author: Author, slug: Slug, done: str = "", cursor: str = "") -> Response:
    with visit.transaction() as session:
        page = page_revisions(session, slug, cursor or None)
        verifications = list_verifications(session, slug=slug)
        outdated = count_outdated(session, slug)
        availability = get_availability(session, slug)
        statistics = read_problem_statistics(session, slug)
        problem = get_problem(session, slug, author.id)
    context = {
        "slug": slug,
        "title": problem.title,
        "revisions": page.items,
        "older": page.next,
        "verifications": verifications,
        "outdated": outdated,
        "uses": describe_open_uses(page.open_assignments),
        "availability": availability,
        "availabilities": AVAILABILITIES,
        "statistics": statistics,
        "has_hints": problem.hint_count > 0,
        "done": done,
    }
    return visit.render("author/problem.html", context)


@router.post("/problems/{slug}/availability", dependencies=[Depends(require_own_origin)])
def send_availability(
    visit: CurrentVisit,
    author: Author,  # noqa: ARG001
    slug: Slug,
    availability: Annotated[Availability, Form()],
) -> Response:
    with visit.transaction() as session:
        change_availability(session, slug, availability, visit.actor)
    return see_other(f"/author/problems/{slug}?done=availability#availability-section")


@router.get("/problems/{slug}/diff")
def show_diff(
    visit: CurrentVisit,
    author: Author,  # noqa: ARG001
    slug: Slug,
    old: Side,
    new: Side,
) -> Response:
    with visit.transaction() as session:
        before, after = get_revision(session, slug, old), get_revision(session, slug, new)
    files = compare_packages(before.files, after.files)
    context = {"slug": slug, "old": before, "new": after, "files": files}
    return visit.render("author/diff.html", context)


@router.get("/problems/{slug}/revisions/{number}.zip")
def send_files(visit: CurrentVisit, author: Author, slug: Slug, number: Number) -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        files = get_revision(session, slug, number).files
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{slug}.zip"'}
    return Response(write_archive(slug, files), media_type="application/zip", headers=headers)


@router.post("/problems/{slug}/revisions/{number}/publish", dependencies=[Depends(require_own_origin)])
def publish_again(visit: CurrentVisit, author: Author, slug: Slug, number: Number) -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        bring_back(session, slug, number, visit.actor)
    return see_other(f"/author/problems/{slug}")

"""The author pages: all problems, and one problem with its revisions."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Path, Query, Response
from pydantic import BaseModel

from app.accounts.permission import Viewer
from app.authoring.availability import AvailabilityWish, StillUsed, choose_availability
from app.authoring.publication import bring_back
from app.authoring.query import list_authored, list_published_by, list_verifications, page_revisions
from app.catalog.access import AVAILABILITIES
from app.catalog.archive import write_archive
from app.catalog.diff import compare_packages
from app.catalog.model import Availability
from app.catalog.publish import MAX_NUMBER, get_revision
from app.catalog.query import get_problem
from app.courses.due import describe_open_uses
from app.errors import Invalid
from app.learning.moderation import count_reports
from app.learning.problem_statistics import read_problem_statistics
from app.rejudging.choice import count_outdated
from app.similarity.check import may_compare
from app.validation import read_fields
from app.web.address import Slug
from app.web.audience import find_audience, list_audiences, read_audience
from app.web.permission import Author, EditedSlug
from app.web.render import HEADERS
from app.web.visit import CurrentVisit, Visit, require_own_origin, see_other

router = APIRouter(prefix="/author")

Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
Side = Annotated[int, Query(ge=1, le=MAX_NUMBER)]


class AvailabilityForm(BaseModel):
    """`availability`: a value of `list_audiences`."""

    availability: str = ""
    confirmed: bool = False

    def read(self) -> AvailabilityWish:
        """Raises Invalid."""
        return read_fields(AvailabilityWish, read_audience(self.availability) | {"confirmed": self.confirmed})


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
        problems = list_authored(session, author.id)
        own = list_published_by(session, author.id)
        verifications = list_verifications(session, user_id=author.id)
        reports = count_reports(session, author.id)
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
def show_problem(visit: CurrentVisit, author: Author, slug: EditedSlug, done: str = "", cursor: str = "") -> Response:
    return _render_problem(visit, author, slug, {"done": done}, cursor=cursor)


def _render_problem(
    visit: Visit, author: Viewer, slug: str, extra: Mapping[str, Any], status: int = 200, cursor: str = ""
) -> Response:
    with visit.transaction() as session:
        page = page_revisions(session, slug, cursor or None)
        verifications = list_verifications(session, slug=slug)
        outdated = count_outdated(session, slug)
        chosen = find_audience(session, slug)
        audiences = list_audiences(session, author, AVAILABILITIES)
        statistics = read_problem_statistics(session, slug)
        problem = get_problem(session, slug, author.id)
        compares = may_compare(session, author, slug)
    context = {
        "compares": compares,
        "slug": slug,
        "title": problem.title,
        "revisions": page.items,
        "older": page.next,
        "verifications": verifications,
        "outdated": outdated,
        "uses": describe_open_uses(page.open_assignments),
        "chosen": chosen,
        "audiences": audiences,
        "statistics": statistics,
        "has_hints": problem.hint_count > 0,
        **{"done": "", "fault": None, "is_used": False},
    }
    return visit.render("author/problem.html", {**context, **extra}, status)


@router.post("/problems/{slug}/availability", dependencies=[Depends(require_own_origin)])
def send_availability(
    visit: CurrentVisit, author: Author, slug: Slug, form: Annotated[AvailabilityForm, Form()]
) -> Response:
    try:
        with visit.transaction() as session:
            choose_availability(session, author, visit.actor, slug, form.read())
    except (Invalid, StillUsed) as fault:
        context = {"fault": str(fault), "is_used": isinstance(fault, StillUsed), "chosen": form.availability}
        return _render_problem(visit, author, slug, context, 409 if context["is_used"] else 422)
    return see_other(f"/author/problems/{slug}?done=availability#availability-section")


@router.get("/problems/{slug}/diff")
def show_diff(
    visit: CurrentVisit,
    slug: EditedSlug,
    old: Side,
    new: Side,
) -> Response:
    with visit.transaction() as session:
        before, after = get_revision(session, slug, old), get_revision(session, slug, new)
    files = compare_packages(before.files, after.files)
    context = {"slug": slug, "old": before, "new": after, "files": files}
    return visit.render("author/diff.html", context)


@router.get("/problems/{slug}/revisions/{number}.zip")
def send_files(visit: CurrentVisit, slug: EditedSlug, number: Number) -> Response:
    with visit.transaction() as session:
        files = get_revision(session, slug, number).files
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{slug}.zip"'}
    return Response(write_archive(slug, files), media_type="application/zip", headers=headers)


@router.post("/problems/{slug}/revisions/{number}/publish", dependencies=[Depends(require_own_origin)])
def publish_again(visit: CurrentVisit, slug: EditedSlug, number: Number) -> Response:
    with visit.transaction() as session:
        bring_back(session, slug, number, visit.actor)
    return see_other(f"/author/problems/{slug}")

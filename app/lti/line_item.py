"""An assignment's column in the grade book of a platform's course: found, or else created, once.

Some platforms ignore the filter of a list, so what they list is filtered here again.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.courses.model import Assignment
from app.lti.fetch import PlatformRefused, origins_of
from app.lti.launch import SERVICE_CLAIM
from app.lti.model import LineItem, Platform, PlatformCourse
from app.lti.service import PlatformClient, ServiceCall

_SCOPE = f"{SERVICE_CLAIM}lti-ags/scope/"
SCOPES = (f"{_SCOPE}lineitem", f"{_SCOPE}score", f"{_SCOPE}result.readonly")
_ITEM = "application/vnd.ims.lis.v2.lineitem+json"
_ITEMS = "application/vnd.ims.lis.v2.lineitemcontainer+json"
MAX_PAGES = 50


def describe_line_item(assignment: Assignment) -> dict[str, Any]:
    """Return the column. Its most is above 0, since platforms refuse 0."""
    most = float(sum(each.points for each in assignment.problems))
    return {"label": assignment.title, "scoreMaximum": most or 1.0, "resourceId": str(assignment.id)}


def get_line_item(
    session: Session, client: PlatformClient, platform: Platform, linked: PlatformCourse, assignment: Assignment
) -> str:
    """Return the column's address. Only one process looks at a time, so none makes a second column.

    Raises PlatformAway and PlatformRefused.
    """
    own = {"lti_course_id": linked.id, "assignment_id": assignment.id}
    session.execute(insert(LineItem).values(own).on_conflict_do_nothing())
    row = session.scalars(select(LineItem).filter_by(**own).with_for_update()).one()
    if row.url is None:
        row.url = _find(client, platform, linked, assignment, row) or _create(client, platform, linked, assignment, row)
    return row.url


def scopes_of(linked: PlatformCourse) -> list[str]:
    """Return the scopes that the platform offers: some refuse a request for any other."""
    return [scope for scope in SCOPES if scope in linked.scopes]


def _find(
    client: PlatformClient, platform: Platform, linked: PlatformCourse, assignment: Assignment, row: LineItem
) -> str | None:
    """Return the column that has the assignment's ID, or that belongs to the activity which opens the assignment."""
    own = str(assignment.id)
    for item in _list(client, platform, linked, {"resource_id": own}):
        if item.get("resourceId") == own:
            return _address_of(item)
    if row.resource_link_id is None:
        return None
    for item in _list(client, platform, linked, {"resource_link_id": row.resource_link_id}):
        if item.get("resourceLinkId") == row.resource_link_id and not item.get("resourceId"):
            return _address_of(item)
    return None


def _list(
    client: PlatformClient, platform: Platform, linked: PlatformCourse, query: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    assert linked.line_items_url is not None
    url = linked.line_items_url
    yield from list_pages(client, platform, scopes_of(linked), add_query(url, query), _ITEMS)


def list_pages(
    client: PlatformClient, platform: Platform, scopes: list[str], url: str, accepts: str, key: str = ""
) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list, or of the list at `key`, page by page. Raises PlatformAway and PlatformRefused.

    A page of another site is refused, since the access token would go there.
    """
    first: str | None = url
    for _ in range(MAX_PAGES):
        answer = client.call(platform, scopes, ServiceCall(url=url, accepts=accepts))
        found = answer.document.get(key) if key and isinstance(answer.document, dict) else answer.document
        if not isinstance(found, list):
            raise PlatformRefused(f"{platform.name} sent no list.")
        yield from (each for each in found if isinstance(each, dict))
        if answer.next_url is None:
            return
        if origins_of([answer.next_url]) != origins_of([first or url]):
            raise PlatformRefused(f"{platform.name} named a next page on another site.")
        url = answer.next_url
    raise PlatformRefused(f"{platform.name} sent more than {MAX_PAGES} pages.")


def _create(
    client: PlatformClient, platform: Platform, linked: PlatformCourse, assignment: Assignment, row: LineItem
) -> str:
    assert linked.line_items_url is not None
    item = describe_line_item(assignment)
    item |= {"resourceLinkId": row.resource_link_id} if row.resource_link_id else {}
    call = ServiceCall(url=linked.line_items_url, method="POST", accepts=_ITEM, sends=_ITEM, document=item)
    made = client.call(platform, scopes_of(linked), call).document
    if not isinstance(made, dict):
        raise PlatformRefused(f"{platform.name} created no column.")
    return _address_of(made)


def _address_of(item: Mapping[str, Any]) -> str:
    """Raises PlatformRefused."""
    address = item.get("id")
    if not isinstance(address, str):
        raise PlatformRefused("A column of the grade book has no address.")
    return address


def add_query(url: str, query: Mapping[str, str]) -> str:
    return f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(query)}"


def add_to_path(url: str, part: str) -> str:
    """Return the address of a service of a column, whose own address may have a query."""
    parts = urlsplit(url)
    return parts._replace(path=f"{parts.path}/{part}").geturl()

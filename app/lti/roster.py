"""The roster of a platform's course (NRPS), in the columns that `app/courses/roster.py` reads."""

from collections.abc import Mapping
from typing import Any

from app.errors import Conflict
from app.lti.launch import SERVICE_CLAIM, read_role
from app.lti.line_item import add_query, list_pages
from app.lti.link import LinkedCourse, number_of
from app.lti.service import PlatformClient

_SCOPE = f"{SERVICE_CLAIM}lti-nrps/scope/contextmembership.readonly"
_MEMBERS = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
COLUMNS = ("number", "email", "name")
PAGE = "200"


def read_roster(client: PlatformClient, found: LinkedCourse, page: str = PAGE) -> list[dict[str, str]]:
    """Return the platform's students. `page`: how many it is asked for at once.

    Raises Conflict if the platform offers none, PlatformAway and PlatformRefused.
    """
    if found.linked.members_url is None:
        raise Conflict(f"{found.platform.name} offers no roster. Its admin allows it for the tool there.")
    url = add_query(found.linked.members_url, {"limit": page})
    people = list_pages(client, found.platform, [_SCOPE], url, _MEMBERS, "members")
    return [_describe(found, each) for each in people if _is_student(each)]


def _is_student(person: Mapping[str, Any]) -> bool:
    is_active = person.get("status", "Active") == "Active"
    return is_active and isinstance(person.get("user_id"), str) and read_role(person.get("roles")) == "student"


def _describe(found: LinkedCourse, person: Mapping[str, Any]) -> dict[str, str]:
    number = _line(person, "lis_person_sourcedid") or number_of(found, person["user_id"])
    name = _line(person, "name") or f"{_line(person, 'given_name')} {_line(person, 'family_name')}".strip()
    return {"number": number, "email": _line(person, "email"), "name": name}


def _line(person: Mapping[str, Any], name: str) -> str:
    value = person.get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""

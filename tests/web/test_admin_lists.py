"""The lists of the admin pages: their filters and their pages."""

import html
import re

import pytest
from fastapi.testclient import TestClient


@pytest.mark.parametrize(
    ("path", "empty"),
    [
        ("/admin/problems?q=nothing&state=ready", "No matching problems."),
        ("/admin/invitations?state=used", "No matching invitations."),
        ("/admin/rejudgings?decision=applied", "No matching rejudgings."),
        ("/admin/users?q=nothing&role=author", "No matching users."),
        ("/admin/submissions?verdict=accepted&mode=sample", "No matching submissions."),
        ("/admin/audit?action=user.suspended", "No matching entries."),
    ],
)
def test_a_filter_is_in_the_address_and_in_its_field(admin: TestClient, path: str, empty: str) -> None:
    page = admin.get(path).text

    assert empty in page
    for value in (part.partition("=")[2] for part in path.partition("?")[2].split("&")):
        assert f'value="{value}"' in page


def test_the_next_page_of_a_list_keeps_its_filters(admin: TestClient) -> None:
    for number in range(51):
        admin.post("/admin/invitations", data={"note": f"guest {number}"})

    first = admin.get("/admin/invitations?state=open").text
    following = re.search(r'href="(/admin/invitations\?state=open&amp;cursor=[^"]+)"', first)

    assert following is not None
    second = admin.get(html.unescape(following[1])).text
    assert "guest 0<" in second
    assert '<option value="open" selected>' in second
    assert 'href="/admin/invitations?state=open"' in second


@pytest.mark.parametrize("path", ["/admin/audit?actor=nobody", "/admin/submissions?user=nobody"])
def test_an_unknown_user_is_named_and_the_form_stays(admin: TestClient, path: str) -> None:
    page = admin.get(path)

    assert page.status_code == 200
    assert "There is no user" in page.text
    assert 'value="nobody"' in page.text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/admin/audit?action=nonsense", "user.suspended"),
        ("/admin/audit?since=yesterday", "write it as 2026-01-31T09:00, in UTC"),
        ("/admin/submissions?verdict=fine", "erdict is"),
        ("/admin/submissions?mode=both", "ode is"),
        ("/admin/submissions?state=late", "tate is"),
        ("/admin/submissions?revision=1", "evision 1 needs a problem"),
        ("/admin/submissions?cursor=x", "is not valid for this list"),
    ],
)
def test_an_invalid_filter_is_explained(admin: TestClient, path: str, said: str) -> None:
    answer = admin.get(path)

    assert answer.status_code == 422
    assert said in answer.text

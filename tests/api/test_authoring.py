"""Authors send packages, follow their verification, publish them and go back: over REST, and each role as it may."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import httpx
import pytest
from sqlalchemy import func, select

from app.audit import AuditEvent
from app.authoring.model import Publication
from app.catalog.archive import MAX_UPLOAD_BYTES, write_archive
from app.catalog.folder import digest
from app.catalog.publish import publish
from app.courses.model import Extension
from app.database.engine import Database
from tests.api.conftest import SignedIn
from tests.authoring.steps import end, take, tell, verify
from tests.catalog.packages import FILES, PROBLEM, make_package
from tests.factories import make_assignment, make_course, make_worker
from tests.transaction import commit

SLUG = "scaled_sum"
ZIP = {"Content-Type": "application/zip"}
PACKAGE = write_archive(SLUG, FILES)
DIGEST = digest(make_package().files)
CHANGED = {**FILES, "editorial.md": "Multiply, then add.\n"}


def put(client: httpx.Client, body: bytes = PACKAGE, headers: dict[str, str] | None = None, **query: Any) -> Any:
    return client.put(f"/problems/{SLUG}", content=body, headers={**ZIP, **(headers or {})}, params=query)


def zipped(files: dict[str, str]) -> bytes:
    return write_archive(SLUG, files)


def names_of(answer: httpx.Response) -> list[str]:
    with ZipFile(BytesIO(answer.content)) as archive:
        return archive.namelist()


def test_a_package_is_taken_verified_and_published(author: httpx.Client, database: Database) -> None:
    sent = put(author)
    assert sent.status_code == 202
    assert sent.json() | {"state": "queued", "problem": SLUG, "digest": DIGEST, "publish": True} == sent.json()
    location = sent.headers["Location"].removeprefix("/api/v1")

    taken = take(database)
    tell(database, taken, "known", 1, 7)
    assert author.get(location).json() | {"state": "verifying", "step": "known", "done": 1, "total": 7} == (
        author.get(location).json()
    )
    end(database, taken)

    view = author.get(location, params={"wait": 30}).json()
    assert (view["state"], view["revision"], view["report"]["passed"]) == ("passed", 1, True)
    assert view["digest"] == DIGEST
    assert author.get(f"/problems/{SLUG}").json()["digest"] == DIGEST


def test_an_author_is_told_of_open_assignments_with_the_problem(author: httpx.Client, database: Database) -> None:
    now, day = datetime.now(UTC), timedelta(days=1)
    with database.transaction() as session:
        course, revision = make_course(session), publish(session, make_package())
        make_assignment(session, course, revision)
        closed = make_assignment(session, course, revision, due_at=now - day)
        extended = make_assignment(session, course, revision, due_at=now - day)
        session.add(Extension(assignment_id=extended.id, section="Mon", due_at=now + day))
        make_assignment(session, course, revision, opens_at=now + day, due_at=now + 2 * day)
        assert closed

    sent = put(author)
    view = author.get(sent.headers["Location"].removeprefix("/api/v1")).json()
    revisions = author.post(f"/problems/{SLUG}/revisions/1/publish").json()

    assert [answer["open_assignments"] for answer in (sent.json(), view, revisions)] == [2, 2, 2]
    assert author.get("/verifications").json()["items"][0]["open_assignments"] is None


def test_a_package_is_refused_and_not_published_with_the_reason(author: httpx.Client, database: Database) -> None:
    location = put(author).headers["Location"].removeprefix("/api/v1")
    verify(database, passed=False)

    view = author.get(location).json()

    assert (view["state"], view["revision"]) == ("refused", None)
    (finding,) = view["report"]["findings"]
    assert (finding["file"], finding["message"]) == (
        "submissions/wrong_answer/unscaled.py",
        "gets accepted; expected wrong_answer",
    )
    assert author.get(f"/problems/{SLUG}").status_code == 404


def test_a_package_is_only_verified_when_that_is_asked_and_published_later(
    author: httpx.Client, database: Database
) -> None:
    view = put(author, publish="false").json()
    early = author.post(f"/verifications/{view['id']}/publish")
    verify(database)
    assert author.get(f"/problems/{SLUG}").status_code == 404

    published = author.post(f"/verifications/{view['id']}/publish")

    assert early.status_code == 409
    assert published.json()["revision"] == 1
    assert author.get(f"/problems/{SLUG}").json()["digest"] == DIGEST


def test_a_package_that_is_sent_as_a_draft_is_never_open_to_students(
    author: httpx.Client, ada: httpx.Client, database: Database
) -> None:
    view = put(author, availability="draft").json()
    verify(database)

    assert view["availability"] == "draft"
    assert author.get(f"/problems/{SLUG}").json()["availability"] == "draft"
    assert ada.get(f"/problems/{SLUG}").status_code == 404
    with database.transaction() as session:
        published = select(AuditEvent.action, AuditEvent.after).where(AuditEvent.target == SLUG)
        assert list(session.execute(published)) == [("problem.published", {"revision": 1, "availability": "draft"})]


def test_a_package_keeps_its_availability_until_it_is_published_later(
    author: httpx.Client, ada: httpx.Client, database: Database
) -> None:
    view = put(author, publish="false", availability="unlisted").json()
    verify(database)

    author.post(f"/verifications/{view['id']}/publish")

    assert ada.get(f"/problems/{SLUG}").json()["availability"] == "unlisted"
    assert ada.get("/problems").json()["items"] == []


def test_publishing_later_keeps_the_availability_of_an_existing_problem(
    author: httpx.Client, database: Database
) -> None:
    view = put(author, publish="false", availability="draft").json()
    verify(database)
    put(author, zipped(CHANGED))
    verify(database)

    published = author.post(f"/verifications/{view['id']}/publish")

    problem = author.get(f"/problems/{SLUG}").json()
    assert (published.status_code, problem["digest"], problem["availability"]) == (200, DIGEST, "listed")


def test_a_new_revision_leaves_the_availability_as_it_is_unless_its_author_names_one(
    author: httpx.Client, database: Database
) -> None:
    put(author, availability="draft")
    verify(database)

    put(author, zipped(CHANGED))
    verify(database)
    kept = author.get(f"/problems/{SLUG}").json()["availability"]
    put(author, availability="listed")
    verify(database)

    assert kept == "draft"
    assert author.get(f"/problems/{SLUG}").json()["availability"] == "listed"
    with database.transaction() as session:
        changed = select(AuditEvent.before, AuditEvent.after).where(AuditEvent.action == "problem.availability_changed")
        assert list(session.execute(changed)) == [({"availability": "draft"}, {"availability": "listed"})]


def test_a_package_that_is_published_at_once_from_several_sides_is_published_once(
    author: httpx.Client, database: Database
) -> None:
    view = put(author, publish="false").json()
    verify(database)

    with ThreadPoolExecutor(4) as sides:
        answers = list(sides.map(lambda _: author.post(f"/verifications/{view['id']}/publish"), range(4)))

    assert [answer.json()["revision"] for answer in answers] == [1] * 4
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Publication)) == 1


def test_faults_of_a_package_have_file_line_and_remedy(author: httpx.Client) -> None:
    files = {**FILES, "problem.yaml": PROBLEM.replace("beginner", "easy"), "reference.py": "def scaled_sum(:\n"}

    answer = put(author, zipped(files))

    assert answer.status_code == 422
    assert answer.headers["Content-Type"] == "application/problem+json"
    yaml, code = answer.json()["errors"]
    assert (yaml["file"], yaml["line"], yaml["field"]) == ("problem.yaml", 3, "problem.yaml/difficulty")
    assert "use one of beginner" in yaml["remedy"]
    assert (code["file"], code["line"]) == ("reference.py", 1)


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Content-Type": "application/json"}, 415), ({"Content-Type": "text/plain"}, 415)],
)
def test_a_package_with_a_wrong_header_is_refused(author: httpx.Client, headers: dict[str, str], status: int) -> None:
    assert put(author, headers=headers).status_code == status


def test_a_package_that_replaces_no_digest_is_refused(author: httpx.Client) -> None:
    assert put(author, replaces="x").status_code == 422


def test_too_large_an_upload_is_refused_before_it_is_read(author: httpx.Client) -> None:
    assert put(author, b"PK" + bytes(MAX_UPLOAD_BYTES)).status_code == 413


def test_an_invalid_slug_is_refused(author: httpx.Client) -> None:
    answer = author.put("/problems/Not%20A%20Slug", content=PACKAGE, headers=ZIP)

    assert answer.status_code == 422
    assert "can't be a slug" in answer.text


def test_authors_share_all_problems_and_what_each_did_is_kept(
    author: httpx.Client, signed_in: SignedIn, database: Database
) -> None:
    commit(database, publish, make_package())
    put(author, zipped(CHANGED))
    verify(database)
    other = signed_in("noether", role="author")

    brought_back = other.post(f"/problems/{SLUG}/revisions/1/publish").json()["items"]

    assert [(each["number"], each["is_current"]) for each in brought_back] == [(2, False), (1, True)]
    assert [each["by"] for each in brought_back[0]["publications"]] == ["emmy"]
    assert [each["by"] for each in brought_back[1]["publications"]] == ["noether"]
    assert other.get(f"/problems/{SLUG}").json()["digest"] == DIGEST


def test_a_revisions_files_come_as_an_archive_that_is_the_same_package(
    author: httpx.Client, database: Database
) -> None:
    commit(database, publish, make_package())

    answer = author.get(f"/problems/{SLUG}/revisions/1/files")

    assert answer.headers["Content-Type"] == "application/zip"
    assert names_of(answer) == sorted(f"{SLUG}/{path}" for path in FILES)
    assert put(author, answer.content).json()["digest"] == DIGEST


def test_a_package_made_from_an_older_revision_is_refused(author: httpx.Client, database: Database) -> None:
    commit(database, publish, make_package())

    stale = put(author, zipped(CHANGED), replaces="0" * 64)
    new = put(author, zipped(CHANGED), replaces="")
    fresh = put(author, zipped(CHANGED), replaces=DIGEST)

    assert (stale.status_code, new.status_code, fresh.status_code) == (412, 412, 202)
    assert "compare the two and send it again" in stale.json()["detail"]


def test_an_author_has_only_so_many_packages_on_their_way(author: httpx.Client) -> None:
    answers = [put(author, zipped({**FILES, "editorial.md": f"{number}\n"})) for number in range(6)]

    assert [answer.status_code for answer in answers] == [202] * 5 + [429]
    cancelled = author.post(answers[0].headers["Location"].removeprefix("/api/v1") + "/cancel").json()
    assert (cancelled["state"], cancelled["notice"]) == ("failed", "It was cancelled.")
    assert put(author, zipped(CHANGED)).status_code == 202


def test_a_verification_says_when_no_worker_can_take_it(author: httpx.Client, database: Database) -> None:
    assert "No worker is running" in put(author).json()["notice"]
    commit(database, make_worker, "verify-cpu")

    (waiting,) = author.get("/verifications").json()["items"]
    assert waiting["notice"] is None


def every(client: httpx.Client, path: str) -> Iterator[dict[str, Any]]:
    """Yield the items of all pages of a list."""
    page = client.get(path, params={"limit": 2}).json()
    yield from page["items"]
    while page["next"] is not None:
        page = client.get(path, params={"limit": 2, "cursor": page["next"]}).json()
        yield from page["items"]


def test_lists_of_authors_work_go_on_from_page_to_page(author: httpx.Client, database: Database) -> None:
    for text in ("one", "two", "three"):
        put(author, write_archive(SLUG, FILES | {"editorial.md": f"{text}\n"})).raise_for_status()
        verify(database)

    revisions = [each["number"] for each in every(author, f"/problems/{SLUG}/revisions")]
    sent = [each["queued_at"] for each in every(author, "/verifications")]

    assert revisions == [3, 2, 1]
    assert len(sent) == 3
    assert sent == sorted(sent, reverse=True)
    assert author.get(f"/problems/{SLUG}/revisions?cursor=x").json()["code"] == "cursor_invalid"

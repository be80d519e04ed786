"""Authors' pages without scripts: each button sends the whole form, and nothing that was typed is lost."""

import html
import re
from collections.abc import Mapping
from uuid import UUID

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update
from sqlalchemy import text as statement

from app.accounts.model import User
from app.audit import Actor
from app.authoring.model import Verification
from app.authoring.publication import Publisher, publish_package
from app.authoring.query import get_verification, view_verification
from app.catalog.archive import write_archive
from app.catalog.folder import digest
from app.catalog.publish import find_current, publish
from app.database.engine import Database
from app.queue.model import Job
from tests.authoring.steps import take, tell, verify
from tests.catalog.packages import FILES, PROBLEM, make_files, make_listed, make_package
from tests.factories import make_judging, make_submission, make_user
from tests.transaction import commit, execute, fetch_one

SLUG = "scaled_sum"
DIGEST = digest(make_package().files)
CHANGED = {**FILES, "editorial.md": "Multiply, then add.\n"}
MANY_REVISIONS = statement("""INSERT INTO revisions (id, problem_id, number, digest, manifest, files, secret_seed)
    SELECT gen_random_uuid(), problem_id, n, md5(n::text), manifest, files, secret_seed
    FROM revisions, generate_series(2, 60) n""")


@pytest.fixture
def emmy(ada: TestClient, database: Database) -> TestClient:
    """The browser of an author."""
    execute(database, update(User).where(User.username == "ada").values(username="emmy", role="author"))
    return ada


def send(client: TestClient, files: Mapping[str, str], action: str = "check", **fields: str) -> httpx.Response:
    """The form as a browser sends it, with CR LF at each line's end."""
    usual = {"slug": SLUG, "base": DIGEST, "action": action}
    parts = [(name, (None, value)) for name, value in {**usual, **fields}.items()]
    for path, text in files.items():
        parts += [("path", (None, path)), ("text", (None, text.replace("\n", "\r\n")))]
    answer: httpx.Response = client.post("/author/edit", files=parts)
    return answer


def upload(client: TestClient, body: bytes, name: str = "scaled_sum.zip", **fields: str) -> httpx.Response:
    answer: httpx.Response = client.post("/author/upload", files={"upload": (name, body)}, data=fields)
    return answer


def typed(answer: httpx.Response) -> dict[str, str]:
    """Return the texts in the form of the answer, by path."""
    names = re.findall(r'name="path" value="([^"]*)"', answer.text)
    texts = re.findall(r'<textarea id="text-\d+" name="text".*?>\n(.*?)</textarea>', answer.text, re.DOTALL)
    return {html.unescape(name): html.unescape(text) for name, text in zip(names, texts, strict=True)}


def lines_marked(answer: httpx.Response) -> list[tuple[str, str]]:
    return re.findall(r'<li class="bad" id="(f\d+-L\d+)">.*?<small>(.*?)</small>', answer.text)


def waiting(database: Database) -> Verification:
    return fetch_one(database, select(Verification))


def current(database: Database) -> str:
    with database.transaction() as session:
        revision = find_current(session, SLUG)
        assert revision is not None
        return revision.digest


def test_the_editor_holds_the_files_of_the_current_revision(emmy: TestClient) -> None:
    page = emmy.get(f"/author/edit?problem={SLUG}")

    assert typed(page) == FILES
    assert "The files are valid" in page.text


@pytest.mark.parametrize("like", ["", SLUG])
def test_a_new_problem_begins_with_a_valid_package(emmy: TestClient, like: str) -> None:
    page = emmy.get(f"/author/edit?like={like}")
    files = typed(page)

    assert "The files are valid" in page.text
    assert ("TODO" in files["statement.md"]) is bool(like)
    assert "The files are valid" in send(emmy, files, slug="my_problem", base="", is_new="yes").text


def test_a_new_problem_is_a_draft_unless_its_author_chooses_otherwise(emmy: TestClient, database: Database) -> None:
    first = emmy.get("/author/edit")
    send(emmy, FILES, "publish", slug="my_problem", base="", is_new="yes")
    sent = waiting(database)

    again = emmy.get(f"/author/edit?verification={sent.id}")

    assert (sent.slug, sent.availability) == ("my_problem", "draft")
    for editor in (first, again):
        assert '<option value="draft" selected>' in editor.text


def test_the_editor_of_a_published_problem_leaves_its_availability(emmy: TestClient, database: Database) -> None:
    send(emmy, CHANGED, "publish", availability="draft")

    assert waiting(database).availability is None
    assert 'name="availability"' not in emmy.get(f"/author/edit?problem={SLUG}").text


def test_errors_stand_at_their_lines_and_the_typed_text_stays(emmy: TestClient) -> None:
    wrong = {**FILES, "problem.yaml": PROBLEM.replace("beginner", "<easy>"), "reference.py": "def scaled_sum(:\n"}

    page = send(emmy, wrong, "publish")

    assert page.status_code == 422
    assert typed(page) == wrong
    yaml, code = lines_marked(page)
    assert (yaml[0], code[0]) == ("f0-L3", "f3-L1")
    assert "is &#39;&lt;easy&gt;&#39;" in yaml[1]
    assert "2 errors." in page.text


@pytest.mark.parametrize("slug", ["", "../etc", "A B", "x" * 65, "a\0b"])
def test_an_invalid_slug_is_refused_and_the_typed_text_stays(emmy: TestClient, slug: str) -> None:
    page = send(emmy, FILES, "publish", slug=slug, base="", is_new="yes")

    assert page.status_code == 422
    assert typed(page) == FILES
    assert "a slug" in page.text
    assert "folder&#39;s name" not in page.text


def test_files_are_added_renamed_and_removed(emmy: TestClient) -> None:
    added = typed(send(emmy, FILES, "add", new_path="checker.py"))
    removed = typed(send(emmy, FILES, "remove 1"))
    twice = send(emmy, FILES, "add", new_path="starter.py")

    assert added == {**FILES, "checker.py": ""}
    assert removed.keys() == FILES.keys() - {"statement.md"}
    assert "The file starter.py already exists" in twice.text
    assert typed(twice) == FILES


def test_two_files_of_one_name_are_a_fault_and_both_stay(emmy: TestClient) -> None:
    parts = [("slug", (None, SLUG)), ("action", (None, "publish"))]
    for text in ("title: a", "title: b"):
        parts += [("path", (None, "problem.yaml")), ("text", (None, text))]

    page = emmy.post("/author/edit", files=parts)

    assert page.status_code == 422
    assert "is the name of two files" in page.text
    assert ">\ntitle: a<" in page.text
    assert ">\ntitle: b<" in page.text


def test_a_package_is_verified_and_published(emmy: TestClient, database: Database) -> None:
    sent = send(emmy, CHANGED, "publish")
    page = sent.headers["Location"]
    assert "In the queue" in emmy.get(page).text

    taken = take(database)
    tell(database, taken, "mutation", 3, 40)
    shown = emmy.get(page + "/result").text
    assert len(re.findall('<li class="(?:done|now|later)"', shown)) == 8
    assert re.search('<li class="now".*?Mutants of the reference.*?<progress value="3" max="40">', shown, re.DOTALL)
    execute(database, update(Job).values(lease_until=None))
    verify(database)

    assert "Published" in emmy.get(page).text
    assert current(database) == digest(make_files(CHANGED))


def test_a_package_that_passed_is_published_by_a_button(emmy: TestClient, database: Database) -> None:
    page = send(emmy, CHANGED, "publish").headers["Location"]
    execute(database, update(Verification).values(publish=False))  # as a request by REST
    verify(database)
    assert current(database) == DIGEST

    published = emmy.post(page + "/publish")

    assert published.headers["Location"] == f"/author/problems/{SLUG}"
    assert current(database) == digest(make_files(CHANGED))


def test_a_refused_package_shows_its_findings_in_the_editor(emmy: TestClient, database: Database) -> None:
    page = send(emmy, CHANGED, "publish").headers["Location"]
    verify(database, passed=False)

    shown = emmy.get(page).text
    forced = emmy.post(page + "/publish")

    assert "Refused" in shown
    assert "gets accepted; expected wrong_answer" in shown
    assert forced.status_code == 409
    assert current(database) == DIGEST
    editor = emmy.get(f"/author/edit?verification={waiting(database).id}")
    assert typed(editor) == CHANGED
    for form in (editor, send(emmy, CHANGED, verification=hidden(editor, "verification"))):
        assert "gets accepted; expected wrong_answer" in form.text
        assert "Add a case to <code>problem.yaml</code>" in form.text
        assert "The files are valid" not in form.text


def test_the_author_chooses_a_problem_to_begin_like(emmy: TestClient) -> None:
    assert f'<option value="{SLUG}"></option>' in emmy.get("/author").text
    assert f'href="/author/edit?like={SLUG}"' in emmy.get(f"/author/problems/{SLUG}").text


def test_a_running_verification_is_cancelled_once(emmy: TestClient, database: Database) -> None:
    page = send(emmy, CHANGED, "publish").headers["Location"]
    take(database)
    before = emmy.get(page).text

    emmy.post(page + "/cancel")
    after = emmy.get(page).text
    with database.transaction() as session:
        told = view_verification(session, get_verification(session, UUID(page.rpartition("/")[2])))

    cancel = f'action="{page}/cancel"'
    assert (cancel in before, cancel in after) == (True, False)
    assert "Cancelled" in after
    assert "tone-wait" in after
    assert "You can edit the files and verify them again." in after
    assert "Not verified" not in after
    assert "Cancelled" in emmy.get("/author").text
    assert (told.state, told.is_cancelled) == ("failed", True)


def test_an_author_is_warned_of_a_newer_revision(emmy: TestClient, database: Database) -> None:
    commit(database, publish, make_package(problem=PROBLEM.replace("Scaled sum", "Of somebody else")))

    refused = send(emmy, CHANGED, "publish")
    again = send(emmy, CHANGED, "publish", base=hidden(refused, "base"))

    assert (refused.status_code, again.status_code) == (412, 412)
    assert typed(refused) == CHANGED
    assert "was published after you opened these files" in refused.text
    assert send(emmy, CHANGED, "publish", overwrite=hidden(refused, "overwrite")).status_code == 303


def test_an_existing_problem_is_replaced_only_after_a_warning(emmy: TestClient) -> None:
    new = {"base": "", "is_new": "yes"}
    checked = emmy.post("/author/check", data={"slug": SLUG, **new}).json()
    free = emmy.post("/author/check", data={"slug": "another", **new}).json()

    assert f'href="/author/edit?problem={SLUG}"' in checked["other"]
    assert free["other"] == ""
    for _ in range(2):
        refused = send(emmy, FILES, "publish", **new)
        assert refused.status_code == 412
        assert "already exists" in refused.text
    assert send(emmy, FILES, "publish", **new, overwrite=hidden(refused, "overwrite")).status_code == 303


def hidden(page: httpx.Response, name: str) -> str:
    """Return the value of a hidden field."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page.text)
    assert found is not None
    return found[1]


def test_the_page_of_a_problem_compares_revisions_and_restores_an_older_one(
    emmy: TestClient, database: Database
) -> None:
    send(emmy, CHANGED, "publish")
    verify(database)

    shown = emmy.get(f"/author/problems/{SLUG}/diff?old=1&new=2").text
    assert re.search(r'class="removed"><td>1</td><td></td>.*Add, then multiply', shown)
    assert re.search(r'class="added"><td></td><td>1</td>.*Multiply, then add', shown)

    emmy.post(f"/author/problems/{SLUG}/revisions/1/publish")
    assert current(database) == DIGEST
    assert "by emmy" in emmy.get(f"/author/problems/{SLUG}").text


def test_older_revisions_are_on_pages_of_their_own(emmy: TestClient, database: Database) -> None:
    execute(database, MANY_REVISIONS)

    first = emmy.get(f"/author/problems/{SLUG}").text
    (older,) = re.findall(r'href="(/author/problems/.*?)">Older revisions<', first)
    second = emmy.get(html.unescape(older)).text

    assert [*numbers(first), *numbers(second)] == [str(number) for number in range(60, 0, -1)]
    assert "Older revisions" not in second
    assert re.findall(r'<input id="(?:old|new)".*? value="(\d+)"', second) == ["9", "10"]
    assert "identical" in emmy.get(f"/author/problems/{SLUG}/diff?old=1&new=60").text
    assert emmy.get(f"/author/problems/{SLUG}?cursor=nonsense").status_code == 422


def numbers(page: str) -> list[str]:
    return re.findall(r"<h3>Revision (\d+)", page)


def test_a_revision_is_downloaded_and_uploaded_again(emmy: TestClient) -> None:
    archive = emmy.get(f"/author/problems/{SLUG}/revisions/1.zip").content

    assert typed(upload(emmy, archive, slug=SLUG)) == FILES


def test_a_broken_package_can_be_uploaded_and_fixed_here(emmy: TestClient) -> None:
    body = write_archive(SLUG, {**FILES, "reference.py": "def (:\n"})

    page = upload(emmy, body, name="Download (1).zip", is_new="yes")

    assert page.status_code == 200
    assert "is not valid Python" in page.text
    assert f'name="slug" value="{SLUG}"' in page.text
    assert f"The problem <b>{SLUG}</b> already exists" in page.text


@pytest.mark.parametrize(
    "path", ["/edit?problem=nothing", "/edit?like=nothing", "/edit?verification=nothing", "/problems/nothing"]
)
def test_an_unknown_problem_or_verification_is_not_found(emmy: TestClient, path: str) -> None:
    assert emmy.get("/author" + path).status_code in (404, 422)


def test_hostile_names_and_texts_are_shown_as_text(emmy: TestClient) -> None:
    script = "</textarea><script>alert(1)</script>"

    page = send(emmy, {**FILES, f"{script}.py": script, "problem.yaml": f"title: {script}\n"}, slug='"><script>')

    assert "<script>alert" not in page.text
    assert '"><script>' not in page.text


def test_a_package_beyond_a_limit_comes_back_with_its_error(emmy: TestClient) -> None:
    long = {**FILES, "editorial.md": "x" * 600_000}
    many = {**FILES, **{f"submissions/wrong_answer/w{number}.py": "# wrong\n" for number in range(250)}}
    faulty = {**FILES, "problem.yaml": "cases:\n" + "".join(f"- {{k{number}: 1}}\n" for number in range(1000))}

    assert "but a file may have" in send(emmy, long).text
    assert typed(send(emmy, long)) == long
    assert "258 files" in send(emmy, many).text
    assert "100 or more errors" in send(emmy, faulty).text


@pytest.mark.parametrize("policy", [{"requests_per_minute": 2}], indirect=True)
def test_a_request_of_an_author_counts_once(emmy: TestClient) -> None:
    assert [emmy.get("/author/edit").status_code for _ in range(3)] == [200, 200, 429]


def test_a_withdrawn_problem_says_so_and_takes_no_submissions(
    emmy: TestClient,
) -> None:
    page = emmy.get(f"/author/problems/{SLUG}").text
    answer = emmy.post(f"/author/problems/{SLUG}/availability", data={"availability": "withdrawn"})

    assert "Withdrawn: Everyone can still read it." in page
    assert answer.headers["location"] == f"/author/problems/{SLUG}?done=availability#availability-section"
    assert "Saved. Withdrawn: Everyone can still read it." in emmy.get(answer.headers["location"]).text
    assert 'id="submit"' not in emmy.get(f"/problems/{SLUG}").text
    assert "This problem is withdrawn, so it takes no submissions." in emmy.get(f"/problems/{SLUG}").text
    assert '<option value="withdrawn" selected>' in emmy.get(f"/author/problems/{SLUG}").text
    assert "This problem is withdrawn and takes no new submissions." in emmy.get(f"/problems/{SLUG}").text
    assert f'href="/problems/{SLUG}"' not in emmy.get("/problems").text
    sent = emmy.post(f"/problems/{SLUG}/submissions", data={"source": "x = 1", "mode": "submit", "attempt": "1"})
    assert "is withdrawn and takes no new submissions" in sent.text
    assert "x = 1" in sent.text


def test_students_do_not_find_a_draft(emmy: TestClient, database: Database) -> None:
    emmy.post(f"/author/problems/{SLUG}/availability", data={"availability": "draft"})
    for_author = emmy.get(f"/problems/{SLUG}")
    execute(database, update(User).where(User.username == "emmy").values(role="student"))

    for_student = [emmy.get(f"/problems/{SLUG}{path}").status_code for path in ("", "/solution", "/quiz", "/learning")]

    assert "This problem is a draft." in for_author.text
    assert for_student == [404, 404, 404, 404]


def test_the_history_of_a_draft_is_there_only_for_students_who_tried_it(emmy: TestClient, database: Database) -> None:
    emmy.post(f"/author/problems/{SLUG}/availability", data={"availability": "draft"})
    execute(database, update(User).where(User.username == "emmy").values(role="student"))
    stranger = emmy.get(f"/submissions?problem={SLUG}")
    with database.transaction() as session:
        user = session.scalars(select(User)).one()
        make_judging(session, make_submission(session, user, find_current(session, SLUG)).id)

    tried = emmy.get(f"/submissions?problem={SLUG}")

    assert (stranger.status_code, tried.status_code) == (404, 200)
    assert stranger.status_code == emmy.get("/submissions?problem=nothing").status_code


def test_only_authors_read_that_no_student_has_solved_a_problem(emmy: TestClient, database: Database) -> None:
    words = "No student has solved this problem yet."
    author = emmy.get(f"/problems/{SLUG}").text
    with database.transaction() as session:
        own = make_submission(session, session.scalars(select(User)).one(), find_current(session, SLUG))
        make_judging(session, own.id, verdict="accepted")
    solved_by_author = emmy.get(f"/problems/{SLUG}").text
    with database.transaction() as session:
        by_student = make_submission(session, None, find_current(session, SLUG))
        make_judging(session, by_student.id, verdict="accepted")
    solved = emmy.get(f"/problems/{SLUG}").text
    emmy.cookies.clear()

    assert [words in page for page in (author, solved_by_author, solved)] == [True, True, False]
    assert words not in emmy.get(f"/problems/{SLUG}").text


def test_the_list_of_problems_keeps_its_filters(emmy: TestClient) -> None:
    found = emmy.get("/author?q=scaled+sum&availability=listed").text
    none = emmy.get("/author?q=nothing").text

    assert f'href="/author/problems/{SLUG}"' in found
    assert 'value="scaled sum"' in found
    assert "No matching problems." in none


def test_an_author_lists_only_the_problems_that_they_published(emmy: TestClient, database: Database) -> None:
    with database.transaction() as session:
        theirs = make_user(session, "theo", role="author")
        publish_package(session, make_listed("of_theo"), Publisher(actor=Actor(user_id=theirs.id, channel="page")))
        own = session.scalars(select(User).where(User.username == "emmy")).one()
        publish_package(session, make_listed("of_emmy"), Publisher(actor=Actor(user_id=own.id, channel="page")))

    own_only = emmy.get("/author?by=me").text
    everyone = emmy.get("/author").text

    assert 'href="/author/problems/of_emmy"' in own_only
    assert 'href="/author/problems/of_theo"' not in own_only
    assert 'href="/author/problems/of_theo"' in everyone
    assert '<option value="me" selected>' in own_only


def preview(client: TestClient, files: Mapping[str, str]) -> str:
    parts = [("slug", (None, SLUG)), ("action", (None, "preview"))]
    for path, text in files.items():
        parts += [("path", (None, path)), ("text", (None, text))]
    shown: str = client.post("/author/check", files=parts).json()["preview"]
    assert client.post("/author/preview", files=parts).text == shown
    return shown


def test_a_preview_shows_the_files_as_students_will_see_them(emmy: TestClient) -> None:
    manifest = PROBLEM.replace("Use numpy.", "Sum first.").replace("What is 1 + 1?", "Why?")

    page = preview(emmy, {**FILES, "statement.md": "Scale $x$, <script>.\n", "problem.yaml": manifest})

    assert "Scaled sum" in page
    assert "<math" in page
    assert "<script>" not in page
    assert "Sum first." in page
    assert "Why?" in page
    assert "draft-faults" not in page


def test_a_preview_of_faulty_files_shows_each_part_and_its_fault_there(emmy: TestClient) -> None:
    manifest = PROBLEM.replace("beginner", "easy").replace("answer: 1", "answer: 7")
    manifest = manifest.replace("[Use numpy.]", "[Sum first., 3]")

    page = preview(emmy, {**FILES, "problem.yaml": manifest, "statement.md": "Scale it.\n", "reference.py": "def (:"})

    places = [
        page.index(text) for text in ("reference.py", "difficulty", "Scale it.", "hints[1]", "Sum first.", "quiz[0]")
    ]
    assert places == sorted(places)

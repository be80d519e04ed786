"""The list of problems, and the page of one."""

import json
import re
from http import HTTPStatus

from fastapi.testclient import TestClient
from sqlalchemy import select, update

from app.catalog.model import Problem
from app.catalog.package import load_package, package_from_files
from app.catalog.publish import publish
from app.database.engine import Database
from app.policy import PolicyRow
from app.settings import ROOT
from app.submissions.model import Submission
from tests.catalog.packages import PROBLEM, make_package
from tests.factories import make_worker
from tests.transaction import commit
from tests.web.submit_form import PAGE, SOURCE, submit


def test_the_list_shows_summary_difficulty_time_and_tags(anyone: TestClient) -> None:
    page = anyone.get("/problems").text

    for words in ("Scaled sum", "Add up a vector", "Beginner", "5 min", "sums", "Basics"):
        assert words in page


def test_a_problem_shows_its_statement_its_parameters_and_its_starter(anyone: TestClient) -> None:
    page = anyone.get(PAGE).text

    for words in (
        "Return the sum of <code>x</code>",
        "<code>numpy.ndarray</code>",
        "<code>(N,)</code>",
        "One hint for when you are stuck.",
        "Two numbers.",
    ):
        assert words in page
    assert "def scaled_sum(x, y, scale, options):\n    ...\n</textarea>" in page
    assert "Sign in to submit" in page


def test_the_page_of_a_problem_shows_no_hidden_part_of_the_package(ada: TestClient) -> None:
    page = ada.get(PAGE).text

    for secret in ("x.sum() * scale", "def make", "Add, then multiply", "forgets the scale", "draw"):
        assert secret not in page


def test_a_link_to_a_problem_says_what_it_is_unless_it_is_a_draft(admin: TestClient, database: Database) -> None:
    listed = admin.get(PAGE).text
    with database.transaction() as session:
        session.execute(update(Problem).values(availability="draft"))
    draft = admin.get(PAGE).text

    assert '<meta property="og:title" content="Scaled sum">' in listed
    assert '<meta name="description" content="Add up a vector and scale the sum.">' in listed
    assert "og:title" not in draft


def test_an_unknown_address_has_a_page_that_leads_back(anyone: TestClient) -> None:
    for path in ("/problems/unknown", "/problems/%00", "/problems/UPPER", "/nowhere", "/static/nothing.css"):
        answer = anyone.get(path)

        assert answer.status_code == HTTPStatus.NOT_FOUND
        assert "Page not found" in answer.text
        assert 'href="/"' in answer.text


def test_an_invalid_source_is_refused_beside_the_editor(ada: TestClient) -> None:
    for source in ("", "   \n", "x = '\0'", "x = 1\n" * 50 * 1024):
        answer = ada.post(f"{PAGE}/submissions", data={"source": source, "mode": "submit"})

        assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        assert 'aria-invalid="true"' in answer.text
        assert "The source " in answer.text


def test_a_submission_of_megabytes_is_refused(ada: TestClient) -> None:
    answer = ada.post(f"{PAGE}/submissions", data={"source": "#" * 2 * 2**20})

    assert answer.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert "data-advice" in answer.text


def test_too_many_waiting_submissions_keep_the_code(ada: TestClient, database: Database) -> None:
    with database.transaction() as session:
        session.add(PolicyRow(name="max_pending", value=1))
    submit(ada)

    answer = ada.post(f"{PAGE}/submissions", data={"source": "kept = 1", "attempt": "2"})

    assert answer.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert "kept = 1</textarea>" in answer.text
    assert "the limit is 1. " in answer.text


def test_a_double_click_sends_one_submission(ada: TestClient) -> None:
    form = {"source": SOURCE, "mode": "submit", "attempt": "of this page"}

    first = ada.post(f"{PAGE}/submissions", data=form)
    second = ada.post(f"{PAGE}/submissions", data=form)
    edited = ada.post(f"{PAGE}/submissions", data=form | {"source": SOURCE + "# edited"})

    assert first.headers["location"] == second.headers["location"] != edited.headers["location"]


def test_line_ends_of_a_browser_become_those_of_python(ada: TestClient) -> None:
    path = submit(ada, SOURCE.replace("\n", "\r\n"))

    given = ada.get(f"{PAGE}?from={path.removeprefix('/submissions/')}").text

    assert f"{SOURCE}</textarea>".replace("\n", "¶") in given.replace("\n", "¶")
    assert "\r" not in given


def test_an_earlier_submission_opens_in_the_editor_for_its_owner_only(ada: TestClient) -> None:
    path = submit(ada, "mine = 'private'")
    address = f"{PAGE}?from={path.removeprefix('/submissions/')}"

    assert "mine = " in ada.get(address).text
    ada.cookies.clear()
    assert "mine = " not in ada.get(address).text


def test_every_page_forbids_scripts_from_elsewhere_and_holds_none_inline(ada: TestClient) -> None:
    for path in ("/", "/problems", "/tracks", "/tracks/basics", PAGE, "/submissions", "/sign-in", "/nowhere"):
        answer = ada.get(path)

        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "<style" not in answer.text
        assert "style=" not in answer.text
        assert " onclick" not in answer.text
        scripts = re.findall(r"<script[^>]*>(?!</script>)|<script(?![^>]* src=\"/static/)", answer.text)
        assert scripts == []


def test_a_problem_says_how_its_output_is_judged(anyone: TestClient, database: Database) -> None:
    text = PROBLEM.replace("{type: numpy, shape: [], dtype: float32}", "{type: dict}")
    with database.transaction() as session:
        publish(
            session, make_package(problem=text + 'checkers: {tokens: {checker: exact}, "*": {checker: closeness}}\n')
        )

    page = anyone.get(PAGE).text

    assert "<code>tokens</code> must be bitwise equal to the expected one." in page
    assert "The output must be within the tolerance in every element." in page


def test_a_problem_says_how_its_answer_must_be_computed(anyone: TestClient, database: Database) -> None:
    with database.transaction() as session:
        publish(session, load_package(ROOT / "problems" / "microbatched_grads"))

    page = anyone.get("/problems/microbatched_grads").text
    problem = anyone.get("/api/v1/problems/microbatched_grads").json()

    assert "Your program must use scan of length n_microbatches for x_full and y_full." in page
    assert any("max_flops_ratio" in requirement for requirement in problem["requirements"])


def test_custom_inputs_are_sent_with_the_code_and_kept_when_they_are_refused(
    ada: TestClient, database: Database
) -> None:
    typed = {"source": "x = 1", "mode": "own", "inputs": "x: [1]\r\ny: [[1, 2]]\r\nscale: 2\r\noptions: {}\r\n"}

    sent = ada.post(f"{PAGE}/submissions", data=typed)
    refused = ada.post(f"{PAGE}/submissions", data=typed | {"inputs": "x: <b>\r\n"})

    assert sent.status_code == HTTPStatus.SEE_OTHER
    with database.transaction() as session:
        submission = session.scalars(select(Submission)).one()
        assert (submission.mode, submission.inputs) == ("sample", typed["inputs"].replace("\r", ""))
    assert refused.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "line 1: x is &#39;&lt;b&gt;&#39;, but float32 takes numbers" in refused.text
    assert 'rows="6"' in refused.text
    assert "x: &lt;b&gt;\n</textarea>" in refused.text


def test_problems_of_one_exercise_link_each_other(anyone: TestClient, database: Database) -> None:
    with database.transaction() as session:
        for slug, label in (("sum_in_numpy", "NumPy"), ("sum_in_torch", "PyTorch")):
            exercise = f"exercise: {{name: sum, label: {label}}}\n"
            publish(session, make_package(slug, exercise + PROBLEM))

    page = anyone.get("/problems/sum_in_numpy").text
    alone = anyone.get(PAGE).text

    assert 'href="/problems/sum_in_torch" title="Scaled sum">PyTorch</a>' in page
    assert 'aria-current="page">NumPy</a>' in page
    assert "This exercise in" not in alone


def test_a_problem_opens_as_a_notebook_with_its_starter_and_the_magic(anyone: TestClient) -> None:
    answer = anyone.get(f"{PAGE}/notebook")

    notebook = json.loads(answer.text)
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]

    assert answer.headers["content-disposition"] == 'attachment; filename="scaled_sum.ipynb"'
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert cells[0].startswith("# Scaled sum\n")
    assert cells[1].startswith("%load_ext allclose\n")
    assert cells[3].startswith("%%allclose scaled_sum --run --exec --server http")
    assert cells[3].endswith("def scaled_sum(x, y, scale, options):\n    ...")
    assert len({cell["id"] for cell in notebook["cells"]}) == len(cells)
    assert anyone.get("/problems/unknown/notebook").status_code == 404


def test_a_problem_for_gpus_says_whether_an_interpreter_judges_it_here(ada: TestClient, database: Database) -> None:
    kernel = load_package(ROOT / "tests" / "kinds" / "triton")
    limits = (b"memory_mib: 512", b"memory_mib: 512, gpu: true, interpreter: true")
    text = kernel.files["problem.yaml"].replace(*limits)
    commit(database, publish, package_from_files("triton", {**kernel.files, "problem.yaml": text}))

    without = ada.get("/problems/triton").text
    commit(database, make_worker, "gpu")
    with_gpu = ada.get("/problems/triton").text

    assert "Kernels run in an interpreter, since no worker here has a GPU now." in without
    assert "It runs on a GPU." not in without
    assert "It runs on a GPU." in with_gpu
    assert "An interpreter runs your kernels first" in with_gpu
    assert "since no worker here has a GPU" not in with_gpu


def test_a_kernel_is_said_to_be_watched_and_its_missing_framework_is_told(ada: TestClient, database: Database) -> None:
    with database.transaction() as session:
        publish(session, load_package(ROOT / "tests" / "kinds" / "triton"))
        make_worker(session, "cpu", lacks=["triton"])

    page = ada.get("/problems/triton").text

    assert "(watched while your program runs)" in page
    assert "This problem needs triton, which no worker of this server has." in page
    sent = ada.post("/problems/triton/submissions", data={"source": SOURCE, "attempt": "1"})
    assert sent.status_code == HTTPStatus.UNPROCESSABLE_ENTITY

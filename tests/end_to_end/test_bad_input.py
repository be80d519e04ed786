"""Mistakes of students: each gets a verdict or a refusal, and a message that says what to do."""

import httpx
import pytest

from tests.serving import SLUG, Served, Student

HEAD = "def standardise(x, eps):\n"

# name: (source, verdict, words of the message)
SOURCES = {
    "syntax_error": (HEAD.replace(":", ""), "invalid_submission", "line 1"),
    "missing_entry_point": ("def another(x):\n    return x\n", "invalid_submission", "standardise"),
    "entry_point_not_callable": ("standardise = 60.0\n", "invalid_submission", "called"),
    "wrong_arity": ("def standardise(x):\n    return x\n", "invalid_submission", "eps"),
    "endless_import": ("while True:\n    pass\n", "time_limit_exceeded", "load"),
    "unsupported_output": (HEAD + "    return (each for each in x)\n", "wrong_answer", "generator"),
    "returns_nothing": (HEAD + "    x * 2\n", "wrong_answer", "return"),
    "missing_import": ("import pandas\n\n" + HEAD + "    return x\n", "runtime_error", "pandas"),
    "starts_a_process": (
        "import subprocess\n\n" + HEAD + "    return subprocess.run(['ls'])\n",
        "runtime_error",
        "process",
    ),
}


@pytest.fixture(scope="module")
def student(served: Served) -> Student:
    return served.sign_up()


# Of these the quick run has one for each way a source can fail: it does not parse, its answer is no array, it raises.
QUICK = ("syntax_error", "unsupported_output", "missing_import")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.whole) for name in SOURCES]
)
@pytest.mark.timeout(900)  # on a machine that other tests overload, it runs twice, with a wait between
def test_a_mistaken_source_gets_its_verdict_and_a_message(student: Student, name: str) -> None:
    source, verdict, words = SOURCES[name]

    judged = student.submit(SLUG, source)

    assert judged["verdict"] == verdict
    assert {case["verdict"] for case in judged["cases"]} == {verdict}
    assert words in judged["cases"][0]["report"]["message"]


REFUSED = {
    "unknown_problem": ("nothing", {"source": HEAD, "mode": "submit"}, 404, "nothing"),
    "empty_source": (SLUG, {"source": "", "mode": "submit"}, 422, "empty"),
    "large_source": (SLUG, {"source": "#" * 300 * 1024, "mode": "submit"}, 422, "262144"),
    "null_byte": (SLUG, {"source": HEAD + "\x00", "mode": "submit"}, 422, "NUL"),
    "unknown_mode": (SLUG, {"source": HEAD, "mode": "fast"}, 422, "sample"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_can_not_be_judged_is_refused_with_the_way_out(student: Student, name: str) -> None:
    slug, body, status, words = REFUSED[name]

    answer = student.client.post(f"/problems/{slug}/submissions", json=body)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.text


def test_a_body_that_is_not_utf_8_is_refused(student: Student) -> None:
    headers = {"content-type": "application/json"}
    body = b'{"source": "\xff\xfe", "mode": "submit"}'

    answer = student.client.post(f"/problems/{SLUG}/submissions", content=body, headers=headers)

    assert answer.status_code == 400
    assert "UTF-8" in answer.text


def test_a_source_of_another_system_is_honest(student: Student) -> None:
    source = "\ufeff# -*- coding: utf-8 -*-\r\n" + HEAD.replace("\n", "\r\n") + "    return x * 0\r\n"

    assert student.submit(SLUG, source, mode="sample")["verdict"] == "wrong_answer"


def test_only_samples_are_run_in_sample_mode(student: Student) -> None:
    judged = student.submit(SLUG, HEAD + "    return x\n", mode="sample")

    assert {case["visibility"] for case in judged["cases"]} == {"sample"}


def test_the_page_of_an_unknown_problem_says_so(served: Served) -> None:
    answer = httpx.get(f"{served.url}/problems/nothing", headers={"accept": "text/html"})

    assert answer.status_code == 404
    assert "nothing" in answer.text

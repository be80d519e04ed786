"""A mistake that a package knows, from a student's source to the sentence: REST, queue, worker, boxes, database."""

import time
from typing import Any

import pytest

from app.settings import ROOT
from tests.end_to_end.conftest import LIMITS
from tests.serving import Student, serve

KNOWN = ROOT / "tests" / "hostile" / "problems"
PATIENCE_SECONDS = 300

# The known mistake in the package answers `x * 0`.
ZEROS = "import numpy as np\n\ndef standardise(x, eps):\n    return np.zeros(len(x), np.float32)\n"


def hinted(student: Student, submission: str) -> dict[str, Any]:
    """The first one's hint comes when it has been computed what known mistakes answer."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (view := student.result(submission))["hint"] is None and time.monotonic() < deadline:
        time.sleep(0.2)
    return view


@pytest.mark.whole
@pytest.mark.timeout(600)
def test_a_wrong_submission_is_told_which_mistake_it_makes(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = {"ALLCLOSE_PROBLEMS": str(KNOWN), "ALLCLOSE_SANDBOX": "bubblewrap"}
    with serve(tmp_path_factory.mktemp("served"), settings, policy=LIMITS) as served:
        student = served.sign_up()

        first = hinted(student, student.send("standardise", ZEROS))
        other = student.submit("standardise", ZEROS.replace("zeros", "ones"))

    assert (first["verdict"], first["hint"]) == ("wrong_answer", "answers zeros")
    assert (other["verdict"], other["hint"]) == ("wrong_answer", None)
    assert {tuple(case["report"]) for case in first["cases"] if case["visibility"] == "hidden"} == {("category",)}

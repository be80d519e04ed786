"""A sample case as Python that students paste into their editor."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.catalog.query import SampleCase, get_problem
from app.database.engine import Database
from app.judging.report import copyable_preview
from app.web.notebook import sample_python
from tests.transaction import commit
from tests.values.trees import is_same
from tests.web.judged import INPUTS, RIGHT

PROBLEM = "/problems/scaled_sum"


def test_a_sample_is_copied_as_python(anyone: TestClient, database: Database) -> None:
    problem = commit(database, get_problem, "scaled_sum")
    sample = SampleCase(name="small", doc="Two numbers.", inputs=INPUTS, expected=copyable_preview(RIGHT))

    text = sample_python(problem, sample)

    assert text.splitlines() == [
        "# small: Two numbers.",
        "import numpy as np",
        "",
        "x = np.array([1.0, 2.5], dtype='float32')",
        "y = {}",
        "scale = 2.0",
        "options = {'weights': [1.0, 2.0]}",
        "answer = scaled_sum(x, y, scale, options)",
        "expected = np.array(7.0, dtype='float32')",
    ]
    assert sample_python(problem, sample.model_copy(update={"inputs": None})) == ""
    assert anyone.get(PROBLEM).is_success


@pytest.mark.parametrize(
    "value",
    [
        {"linear/~/w": np.ones(2, np.float32), "linear": {"~": {"w": 1}}},
        {3: "zero", 1: "one", "1": 2, 2.5: None, ("a", 0): True, None: [], False: {}},
        [
            "a\tb\r\nc\u00a0d",
            "\u200fabc e\u0301 \U0001f468\u200d\U0001f469",
            "word " * 150,
            'it\'s "..."\x00\x85',
            b"\xff",
        ],
        ((), (1,), [(2, 3)], {}, 2**70, -0.0, float("inf"), 1j, np.zeros((0, 2)), np.bool_([True])),
        [*range(100)],
        "# no comment \\ ...",
    ],
    ids=["keys", "types of keys", "texts", "containers", "many", "text"],
)
def test_a_copied_value_is_the_value(anyone: TestClient, database: Database, value: Any) -> None:
    problem = commit(database, get_problem, "scaled_sum")
    sample = SampleCase(name="small", doc=None, inputs={}, expected=copyable_preview(value))

    text = sample_python(problem, sample).replace("answer = scaled_sum(x, y, scale, options)\n", "")
    found: dict[str, Any] = {}
    exec(text, found)

    assert is_same(found["expected"], value)
    assert anyone.get(PROBLEM).is_success


def test_values_too_large_to_copy_are_left_out_with_a_comment(anyone: TestClient, database: Database) -> None:
    problem = commit(database, get_problem, "scaled_sum")
    large, text = np.zeros((512, 8), np.float32), "word " * 10_000
    values: dict[str, Any] = {
        "x": large,
        "y": {"a": large, "b": "short"},
        "scale": text,
        "options": {"names": [text, 2]},
    }
    inputs = {name: copyable_preview(value) for name, value in values.items()}
    sample = SampleCase(name="large", doc=None, inputs=inputs, expected=copyable_preview(list("abcdefgh" * 1000)))

    assert sample_python(problem, sample).split("\n") == [
        "# large",
        "",
        "x = ...  # float32 of shape (512, 8), too large to copy",
        "y = {'a': ..., 'b': 'short'}  # too large to copy",
        "scale = ...  # too large to copy",
        "options = {'names': [..., 2]}  # too large to copy",
        "answer = scaled_sum(x, y, scale, options)",
        "expected = ...  # too large to copy",
        "",
    ]
    assert anyone.get(PROBLEM).is_success

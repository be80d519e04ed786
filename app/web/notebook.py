"""A problem as a Jupyter notebook, and its sample cases as Python."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from app.catalog.dtype import DTYPES
from app.catalog.parameter import Parameter
from app.catalog.query import ProblemDetail, SampleCase
from app.judging.printable_text import printable
from app.web.picture.leaf_values import literal
from app.web.statement_html import arrange_statement

MAX_TEXT = 100_000
_MODULES = {"numpy": "np", "jax": "jnp", "torch": "torch"}
_IMPORTS = {
    "np.": "import numpy as np",
    "jnp.": "import jax.numpy as jnp",
    "torch.": "import torch",
    "bfloat16": "import ml_dtypes",
}
_FIGURE = re.compile(r"!\[([^\]]*)\]\((figures/([\w.-]+))\)")
_SPECIAL = re.compile(r"(?<![\w\"'.])(nan|inf)\b")


def sample_python(problem: ProblemDetail, sample: SampleCase) -> str:
    """Return statements that define the inputs, call the function and define the expected output.

    A value that the page does not show whole becomes `...`. The text is empty before the reference has run.
    """
    if sample.inputs is None:
        return ""
    given: Sequence[Parameter] = problem.inputs or problem.parameters
    lines = [
        f"{each.name} = {_value(sample.inputs[each.name], each.leaves or each.type)}"
        for each in given
        if each.name in sample.inputs
    ]
    if not problem.inputs and not problem.definitions:
        lines.append(f"answer = {problem.entry_point}({', '.join(each.name for each in given)})")
    if sample.expected is not None:
        library = problem.returns.type if problem.returns.type in _MODULES else problem.frameworks[0]
        lines.append(f"expected = {_value(sample.expected, library)}")
    body = "\n".join(lines)
    used = [line for name, line in _IMPORTS.items() if name in body and (name != "bfloat16" or "np.array" in body)]
    used += ["from math import inf, nan"] if _SPECIAL.search(body) else []
    about = " ".join(f"{sample.name}: {sample.doc}".split()) if sample.doc else sample.name
    return "\n".join([f"# {printable(about, MAX_TEXT)}", *used, "", body, ""])


def write_notebook(problem: ProblemDetail, server: str) -> str:
    """Return the notebook as JSON. `server` is the address for the magics."""
    address = f"{server}/problems/{problem.slug}"
    magic = f"%%allclose {problem.slug} --run --exec --server {server}\n"
    cells = [
        _statement(problem, f"# {problem.title}\n\n<{address}>"),
        _code(f"%load_ext allclose\n# %allclose_login YOUR_NAME --server {server}"),
        _markdown(
            "The next cell runs here, and on the sample cases on the server. Without `--exec` it runs on the "
            "server only. Without `--run` it is submitted for all cases."
        ),
        _code(magic + problem.starter),
        *(_code(text) for sample in problem.samples if (text := sample_python(problem, sample))),
    ]
    facts = {
        "cells": [cell | {"id": f"cell-{place}"} for place, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"


def _statement(problem: ProblemDetail, head: str) -> dict[str, Any]:
    """Return the cell with the statement, which holds its figures."""
    statement = arrange_statement(problem)
    signature = f"```python\n{problem.signature}\n```"
    parts = (head, statement.why, statement.task, signature, statement.inputs, statement.output, statement.background)
    text = _FIGURE.sub(r"![\1](attachment:\3)", "\n\n".join(filter(None, parts)))
    attached = {
        path.rpartition("/")[2]: {"image/svg+xml": b64encode(svg.encode()).decode()}
        for path, svg in problem.figures.items()
    }
    return _markdown(text) | ({"attachments": attached} if attached else {})


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _code(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": _lines(text)}


def _lines(text: str) -> list[str]:
    return StringIO(text.strip("\n")).readlines()


def _value(preview: Mapping[str, Any], library: str) -> str:
    """Return an expression for a previewed value. A comment tells about what is left out."""
    leaves = preview["leaves"]
    pieces = preview.get("python") or [0 if len(leaves) == 1 and leaves[0]["dtype"] in DTYPES else None]
    texts = [piece if isinstance(piece, str) else _array(leaves, piece, library) for piece in pieces]
    if "..." not in (text for text, piece in zip(texts, pieces, strict=True) if not isinstance(piece, str)):
        return "".join(texts)
    what = "" if pieces != [0] else f"{leaves[0]['dtype']} of shape {tuple(leaves[0]['shape'])}, "
    return f"{''.join(texts)}  # {what}too large to copy"


def _array(leaves: Sequence[Mapping[str, Any]], number: int | None, library: str) -> str:
    """Return an expression for the array of a leaf, or `...` for a large one."""
    leaf = {} if number is None else leaves[number]
    return _literal(leaf["values"], leaf["dtype"], leaf["shape"], library) if "values" in leaf else "..."


def _literal(values: Any, dtype: str, shape: Sequence[int], library: str) -> str:
    module = _MODULES.get(library, "np")
    if module == "torch":
        kind, function = f"torch.{dtype}", "torch.tensor"
    else:
        kind = "ml_dtypes.bfloat16" if dtype == "bfloat16" and module == "np" else repr(dtype)
        function = f"{module}.array"
    if 0 in shape:
        return f"{module}.zeros({tuple(shape)}, dtype={kind})"
    return f"{function}({literal(values, dtype, 4)}, dtype={kind})"

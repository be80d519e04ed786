"""Values of a report as text, formatted as by Python and NumPy."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from app.web.picture.curve import list_of
from app.web.picture.leaf_values import apart, severity_of

READABLE = 9  # characters of a number


def literal(value: Any, dtype: str, indent: int = 1) -> str:
    """Format nested lists with one row on each line, and texts in quotes. NaN and inf, which are strings, stay bare."""
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        return "[" + (",\n" + " " * indent).join(literal(item, dtype, indent + 1) for item in value) + "]"
    if isinstance(value, list):
        return "[" + ", ".join(str(item) for item in value) + "]"
    return repr(value) if dtype == "str" else str(value)


def wrong_leaves(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the wrong leaves of a report, the worst first. The report's message is about the worst."""
    wrong = [leaf for leaf in report.get("leaves", []) if leaf["category"] is not None]
    return sorted(wrong, key=severity_of, reverse=True)


def fold_lists(leaves: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the leaves of a preview, with the numbers of one list joined into one leaf."""
    folded: list[Mapping[str, Any]] = []
    for path, group in groupby(leaves, key=_list_or_itself):
        items = list(group)
        if len(items) == 1 or len({item["dtype"] for item in items}) > 1:
            folded += items
        else:
            values = [item["values"] for item in items]
            folded.append({"path": path, "dtype": f"{len(items)} × {items[0]['dtype']}", "shape": [], "values": values})
    return folded


def _list_or_itself(leaf: Mapping[str, Any]) -> str:
    is_number = not leaf["shape"] and isinstance(leaf.get("values"), bool | int | float)
    path = list_of(leaf["path"]) if is_number else None
    return str(leaf["path"]) if path is None else path


def worst_pair(leaf: Mapping[str, Any]) -> tuple[str, str]:
    """Return the answer and the expected value at the worst place, with as few digits as show the difference."""
    answer, expected = leaf["worst_answer"], leaf["worst_expected"]
    both = str(answer), str(expected)
    if not isinstance(answer, float) or not isinstance(expected, float) or max(map(len, both)) <= READABLE:
        return both
    return apart(answer, expected, least=6)


def arguments_preview(previews: Mapping[str, Mapping[str, Any]], parameters: Sequence[str]) -> dict[str, Any]:
    """Join the previews of all arguments. Each leaf's path starts with its parameter's name.

    The order is that of `parameters`, which PostgreSQL's JSONB does not keep.
    """
    given = [name for name in parameters if name in previews]
    leaves = [leaf for name in given for leaf in _leaves_of_argument(name, previews[name])]
    return {"structure": "", "leaves": leaves, "left_out": sum(previews[name]["left_out"] for name in given)}


def _leaves_of_argument(name: str, preview: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not preview["leaves"]:
        return [{"path": name, "dtype": "", "shape": [], "values": preview["structure"]}]
    return [{**leaf, "path": f"{name}/{leaf['path']}" if leaf["path"] else name} for leaf in preview["leaves"]]


def shape_text(shape: list[int]) -> str:
    """Return a tuple such as (4,)."""
    return str(tuple(shape))

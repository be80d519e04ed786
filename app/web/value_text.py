"""Values of a report as text, the way Python and NumPy would print them."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from app.web.picture.curve import list_of
from app.web.picture.leaf import apart, severity_of

READABLE = 9  # characters of a number


def literal(value: Any, dtype: str, indent: int = 1) -> str:
    """Nested lists with one row per line; texts quoted. NaN and inf come as strings, and stay bare."""
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        return "[" + (",\n" + " " * indent).join(literal(item, dtype, indent + 1) for item in value) + "]"
    if isinstance(value, list):
        return "[" + ", ".join(str(item) for item in value) + "]"
    return repr(value) if dtype == "str" else str(value)


def wrong_leaves(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The leaves of a report that differ, the worst first: its message speaks of that one."""
    wrong = [leaf for leaf in report.get("leaves", []) if leaf["category"] is not None]
    return sorted(wrong, key=severity_of, reverse=True)


def fold_lists(leaves: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The leaves of a preview; numbers that stand in one list are one, with the list as its values."""
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
    """Yours and the expected one at the worst place, with no more digits than it takes to see that they differ."""
    answer, expected = leaf["worst_answer"], leaf["worst_expected"]
    both = str(answer), str(expected)
    if not isinstance(answer, float) or not isinstance(expected, float) or max(map(len, both)) <= READABLE:
        return both
    return apart(answer, expected, least=6)


def arguments_preview(previews: Mapping[str, Mapping[str, Any]], parameters: Sequence[str]) -> dict[str, Any]:
    """The previews of all arguments as one, each leaf's path beginning with its parameter's name.

    In the order of the parameters, which PostgreSQL's JSONB does not keep.
    """
    given = [name for name in parameters if name in previews]
    leaves = [leaf for name in given for leaf in _leaves_of_argument(name, previews[name])]
    return {"structure": "", "leaves": leaves, "left_out": sum(previews[name]["left_out"] for name in given)}


def _leaves_of_argument(name: str, preview: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not preview["leaves"]:
        return [{"path": name, "dtype": "", "shape": [], "values": preview["structure"]}]
    return [{**leaf, "path": f"{name}/{leaf['path']}" if leaf["path"] else name} for leaf in preview["leaves"]]


def shape_text(shape: list[int]) -> str:
    """(4,) as Python writes a tuple."""
    return str(tuple(shape))


def short_number(number: float | str) -> str:
    """Three significant digits: a difference is about its size."""
    return number if isinstance(number, str) else f"{number:.3g}"

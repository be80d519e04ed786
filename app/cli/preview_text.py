"""Values as a report previews them, one leaf a line."""

from collections.abc import Mapping
from typing import Any

from app.cli.plain import excerpt, one_line
from app.web.value_text import literal

NAMES = {"answer": "your output", "expected": "expected"}


def answer_lines(report: Mapping[str, Any]) -> list[str]:
    """What was answered, and what the reference answers."""
    return [line for key, name in NAMES.items() if report.get(key) for line in _lines(name, report[key])]


def _lines(name: str, preview: Mapping[str, Any]) -> list[str]:
    if not preview["leaves"]:
        return [f"{name}: {one_line(preview['structure'])}"]
    return [f"{name}{_place(leaf)}: {_value(leaf)}" for leaf in preview["leaves"]]


def _place(leaf: Mapping[str, Any]) -> str:
    return f" {one_line(leaf['path'])}" if leaf["path"] else ""


def _value(leaf: Mapping[str, Any]) -> str:
    if "values" in leaf:
        return excerpt(literal(leaf["values"], leaf["dtype"], indent=1))
    first = ", ".join(map(str, leaf.get("first", [])))
    return excerpt(f"[{first}, …] {leaf['dtype']} {tuple(leaf['shape'])}")

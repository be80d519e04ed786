"""What is said of a leaf whose rows were put into the expected order."""

from dataclasses import replace

from app.judging.arrangement import Arrangement
from app.judging.by_element import find_elements, worst_text
from app.judging.checker import Finding, Task
from app.judging.elements import measure
from app.judging.leaf import read_leaf
from app.judging.numeric import np


def find_rows(task: Task, axis: int, arrangement: Arrangement) -> Finding:
    arranged = np.take(task.answer.array, arrangement.order, axis=axis)
    found = find_elements(task, measure(read_leaf(arranged), task.expected, task.tolerance), arranged)
    if found.category is None or found.worst_index is None:
        return found
    count = len(arrangement.order)
    missing = int(np.count_nonzero(~arrangement.is_matched)) if arrangement.is_best else "some"
    rows, row = part_names(task.expected.array.ndim, axis)
    lacking = f"{missing} of {count} expected {rows} are not among yours"
    beside = f"{row} {found.worst_index[axis]} beside one of yours that is left over"
    return replace(found, message=f"{task.subject}: {lacking}; {beside}: {worst_text(found)}")


def part_names(dimensions: int, axis: int) -> tuple[str, str]:
    """What lies at each index of the axis, several and one."""
    if axis == 0:
        return "rows", "row"
    return ("columns", "column") if dimensions == 2 else (f"parts along axis {axis}", "the part at index")

"""What is said of a leaf whose elements were compared one by one."""

from collections.abc import Callable
from dataclasses import replace

from app.judging.checker import NAN_OR_INF, VALUES, Finding, Task
from app.judging.elements import Distance
from app.judging.leaf import MAX_TEXT_SHOWN, Array, shown
from app.judging.numeric import np
from app.judging.text import printable


def gap_text(found: Finding) -> str:
    if found.worst_difference is None:
        return ""
    return f" (difference {found.worst_difference:.3g}, allowed {found.worst_allowed:.3g})"


def find_elements(
    task: Task, distance: Distance, answer: Array | None = None, gap: Callable[[Finding], str] = gap_text
) -> Finding:
    """`answer`: the array that was measured, where that is not the answer as it came."""
    if distance.worst is None:
        return Finding()
    index = tuple(int(i) for i in np.unravel_index(distance.worst, task.expected.shape))
    category = NAN_OR_INF if distance.misplaced else VALUES
    found = Finding(
        category=category if distance.outside else None,
        outside=distance.outside,
        max_abs=distance.max_abs,
        max_rel=distance.max_rel,
        worst_index=index,
        worst_answer=shown((task.answer.array if answer is None else answer)[index]),
        worst_expected=shown(task.expected.array[index]),
        worst_difference=distance.worst_gap,
        worst_allowed=distance.worst_allowed,
        tolerance_used=distance.used,
    )
    return replace(found, message=_sentence(task, found, gap)) if distance.outside else found


def worst_text(found: Finding, gap: Callable[[Finding], str] = gap_text) -> str:
    """Of an array: "furthest off at (3, 7): yours 0.51, expected 0.25 (difference 0.26, allowed 1e-05)"."""
    is_misplaced = found.category == NAN_OR_INF
    place = "first nan or inf out of place" if is_misplaced else "furthest off"
    values = f"yours {found.worst_answer}, expected {found.worst_expected}{'' if is_misplaced else gap(found)}"
    return f"{place} at {found.worst_index}: {values}" if found.worst_index else values


def find_text(task: Task) -> Finding:
    """Texts and None are exact."""
    if task.answer.value == task.expected.value:
        return Finding()
    answer, expected = (printable(repr(leaf.value), MAX_TEXT_SHOWN) for leaf in (task.answer, task.expected))
    return Finding(
        category=VALUES,
        message=f"{task.subject} is {answer}; expected {expected}",
        outside=1,
        worst_answer=answer,
        worst_expected=expected,
    )


def _sentence(task: Task, found: Finding, gap: Callable[[Finding], str]) -> str:
    if found.worst_index:
        differing = f"{found.outside} of {task.expected.array.size} elements differ"
        return f"{task.subject}: {differing}; {worst_text(found, gap)}"
    off = "" if found.category == NAN_OR_INF else gap(found)
    return f"{task.subject} is {found.worst_answer}; expected {found.worst_expected}{off}"

"""Findings about a leaf whose elements are compared one by one, and the sentences that describe them."""

import math
from collections.abc import Callable
from dataclasses import replace

from app.judging.checker import NAN_OR_INF, VALUES, Finding, Task
from app.judging.leaf import MAX_TEXT_SHOWN, Array, Shown, shown
from app.judging.numeric import np
from app.judging.printable_text import printable
from app.judging.tolerance_comparison import Distance

LEAST_DIGITS, MOST_DIGITS = 3, 17
SMALL = 1e-3  # smaller numbers have an exponent


def gap_text(found: Finding) -> str:
    if found.worst_difference is None or found.worst_allowed is None:
        return ""
    return f" (allowed ±{number_text(found.worst_allowed)})" if found.worst_allowed else " (must be equal)"


def number_text(number: Shown, digits: int = LEAST_DIGITS) -> str:
    """Return a float with so many significant digits (−0.367, 1e-5), and any other value in full."""
    if not isinstance(number, float):
        return str(number)
    text = f"{number:.{digits}g}"
    if 0 < abs(number) < SMALL and not math.isinf(number):
        mantissa, exponent = f"{number:.{digits - 1}e}".split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    text = text.replace("e+0", "e").replace("e+", "e")
    return "−" + text[1:] if text.startswith("-") else text


def pair_text(answer: Shown | None, expected: Shown | None) -> tuple[str, str]:
    """Return both with as few digits as tell them apart."""
    pair = str(answer), str(expected)
    if answer is None or expected is None:
        return pair
    for digits in range(LEAST_DIGITS, MOST_DIGITS + 1):
        pair = number_text(answer, digits), number_text(expected, digits)
        if pair[0] != pair[1]:
            break
    return pair


def find_elements(
    task: Task, distance: Distance, answer: Array | None = None, gap: Callable[[Finding], str] = gap_text
) -> Finding:
    """`answer` is the measured array, if the answer was rearranged first."""
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
    """Return "worst at (3, 7): yours 0.51, expected 0.25 (allowed ±1e-5)"."""
    is_misplaced = found.category == NAN_OR_INF
    place = "first nan or inf mismatch" if is_misplaced else "worst"
    answer, expected = pair_text(found.worst_answer, found.worst_expected)
    values = f"yours {answer}, expected {expected}{'' if is_misplaced else gap(found)}"
    return f"{place} at {found.worst_index}: {values}" if found.worst_index else values


def differing(count: int, size: int) -> str:
    """Return "3 of 8 elements differ"."""
    return f"{count} of {size} elements {'differs' if count == 1 else 'differ'}"


def find_text(task: Task) -> Finding:
    """Compare texts and None exactly."""
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
    size = task.expected.array.size
    if size > 1:
        return f"{task.subject}: {differing(found.outside, size)}; {worst_text(found, gap)}"
    if task.path:
        return f"{task.subject}: {worst_text(replace(found, worst_index=None), gap)}"
    answer, expected = pair_text(found.worst_answer, found.worst_expected)
    return f"{task.subject} is {answer}; expected {expected}{'' if found.category == NAN_OR_INF else gap(found)}"

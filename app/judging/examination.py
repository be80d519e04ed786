"""Every leaf handed to its checker: alone, or with the others of its group."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from app.judging.checker import (
    DTYPE,
    RIGHT,
    SHAPE,
    Ask,
    Checker,
    CheckerUnfit,
    DtypePolicy,
    Finding,
    JointChecker,
    Task,
)
from app.judging.leaf import canonical
from app.judging.numeric import np
from app.judging.rules import Rules, checker_for, tolerance_for
from app.judging.structure import Pair
from app.judging.window import Window, cut_window


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafReport(Finding):
    """A finding and what was compared. `rtol` and `atol` are None where the checker has no use for them."""

    path: str
    checker: str
    shape: tuple[int, ...]
    dtype: str
    expected_shape: tuple[int, ...]
    expected_dtype: str
    size: int
    rtol: float | None
    atol: float | None
    window: Window | None = field(default=None, compare=False, repr=False)
    """Of a large leaf that differs: what is around its worst element."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaf:
    checker: Checker
    task: Task
    before: Finding | None
    """What is wrong before the values are looked at."""


def examine(pairs: Sequence[Pair], rules: Rules, ask: Ask) -> tuple[LeafReport, ...]:
    """One report for each, in order. Raises CheckerUnfit."""
    leaves = [_leaf(pair, rules, ask) for pair in pairs]
    findings = [leaf.before or RIGHT for leaf in leaves]
    groups = [group for group in _groups(leaves) if not any(leaves[index].before for index in group)]
    asking = [group for group in groups if leaves[group[0]].checker.is_asking]
    _fill(findings, leaves, [group for group in groups if group not in asking])
    # The author's own code is asked last, and only of an answer in which nothing else is wrong.
    if not any(finding.category for finding in findings):
        _fill(findings, leaves, asking)
    return tuple(_report(leaf, finding) for leaf, finding in zip(leaves, findings, strict=True))


def _fill(findings: list[Finding], leaves: Sequence[_Leaf], groups: Sequence[list[int]]) -> None:
    for group in groups:
        for index, finding in zip(group, _check([leaves[index] for index in group]), strict=True):
            findings[index] = finding


def _leaf(pair: Pair, rules: Rules, ask: Ask) -> _Leaf:
    checker = checker_for(pair.path, rules)
    tolerance = tolerance_for(pair.path, pair.expected, rules)
    task = Task(path=pair.path, answer=pair.answer, expected=pair.expected, tolerance=tolerance, ask=ask)
    return _Leaf(checker=checker, task=task, before=_before_values(task, checker, rules.dtype_policy))


def _before_values(task: Task, checker: Checker, policy: DtypePolicy) -> Finding | None:
    answer, expected = task.answer, task.expected
    if answer.shape != expected.shape and not checker.any_shape:
        message = f"{task.subject} has shape {answer.shape}; expected {expected.shape}"
        return Finding(category=SHAPE, message=message)
    same_dtype = canonical(answer.dtype) == canonical(expected.dtype)
    same_kind = answer.kind == expected.kind
    if answer.array.dtype == object and not checker.any_int:
        return Finding(category=DTYPE, message=f"{task.subject} is an int of more than 64 bits; no array has such")
    is_allowed = {"exact": same_dtype, "kind": same_kind, "any": True}
    if not (is_allowed[policy] and is_allowed[checker.dtype_policy]):
        message = f"{task.subject} has dtype {answer.dtype}; expected {expected.dtype}"
        return Finding(category=DTYPE, message=message)
    return None


def _groups(leaves: Sequence[_Leaf]) -> list[list[int]]:
    """Indices of the leaves that are checked together."""
    groups: dict[object, list[int]] = {}
    for index, leaf in enumerate(leaves):
        checker = leaf.checker
        shared = checker.group if isinstance(checker, JointChecker) else None
        groups.setdefault((checker.checker, shared) if shared else index, []).append(index)
    return list(groups.values())


def _check(group: Sequence[_Leaf]) -> list[Finding]:
    for leaf in group:
        checker, task = leaf.checker, leaf.task
        unfit: object = checker.find_unfit(task.expected.dtype, task.expected.shape)
        if task.expected.array.dtype == object and not checker.any_int:
            unfit = "is an int of more than 64 bits: choose another checker"
        if unfit:
            raise CheckerUnfit(f"{checker.checker} is for {task.place}, and that {unfit}")
    first = group[0].checker
    with np.errstate(all="ignore"):
        if isinstance(first, JointChecker):
            return type(first).check_together([(leaf.checker, leaf.task) for leaf in group])
        return [first.check(group[0].task)]


def _report(leaf: _Leaf, finding: Finding) -> LeafReport:
    answer, expected, tolerance = leaf.task.answer, leaf.task.expected, leaf.task.tolerance
    return LeafReport(
        **asdict(finding),
        path=leaf.task.path,
        checker=leaf.checker.checker,
        shape=answer.shape,
        dtype=answer.dtype,
        expected_shape=expected.shape,
        expected_dtype=expected.dtype,
        size=expected.array.size,
        rtol=tolerance.rtol if leaf.checker.has_tolerance else None,
        atol=tolerance.atol if leaf.checker.has_tolerance else None,
        window=cut_window(answer, expected, finding.worst_index) if finding.category else None,
    )

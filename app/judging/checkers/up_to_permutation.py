"""`up_to_permutation`: within the tolerance, in any order along one axis.

With `axis: 0` the rows may be permuted, with `axis: 1` the columns. One permutation must fit all leaves of a `group`,
which have equally many places along their axes: eigenvalues with the columns of their vectors, or the weights of a
mixture with its means. A leaf with `labels: true` holds a place along that axis for each point, such as its cluster.
The permutation renames its labels. Without other leaves, any one-to-one renaming is accepted, so only the partition
counts. A label is an integer of at least 0; negative numbers, such as −1 for noise, are never renamed.

It is a multiset: a place that is expected twice must occur twice. If places are close to each other, any valid pairing
is enough. NaN pairs with NaN, and inf with inf of the same sign. The number of places is unlimited for one real number
at each, and for integers without a tolerance. Other leaves may have at most 2,048 places, and places² · numbers at each
may be at most 2**25. In a group the caps apply to all leaves together, also to leaves with one number at each place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict

from app.judging.checker import (
    CheckerUnfit,
    DtypePolicy,
    Finding,
    JointChecker,
    Objection,
    Shape,
    Task,
    find_elements,
    worst_text,
)
from app.judging.leaf import Array, Kind, kind_of, read_leaf
from app.judging.numeric import np
from app.judging.options import Integer
from app.judging.row_matching import (
    RowMatching,
    Rows,
    arrange,
    find_rows,
    graph_fault,
    needs_graph,
    rows_of,
    shape_fault,
)
from app.judging.tolerance_comparison import EXACT, measure

NO_LABEL = -(2**63)
MAX_RENAMED = 1 << 17  # labels; if the partitions differ, the names matter only for the message


def labels_of(leaf: Array) -> Array:
    """Return flat int64 labels. Values beyond int64 become NO_LABEL, which an expected leaf must not have."""
    flat = leaf.reshape(-1)
    labels = flat.astype(np.int64)
    return np.where(flat > np.uint64(2**63 - 1), NO_LABEL, labels) if flat.dtype == np.uint64 else labels


def may_rename(answer: Array, expected: Array, names: int) -> Array:
    """Return [w, v]: whether the answer has label v exactly where w is expected. Labels are below `names`."""
    is_named = [(side >= 0) & (side < names) for side in (answer, expected)]
    both = is_named[0] & is_named[1]
    pairs = np.bincount(expected[both] * names + answer[both], minlength=names * names).reshape(names, names)
    of_answer, of_expected = (
        np.bincount(side[named], minlength=names) for side, named in zip((answer, expected), is_named, strict=True)
    )
    return np.asarray((pairs == of_answer[np.newaxis, :]) & (pairs == of_expected[:, np.newaxis]))


def rename(answer: Array, new_names: Array) -> Array:
    """Label v becomes `new_names[v]`; what is no label of these stays as it is."""
    is_named = (answer >= 0) & (answer < len(new_names))
    renamed = answer.copy()
    renamed[is_named] = new_names[answer[is_named]]
    return renamed


def rename_best(answer: Array, expected: Array) -> Array:
    """Rename the labels to match `expected` if possible. A label without a counterpart gets an unexpected name."""
    old, place = np.unique(answer[answer >= 0], return_inverse=True)
    wished, wish = np.unique(expected[expected >= 0], return_inverse=True)
    meetings = _meetings(_spread(answer, place), _spread(expected, wish), len(old))
    new_names = np.full(len(old), _unexpected(wished), np.int64)
    for given, wanted in _one_to_one(meetings, len(old)):
        new_names[given] = wished[wanted]
    renamed = answer.copy()
    renamed[answer >= 0] = new_names[place]
    return renamed


def _spread(labels: Array, places: Array) -> Array:
    """Return the places of all labels, or −1 where there is no label."""
    spread = np.full(labels.shape, -1, np.int64)
    spread[labels >= 0] = places
    return spread


def _meetings(given: Array, wanted: Array, size: int) -> Array:
    """Return each pair of labels that share a place, as wanted · size + given, the most frequent first."""
    both = (given >= 0) & (wanted >= 0)
    pairs, counts = np.unique(wanted[both] * size + given[both], return_counts=True)
    return np.asarray(pairs[np.argsort(-counts, kind="stable")])


def _one_to_one(meetings: Array, size: int) -> Iterator[tuple[Array, Array]]:
    """Yield indices of given and wanted labels that belong together: all at once, or one by one on conflicts."""
    given, wanted = meetings % max(size, 1), meetings // max(size, 1)
    if all(np.bincount(side).max(initial=0) <= 1 for side in (given, wanted)):
        yield given, wanted
        return
    used_given, used_wanted = set[int](), set[int]()
    for old, new in zip(given[:MAX_RENAMED].tolist(), wanted[:MAX_RENAMED].tolist(), strict=True):
        if old not in used_given and new not in used_wanted:
            used_given.add(old)
            used_wanted.add(new)
            yield np.array([old]), np.array([new])


def _unexpected(wished: Array) -> int:
    """Return the smallest label that is missing from ascending distinct labels."""
    later = np.flatnonzero(wished != np.arange(len(wished)))
    return int(later[0]) if later.size else len(wished)


class UpToPermutation(JointChecker):
    """Within the tolerance in some order along `axis`, with labels renamed to match."""

    checker: Literal["up_to_permutation"]
    axis: Annotated[Integer, Field(ge=-32, le=31)] | None = None
    labels: Annotated[bool, Strict()] = False

    kinds: ClassVar[frozenset[Kind]] = frozenset({"bool", "int", "float", "complex"})
    has_tolerance: ClassVar[bool] = True
    dtype_policy: ClassVar[DtypePolicy] = "kind"

    @property
    def rule(self) -> str:
        same = f", the same for all leaves of {self.group}" if self.group else ""
        if self.labels:
            return f"the expected labels, which may be renamed{same}"
        return f"within the tolerance, in any order along axis {self.axis}{same}"

    def find_contradiction(self) -> Objection | None:
        if self.axis is None and not self.labels:
            return Objection(key="axis", message="is missing", remedy="add `axis: 0`, or `labels: true` for labels")
        if self.axis is not None and self.labels:
            return Objection(key="axis", message="does not apply to labels", remedy="remove it")
        return None

    def find_unfit(self, dtype: str, shape: Shape | None) -> Objection | None:
        if self.labels and kind_of(dtype) != "int":
            return Objection(message=f"is {dtype}, but labels are integers", remedy="remove `labels: true`")
        if shape is not None and self.axis is not None and self.axis not in range(-len(shape), len(shape)):
            message = f"is {self.axis}, but the leaf has {len(shape)} dimensions"
            return Objection(key="axis", message=message, remedy="axes count from 0, or from the last with -1")
        if self.axis is not None and (fault := shape_fault(kind_of(dtype), shape, self.axis)):
            return Objection(message=fault, remedy="return less, or in an order that the statement names")
        return super().find_unfit(dtype, shape)

    def place(self, task: Task) -> int:
        """Return the axis counted from 0."""
        return (self.axis or 0) % task.expected.array.ndim

    @classmethod
    def check_together(cls, members: Sequence[tuple[Any, Task]]) -> list[Finding]:
        placed = [(checker.place(task), task) for checker, task in members if not checker.labels]
        labelled = [task for checker, task in members if checker.labels]
        if not placed:
            return _find_partition(labelled)
        arrangement = _arrange(placed, labelled)
        new_names = np.argsort(arrangement.order)
        return [
            _find_labels(task, rename(labels_of(task.answer.array), new_names))
            if checker.labels
            else find_rows(task, checker.place(task), arrangement)
            for checker, task in members
        ]


def _arrange(placed: Sequence[tuple[int, Task]], labelled: Sequence[Task]) -> RowMatching:
    """Return an order that fits all leaves, or else the best order for the leaves with an axis."""
    leaves = [_rows(axis, task) for axis, task in placed]
    names = _common_count(placed, leaves)
    width = sum(rows.expected.shape[1] for rows in leaves)
    in_graph = len(leaves) > 1 or labelled or needs_graph(leaves[0].kinds[1], width, leaves[0].tolerance)
    if in_graph and (fault := graph_fault(names, max(width, 1))):
        raise CheckerUnfit(f"up_to_permutation can't judge {placed[0][1].place}: it {fault}")
    if not labelled:
        return arrange(leaves)
    may_pair = np.logical_and.reduce([_renamings(task, names) for task in labelled])
    arrangement = arrange(leaves, may_pair)
    return arrangement if arrangement.is_matched.all() else arrange(leaves)


def _rows(axis: int, task: Task) -> Rows:
    return Rows(
        answer=rows_of(task.answer.array, axis),
        expected=rows_of(task.expected.array, axis),
        kinds=(task.answer.kind, task.expected.kind),
        tolerance=task.tolerance,
    )


def _common_count(placed: Sequence[tuple[int, Task]], leaves: Sequence[Rows]) -> int:
    counts = [len(rows.expected) for rows in leaves]
    if len(set(counts)) > 1:
        each = ", ".join(f"{task.place}: {count}" for (_, task), count in zip(placed, counts, strict=True))
        raise CheckerUnfit(
            f"the leaves of an up_to_permutation group need equally many places along their axes; these have {each}"
        )
    return counts[0]


def _renamings(task: Task, names: int) -> Array:
    expected = _expected_labels(task)
    if expected.max(initial=-1) >= names:
        message = f"holds the label {expected.max()}, but the group has places 0 to {names - 1}"
        raise CheckerUnfit(f"up_to_permutation can't judge {task.place}: it {message}")
    return may_rename(labels_of(task.answer.array), expected, names)


def _find_partition(labelled: Sequence[Task]) -> list[Finding]:
    """Find one renaming for a group that has only labels."""
    expected = np.concatenate([_expected_labels(task) for task in labelled])
    renamed = rename_best(np.concatenate([labels_of(task.answer.array) for task in labelled]), expected)
    ends = np.cumsum([task.expected.array.size for task in labelled])[:-1]
    return [_find_labels(task, part) for task, part in zip(labelled, np.split(renamed, ends), strict=True)]


def _find_labels(task: Task, renamed: Array) -> Finding:
    arranged = renamed.reshape(task.expected.shape)
    found = find_elements(task, measure(read_leaf(arranged), task.expected, EXACT), arranged)
    if found.category is None:
        return found
    count = f"{found.outside} of {task.expected.array.size} labels differ under the best renaming"
    worst = worst_text(found, gap=lambda _: "")
    return replace(found, message=f"{task.subject}: {count}; {worst}")


def _expected_labels(task: Task) -> Array:
    labels = labels_of(task.expected.array)
    if (labels == NO_LABEL).any():
        raise CheckerUnfit(f"up_to_permutation can't judge {task.place}: it holds a label beyond 63 bits")
    return labels

"""Matching of an answer's rows with the expected rows in any order, each within the tolerance.

A row may be close to several others, so there are three methods:

- One real number in each row: sort both sides. While rtol ≤ 1, both ends of the intervals |x − e| ≤ atol + rtol·|e| are
  in the order of e. So if any pairing works, this one does (exchange two that cross, and both stay within).
- Rows of integers or bool without a tolerance: sort both sides lexically.
- Else: a maximum matching in the bipartite graph of all pairs within the tolerance. `graph_fault` caps its work.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from app.judging.checker import Finding, Task, find_elements, worst_text
from app.judging.leaf import Array, read_leaf
from app.judging.numeric import np
from app.judging.tolerance_comparison import EXACT, Tolerance, measure, within_arrays

MAX_ROWS = 2048
MAX_COMPARISONS = 2**25  # of elements: rows · rows · width
BLOCK = 1 << 20  # elements at a time
MAX_WALK = 1 << 17  # rows that Python loops over, only to write the message
SORT_COLUMNS = 8


def match_most(neighbours: Sequence[int]) -> list[int | None]:
    """Return the right node of each left node. Bit j of `neighbours[i]`: left i may be matched with right j.

    This is Kuhn's algorithm with breadth-first searches. Neighbours are the bits of a Python int, so one operation
    removes all nodes that a search has seen. Nodes seen by a failed search can't be part of a later success (the
    Hungarian tree), so later searches skip them.
    """
    pairing = _Pairing(neighbours)
    for left in range(len(neighbours)):
        pairing.add(left)
    return pairing.right_of


class _Pairing:
    def __init__(self, neighbours: Sequence[int]) -> None:
        self.neighbours = neighbours
        self.right_of: list[int | None] = [None] * len(neighbours)
        self.left_of: dict[int, int] = {}
        self.taken = 0
        self.hopeless = 0

    def add(self, left: int) -> None:
        """Match a left node if possible, changing the partners of others where needed."""
        seen, queue = self.hopeless, [left]
        found_from: dict[int, int] = {}
        for node in queue:
            new = self.neighbours[node] & ~seen
            if free := new & ~self.taken:
                right = _first(free)
                found_from[right] = node
                self.taken |= 1 << right
                self._shift(right, found_from)
                return
            seen |= new
            while new:
                right = _first(new)
                new ^= 1 << right
                found_from[right] = node
                queue.append(self.left_of[right])
        self.hopeless = seen

    def _shift(self, free: int, found_from: dict[int, int]) -> None:
        right: int | None = free
        while right is not None:
            left = found_from[right]
            self.left_of[right] = left
            self.right_of[left], right = right, self.right_of[left]


def _first(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Two leaves as rows of shape (n, width)."""

    answer: Array
    expected: Array
    kinds: tuple[str, str]
    tolerance: Tolerance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowMatching:
    """A permutation `order`: row `order[j]` of the answer belongs to expected row j and fits if `is_matched[j]`.

    Unless `is_best`, another order could leave fewer rows unmatched, but never none.
    """

    order: Array
    is_matched: Array
    is_best: bool = True


def rows_of(leaf: Array, axis: int) -> Array:
    """Return the part at each index of the axis as a row."""
    count = leaf.shape[axis]
    return np.moveaxis(leaf, axis, 0).reshape(count, leaf.size // count if count else 0)


def needs_graph(kind: str, width: int, tolerance: Tolerance) -> bool:
    return not (is_sortable(kind, width, tolerance) or has_keys(kind, tolerance))


def graph_fault(rows: int, width: int) -> str | None:
    """Find why rows of this number and width are too many to be matched within a tolerance."""
    if rows <= MAX_ROWS and rows * rows * width <= MAX_COMPARISONS:
        return None
    most = min(MAX_ROWS, int((MAX_COMPARISONS / max(width, 1)) ** 0.5))
    return f"has {rows} rows of {width} elements, but at most {most} such rows can be matched within a tolerance"


def shape_fault(kind: str, shape: Sequence[int | None] | None, axis: int) -> str | None:
    """Find why an expected leaf of this kind and shape has too many rows. The leaf has the axis."""
    sizes = [size for size in shape or () if size is not None]
    if kind not in ("float", "complex") or shape is None or len(sizes) < len(shape):
        return None
    width = prod(sizes) // sizes[axis] if sizes[axis] else 0
    return graph_fault(sizes[axis], width) if width > 1 or kind == "complex" else None


def arrange(leaves: Sequence[Rows], may_pair: Array | None = None) -> RowMatching:
    """Find one order for all leaves, which have equally many rows. `may_pair[j, i]`: row i may match expected row j."""
    if not any(rows.expected.size for rows in leaves):
        everywhere = np.arange(len(leaves[0].expected))
        return RowMatching(order=everywhere, is_matched=np.ones(len(everywhere), np.bool_))
    with np.errstate(all="ignore"):
        return _arrange(leaves, may_pair)


def _arrange(leaves: Sequence[Rows], may_pair: Array | None) -> RowMatching:
    first = leaves[0] if len(leaves) == 1 and may_pair is None else None
    if first is not None and is_sortable(first.kinds[1], first.expected.shape[1], first.tolerance):
        return _by_sorting(first)
    if first is not None and has_keys(first.kinds[1], first.tolerance):
        return _by_key(first)
    return _by_graph(leaves, may_pair)


def is_sortable(kind: str, width: int, tolerance: Tolerance) -> bool:
    return width == 1 and kind != "complex" and tolerance.rtol <= 1


def has_keys(kind: str, tolerance: Tolerance) -> bool:
    return kind in ("int", "bool") and tolerance == EXACT


def _by_sorting(rows: Rows) -> RowMatching:
    answer, expected = _sortable(rows.answer[:, 0]), _sortable(rows.expected[:, 0])
    ascending_answer, ascending = np.argsort(answer, kind="stable"), np.argsort(expected, kind="stable")
    order = np.empty(len(expected), np.intp)
    order[ascending] = ascending_answer
    is_matched = _are_within(rows, np.arange(len(expected)), order)
    if is_matched.all() or len(expected) > MAX_WALK:
        return RowMatching(order=order, is_matched=is_matched, is_best=bool(is_matched.all()))
    reach = rows.tolerance.atol + rows.tolerance.rtol * np.abs(expected.astype(np.float64))
    partners = _walk(answer[ascending_answer].tolist(), expected[ascending].tolist(), reach[ascending].tolist())
    pairs = [(int(ascending[j]), int(ascending_answer[i])) for j, i in partners]
    return _completed(rows, pairs)


def _walk(answer: list[float], expected: list[float], reach: list[float]) -> list[tuple[int, int]]:
    """Return as many pairs as possible, both sides in ascending order. NaN comes last and pairs with NaN."""
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(answer) and j < len(expected):
        a, e = answer[i], expected[j]
        if a == e or abs(a - e) <= reach[j] < float("inf") or (a != a and e != e):
            pairs.append((j, i))
            i, j = i + 1, j + 1
        elif a < e or e != e:
            i += 1
        else:
            j += 1
    return pairs


def _sortable(column: Array) -> Array:
    """Return integers unchanged, and floats as float64, which NumPy sorts with NaN at the end."""
    return column if column.dtype.kind in "iub" else column.astype(np.float64)


def _by_key(rows: Rows) -> RowMatching:
    ordered = _in_lexical_order([rows], None, rows.expected.shape[1])
    if ordered.is_matched.all() or len(rows.expected) > MAX_WALK:
        return ordered
    waiting: dict[bytes, list[int]] = defaultdict(list)
    for index, key in enumerate(_keys(rows.answer, rows)):
        waiting[key].append(index)
    pairs = [(j, waiting[key].pop()) for j, key in enumerate(_keys(rows.expected, rows)) if waiting.get(key)]
    return _completed(rows, pairs)


def _keys(side: Array, rows: Rows) -> list[bytes]:
    """Return keys that are equal for equal rows of both sides, for all integer types."""
    if rows.answer.dtype == rows.expected.dtype:
        numbers = side
    else:  # int64 and uint64 have no common type: the pattern of bits, and whether it is negative
        wide = side if side.dtype == np.uint64 else side.astype(np.int64)
        numbers = np.concatenate([wide.astype(np.uint64), (wide < 0).astype(np.uint64)], axis=1)
    numbers = np.ascontiguousarray(numbers)
    width = numbers.shape[1] * numbers.dtype.itemsize
    content = numbers.tobytes()
    return [content[start : start + width] for start in range(0, width * len(numbers), width)] if width else []


def _by_graph(leaves: Sequence[Rows], may_pair: Array | None) -> RowMatching:
    quick = _in_lexical_order(leaves, may_pair, SORT_COLUMNS)
    if quick.is_matched.all():
        return quick
    near = _near(leaves, may_pair)
    packed = np.packbits(near, axis=1, bitorder="little")
    partners = match_most([int.from_bytes(row.tobytes(), "little") for row in packed])
    pairs = [(j, i) for j, i in enumerate(partners) if i is not None]
    return _completed(leaves[0], pairs)


def _in_lexical_order(leaves: Sequence[Rows], may_pair: Array | None, columns: int) -> RowMatching:
    """Sort by the first columns of the first leaf. It nearly always works if rows differ by more than the tolerance."""
    order = np.empty(len(leaves[0].expected), np.intp)
    order[_lexical_order(leaves[0].expected, columns)] = _lexical_order(leaves[0].answer, columns)
    everywhere = np.arange(len(order))
    is_matched = np.logical_and.reduce([_are_within(rows, everywhere, order) for rows in leaves])
    is_matched &= may_pair is None or may_pair[everywhere, order]
    return RowMatching(order=order, is_matched=is_matched, is_best=bool(is_matched.all()))


def _lexical_order(side: Array, columns: int = SORT_COLUMNS) -> Array:
    return np.lexsort([_sortable(column.real) for column in side[:, :columns].T][::-1])


def _near(leaves: Sequence[Rows], may_pair: Array | None) -> Array:
    """Return [j, i]: whether row i may match expected row j. Each block of columns narrows the pairs."""
    count = len(leaves[0].expected)
    near = np.ones((count, count), np.bool_) if may_pair is None else may_pair.copy()
    for rows in leaves:
        for columns in _growing_blocks(rows.expected.shape[1]):
            part = replace(rows, answer=rows.answer[:, columns], expected=rows.expected[:, columns])
            wanted, given = np.nonzero(near)
            near[wanted, given] = _are_within(part, wanted, given)
    return near


def _growing_blocks(width: int) -> Iterator[slice]:
    start, size = 0, 1
    while start < width:
        yield slice(start, start + size)
        start, size = start + size, 4 * size


def _are_within(rows: Rows, wanted: Array, given: Array) -> Array:
    """Return whether each pair of an expected row and an answer's row, by index, is within the tolerance."""
    right = np.empty(len(wanted), np.bool_)
    height = max(BLOCK // max(rows.expected.shape[1], 1), 1)
    for start in range(0, len(wanted), height):
        some = slice(start, start + height)
        answer, expected = rows.answer[given[some]], rows.expected[wanted[some]]
        inside = within_arrays(answer.reshape(-1), expected.reshape(-1), rows.kinds, rows.tolerance)
        right[some] = inside.reshape(expected.shape).all(axis=1)
    return right


def _completed(rows: Rows, pairs: Sequence[tuple[int, int]]) -> RowMatching:
    """Pair the remaining rows in lexical order, so that a message compares similar rows."""
    order, is_matched = np.empty(len(rows.expected), np.intp), np.zeros(len(rows.expected), np.bool_)
    unused = np.ones(len(order), np.bool_)
    for wanted, given in pairs:
        order[wanted], is_matched[wanted], unused[given] = given, True, False
    missing, spare = np.flatnonzero(~is_matched), np.flatnonzero(unused)
    order[missing[_lexical_order(rows.expected[missing])]] = spare[_lexical_order(rows.answer[spare])]
    return RowMatching(order=order, is_matched=is_matched)


def find_rows(task: Task, axis: int, arrangement: RowMatching) -> Finding:
    arranged = np.take(task.answer.array, arrangement.order, axis=axis)
    found = find_elements(task, measure(read_leaf(arranged), task.expected, task.tolerance), arranged)
    if found.category is None or found.worst_index is None:
        return found
    count = len(arrangement.order)
    missing = int(np.count_nonzero(~arrangement.is_matched)) if arrangement.is_best else "some"
    rows, row = part_names(task.expected.array.ndim, axis)
    lacking = f"{missing} of {count} expected {rows} are not in your output"
    beside = f"expected {row} {found.worst_index[axis]} against your closest unmatched one"
    return replace(found, message=f"{task.subject}: {lacking}; {beside}: {worst_text(found)}")


def part_names(dimensions: int, axis: int) -> tuple[str, str]:
    """Return the plural and the singular name of the parts along the axis."""
    if axis == 0:
        return "rows", "row"
    return ("columns", "column") if dimensions == 2 else (f"parts along axis {axis}", "the part at index")

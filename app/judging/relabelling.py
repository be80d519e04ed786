"""Labels, such as the cluster of each point, whose names are free: what is right is which points share one.

A label is an integer from 0 on. Negative numbers, such as −1 for noise, are no names and stand for themselves. All
arrays here are flat, and of int64 as `labels_of` makes them.
"""

from collections.abc import Iterator

from app.judging.leaf import Array
from app.judging.numeric import np

NO_LABEL = -(2**63)
MAX_RENAMED = 1 << 17  # labels, where the partitions differ and only a message hangs on the names


def labels_of(leaf: Array) -> Array:
    """What int64 does not hold becomes NO_LABEL, which an expected leaf must not have."""
    flat = leaf.reshape(-1)
    labels = flat.astype(np.int64)
    return np.where(flat > np.uint64(2**63 - 1), NO_LABEL, labels) if flat.dtype == np.uint64 else labels


def may_rename(answer: Array, expected: Array, names: int) -> Array:
    """[w, v]: whether the answer's v stands wherever w is expected, and nowhere else. Names are below `names`."""
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
    """Equal to `expected` if the partitions are the same. A label that has no counterpart gets an unexpected name."""
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
    """The places of all labels, −1 where there is none."""
    spread = np.full(labels.shape, -1, np.int64)
    spread[labels >= 0] = places
    return spread


def _meetings(given: Array, wanted: Array, size: int) -> Array:
    """Every pair of labels that share a place, as wanted · size + given; those that share most come first."""
    both = (given >= 0) & (wanted >= 0)
    pairs, counts = np.unique(wanted[both] * size + given[both], return_counts=True)
    return np.asarray(pairs[np.argsort(-counts, kind="stable")])


def _one_to_one(meetings: Array, size: int) -> Iterator[tuple[Array, Array]]:
    """Indices of given and wanted labels that belong together: all at once, or where they clash one by one."""
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
    """The least that is missing from labels in ascending order, each once."""
    later = np.flatnonzero(wished != np.arange(len(wished)))
    return int(later[0]) if later.size else len(wished)

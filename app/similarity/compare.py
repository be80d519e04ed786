"""Compare the fingerprints of programs, each with all others.

The similarity of two programs is the share of the shorter one's parts that the longer one has too, in percent: so
statements that were added hide nothing. Parts of the template and of the package's own solutions do not count. Pairs
are of students: of two students, their most similar programs. There is no pair of a student with themselves.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

BINS = 50
# A program with fewer parts than this share of the median counts as if it had so many: all of a stub is in others.
LEAST_SHARE = 0.5
# The common parts that are shown of a pair.
MOST_BLOCKS = 300
# A million takes 600 MB. A program of a hundred lines has about 500.
MOST_PARTS = 2_000_000
Parts = NDArray[np.int64]
Numbers = NDArray[np.int64]
Percents = NDArray[np.float64]
Block = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """`parts`: its fingerprint, from the largest, as rows of hash, first line and last line."""

    submission_id: UUID
    user_id: UUID
    parts: Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Two programs, in the order in which they were given.

    `blocks`: common parts, as first and last line in `left`, and first and last line in `right`.
    """

    left: Program
    right: Program
    similarity: float
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortComparison:
    """`histogram`: how many pairs of students there are in each of BINS equal ranges, from 0 to 100 %."""

    histogram: tuple[int, ...]
    matches: tuple[Match, ...]


def leave_out_older(programs: Sequence[Program], most_parts: int) -> list[Program]:
    """Leave out old programs of students whose parts take more than an equal share of `most_parts`.

    `programs`: the earliest first. Everyone's newest one stays.
    """
    share = most_parts // max(1, len({program.user_id for program in programs}))
    taken: Counter[UUID] = Counter()
    kept: list[Program] = []
    for program in reversed(programs):
        is_newest = program.user_id not in taken
        taken[program.user_id] += len(program.parts)
        if is_newest or taken[program.user_id] <= share:
            kept.append(program)
    return kept[::-1]


def compare(programs: Sequence[Program], left_out: Collection[int], most: int) -> CohortComparison:
    """Return the `most` similar pairs, from the top. `left_out`: the hashes that do not count."""
    bags = _Bags(programs, left_out)
    users = sorted({program.user_id for program in programs})
    place = {user_id: number for number, user_id in enumerate(users)}
    owners = np.array([place[program.user_id] for program in programs], np.int64)
    best = np.zeros((len(users), len(users)), np.float32)
    for number, owner in enumerate(owners):
        np.maximum.at(best[owner], owners, bags.similarities(number))
    best = np.triu(np.maximum(best, best.T), 1)
    rows, columns = np.triu_indices(len(users), 1)
    found = best[rows, columns]
    counts, _ = np.histogram(found, BINS, (0, 100))
    top = np.argsort(-found, kind="stable")[:most]
    chosen = [(int(rows[each]), int(columns[each])) for each in top if found[each] > 0]
    return CohortComparison(
        histogram=tuple(map(int, counts)), matches=tuple(bags.match(*_numbers(owners, pair)) for pair in chosen)
    )


def _numbers(owners: Numbers, pair: tuple[int, int]) -> tuple[Numbers, Numbers]:
    """Return the numbers of the programs of two students."""
    return np.flatnonzero(owners == pair[0]), np.flatnonzero(owners == pair[1])


class _Bags:
    """What each program has of each part. A part that it has twice is another part the second time."""

    def __init__(self, programs: Sequence[Program], left_out: Collection[int]) -> None:
        self._programs = programs
        known: dict[tuple[int, int], int] = {}
        self._bags = [_number_parts(program.parts, left_out, known) for program in programs]
        holders: dict[int, list[int]] = defaultdict(list)
        for number, bag in enumerate(self._bags):
            for part in bag:
                holders[part].append(number)
        self._holders = [np.array(holders[part], np.int64) for part in range(len(known))]
        sizes = np.array([len(bag) for bag in self._bags], np.float64)
        self._sizes = np.maximum(sizes, max(1.0, LEAST_SHARE * np.median(sizes))) if len(sizes) else sizes

    def similarities(self, number: int) -> Percents:
        """Return how similar each program is to this one, in percent."""
        bag = self._bags[number]
        if not bag:
            return np.zeros(len(self._programs))
        holders = [self._holders[part] for part in bag]
        common = np.bincount(np.concatenate(holders), minlength=len(self._programs))
        return np.asarray(100 * common / np.minimum(self._sizes, self._sizes[number]))

    def match(self, left: Numbers, right: Numbers) -> Match:
        """Return the most similar of these programs."""
        rows = np.array([self.similarities(number)[right] for number in left])
        row, column = np.unravel_index(rows.argmax(), rows.shape)
        one, other = sorted((int(left[row]), int(right[column])))
        return Match(
            left=self._programs[one],
            right=self._programs[other],
            similarity=float(rows[row, column]),
            blocks=self._list_blocks(one, other),
        )

    def _list_blocks(self, one: int, other: int) -> tuple[Block, ...]:
        """List the largest common parts, without those in which every line is in a larger one."""
        blocks: list[Block] = []
        seen: tuple[set[int], set[int]] = (set(), set())
        for part, row in self._bags[one].items():
            if part not in self._bags[other]:
                continue
            lines = [self._lines(one, row), self._lines(other, self._bags[other][part])]
            if any(not seen[side].issuperset(lines[side]) for side in (0, 1)):
                blocks.append((lines[0][0], lines[0][-1], lines[1][0], lines[1][-1]))
                seen[0].update(lines[0])
                seen[1].update(lines[1])
        return tuple(blocks[:MOST_BLOCKS])

    def _lines(self, number: int, row: int) -> range:
        _, first, last = map(int, self._programs[number].parts[row])
        return range(first, last + 1)


def _number_parts(parts: Parts, left_out: Collection[int], known: dict[tuple[int, int], int]) -> dict[int, int]:
    """Return the row of each part, by the number of the part. `known`: all numbers so far, by hash and occurrence."""
    times: Counter[int] = Counter()
    rows: dict[int, int] = {}
    for row, part in enumerate(parts[:, 0].tolist()):
        if part not in left_out:
            rows[known.setdefault((part, times[part]), len(known))] = row
            times[part] += 1
    return rows

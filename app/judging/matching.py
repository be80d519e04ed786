"""Pairing things one to one, where each may be paired with some of the others: maximum matching in a bipartite graph.

Kuhn's algorithm with breadth-first searches. Neighbours are the bits of a Python int, so that what a search has seen is
left out of a node's neighbours in one operation. What a search without success has seen can be part of no later success
(the Hungarian tree), and is left out of all that follow.
"""

from collections.abc import Sequence


def match_most(neighbours: Sequence[int]) -> list[int | None]:
    """For each left node, the right node that it is paired with. Bit j of `neighbours[i]`: left i may have right j."""
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
        """Pairs it if it can be, by changing the partners of others if need be."""
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

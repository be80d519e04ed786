"""Copies of a body: what an unrolled loop leaves in a program."""

from collections import Counter

from .graph import Graph, Operation

# So much of the arithmetic must stand in groups of a number of copies, for that number to be the copies of a body.
MOST = 2 / 3


def copies(graph: Graph, arithmetic: list[Operation]) -> int:
    """The number of copies that the arithmetic parts into best, the largest of those; 1 when there is no repetition.

    Operations are alike when their names and the types of what they take and give are. A first or last step often
    lacks one, as adding to zero. Single integers are indices and counters, and left out.
    """
    alike = Counter(_kind(graph, one) for one in arithmetic if not _is_index(graph, one))
    best, found = MOST * alike.total(), 1
    for number in sorted({count + one for count in alike.values() for one in (0, 1)} - {0, 1, 2}):
        parted = sum(count for count in alike.values() if count % number in (0, number - 1) and count >= number - 1)
        if parted >= best > 0:
            best, found = parted, number
    return found


def _is_index(graph: Graph, operation: Operation) -> bool:
    made = graph.types[operation.results[0]]
    return not made.shape and made.dtype.lstrip("u").startswith("i")


def _kind(graph: Graph, operation: Operation) -> tuple[object, ...]:
    types = [graph.types[value] for value in (*operation.operands, *operation.results)]
    return (operation.name, operation.contracted, *types)

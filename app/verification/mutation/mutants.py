"""List the distinct mutants of a source, and draw the same sample of them every time."""

import ast
import difflib
import random
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from threading import Event
from typing import TypeVar

from app.verification.mutation.operator import Operator
from app.verification.mutation.operators import OPERATORS
from app.verification.mutation.tree import Edits, Tree, read_tree
from sandbox.interface import Aborted

CONTEXT_LINES = 2
# At most so many characters of mutants are written; a source of 100 lines has far fewer.
WRITTEN = 400_000
# At most so many nodes of a source are mutated.
NODES = 5_000

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A mutant. `line` is the first changed line of the original, `diff` is unified, `source` is the whole mutant."""

    operator: Operator
    line: int
    diff: str
    source: str


def list_mutants(source: str, entry_point: str, file: str, abort: Event | None = None) -> tuple[Mutant, ...]:
    """Return the mutants by line, a sample of them if the source is long. `file` is its name in the diffs.

    A source that is nested too deeply has none. Raises Aborted.
    """
    try:
        tree = read_tree(source, entry_point)
        nodes = _some(list(tree.nodes()), NODES)
        changes = [
            (operator, edits)
            for operator in OPERATORS
            for node in _until(abort, nodes)
            for edits in operator.edits(node, tree)
        ]
        found = list(_changes(tree, _until(abort, _some(changes, WRITTEN // len(source))), file))
    except (RecursionError, SyntaxError, MemoryError):
        return ()
    return tuple(sorted(found, key=lambda change: (change.line, change.operator.name, change.source)))


def _until(abort: Event | None, items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        if abort is not None and abort.is_set():
            raise Aborted
        yield item


def _some(items: list[Item], most: int) -> list[Item]:
    """Return a sample in the original order: of two equal mutants, the first one counts."""
    if len(items) <= most:
        return items
    return [items[index] for index in sorted(random.Random(0).sample(range(len(items)), most))]


def _changes(tree: Tree, changes: Iterable[tuple[Operator, Edits]], file: str) -> Iterator[Mutant]:
    seen = {_program(tree.source)}
    for operator, edits in changes:
        changed = tree.source_with(edits)
        program = _program(changed)
        if program is not None and program not in seen:
            seen.add(program)
            yield _change(operator, tree, changed, file)


def sample_mutants(changes: Sequence[Mutant], most: int, seed: int) -> tuple[Mutant, ...]:
    """Draw from the operators in turn, so that the sample has all kinds of faults."""
    drawn = list(changes)
    random.Random(seed).shuffle(drawn)
    families: dict[str, deque[Mutant]] = defaultdict(deque)
    for change in drawn:
        families[change.operator.name].append(change)
    chosen: list[Mutant] = []
    while families and len(chosen) < most:
        for name in sorted(families):
            chosen.append(families[name].popleft())
            if not families[name]:
                del families[name]
    return tuple(sorted(chosen[:most], key=changes.index))


def _program(source: str) -> str | None:
    """Return the syntax tree as text, whatever the layout, or None if the source does not compile."""
    try:
        compile(source, "mutant", "exec")
        return ast.dump(ast.parse(source))
    except SyntaxError:
        return None


def _change(operator: Operator, tree: Tree, changed: str, file: str) -> Mutant:
    before, after = StringIO(tree.source).readlines(), StringIO(changed).readlines()
    line = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before) - 1) + 1
    diff = "".join(difflib.unified_diff(before, after, file, file, n=CONTEXT_LINES))
    return Mutant(operator=operator, line=line, diff=diff, source=changed)

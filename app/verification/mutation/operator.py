"""What a mutation operator is: a family of small faults. Each file of `operators` holds one."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from app.verification.mutation.tree import Tree


class Operator(ABC):
    """`name` says what is changed; `remedy`: which case would notice a mutant of this family."""

    name: ClassVar[str]
    remedy: ClassVar[str]

    @abstractmethod
    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        """What may stand in place of the node, each of which is a mutant of its own."""

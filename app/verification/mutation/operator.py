"""The base class of mutation operators: each plants one kind of small fault."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from app.verification.mutation.tree import Tree


class Operator(ABC):
    """`name` says what changes in the mutants. `remedy` says which case would kill them."""

    name: ClassVar[str]
    remedy: ClassVar[str]

    @abstractmethod
    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        """Yield the nodes to put in this one's place; each makes a mutant."""

"""The base class of mutation operators: each plants one kind of small fault."""

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from app.verification.mutation.tree import Edits, Tree


class Operator(ABC):
    """`name` says what changes in the mutants. `remedy` says which case would kill them."""

    name: ClassVar[str]
    remedy: ClassVar[str]

    @abstractmethod
    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        """Yield the edits of the source at this node; each makes a mutant."""

"""The mutation operators, in files by subject.

To add an operator, write a subclass of `Operator`: `name`, `remedy` (the case that would catch such a mutant), and
`edits`, which yields edits of the source at a node of its syntax tree. Add it to `OPERATORS`, before more general ones,
and a source with its mutants to the table in `tests/verification/test_mutation_operators.py`.
"""

from app.verification.mutation.operator import Operator
from app.verification.mutation.operators.arithmetic import Arithmetic, Constant, Operand, Variable
from app.verification.mutation.operators.arrays import Axis, Bound, Transpose
from app.verification.mutation.operators.control_flow import Boolean, Comparison, Condition, Statement
from app.verification.mutation.operators.function_calls import Argument, Function, Training

# If two operators give the same mutant, it counts for the first. Specific operators come before general ones.
OPERATORS: tuple[Operator, ...] = (
    Training(),
    Transpose(),
    Axis(),
    Function(),
    Bound(),
    Argument(),
    Condition(),
    Comparison(),
    Boolean(),
    Arithmetic(),
    Operand(),
    Statement(),
    Variable(),
    Constant(),
)

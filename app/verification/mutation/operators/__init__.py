"""The families of mutants, one file each. A new one is a file here and its name in `OPERATORS`."""

from app.verification.mutation.operator import Operator
from app.verification.mutation.operators.argument import Argument
from app.verification.mutation.operators.arithmetic import Arithmetic
from app.verification.mutation.operators.axis import Axis
from app.verification.mutation.operators.boolean import Boolean
from app.verification.mutation.operators.bound import Bound
from app.verification.mutation.operators.comparison import Comparison
from app.verification.mutation.operators.condition import Condition
from app.verification.mutation.operators.constant import Constant
from app.verification.mutation.operators.function import Function
from app.verification.mutation.operators.operand import Operand
from app.verification.mutation.operators.statement import Statement
from app.verification.mutation.operators.training import Training
from app.verification.mutation.operators.transpose import Transpose
from app.verification.mutation.operators.variable import Variable

# Where two families give the same mutant, it belongs to the first: the more particular ones come before the others.
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

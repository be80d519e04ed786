"""`property`: the package's custom checker, `def check(inputs, expected, answer)` in `checker.py`.

For problems with many correct answers: a factorisation, a path, a colouring. It runs once for each case, if everything
else about the answer is correct. It gets the whole trees as plain values (arrays are NumPy's) and returns one of:

- True: all of its leaves are correct; False: none is;
- a text: none is, for this reason, which the student sees;
- a dict with True, False or a text for the path of each of its leaves ("q", "params/kernel").

Any other result, and any failure, is the author's mistake and a judge_error. The answer is hostile data: `checker.py`
must neither evaluate nor unpickle it, and its work must not grow with values in the answer. With `shape: any` a leaf's
shape may differ from the expected one, and with the dtype policy `any` its dtype. If the expected leaf is finite, NaN
and inf are rejected before `checker.py` runs: NaN passes every test of the form `x > limit`.
"""

from typing import Any, ClassVar, Literal

from app.judging.checker import NAN_OR_INF, Checker, CheckerUnfit, Finding, Task
from app.judging.leaf import Array, Kind, Leaf, shown
from app.judging.numeric import np
from app.judging.printable_text import printable

PROPERTY = "property does not hold"
MAX_WORDS = 500
NO_REASON = "the answer does not have the required property"


class Property(Checker):
    """The verdict of the package's checker.py."""

    checker: Literal["property"]
    shape: Literal["same", "any"] = "same"

    kinds: ClassVar[frozenset[Kind]] = frozenset({"bool", "int", "float", "complex", "text"})
    any_int: ClassVar[bool] = True
    is_asking: ClassVar[bool] = True

    @property
    def any_shape(self) -> bool:
        return self.shape == "any"

    @property
    def rule(self) -> str:
        return "as the statement asks; several answers can be correct"

    def check(self, task: Task) -> Finding:
        if odd := _find_nan_or_inf(task):
            return odd
        said = task.ask()
        about_leaf = said[task.path] if isinstance(said, dict) and task.path in said else said
        match _plain(about_leaf):
            case True:
                return Finding()
            case False:
                return Finding(category=PROPERTY, message=f"{task.subject}: {NO_REASON}")
            case str(reason) if reason.strip():
                return Finding(category=PROPERTY, message=f"{task.subject}: {printable(reason, MAX_WORDS)}")
        raise CheckerUnfit(
            f"checker.py returned {_shown(said)} for {task.place}; return True, False or the reason as a text"
        )


def _find_nan_or_inf(task: Task) -> Finding | None:
    answer, expected = task.answer, task.expected
    if answer.kind not in ("float", "complex") or not _is_finite(expected).all():
        return None
    odd = np.argwhere(~_is_finite(answer))
    if not len(odd):
        return None
    index = tuple(odd[0].tolist())
    value = shown(answer.array[index])
    where = f"holds {value} at {index}" if index else f"is {value}"
    message = f"{task.subject} {where}; expected finite numbers"
    return Finding(category=NAN_OR_INF, message=message, outside=len(odd), worst_index=index)


def _is_finite(leaf: Leaf) -> Array:
    """Return which elements are finite. Leaves that are not floats are finite."""
    return np.isfinite(leaf.array) if leaf.kind in ("float", "complex") else np.ones((), np.bool_)


def _plain(said: Any) -> Any:
    """Convert NumPy's bool to Python's."""
    is_bool = isinstance(said, np.ndarray) and said.dtype == np.bool_ and said.shape == ()
    return bool(said) if is_bool else said


def _shown(said: object) -> str:
    if isinstance(said, dict):
        return f"a dict with {', '.join(map(repr, said)) or 'nothing'}"
    return printable(repr(said), MAX_WORDS)

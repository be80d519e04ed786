"""`property`: what the package's own `checker.py` says: `def check(inputs, expected, answer)`.

For answers of which many are right and none is the right one: a factorisation, a path, a colouring. It is called once
for a case, when everything else about the answer is right, with the whole trees as plain values (arrays are NumPy's):

- True: every leaf that it judges is right; False: none is;
- a text: none is, and this is why, for the student;
- a dict with True, False or a text for the path of each leaf that it judges ("q", "params/kernel").

Anything else, and any failure, is the author's mistake and a judge_error. The answer is hostile data in the form of
plain values: `checker.py` must neither evaluate nor unpickle what is in it, and its work must not grow with what the
answer says. With `shape: any` a leaf may have another shape than the expected one, and with the dtype policy `any`
another dtype. Where all that is expected is finite, NaN and inf are wrong before anybody is asked: no NaN is greater
than a limit, and code that looks for what is too large lets it through.
"""

from typing import Any, ClassVar, Literal

from app.judging.checker import NAN_OR_INF, Checker, CheckerUnfit, Finding, Task
from app.judging.leaf import Array, Kind, Leaf, shown
from app.judging.numeric import np
from app.judging.text import printable

PROPERTY = "property does not hold"
MAX_WORDS = 500
NO_REASON = "the answer does not have the required property"


class Property(Checker):
    """What the package's checker.py says of the answer."""

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
    """Of what is no float, all."""
    return np.isfinite(leaf.array) if leaf.kind in ("float", "complex") else np.ones((), np.bool_)


def _plain(said: Any) -> Any:
    """NumPy's bool as Python's."""
    is_bool = isinstance(said, np.ndarray) and said.dtype == np.bool_ and said.shape == ()
    return bool(said) if is_bool else said


def _shown(said: object) -> str:
    if isinstance(said, dict):
        return f"a dict with {', '.join(map(repr, said)) or 'nothing'}"
    return printable(repr(said), MAX_WORDS)

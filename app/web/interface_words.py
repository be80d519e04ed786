"""What a function takes and gives, and when its answer is right, in words."""

from collections.abc import Iterator

from app.catalog.manifest import Limits
from app.catalog.parameter import Described, Parameter
from app.catalog.view import ProblemDetail
from app.judging.tolerance import Tolerance, default_for
from app.web.messages import gettext as _

_ARRAYS = {"jax": "jax.Array", "torch": "torch.Tensor", "numpy": "numpy.ndarray"}
LEAST_PERCENT = 1e-6  # below it a percentage has too many zeros


def type_text(described: Described) -> str:
    """As Python names it: `jax.Array`, `dict of torch.Tensor`."""
    name = _ARRAYS.get(described.type, described.type)
    if isinstance(described, Parameter) and described.leaves:
        name = _("%(container)s of %(array)s") % {"container": name, "array": _ARRAYS[described.leaves]}
    return f"{name} | None" if isinstance(described, Parameter) and described.nullable else name


def shape_of(described: Described) -> str:
    """As a tuple; empty for what is no array."""
    if described.shape is None:
        return ""
    return f"({', '.join(map(str, described.shape))}{',' * (len(described.shape) == 1)})"


def limit_words(limits: Limits) -> str:
    size = f"{limits.memory_mib / 1024:g} GiB" if limits.memory_mib % 512 == 0 else f"{limits.memory_mib} MiB"
    words = _("Each case may take %(seconds)s s and %(size)s of memory.")
    told = words % {"seconds": f"{limits.wall_seconds:g}", "size": size}
    return f"{told} {_('It runs on a GPU.')}" if limits.gpu else told


def tolerance_words(problem: ProblemDetail) -> Iterator[tuple[str, str]]:
    """The path of a leaf, empty for the whole output, and when it is right."""
    if "*" not in problem.checkers:
        yield "", _closeness(_tolerance_of(problem))
    for path, margin in (problem.tolerance.leaves if problem.tolerance else {}).items():
        yield path, _closeness(margin.tolerance)


def dtype_words(problem: ProblemDetail) -> str:
    match problem.dtype_policy:
        case "exact":
            return _("Shape and dtype must be exactly the expected ones.")
        case "kind":
            return _("The shape must be exact. Of the dtype only the kind counts: float64 may stand for float32.")
        case "any":
            return _("The shape must be exact; any dtype will do.")


def _tolerance_of(problem: ProblemDetail) -> Tolerance:
    if problem.tolerance is not None:
        return problem.tolerance.tolerance
    plain = {"float": "float64"}.get(problem.returns.type, problem.returns.type)
    return default_for(problem.returns.dtype or plain)


def _closeness(tolerance: Tolerance) -> str:
    if tolerance.rtol == 0 and tolerance.atol == 0:
        return _("Every value must be equal to the expected one.")
    if tolerance.rtol == 0:
        return _("A number may differ from the expected one by %(atol)s.") % {"atol": _short(tolerance.atol)}
    facts = {"share": _share(tolerance.rtol), "atol": _short(tolerance.atol)}
    if tolerance.atol == 0:
        return _("A number may differ from the expected one by %(share)s of it.") % facts
    return _("A number may differ from the expected one by %(share)s of it, and by %(atol)s more.") % facts


def _share(rtol: float) -> str:
    return _short(rtol * 100) + "\N{NO-BREAK SPACE}%" if rtol >= LEAST_PERCENT else _short(rtol)


def _short(number: float) -> str:
    """Without an exponent, unless there were too many zeros."""
    return f"{number:.6f}".rstrip("0").rstrip(".") if number >= LEAST_PERCENT else f"{number:g}"

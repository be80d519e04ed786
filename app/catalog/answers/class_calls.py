"""`class`: an object is made, and its methods are called in turn. Results, and the state afterwards, are the answer.

A case gives the constructor's parameters and the input `calls`: a list of `{method: {parameter: value}}`. `train` and
`eval` alone switch a module's mode, unless the manifest declares methods of these names. `{result_of: 0}` stands for
the result of the first call, and with `item: 1` for an item of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Strict, Tag, model_validator

from app.catalog.answers.kind import AnswerKind, Declared, Definition, array_kinds, unknown_name
from app.catalog.dtype import DType
from app.catalog.fault import Conflict, Inconsistent, Location, nearest
from app.catalog.parameter import FUNCTION, ArrayKind, Doc, Identifier, Input, Parameter
from app.judging.options import Model

CALLS, WEIGHTS = "calls", "weights"
MODES = ("train", "eval")
GRADIENTS = "grad"
REFERENCE = frozenset({"result_of", "item"})
_EXAMPLE = "write a call such as `{forward: {x: …}}`, or the name of a method without parameters"


class Weights(Model):
    """The weights that a module gets before its methods are called. Cases give them in the input `weights`."""

    leaves: ArrayKind
    dtype: DType = "float32"
    doc: Doc | None = None


class CallList(Input):
    """The input `calls`. `methods`: what each call may name."""

    methods: Annotated[tuple[Definition, ...], Field(exclude=True)]

    def takes(self, name: str) -> tuple[Parameter, ...] | None:
        """Return the parameters of a method, None if there is no such method."""
        found = next((each for each in self.methods if each.name == name), None)
        if found is None:
            return () if name in MODES else None
        return tuple(each for each in found.parameters if each.type != FUNCTION)  # `arguments.py` makes functions

    def arguments(self, calls: Any) -> Iterator[tuple[Location, Parameter, Any]]:
        """Yield the location, parameter and value of each argument of valid calls, without results of other calls."""
        for index, call in enumerate(calls):
            for name, values in call.items() if isinstance(call, dict) else ():
                for parameter in self.takes(name) or ():
                    if parameter.name in values and not is_reference(values[parameter.name]):
                        yield (index, name, parameter.name), parameter, values[parameter.name]

    def find_conflicts(self, calls: Any) -> Iterator[Conflict]:
        """Yield what is wrong with the calls, but not with the values of their arguments."""
        if not isinstance(calls, tuple | list) or not calls:
            yield Conflict((), "is not a list of calls", f"{_EXAMPLE} for each call")
            return
        for index, call in enumerate(calls):
            if isinstance(call, str):
                yield from self._name_conflicts((index,), call, {})
            elif isinstance(call, dict) and len(call) == 1 and isinstance(next(iter(call.values())), dict):
                name, values = next(iter(call.items()))
                yield from self._name_conflicts((index,), name, values)
                yield from _reference_conflicts((index, name), index, values)
            else:
                yield Conflict((index,), "is not one call", _EXAMPLE)

    def _name_conflicts(self, where: Location, name: str, values: Mapping[str, Any]) -> Iterator[Conflict]:
        parameters = self.takes(name)
        if parameters is None:
            known = tuple(dict.fromkeys((*(each.name for each in self.methods), *MODES)))
            yield Conflict(where, f"calls {name!r}, which is not a known method{nearest(name, known)}",
                           f"the methods are {', '.join(known)}")  # fmt: skip
            return
        wanted = [parameter.name for parameter in parameters]
        for each in wanted:
            if each not in values and name != GRADIENTS:
                yield Conflict((*where, name, each), "is missing", f"add `{each}: …` to this call")
        for each in values:
            if each not in wanted:
                remedy = f"the parameters of {name} are {', '.join(wanted) or 'none'}"
                yield Conflict((*where, name, each), f"is not a known parameter{nearest(each, wanted)}", remedy)


def is_reference(value: Any) -> bool:
    return isinstance(value, dict) and "result_of" in value and value.keys() <= REFERENCE


def _reference_conflicts(where: Location, index: int, values: Mapping[str, Any]) -> Iterator[Conflict]:
    for name, value in values.items():
        if is_reference(value) and not (type(value["result_of"]) is int and 0 <= value["result_of"] < index):
            message = f"is {value['result_of']!r}, which is not the number of an earlier call"
            yield Conflict((*where, name, "result_of"), message, f"use a number below {index}; the first call is 0")


class ClassCalls(AnswerKind):
    """`state`: attributes to compare after the calls, or true for the whole state of a module.

    `changed`: parameters of the constructor, or inputs, to compare after the calls. `gradients`: inputs with tensors of
    PyTorch, whose gradients the call `grad` sets, or returns if it gives none.
    """

    kind: Literal["class"]
    methods: Annotated[tuple[Definition, ...], Field(min_length=1, max_length=20)]
    weights: Weights | None = None
    state: Annotated[
        Annotated[Annotated[bool, Strict()], Tag("<flag>")]
        | Annotated[tuple[Identifier, ...], Tag("<names>"), Field(max_length=50)],
        Discriminator(lambda given: "<names>" if isinstance(given, list | tuple) else "<flag>"),
    ] = False

    changed: Annotated[tuple[Identifier, ...], Field(max_length=50)] = ()
    gradients: Annotated[tuple[Identifier, ...], Field(max_length=50)] = ()

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [*([GRADIENTS] if self.gradients else []), *(each.name for each in self.methods)]
        if twice := [index for index, name in enumerate(names) if name in names[:index]]:
            message = f"is {names[twice[0]]!r}, which is the name of another method"
            index = twice[0] - bool(self.gradients)
            raise Inconsistent([Conflict(("methods", index, "name"), message, "remove or rename one of them")])
        return self

    module: ClassVar[str] = "class_calls"

    @property
    def has_methods(self) -> bool:
        return True

    @property
    def rule(self) -> str:
        state = self.state if isinstance(self.state, bool) else ", ".join(self.state)
        after = "" if not state else ", and the state afterwards" if state is True else f", and then {state}"
        after += "".join(f", and {name}" for name in self.changed)
        return f"Each case makes an object and calls its methods in turn. The judge compares each result{after}."

    @property
    def changes(self) -> tuple[str, ...]:
        return self.changed

    def options(self) -> dict[str, Any]:
        return {
            "methods": {each.name: list(each.names) for each in self.methods},
            "weights": self.weights is not None,
            "state": self.state if isinstance(self.state, bool) else list(self.state),
            "changes": list(self.changed),
            "gradients": list(self.gradients),
        }

    def definitions(self) -> tuple[Definition, ...]:
        return self.methods

    def case_inputs(self, entry_point: str, declared: Sequence[Parameter]) -> tuple[Parameter, ...]:
        weights = self.weights
        doc = "the calls of its methods, in order: `{method: {parameter: value}}`, or the name of a method alone"
        gradients = tuple(each for each in declared if each.name in self.gradients)
        methods = (*self.methods, *([Definition(name=GRADIENTS, parameters=gradients)] if gradients else []))
        kinds = array_kinds([each for method in methods for each in method.parameters])
        own: list[Parameter] = []
        if weights is not None:
            about = weights.doc or f"the weights that the object of {entry_point} gets first"
            own.append(Input(name=WEIGHTS, type="dict", leaves=weights.leaves, dtype=weights.dtype, doc=about))
        leaves = kinds[0] if kinds else None
        return (*declared, *own, CallList(name=CALLS, type="list", leaves=leaves, doc=doc, methods=methods))

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        names = [each.name for each in manifest.inputs]
        for index, method in enumerate(self.methods):
            for place, each in enumerate(method.parameters):
                if each.type == FUNCTION and not manifest.has_inputs:
                    where: Location = ("methods", index, "parameters", place, "type")
                    remedy = "list what cases give under `inputs`, and let arguments.py make the function from it"
                    yield Conflict(where, "is function, which a case can't give", remedy)
        known = [*names, *(each.name for each in manifest.parameters)]
        for index, name in enumerate(self.changed):
            if name not in known:
                yield unknown_name(("changed", index), name, known, "parameter or input")
        tensors = [each.name for each in manifest.inputs if each.array_kind == "torch"]
        for index, name in enumerate(self.gradients):
            if name not in tensors or name not in [each.name for each in manifest.parameters]:
                yield unknown_name(("gradients", index), name, tensors, "input with tensors that the constructor takes")
        for taken in (CALLS, *((WEIGHTS,) if self.weights else ())):
            if taken in names:
                yield Conflict(("kind",), f"is class, but an input is named {taken}", "rename that input")
        kinds = array_kinds([each for method in self.methods for each in method.parameters])
        if len(kinds) > 1:
            message = f"take arrays of {' and '.join(kinds)}"
            yield Conflict(("methods",), message, "use one library for the arrays of all methods")
        if self.state is True and not {"torch", "flax"} & set(manifest.frameworks):
            remedy = "list the names of the attributes: `state: [count, mean]`"
            yield Conflict(("state",), "is true, but only modules of torch and flax know their whole state", remedy)

"""Messages to the guest: settings of its box, the setup of a student's process, and the task of a request."""

import json
from dataclasses import dataclass
from typing import Any, Literal

Isolation = Literal["namespaces", "shared"]
# Time limit for the library calls of a spare.
SPARE_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`isolation` "any": namespaces where the host permits them. `cores`: the cores for students.

    `gpu_memory_bytes`: the memory of the box's GPU, if it has one. `optimizations`: see `jax_compilation.PARTS`.
    """

    frameworks: tuple[str, ...]
    isolation: Literal["any", "namespaces", "shared"]
    cores: tuple[int, ...]
    uid: int
    gpu_memory_bytes: int | None = None
    optimizations: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, text: str) -> "Settings":
        given = json.loads(text)
        lists = {key: tuple(given[key]) for key in ("frameworks", "cores", "optimizations") if key in given}
        return cls(**given | lists)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    wall_seconds: float
    load_seconds: float
    memory_bytes: int
    answer_bytes: int
    text_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Facts of the problem that a student's process needs before its source.

    `memory_bytes`: the limit of a case. `cpu_seconds`: a backstop for the whole process. `library_calls`: calls that
    the process makes before it gets the source (`library_programs`). `inspects`: it inspects a program before that.
    """

    memory_bytes: int
    cpu_seconds: int
    library_calls: tuple[bytes, ...] = ()
    inspects: bool = False

    @classmethod
    def from_json(cls, text: bytes) -> "Setup":
        given: dict[str, Any] = json.loads(text)
        return cls(**given | {"library_calls": tuple(map(bytes.fromhex, given["library_calls"]))})

    @property
    def works_ahead(self) -> bool:
        """Whether the process works before it gets the source."""
        return bool(self.library_calls) or self.inspects


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A request without its inputs, which follow one by one. `parameters`: name and kind of each, in call order.

    `guarded`: names of the parameters that the program must not change. `signature`: the names of the arguments that a
    driver passes to the solution, or None if only the driver knows. `definitions`: other functions that the source must
    define, and methods such as `Norm.forward`, with the names of their arguments.
    """

    source: str
    entry_point: str
    driver: str | None
    parameters: tuple[tuple[str, str], ...]
    limits: Limits
    guarded: tuple[str, ...] = ()
    signature: tuple[str, ...] | None = None
    definitions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def from_json(cls, text: bytes) -> "Task":
        given: dict[str, Any] = json.loads(text)
        parameters = tuple((name, kind) for name, kind in given.pop("parameters"))
        guarded = tuple(given.pop("guarded"))
        signature = given.pop("signature")
        definitions = tuple((name, tuple(arguments)) for name, arguments in given.pop("definitions", ()))
        return cls(
            parameters=parameters,
            guarded=guarded,
            signature=None if signature is None else tuple(signature),
            definitions=definitions,
            limits=Limits(**given.pop("limits")),
            **given,
        )

    @property
    def arguments(self) -> tuple[str, ...] | None:
        """The names of the solution's arguments, or None if only the driver knows."""
        return tuple(name for name, _ in self.parameters) if self.driver is None else self.signature

    @property
    def argument_names(self) -> tuple[str, ...]:
        """The names of all arguments that students know."""
        return (*(self.arguments or ()), *(each for _, arguments in self.definitions for each in arguments))

    @property
    def call(self) -> str:
        """The call as a student would write it: `scale(x, factor)`."""
        return self.entry_point if self.arguments is None else f"{self.entry_point}({', '.join(self.arguments)})"

"""Programs made to harm or fool the inspector: each ends in a value, and the box goes on."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sandbox.guest import codec
from sandbox.interface import MIB, CaseOutcome, Ending
from tests.sandbox.bench import Bench, value_of
from tests.sandbox.inspecting import Program, ask, describe, programs

pytestmark = pytest.mark.parametrize("launcher", ["bubblewrap-namespaces"], indirect=True)
INPUTS = {"x": np.arange(4, dtype=np.float32)}
HONEST = """
import jax, jax.numpy as jnp

def solve(x):
    return jax.lax.scan(lambda c, v: (c + v, c * v), 0.0, x)
"""
# Writes StableHLO as it is given, the way an exporter that was patched would.
FORGE = """
from jax._src.interpreters import mlir
from jax._src.lib import _jax
from jaxlib.mlir import ir
import numpy as np

def solve(text):
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        program = _jax.mlir.serialize_portable_artifact(mlir.module_to_bytecode(module), "1.10.0")
    return {"program": np.frombuffer(program, np.uint8), "structure": np.int32(0)}
"""
MAIN = "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32>"
F = "tensor<4xf32>"


def call(target: str, types: str, attributes: str = "") -> str:
    return f"{MAIN} {{ %y = stablehlo.custom_call @{target}(%x) {{{attributes}}} : {types} return %y : {F} }}"


def doubling(depth: int) -> str:
    """Return a program with 2 ** depth operations once its calls are inlined."""
    functions = [f"func.func private @f0(%x: {F}) -> {F} {{ %y = stablehlo.add %x, %x : {F} return %y : {F} }}"]
    for n in range(1, depth + 1):
        twice = f"%y = call @f{n - 1}(%x) : ({F}) -> {F} %z = call @f{n - 1}(%y) : ({F}) -> {F}"
        functions.append(f"func.func private @f{n}(%x: {F}) -> {F} {{ {twice} return %z : {F} }}")
    return "\n".join([*functions, f"{MAIN} {{ %y = call @f{depth}(%x) : ({F}) -> {F} return %y : {F} }}"])


def main(*lines: str, takes: str = F, gives: str = F, result: str = "%y") -> str:
    body = "\n".join(lines)
    return f"func.func public @main(%x: {takes}) -> {gives} {{ {body} return {result} : {gives} }}"


CALLBACK = (f"({F}) -> {F}", "api_version = 4 : i32")
ITSELF = f"func.func private @f(%x: {F}) -> {F} {{ %y = call @f(%x) : ({F}) -> {F} return %y : {F} }}\n"
LAPACK = main(
    "%m = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>",
    "%y:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%m) {mhlo.backend_config = {}} : (tensor<4x4xf32>) "
    "-> (tensor<1x1xf32>, tensor<4xi32>, tensor<i32>)",
    gives="tensor<1x1xf32>",
    result="%y#0",
)
THIN = """
%m = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<40x4xf32>
%y:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%m) {SETTINGS, mhlo.backend_config = {mode = MODE},
    operand_layouts = [dense<LAYOUT> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>,
    dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>,
    dense<> : tensor<0xindex>]} : (tensor<40x4xf32>)
    -> (tensor<40x4xf32>, tensor<4xf32>, tensor<40x4xf32>, tensor<4x4xf32>, tensor<i32>)
"""
FFI = "api_version = 4 : i32, backend_config = {mode = 65 : ui8}"


def svd(settings: str, mode: str = "83 : ui8", layout: str = "[0, 1]") -> str:
    text = THIN.replace("SETTINGS, ", settings).replace("MODE", mode).replace("LAYOUT", layout)
    return main(text, gives="tensor<4xf32>", result="%y#1")


HUGE = main(
    "%c = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<4x1xf32>",
    "%y = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1073741824xf32>",
    gives="tensor<4x1073741824xf32>",
)
OUTFEED = main(
    "%t = stablehlo.create_token : !stablehlo.token",
    f'%u = "stablehlo.outfeed"(%x, %t) : ({F}, !stablehlo.token) -> !stablehlo.token',
    result="%x",
)
VARYING = main(
    "%t = stablehlo.constant dense<4> : tensor<i32>",
    f"%y = stablehlo.set_dimension_size %x, %t, dim = 0 : ({F}, tensor<i32>) -> tensor<?xf32>",
    gives="tensor<?xf32>",
)
HIDDEN = f"func.func private @f(%x: {F}) -> {F} {{ %y = stablehlo.sine %x : {F} return %y : {F} }}\n" + main(
    f'%y = stablehlo.composite "chlo.erf" %x {{decomposition = @f}} : ({F}) -> {F}'
)


def nested(depth: int, value: str) -> str:
    """Loops in loops, each of as many steps as its counter can tell."""
    d = depth
    inner = nested(d - 1, f"%y{d}") if d else f"%l0_ = stablehlo.sine {value} : {F}"
    if not d:
        return inner
    done = f"%l{d - 1}#1" if d > 1 else "%l0_"
    test = f"stablehlo.compare LT, %i{d}, %e : (tensor<i32>, tensor<i32>) -> tensor<i1>"
    return f"""
        %l{d}:2 = stablehlo.while(%i{d} = %s, %y{d} = {value}) : tensor<i32>, {F}
        cond {{ %c{d} = {test} stablehlo.return %c{d} : tensor<i1> }}
        do {{
            {inner}
            %n{d} = stablehlo.add %i{d}, %u : tensor<i32>
            stablehlo.return %n{d}, {done} : tensor<i32>, {F}
        }}"""


ABSURD = main(
    *(f"%{name} = stablehlo.constant dense<{n}> : tensor<i32>" for name, n in (("s", 0), ("u", 1), ("e", 2**31 - 2))),
    nested(2, "%x"),
    result="%l2#1",
)
OTHER = main(f"%y = stablehlo.slice %x [0:4] : (tensor<5xf32>) -> {F}", takes="tensor<5xf32>")
REFUSED = {
    "a Python callback": (call("xla_ffi_python_cpu_callback", *CALLBACK), "calls 'xla_ffi"),
    "an older callback": (call("xla_python_cpu_callback", f"({F}) -> {F}", 'backend_config = "9"'), "calls 'xla_py"),
    "a legacy TopK": (call("TopK", f"({F}) -> {F}"), "calls 'TopK'"),
    "a padding to a dynamic shape": (call("SliceToDynamic", f"({F}) -> {F}"), "calls 'SliceToDynamic'"),
    "LAPACK that writes beyond its result": (LAPACK, "don't fit"),
    "LAPACK with two sets of settings": (svd(f"{FFI}, "), "in a way that JAX does not"),
    "LAPACK with a setting of another width": (svd("", mode="83 : i64"), "settings that JAX does not use"),
    "LAPACK on an array that lies across": (svd("", layout="[1, 0]"), "in the wrong memory layout"),
    "LAPACK that calls a function": (svd("called_computations = [@main], "), "in a way that JAX does not"),
    "calls that double": (doubling(40), "more than 50000 operations"),
    "a composite of itself": (
        main(f'%y = stablehlo.composite "chlo.erf" %x {{decomposition = @main}} : ({F}) -> {F}'),
        "nested more than",
    ),
    "a function that calls itself": (ITSELF + main(f"%y = call @f(%x) : ({F}) -> {F}"), "nested more than"),
    "an array that no machine holds": (HUGE, "more than 268435456 elements"),
    "an outfeed": (OUTFEED, "create_token"),
    "another signature": (OTHER, "arguments differ"),
    "no answer": ("func.func public @main(%x: tensor<4xf32>) { return }", "returns no answer"),
    "an output that is no part of the answer": (
        f"func.func public @main(%x: {F}) -> ({F}, {F}) {{ return %x, %x : {F}, {F} }}",
        "outputs that are not part of the answer",
    ),
    "a loop that nothing ever ends": (ABSURD, "more arithmetic than"),
    "no main": (MAIN.replace("@main", "@other") + f" {{ return %x : {F} }}", "no main function"),
    "a shape that varies": (VARYING, "set_dimension_size"),
}


@pytest.fixture(scope="session")
def honest(bench: Bench) -> Program:
    (found,) = programs(bench, HONEST, INPUTS)
    return found


def forged(bench: Bench, *texts: str) -> list[Program]:
    run = bench.run(FORGE, *({"text": text} for text in texts), frameworks=("jax",), wall_seconds=60)
    return [Program(codec.encode(value_of(outcome)), describe(INPUTS), INPUTS) for outcome in run.cases]


def failure(outcome: CaseOutcome) -> tuple[Ending, str]:
    assert outcome.failure is not None, outcome
    return outcome.ending, f"{outcome.failure.kind}: {outcome.failure.message}"


def test_a_program_that_may_not_be_compiled_is_refused_with_the_reason(bench: Bench) -> None:
    found = forged(bench, *(text for text, _ in REFUSED.values()))

    outcomes = ask(bench, *(one.message("open") for one in found), wall_seconds=60)

    told = dict(zip(REFUSED, map(failure, outcomes), strict=True))
    assert {name: ending for name, (ending, _) in told.items()} == dict.fromkeys(REFUSED, Ending.RAISED)
    assert [name for name, (_, words) in REFUSED.items() if words not in told[name][1]] == []


def test_the_operations_in_a_composite_are_seen_under_any_name(bench: Bench) -> None:
    (one,) = forged(bench, HIDDEN)

    opened, ran = ask(bench, one.message("open"), one.message("run"))

    assert value_of(opened)["operations"] == {"sine": 1}
    np.testing.assert_allclose(value_of(ran), np.sin(INPUTS["x"]), rtol=1e-5)


def spoilt(program: bytes) -> Iterator[bytes]:
    """Random bytes, and the program cut off and with bits turned."""
    draw = random.Random(0)
    yield b""
    for size in (1, 100, 5000):
        yield draw.randbytes(size)
    for _ in range(8):
        yield program[: draw.randrange(len(program))]
    for _ in range(24):
        changed = bytearray(program)
        for _ in range(draw.choice((1, 2, 8))):
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
        yield bytes(changed)


def test_bytes_that_are_no_program_never_cost_more_than_their_process(bench: Bench, honest: Program) -> None:
    tree: Any = codec.decode(honest.exported)
    bodies = list(spoilt(tree["program"].tobytes()))
    wrapped = [codec.encode(tree | {"program": np.frombuffer(body, np.uint8)}) for body in bodies]
    messages = [replace(honest, exported=one).message("run") for one in wrapped]

    endings: list[Ending] = []
    while messages:
        outcomes = ask(bench, *messages, wall_seconds=10)
        endings += [outcome.ending for outcome in outcomes]
        messages = messages[len(outcomes) :]

    assert len(endings) == len(bodies)
    assert set(endings) <= {Ending.RAISED, Ending.CRASHED, Ending.ANSWERED, Ending.TIMED_OUT, Ending.OUT_OF_MEMORY}
    assert endings[0] is Ending.RAISED


def test_an_export_is_what_an_exporter_sends_or_refused(bench: Bench, honest: Program) -> None:
    tree: Any = codec.decode(honest.exported)
    others = [
        codec.encode(tree | {"program": np.zeros(5 * MIB, np.uint8)}),
        codec.encode(tree | {"structure": np.asarray(7, np.int32)}),
        codec.encode(tree | {"structure": np.asarray(-1, np.int32)}),
        codec.encode(tree | {"structure": [3.0]}),
    ]

    outcomes = ask(bench, *(replace(honest, exported=one).message("run") for one in others), honest.message("run"))

    assert [outcome.ending for outcome in outcomes] == [Ending.RAISED] * len(others) + [Ending.ANSWERED]
    assert all(failure(outcome)[1].startswith("Refused: ") for outcome in outcomes[:-1])


def counted(start: int, bound: int, step: int, dtype: str, direction: str = "LT") -> str:
    return f"""
{MAIN} {{
  %start = stablehlo.constant dense<{start}> : tensor<{dtype}>
  %r:2 = stablehlo.while(%a = %x, %i = %start) : {F}, tensor<{dtype}>
    cond {{ %n = stablehlo.constant dense<{bound}> : tensor<{dtype}>
            %c = stablehlo.compare {direction}, %i, %n : (tensor<{dtype}>, tensor<{dtype}>) -> tensor<i1>
            stablehlo.return %c : tensor<i1> }}
    do {{ %s = stablehlo.constant dense<{step}> : tensor<{dtype}>
          %j = stablehlo.add %i, %s : tensor<{dtype}>
          %b = stablehlo.add %a, %x : {F}
          stablehlo.return %b, %j : {F}, tensor<{dtype}> }}
  return %r#0 : {F}
}}
"""


def test_a_counter_that_would_wrap_around_is_not_counted(bench: Bench) -> None:
    found = forged(
        bench,
        counted(0, 8, 1, "i32"),
        counted(10, 0, -3, "i32", "GT"),
        counted(0, 8, 2, "ui8", "NE"),
        counted(0, 9, 2, "ui8", "NE"),
        counted(0, 127, 1, "i8", "LE"),
        counted(0, 126, 100, "i8"),
        counted(5, 3, 1, "i32"),
    )

    outcomes = ask(bench, *(one.message("open") for one in found), wall_seconds=30)

    lengths = [value_of(outcome)["loops"][0]["length"] for outcome in outcomes]
    assert lengths == [8, 4, 4, None, None, None, 0]


@pytest.mark.whole
def test_a_program_that_hangs_without_a_step_shows_nothing(bench: Bench) -> None:
    """The answer without the step can't be had; that is no difference."""
    source = """
        from jax import lax

        def solve(x):
            count = lax.scan(lambda c, _: (c + 1.0, None), 0.0, None, length=8)[0]
            return lax.while_loop(lambda c: c != 8.0, lambda c: -c, count) * x.sum()
    """
    (one,) = programs(bench, source, INPUTS)

    run, left_out = ask(bench, one.message("run"), one.message("leave_out", ("scan", 8, 0)), wall_seconds=5)

    assert run.ending is Ending.ANSWERED
    assert left_out.ending is Ending.TIMED_OUT

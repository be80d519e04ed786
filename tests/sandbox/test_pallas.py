"""Pallas kernels in a box without a GPU: they run without `interpret`, and what a GPU would not do is refused."""

from typing import Any

import numpy as np
import pytest

from sandbox.interface import Ending
from tests.sandbox.bench import Bench, make_request, run_in, value_of
from tests.sandbox.inspecting import ask, programs

pytestmark = pytest.mark.parametrize("launcher", ["bubblewrap-namespaces"], indirect=True)
X = np.arange(1, 41, dtype=np.float32)
TILES = """
    import jax, jax.numpy as jnp
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import triton as plgpu

    def double(x_ref, o_ref):
        exists = pl.program_id(0) * 16 + jnp.arange(16) < 40
        plgpu.store(o_ref.at[:], 2 * x_ref[...], mask=exists)

    def without_mask(x_ref, o_ref):
        o_ref[...] = 2 * x_ref[...]

    def first_row(x_ref, o_ref):
        plgpu.store(o_ref.at[0, :], 2 * plgpu.load(x_ref.at[0, :]), mask=jnp.arange(16) < 16)

    def in_a_loop(x_ref, o_ref):
        jax.lax.fori_loop(0, 2, lambda _, step: without_mask(x_ref, o_ref) or step, 0)

    def call(x, blocks, out_blocks, grid, kernel=double, **options):
        out_shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return pl.pallas_call(
            kernel, grid=grid, in_specs=[blocks], out_specs=out_blocks, out_shape=out_shape, **options
        )(x)

    own = pl.BlockSpec((16,), lambda i: (i,))
"""


def run(bench: Bench, body: str, **inputs: Any) -> Any:
    source = f"{TILES}\n    def solve(x):\n        x = jnp.asarray(x)\n        return {body}\n"
    with bench.box("pallas") as box:
        (case,) = run_in(box, make_request(source, inputs or {"x": X})).cases
    return case


@pytest.mark.parametrize(
    "body",
    [
        "call(x, own, own, (3,))",
        "jax.jit(lambda x: call(x, own, own, (3,)))(x)",
        "call(x, own, own, (3,), interpret=True)",
        "jax.vmap(lambda x: call(x, own, own, (2,)))(x.reshape(2, 20)).reshape(-1)",
        "call(x, *[pl.BlockSpec((16,), lambda i: (jax.lax.rem(i, 3),))] * 2, (3,))",
    ],
)
def test_a_kernel_runs_without_a_gpu_and_its_last_block_may_reach_beyond_the_end(bench: Bench, body: str) -> None:
    assert value_of(run(bench, body)).tolist() == (2 * X).tolist()


@pytest.mark.parametrize(
    "body",
    [
        "call(x, own, own, (2,), without_mask)",
        "call(x, own, own, (3,), lambda x_ref, o_ref: o_ref.__setitem__(pl.ds(0, 8), 2 * x_ref[:8]))",
        "call(x[:32], own, own, (2,), without_mask)",
        "call(x, own, own, (3,), input_output_aliases={0: 0})",
        "call(x[:32].reshape(2, 16), *[pl.BlockSpec((1, 16), lambda i: (i, 0))] * 2, (2,), first_row).reshape(-1)",
    ],
)
def test_a_store_inside_of_the_array_needs_no_mask(bench: Bench, body: str) -> None:
    assert value_of(run(bench, body))[:8].tolist() == (2 * X[:8]).tolist()


def test_what_lies_beyond_the_end_is_not_a_number(bench: Bench) -> None:
    kernel = "lambda x_ref, o_ref: o_ref.__setitem__(pl.ds(0, 8), o_ref[:8] * 0 + x_ref[...].sum())"

    answer = value_of(run(bench, f"call(x, own, own, (3,), {kernel})"))

    assert np.isnan(answer[-8:]).all()


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (
            "call(x, own, pl.BlockSpec((16,), lambda i: (0,)), (3,))",
            "SharedBlock",
            "programs (0,) and (1,) of the grid both write block (0,) of output 0",
        ),
        (
            "call(x, own, pl.BlockSpec((16,), lambda i: (jax.lax.rem(i, 2),)), (3,))",
            "SharedBlock",
            "programs (0,) and (2,) of the grid both write block (0,)",
        ),
        ("call(x, pl.BlockSpec(), pl.BlockSpec(), (3,))", "SharedBlock", "programs (0,) and (1,)"),
        (
            "call(x, own, own, (4,))",
            "BlockOutside",
            "program (3,) of the grid has block (3,) of input 0, which has (3,) blocks",
        ),
        (
            "call(x, pl.BlockSpec((16,), lambda i: (i - 1,)), own, (3,))",
            "BlockOutside",
            "program (0,) of the grid has block (-1,) of input 0",
        ),
        ("call(x, own, pl.BlockSpec((16,), lambda i: (i + 1,)), (3,))", "BlockOutside", "block (3,) of output 0"),
        (
            "call(x, own, own, (3,), without_mask)",
            "NoMask",
            "stores blocks of (16,) into output 0 without a mask. The last one has only (8,) elements inside",
        ),
        ("call(x, own, own, (3,), in_a_loop)", "NoMask", "without a mask"),
        ("call(x, own, own, (2,), lambda x_ref, o_ref: double(o_ref, x_ref))", "InputChanged", "writes into input 0"),
        (
            "call(x, pl.BlockSpec((16,), lambda i: (2 - i,)), own, (3,), input_output_aliases={0: 0})",
            "SharedBlock",
            "input 0 shares its memory with output 0, but not its blocks",
        ),
        ("call(x, own, own, (len(x) // 64,))", "BadGrid", "the grid (0,) has no program. Round up"),
        ("call(x, own, own, (2**18 + 1,))", "BadGrid", "has more than 262,144 programs"),
    ],
)
def test_a_grid_that_only_the_interpreter_forgives_is_refused(bench: Bench, body: str, kind: str, words: str) -> None:
    case = run(bench, body)

    assert case.ending is Ending.RAISED
    assert case.failure is not None
    assert case.failure.kind == kind
    assert words in case.failure.message


KERNELS = """
    import jax, jax.numpy as jnp
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir.dialects import hlo
    from jax.experimental import pallas as pl

    def multiply(x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] @ y_ref[...]

    def kernel(x, y):
        (m, k), n = x.shape, y.shape[1]
        return pl.pallas_call(
            multiply,
            grid=(m // 16, n // 32),
            in_specs=[pl.BlockSpec((16, k), lambda i, j: (i, 0)), pl.BlockSpec((k, 32), lambda i, j: (0, j))],
            out_specs=pl.BlockSpec((16, 32), lambda i, j: (i, j)),
            out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        )(x, y)

    def turned(x):
        def lowered(context, x, *, permutation):
            (kind,) = [mlir.aval_to_ir_type(context.module_context, one) for one in context.avals_out]
            return [hlo.broadcast_in_dim(kind, x, mlir.dense_int_array(permutation))]

        mlir.register_lowering(jax.lax.transpose_p, lowered)
        return x.T

    def solve(which, x, y):
        return {
            "alone": lambda: kernel(x, y),
            "prepared": lambda: kernel(jnp.pad(x, ((0, 16), (0, 0))), y)[:64],
            "twice": lambda: kernel(kernel(x, y), y),
            "in_a_loop": lambda: jax.lax.fori_loop(0, 2, lambda _, x: kernel(x, y), x),
            "beside": lambda: kernel(x, y) + x @ y,
            "unused": lambda: (kernel(x, y), x @ y)[1],
            "before": lambda: kernel(jnp.tanh(x), y),
            "without": lambda: x @ y,
            "turned": lambda: kernel(turned(x), y),
        }[which]()
"""
XY = {"x": np.ones((64, 64), np.float32), "y": np.eye(64, dtype=np.float32)}


def test_an_exported_program_shows_its_kernels_and_what_lies_outside_of_them(bench: Bench) -> None:
    names = ["alone", "prepared", "twice", "in_a_loop", "beside", "unused", "before", "without", "turned"]
    found = programs(bench, KERNELS, *({"which": n} | XY for n in names), static=("which",), frameworks=("pallas",))

    answers = [value_of(one) for one in ask(bench, *(one.message("open") for one in found))]

    kernels = {name: answer["kernels"] for name, answer in zip(names, answers, strict=True)}
    (call,) = kernels["alone"]["calls"]
    assert call["grid"] == (4, 2)
    assert [(block["parameters"], block["shape"], block["bytes"]) for block in call["inputs"]] == [
        (("x",), (16, 64), 4096),
        (("y",), (64, 32), 8192),
    ]
    assert [block["shape"] for block in call["outputs"]] == [(16, 32)]
    assert all(block["array_bytes"] == 64 * 64 * 4 for block in (*call["inputs"], *call["outputs"]))
    assert kernels["prepared"]["calls"][0]["grid"] == (5, 2)
    assert len(kernels["twice"]["calls"]) == 2
    assert [call["times"] for call in kernels["in_a_loop"]["calls"]] == [2]
    assert kernels["without"] is None
    for name in ("alone", "prepared", "twice", "in_a_loop"):
        assert (kernels[name]["takes_part"], kernels[name]["bypassed_by"], kernels[name]["outside"]) == (True, (), ())
    assert kernels["beside"]["bypassed_by"] == ("x", "y")
    assert kernels["beside"]["outside"] == ("add", "dot_general")
    assert not kernels["unused"]["takes_part"]
    assert kernels["before"]["outside"] == ("tanh",)
    assert kernels["turned"]["outside"] == ("transpose",)
    assert kernels["before"]["bypassed_by"] == ()


def test_the_program_for_a_processor_gives_the_answer(bench: Bench) -> None:
    (program,) = programs(bench, KERNELS, {"which": "twice"} | XY, static=("which",), frameworks=("pallas",))

    (ran,) = ask(bench, program.message("run"))

    assert value_of(ran).tolist() == XY["x"].tolist()


FOR_GPU = """
from sandbox.guest import codec
from sandbox.guest.inspection.module import KERNEL, Module

def run(_solution, inputs):
    module = Module(codec.decode(inputs["exported"].tobytes())["program"].tobytes(), for_gpu=inputs["for_gpu"])
    text = module.module.operation.get_asm()
    assert module.module.operation.verify()
    return [text.count(KERNEL), len(module.main.type.inputs), "dense<1> : tensor<i32>" in text]
"""


def test_the_program_for_a_gpu_keeps_its_kernels_and_chooses_them(bench: Bench) -> None:
    (program,) = programs(bench, KERNELS, {"which": "twice"} | XY, static=("which",), frameworks=("pallas",))
    exported = np.frombuffer(program.exported, np.uint8)
    given = [{"exported": exported, "for_gpu": for_gpu} for for_gpu in (False, True)]

    with bench.box("jax") as box:
        cases = run_in(box, make_request("def solve():\n    pass\n", *given, driver=FOR_GPU)).cases

    assert [value_of(case)[0] for case in cases] == [0, 2]
    assert {value_of(case)[1] for case in cases} == {2}
    assert value_of(cases[1])[2]


def test_a_program_is_timed_and_answers(bench: Bench) -> None:
    (program,) = programs(bench, KERNELS, {"which": "twice"} | XY, static=("which",), frameworks=("pallas",))

    (timed,) = ask(bench, program.message("time"))

    found = value_of(timed)
    assert found["answer"].tolist() == XY["x"].tolist()
    assert all(seconds > 0 for seconds in found["seconds"])

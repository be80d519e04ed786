"""Triton's kernels in its interpreter: right ones answer, and what fails or lies on a GPU is refused."""

from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from sandbox.interface import BoxSpec, CaseOutcome, Ending, FrameworkMissing, Launcher, Parameter
from tests.lacking import do_without
from tests.sandbox.bench import Bench, make_request, run_in, value_of
from tests.sandbox.conftest import ONE_QUICKLY

FRAMEWORKS = ("torch", "triton")
IMPORTS = "import torch\nimport triton\nimport triton.language as tl\n"
X = np.arange(100, dtype=np.float32)

ADD = """
@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)

def solve(x, y):
    out = torch.empty_like(x)
    add[(triton.cdiv(x.numel(), 64),)](x, y, out, x.numel(), BLOCK=64)
    return out
"""
TOTAL = """
@triton.jit
def total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0))
    tl.atomic_add(out_ptr, part)

def solve(x):
    out = torch.zeros(1)
    total[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
"""
SCAN = """
@triton.jit
def scan(x_ptr, out_ptr, carry_ptr, n, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    offsets = program * BLOCK + tl.arange(0, BLOCK)
    sums = tl.cumsum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0), 0)
    before = tl.load(carry_ptr + program)
    tl.store(out_ptr + offsets, sums + before, mask=offsets < n)
    tl.store(carry_ptr + program + 1, before + tl.sum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)))

def solve(x):
    out, carry = torch.empty_like(x), torch.zeros(4)
    scan[(2,)](x, out, carry, x.numel(), BLOCK=64)
    return out
"""
HISTOGRAM = """
@triton.jit
def count(x_ptr, out_ptr, BLOCK: tl.constexpr):
    bins = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr + bins, tl.arange(0, BLOCK))

def solve(x):
    out = torch.zeros(4, dtype=torch.int32)
    count[(1,)](x, out, BLOCK=4)
    return out
"""
LOCK = """
@triton.jit
def total(x_ptr, out_ptr, lock_ptr, BLOCK: tl.constexpr):
    part = tl.sum(tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)))
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr, tl.load(out_ptr) + part)
    tl.atomic_xchg(lock_ptr, 0)

def solve(x):
    out, lock = torch.zeros(1), torch.zeros(1, dtype=torch.int32)
    total[(5,)](x[:80], out, lock, BLOCK=16)
    return out
"""
VIEWS = """
@triton.jit
def double(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    tl.store(out_ptr + row * BLOCK + columns, 2 * tl.load(x_ptr + row * stride + columns))

def solve(x):
    whole = x.view(10, 10)
    left, out = whole[:, :8], torch.empty(10, 8)
    double[(10,)](left, out, left.stride(0), BLOCK=8)
    return out
"""


@pytest.fixture(scope="module", autouse=True)
def _triton(launcher: Launcher) -> None:
    try:
        launcher.launch(BoxSpec(FRAMEWORKS)).close()
    except FrameworkMissing as error:
        do_without(str(error))


def call(bench: Bench, source: str, **inputs: Any) -> CaseOutcome:
    parameters = tuple(Parameter(name, "torch") for name in inputs)
    return bench.call(IMPORTS + source, inputs, frameworks=FRAMEWORKS, parameters=parameters, wall_seconds=5.0)


def refused(outcome: CaseOutcome, kind: str) -> str:
    assert outcome.failure is not None, outcome
    assert (outcome.ending, outcome.failure.kind) == (Ending.RAISED, kind), outcome
    return f"{outcome.failure.message}\n{outcome.failure.traceback}"


def test_a_kernel_with_masks_answers(bench: Bench) -> None:
    outcome = call(bench, ADD, x=X, y=X)

    assert np.array_equal(value_of(outcome), 2 * X)


@ONE_QUICKLY
def test_a_load_without_a_mask_is_refused_with_its_line(bench: Bench) -> None:
    outcome = call(bench, ADD.replace("y_ptr + offsets, mask=mask", "y_ptr + offsets"), x=X, y=X)

    told = refused(outcome, "OutsideTensor")
    assert "kernel add: program (1, 0, 0) reads element 100 of y_ptr, which has 100 elements" in told
    assert "give tl.load a mask" in told
    assert "y = tl.load(y_ptr + offsets)" in told


@ONE_QUICKLY
def test_a_store_without_a_mask_is_refused_and_writes_nothing(bench: Bench) -> None:
    outcome = call(bench, ADD.replace("x + y, mask=mask", "x + y"), x=X, y=X)

    told = refused(outcome, "OutsideTensor")
    assert "writes element 100 of out_ptr, which has 100 elements, the first of which is 0: give tl.store" in told


@ONE_QUICKLY
def test_a_negative_offset_is_refused(bench: Bench) -> None:
    outcome = call(bench, ADD.replace("x_ptr + offsets", "x_ptr + offsets - 1"), x=X, y=X)

    assert "reads element -1 of x_ptr" in refused(outcome, "OutsideTensor")


@ONE_QUICKLY
def test_programs_may_update_an_element_atomically(bench: Bench) -> None:
    outcome = call(bench, TOTAL, x=X)

    assert value_of(outcome) == [X.sum()]


@ONE_QUICKLY
def test_programs_that_store_into_one_element_race(bench: Bench) -> None:
    source = TOTAL.replace("tl.atomic_add(out_ptr, part)", "tl.store(out_ptr, tl.load(out_ptr) + part)")

    outcome = call(bench, source, x=X)

    told = refused(outcome, "Race")
    assert "program (1, 0, 0) reads element 0 of out_ptr, which another program of the launch writes" in told


@ONE_QUICKLY
def test_a_program_that_needs_the_one_before_it_races(bench: Bench) -> None:
    assert "reads element 1 of carry_ptr" in refused(call(bench, SCAN, x=X), "Race")


@ONE_QUICKLY
def test_one_store_of_two_values_into_an_element_races(bench: Bench) -> None:
    outcome = call(bench, HISTOGRAM, x=np.array([0, 1, 1, 2], np.int32))

    assert "writes element 1 of out_ptr, twice in one tl.store" in refused(outcome, "Race")


@ONE_QUICKLY
def test_programs_may_write_the_same_value(bench: Bench) -> None:
    source = TOTAL.replace("tl.atomic_add(out_ptr, part)", "tl.store(out_ptr, 7.0)")

    assert value_of(call(bench, source, x=X)) == [7.0]


@ONE_QUICKLY
def test_programs_may_take_turns_with_a_lock(bench: Bench) -> None:
    assert value_of(call(bench, LOCK, x=X)) == [X[:80].sum()]


@ONE_QUICKLY
def test_a_kernel_may_read_a_view_by_its_strides(bench: Bench) -> None:
    assert np.array_equal(value_of(call(bench, VIEWS, x=X)), 2 * X.reshape(10, 10)[:, :8])


def test_a_kernel_that_never_ends_is_stopped(bench: Bench) -> None:
    outcome = call(
        bench, ADD.replace("    mask =", "    while tl.load(x_ptr) == 0:\n        pass\n    mask ="), x=X, y=X
    )

    assert outcome.ending is Ending.TIMED_OUT


def test_a_submission_finds_no_file_of_the_one_before(bench: Bench) -> None:
    source = """
        import os
        def solve():
            found = os.listdir("/tmp")
            os.makedirs("/tmp/.triton/cache")
            return found
    """

    with bench.box(*FRAMEWORKS) as box:
        found = [value_of(run_in(box, make_request(source)).cases[0]) for _ in range(2)]

    assert found == [[], []]


@ONE_QUICKLY
def test_a_box_of_another_framework_has_no_triton(bench: Bench) -> None:
    outcome = bench.call("import torch\nimport triton\ndef solve(): ...", frameworks=("torch",))

    assert "import of triton halted" in refused(outcome, "ModuleNotFoundError")


@ONE_QUICKLY
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("BLOCK=64)", "BLOCK=50)"), "arange's range must be a power of 2"),
        (("x + y,", "tl.exp(x.handle.data),"), "the kernel uses x.handle.data, which is no part of Triton's language"),
        (("x + y,", "np.add(x, y),"), "the kernel uses np.add, which is no part of Triton's language"),
        (("x + y,", "outside(x, y),"), "Cannot access global variable outside"),
        (("x + y,", "module.outside(x, y),"), "the kernel uses module.outside, which is no part of Triton's language"),
        (("    mask = offsets < n", "    import os\n    mask = offsets < n"), "unsupported AST node type: Import"),
    ],
)
def test_a_kernel_that_no_gpu_could_run_is_refused(bench: Bench, change: tuple[str, str], told: str) -> None:
    source = (
        "import sys\nimport numpy as np\nmodule = sys.modules['solution']\ndef outside(x, y):\n    return x + y\n"
        + ADD.replace(*change)
    )

    assert told in refused(call(bench, source, x=X, y=X), "NotCompiled")


@ONE_QUICKLY
@pytest.mark.parametrize(
    ("change", "kind", "told"),
    [
        (("x + y,", "outside(x, y) if hasattr(x, 'no') else x + y,"), "NameError", "name 'hasattr' is not defined"),
        (("x + y,", "tl.core.builtins.eval('x + y'),"), "NotCompiled", "the kernel uses tl.core.builtins"),
        (("x + y,", "'{0.handle.data}'.format(x),"), "NotCompiled", "the kernel uses '{0.handle.data}'.format"),
        (("x.numel(), BLOCK", "Odd(100), BLOCK"), "NotCompiled", "argument n is of type Odd"),
        (("BLOCK=64)\n", "BLOCK=Odd(64))\n"), "NotCompiled", "argument BLOCK is of type Odd"),
        (("(x, y, out", "(x, y, out.as_subclass(Own)"), "NotCompiled", "argument out_ptr is of type Own"),
        (("def solve", "tl.load = tl.store\ndef solve"), "NotCompiled", "has replaced triton.language.load"),
        (("def solve", "tl.tensor.__len__ = len\ndef solve"), "NotCompiled", "the source has added to tensor"),
    ],
)
def test_a_kernel_gets_nothing_by_which_it_could_reach_python(
    bench: Bench, change: tuple[str, str], kind: str, told: str
) -> None:
    source = "class Odd(int): ...\nclass Own(torch.Tensor): ...\ndef outside(x, y):\n    return x + y\n"

    assert told in refused(call(bench, source + ADD.replace(*change), x=X, y=X), kind)


@ONE_QUICKLY
def test_a_function_that_a_kernel_uses_stays_the_same(bench: Bench) -> None:
    source = """
        @triton.jit
        def part(x):
            return x
    """
    launch = "    add[(triton.cdiv(x.numel(), 64),)](x, y, out, x.numel(), BLOCK=64)\n"
    replaced = ADD.replace("x + y", "part(x) + y").replace(launch, f"    global part\n{launch}    part = max\n{launch}")

    outcome = call(bench, dedent(source) + replaced, x=X, y=X)

    assert "the global part was another object" in refused(outcome, "NotCompiled")


@ONE_QUICKLY
def test_a_line_of_a_kernel_s_text_that_looks_like_a_function_is_none(bench: Bench) -> None:
    text = '"""Adds.\n    def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr): 1 / 0\n    """\n    offsets ='

    outcome = call(bench, ADD.replace("offsets =", text, 1), x=X, y=X)

    assert np.array_equal(value_of(outcome), 2 * X)


@ONE_QUICKLY
def test_a_kernel_may_call_another_and_triton_s_own(bench: Bench) -> None:
    source = "@triton.jit\ndef twice(x):\n    return 2 * x + 0 * x.sum() * tl.max(x, 0)\n"
    source += ADD.replace("x + y", "twice(tl.maximum(x, y))").replace("mask=mask)\n", "mask=mask, other=0.0)\n", 2)

    assert np.array_equal(value_of(call(bench, source, x=X, y=X)), 2 * X)


@ONE_QUICKLY
def test_a_kernel_compiles_again_after_triton_s_own_functions_ran(bench: Bench) -> None:
    twice = TOTAL.replace("    return out", "    total[(1,)](x, out, x.numel(), BLOCK=128)\n    return out")

    assert value_of(call(bench, twice, x=X)) == [2 * X.sum()]


@ONE_QUICKLY
def test_a_kernel_that_is_called_without_a_grid_is_refused(bench: Bench) -> None:
    outcome = call(bench, ADD.replace("add[(triton.cdiv(x.numel(), 64),)]", "add"), x=X, y=X)

    assert "launch it with the number of its programs, as in add[(programs,)](…)" in refused(outcome, "TypeError")


MATMUL = """
@triton.jit
def product(a_ptr, b_ptr, out_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for begin in range(0, N, BLOCK):
        inner = begin + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + rows * N + inner[None, :])
        b = tl.load(b_ptr + inner[:, None] * N + columns)
        total += tl.dot(a, b, input_precision="ieee")
    tl.store(out_ptr + rows * N + columns, total)

def solve(a, b):
    out = torch.empty_like(a)
    product[(2, 2)](a, b, out, N=32, BLOCK=16)
    return out
"""
BEFORE = "out = torch.empty(32, 32)\nseen = out.numpy()\ndef solve(a, b):"

OWN_OPERATION = """own = torch.library.Library("own", "FRAGMENT")
    own.define("zeros(Tensor a) -> Tensor")
    own.impl("zeros", lambda a: a * 1, "CPU")
    return torch.cat([out, torch.ops.own.zeros(a)])[32:]"""


def watched(bench: Bench, source: str, **inputs: Any) -> Any:
    """Return what is told of the kernels of a right answer."""
    return value_of(watch(bench, source, **inputs))["kernels"]


def watch(bench: Bench, source: str, **inputs: Any) -> CaseOutcome:
    driver = f"from sandbox.guest.record import recording\nrun = recording(None, (), {list(inputs)})"
    parameters = tuple(Parameter(name, "torch") for name in inputs)
    return bench.call(
        IMPORTS + source, inputs, frameworks=FRAMEWORKS, parameters=parameters, driver=driver, signature=tuple(inputs)
    )


def test_what_a_kernel_reads_and_writes_is_counted(bench: Bench) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 32, 32)).astype(np.float32)

    told = watched(bench, MATMUL, a=a, b=b)

    (call,) = told.pop("calls")
    assert told == {"takes_part": True, "fed_by": ["a", "b"], "bypassed_by": [], "outside": []}
    assert call["grid"] == (2, 2, 1)
    assert [block["parameters"] for block in call["inputs"]] == [["a"], ["b"]]
    assert {block["total_bytes"] / block["array_bytes"] for block in call["inputs"]} == {2.0}
    assert {(block["shape"], block["bytes"]) for block in (*call["inputs"], *call["outputs"])} == {((16, 16), 1024)}


@ONE_QUICKLY
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("return out", "return out + 1"), {"outside": ["torch.add"]}),
        (("return out", "return a @ b"), {"outside": ["torch.mm"], "takes_part": False, "bypassed_by": ["a", "b"]}),
        (("(a, b, out", "((a @ b), torch.eye(32), out"), {"outside": ["torch.eye", "torch.mm"]}),
        (("return out", "return torch.from_numpy(out.numpy())"), {"outside": ["torch.Tensor.numpy"]}),
        (("[(2, 2)]", "[lambda _: (2, 2, (a + b).numel() // 1024)]"), {"outside": ["torch.add"]}),
        (("[(2, 2)]", "[lambda _: (2, 2, a.numpy().size // 1024)]"), {"outside": ["torch.Tensor.numpy"]}),
        (("[(2, 2)]", "[lambda _: (2, 2, a.data_ptr() // a.data_ptr())]"), {"outside": ["torch.Tensor.data_ptr"]}),
        (("def solve(a, b):\n    out = torch.empty_like(a)", BEFORE), {"outside": ["memory from before the call"]}),
        (("return out", "return out.apply_(abs)"), {"outside": ["torch.Tensor.apply_"]}),
        (("return out", OWN_OPERATION), {"bypassed_by": ["a"]}),
        (("return out", "return torch.cat([out[:16], a[16:]])"), {"outside": [], "bypassed_by": ["a"]}),
        (("(a, b, out", "(a.clone(), b.contiguous(), out"), {"outside": [], "fed_by": ["a", "b"], "takes_part": True}),
    ],
)
def test_what_is_computed_beside_a_kernel_is_named(bench: Bench, change: tuple[str, str], told: dict[str, Any]) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 32, 32)).astype(np.float32)

    found = watched(bench, MATMUL.replace(*change), a=a, b=b)

    assert {key: found[key] for key in told} == told


@ONE_QUICKLY
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("out = torch.from_numpy(np.empty((32, 32), np.float32))", "torch.from_numpy"),
        ("torch.to_dlpack(a)", "torch.to_dlpack"),
        ("thread = threading.Thread(target=a.add, args=[b])\n    thread.start()\n    thread.join()", "a thread"),
    ],
)
def test_a_way_around_the_watching_is_noted(bench: Bench, change: str, told: str) -> None:
    identity = np.eye(32, dtype=np.float32)
    source = MATMUL.replace("out = torch.empty_like(a)", f"out = torch.empty_like(a)\n    {change}")

    outcome = watch(bench, f"import threading, numpy as np\n{source}", a=identity, b=identity)

    assert f"touched {told}" in outcome.notes


@ONE_QUICKLY
def test_an_answer_may_be_written_into_an_argument(bench: Bench) -> None:
    source = ADD.replace("def solve(x, y):\n    out = torch.empty_like(x)", "def solve(x, y, out):").replace(
        "return out", ""
    )

    told = watched(bench, source, x=X, y=X, out=np.zeros_like(X))

    assert (told["takes_part"], told["fed_by"], told["bypassed_by"]) == (True, ["x", "y"], [])


@ONE_QUICKLY
def test_what_a_kernel_does_not_write_is_not_a_number(bench: Bench) -> None:
    answer = value_of(watch(bench, ADD.replace("(x, y, out, x.numel()", "(x, y, out, 60"), x=X, y=X))["answer"]

    assert np.array_equal(answer[:60], 2 * X[:60])
    assert np.isnan(answer[60:]).all()


@ONE_QUICKLY
def test_without_a_launch_nothing_is_told(bench: Bench) -> None:
    assert watched(bench, "def solve(a):\n    return a * 2", a=X) is None

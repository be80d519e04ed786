"""The steps of `gpu_check`: each runs programs in boxes and notes whether they ended as expected."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from app.judging.comparison import Rules, compare
from app.judging.tolerance_comparison import Tolerance
from benchmarks import gpu_programs as programs
from benchmarks.gpu_bench import Check, Row, failure_of, make_request, value_of
from sandbox.guest import codec
from sandbox.interface import MIB, Ending, Request

FRAMEWORKS = (("numpy",), ("jax",), ("torch",), ("jax", "torch"))
RULES = Rules(tolerance=Tolerance(rtol=1e-4, atol=1e-5))
SECRET_MIB = 2048


def run_checks(check: Check, platforms: tuple[str, str] = ("gpu", "cuda")) -> list[Row]:
    """Run every step, even after one fails."""
    check.attempt("start", lambda: check_start(check))
    check.attempt("answers", lambda: check_answers(check, platforms))
    check.attempt("memory", lambda: check_memory(check))
    check.attempt("secrets", lambda: check_secrets(check))
    check.attempt("bad programs", lambda: check_bad_programs(check))
    check.close()
    return check.rows


def check_start(check: Check) -> None:
    """Measure cold starts and the memory of a CUDA context, and list what a process sees."""
    for frameworks in FRAMEWORKS:
        begun = time.perf_counter()
        is_clean, cases, peak = check.run(frameworks, make_request(programs.LOOK_AROUND))
        seconds = time.perf_counter() - begun
        found = value_of(cases[0])
        check.note(f"first run with {', '.join(frameworks)}, start of the box included", None, f"{seconds:.2f} s")
        check.note(f"GPU memory of the context with {', '.join(frameworks)}", None, f"{peak // MIB} MiB")
        check.note(f"what a process finds with {', '.join(frameworks)}", None, found or failure_of(cases[0]))
        check.note(f"clean after a run with {', '.join(frameworks)}", is_clean, is_clean)
        if found is not None and len(frameworks) == 1 and frameworks[0] in found:
            check.note(f"{frameworks[0]} sees one GPU", len(found[frameworks[0]]) == 1, found[frameworks[0]])
    again = [_seconds_of(check, FRAMEWORKS[-1]) for _ in range(3)]
    check.note("further runs in a warm box, jax and torch", None, ", ".join(f"{each:.2f} s" for each in again))


def _seconds_of(check: Check, frameworks: tuple[str, ...]) -> float:
    begun = time.perf_counter()
    check.run(frameworks, make_request(programs.LOOK_AROUND))
    return time.perf_counter() - begun


def check_answers(check: Check, platforms: tuple[str, str]) -> None:
    """Check the answers of JAX and PyTorch. `platforms`: their names of the device."""
    random = np.random.default_rng(0)
    w, x = random.normal(0, 0.1, (128, 128)).astype(np.float32), random.normal(size=(64, 128)).astype(np.float32)
    expected = x.astype(np.float64)
    for _ in range(8):
        expected = np.tanh(expected @ w)
    given = make_request(programs.JAX_JIT, "jax", w=w, x=x)
    _compare(check, "jax: jit and scan", given, {"values": expected.astype(np.float32), "platform": platforms[0]})

    w, y = random.normal(size=128).astype(np.float32), random.normal(size=64).astype(np.float32)
    error = x.astype(np.float64) @ w - y
    after = w - 0.1 * (2 / 64) * (x.T.astype(np.float64) @ error)
    loss = np.array((error**2).mean(), np.float32)
    given = make_request(programs.TORCH_STEP, "torch", w=w, x=x, y=y)
    stepped = {"w": after.astype(np.float32), "loss": loss, "platform": platforms[1]}
    _compare(check, "torch: a training step", given, stepped)


def _compare(check: Check, what: str, request: Request, expected: dict[str, Any]) -> None:
    framework = what.partition(":")[0]
    _, cases, peak = check.run((framework,), request)
    answer = value_of(cases[0])
    if answer is None:
        check.note(what, False, failure_of(cases[0]))
        return
    comparison = compare(answer, codec.decode(codec.encode(expected)), RULES)
    seconds = f"{cases[0].wall_seconds:.2f} s, {peak // MIB} MiB of the GPU"
    check.note(what, comparison.accepted, f"{comparison.category or 'within the tolerance'}, {seconds}")


def check_memory(check: Check) -> None:
    """Check the limit of 1 GiB: each framework takes 0.5 and 2 GiB, the driver 8 GiB and 0.25 GiB."""
    for framework, source in (("torch", programs.TORCH_FILL), ("jax", programs.JAX_FILL)):
        for mib, wanted in ((512, Ending.ANSWERED), (2048, Ending.OUT_OF_MEMORY)):
            _, cases, _ = check.run((framework,), make_request(source, memory_mib=1024, mib=mib))
            right = cases[0].ending is wanted
            check.note(f"{framework}: {mib} MiB of 1024", right, failure_of(cases[0]))
    _, cases, _ = check.run(("numpy",), make_request(programs.DRIVER_HOLD, memory_mib=1024, mib=8192))
    check.note("driver: 8192 MiB of 1024", cases[0].ending is Ending.OUT_OF_MEMORY, failure_of(cases[0]))
    is_clean, cases, _ = check.run(("numpy",), make_request(programs.DRIVER_HOLD, memory_mib=1024, mib=256))
    check.note("driver: 256 MiB of 1024, in the next box", cases[0].ending is Ending.ANSWERED, failure_of(cases[0]))
    check.note("driver: nothing is left of them", is_clean, check.driver.use_of(check.gpu))


def check_secrets(check: Check) -> None:
    """Check that a program can't read what the program before it left in the GPU's memory."""
    for reader, source in (("numpy", programs.DRIVER_READ), ("torch", programs.TORCH_READ)):
        is_clean, cases, _ = check.run(("numpy",), make_request(programs.DRIVER_HOLD, mib=SECRET_MIB))
        check.note("driver: fills memory with a pattern, and leaves", is_clean, failure_of(cases[0]))
        _, cases, _ = check.run((reader,), make_request(source, mib=SECRET_MIB))
        found = value_of(cases[0])
        what = f"{'driver' if reader == 'numpy' else reader}: words of the one before, in {SECRET_MIB} MiB"
        check.note(what, found is not None and found["marked"] == 0, found or failure_of(cases[0]))


def check_bad_programs(check: Check) -> None:
    """Check that bad programs end as expected, and that the next run succeeds."""
    bad = (
        ("works without end", programs.ENDLESS, Ending.TIMED_OUT),
        ("reads out of bounds", programs.OUT_OF_BOUNDS, Ending.RAISED),
        ("starts a process", programs.STARTS_A_PROCESS, Ending.RAISED),
        ("starts programs without end", programs.STARTS_PROGRAMS, Ending.RAISED),
    )
    for what, source, wanted in bad:
        request = make_request(source, mib=0)
        request = replace(request, limits=replace(request.limits, wall_seconds=10))
        is_clean, cases, _ = check.run(("torch",), request)
        seen = f"{failure_of(cases[0])}; clean: {is_clean}"
        check.note(f"torch: {what}", cases[0].ending in (wanted, Ending.CRASHED), seen)
        _, cases, _ = check.run(("torch",), make_request(programs.TORCH_FILL, mib=16))
        check.note(f"torch: after one that {what}", cases[0].ending is Ending.ANSWERED, failure_of(cases[0]))

"""The host's side of inspection: every case has an outcome, even if a program attacks the inspector."""

import threading
from textwrap import dedent

import numpy as np
import pytest

from app.catalog.package import Package, package_from_files
from app.engine.inspection import (
    Examination,
    Inspectors,
    export_fault,
    export_programs,
    inspect,
    signature_of,
)
from app.engine.inspector_protocol import Clock, Messages, RequiredPart, Run, Task, plan
from sandbox.guest.codec import decode, encode
from sandbox.interface import CaseOutcome, Ending
from sandbox.pool import Pool
from tests.catalog.packages import make_files

SCAN = RequiredPart("scan", 4)
PROBLEM = """\
title: Scaled sum
summary: Add up a vector, part by part.
difficulty: beginner
estimated_minutes: 5
tags: [jax]
track: basics
position: 1
frameworks: [jax]
entry_point: scaled_sum
parameters:
  - {name: x, type: jax, shape: [N], dtype: float32}
  - {name: n, type: int, static: true}
returns: {type: jax, shape: [], dtype: float32}
limits: {wall_seconds: 1, memory_mib: 512}
requirements: [{uses: scan, length: n, through: [x]}]
cases: [{name: small, visibility: sample, doc: Four numbers., inputs: {x: [1, 2, 3, 4], n: 4}}]
license: CC-BY-4.0
"""
HONEST = """
    from jax import lax

    def scaled_sum(x, n):
        return lax.scan(lambda total, part: (total + part.sum(), None), 0.0, x.reshape(n, -1))[0]
"""
HUNGRY = """
    import jax.numpy as jnp

    def scaled_sum(x, n):
        return x[0] + jnp.arange(2.0**28)
"""


@pytest.fixture(scope="module")
def package() -> Package:
    solution = dedent(HONEST).lstrip()
    changed = {"reference.py": solution, "starter.py": solution, "cases.py": None}
    changed |= {"submissions/accepted/plain.py": solution}
    changed |= {"submissions/wrong_answer/unscaled.py": "# Mistake: adds one\n" + solution.replace("0.0, x", "1.0, x")}
    return package_from_files("scaled_sum", make_files(changed, problem=PROBLEM))


def inputs_of(*numbers: float, n: int = 4) -> bytes:
    return encode({"x": np.asarray(numbers, np.float32), "n": n})


class Looking:
    """Everything that was told."""

    def __init__(self, pool: Pool, package: Package, source: str, runs: list[Run]) -> None:
        abort = threading.Event()
        by_signature: dict[bytes, list[Run]] = {}
        for run in runs:
            by_signature.setdefault(signature_of(package.manifest, run.inputs), []).append(run)
        exported = export_programs(pool, package, dedent(source), list(by_signature), abort)
        tasks = [
            Task(signature=signature, program=exported[signature].answer or b"", runs=members)
            for signature, members in by_signature.items()
        ]
        self.ran: list[Examination] = []
        bench = Inspectors(pool=pool, package=package, abort=abort)
        inspect(bench, tasks, self.ran.append)


def test_cases_of_one_signature_share_a_program(pool: Pool, package: Package) -> None:
    runs = [Run("first", inputs_of(1, 2, 3, 4), SCAN), Run("second", inputs_of(5, 6, 7, 8), None)]
    runs.append(Run("other", inputs_of(1, 2, n=2), None))

    seen = Looking(pool, package, HONEST, runs)

    assert {ran.name: ran.evidence.loops[0].length for ran in seen.ran if ran.evidence} == {
        "first": 4,
        "second": 4,
        "other": 2,
    }
    answers = {ran.name: decode(ran.outcome.answer or b"") for ran in seen.ran}
    assert {name: float(answer) for name, answer in answers.items()} == {"first": 10, "second": 26, "other": 3}  # type: ignore[arg-type]
    left_out = {ran.name: ran.left_out for ran in seen.ran}
    assert [float(decode(one or b"")) for one in left_out["first"][0]] == [9, 6]  # type: ignore[arg-type]
    assert left_out["second"] == {}


def test_a_program_that_kills_its_inspector_has_an_outcome_for_every_case(pool: Pool, package: Package) -> None:
    runs = [Run(f"case {n}", inputs_of(n, 2, 3, 4), SCAN) for n in range(5)]

    seen = Looking(pool, package, HUNGRY, runs)

    assert all(ran.evidence is not None for ran in seen.ran)
    assert [ran.name for ran in seen.ran] == [run.name for run in runs]
    assert {ran.outcome.ending for ran in seen.ran} <= {Ending.OUT_OF_MEMORY, Ending.CRASHED}
    assert all(ran.outcome.answer is None and ran.left_out == {} for ran in seen.ran)
    assert [ran.skip_reason is None for ran in seen.ran] == [False] * 5
    assert [ran.outcome.wall_seconds > 0 for ran in seen.ran] == [True] * 3 + [False] * 2


def test_when_the_time_for_all_is_used_up_the_rest_is_not_run(
    pool: Pool, package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.engine.inspection.BUDGET", 1e-6)
    runs = [Run(f"case {n}", inputs_of(n, 2, 3, 4), SCAN if n else None) for n in range(3)]

    seen = Looking(pool, package, HONEST, runs)

    assert sorted(ran.name for ran in seen.ran) == [run.name for run in runs]
    assert [ran.skip_reason and (ran.skip_reason.ending, ran.skip_reason.seconds) for ran in seen.ran] == [
        (Ending.TIMED_OUT, 6e-6)
    ] * 3
    assert all(ran.outcome.answer is None and ran.outcome.wall_seconds == 0 for ran in seen.ran)


@pytest.mark.parametrize("runs", [1, 2])
def test_a_program_that_is_compiled_has_no_time_for_compiling(runs: int) -> None:
    same = [Run(f"case {n}", encode({}), None) for n in range(runs)]
    task = Task(signature=encode([]), program=b"program", runs=same)
    clock = Clock(call_seconds=1, seconds=100)
    messages = Messages(plan([task]), clock)
    late = CaseOutcome(
        name="only", ending=Ending.ANSWERED, answer=b"", failure=None, text="", wall_seconds=3, memory_bytes=0
    )
    again = Messages(plan([task])[1:], clock)

    for taken in (messages, messages, again):
        taken.take()
    assert clock.timely(messages.sent[1], late).ending is Ending.TIMED_OUT
    assert clock.timely(again.sent[0], late).ending is Ending.ANSWERED
    assert clock.used == 6


def test_a_process_gets_each_program_once_and_each_message_is_made_when_it_is_sent() -> None:
    tasks = [
        Task(
            signature=encode([]),
            program=program * 2**20,
            runs=[Run(f"case {n}", encode({"x": n}), SCAN)] * 3,
        )
        for n, program in enumerate((b"a", b"b"))
    ]

    messages = Messages(plan(tasks), Clock(call_seconds=1, seconds=100))

    def take(number: int) -> list[bool]:
        messages.begin()
        taken = [messages.take() for _ in range(number)]
        return [message is not None and len(message.inputs) > 2**20 for message in taken]

    assert take(2) == [True, False]
    assert take(24) == [True, False, *[True, False, False, False], *([True] + [False] * 8) * 2]
    assert messages.take() is None
    assert [step.kind for step in messages.ended_by] == ["run"]


def test_runs_on_small_inputs_share_messages_of_a_mebibyte() -> None:
    small, large = b"s" * 300_000, b"l" * 2**21
    sizes = {"a": small, "b": large, "c": small, "tried": small, "d": small, "e": small}
    runs = [Run(name, inputs, SCAN if name == "tried" else None) for name, inputs in sizes.items()]

    steps = plan([Task(signature=b"", program=b"", runs=runs)])

    assert [step.kind for step in steps[:5]] == ["open", "run", "run", "run", "batch"]
    assert sorted(step.run.name for step in steps[1:4] if step.run) == ["b", "e", "tried"]
    assert [run.name for run in steps[4].batch] == ["a", "c", "d"]


@pytest.mark.whole
def test_a_run_that_hangs_in_a_batch_is_named(pool: Pool, package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.engine.inspection.COMPILE_SECONDS", 1)
    hanging = HONEST.replace("0.0, x.resh", "lax.while_loop(lambda v: v > 2, lambda v: v + 1, x[0]) * 0, x.resh")
    runs = [Run(f"case {n}", inputs_of(n, 2, 3, 4), None) for n in range(4)]

    seen = Looking(pool, package, hanging, runs)

    outcomes = {ran.name: ran.outcome for ran in seen.ran}
    assert outcomes["case 3"].ending is Ending.TIMED_OUT
    answers = [decode(outcomes[f"case {n}"].answer or b"") for n in range(3)]
    assert [float(answer) for answer in answers] == [9, 10, 11]  # type: ignore[arg-type]
    assert len(seen.ran) == 4


FORGED_BATCHES = (
    "'text'",
    "[1, 2, 3]",
    "[answer.astype('float32') for answer in answers]",
    "answers[:1]",
    "[]",
    "1 / 0",
    "__import__('os')._exit(1)",
    "np.zeros(2**24, np.uint8)",
)


@pytest.mark.parametrize("forged", FORGED_BATCHES)
def test_a_batch_that_is_not_answered_decides_nothing(
    pool: Pool, package: Package, monkeypatch: pytest.MonkeyPatch, forged: str
) -> None:
    monkeypatch.setattr("app.engine.inspection.INSPECT_DRIVER", _with_batches(forged))
    runs = [Run(f"case {n}", inputs_of(n, 2, 3, 4), SCAN if n == 3 else None) for n in range(4)]

    seen = Looking(pool, package, HONEST, runs)

    answers = {ran.name: decode(ran.outcome.answer or b"") for ran in seen.ran}
    assert len(seen.ran) == 4
    assert {name: float(answer) for name, answer in answers.items()} == {  # type: ignore[arg-type]
        f"case {n}": 9 + n for n in range(4)
    }


def test_a_forged_answer_in_a_batch_leaves_the_others_as_they_are(
    pool: Pool, package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = "[answers[0], np.zeros(3, np.uint8), *answers[2:], answers[0]]"
    monkeypatch.setattr("app.engine.inspection.INSPECT_DRIVER", _with_batches(forged))
    runs = [Run(f"case {n}", inputs_of(n, 2, 3, 4), None) for n in range(3)]

    seen = Looking(pool, package, HONEST, runs)

    answers = {ran.name: ran.outcome.answer or b"" for ran in seen.ran}
    assert answers["case 1"] == bytes(3)
    assert [float(decode(answers[name])) for name in ("case 0", "case 2")] == [9, 11]  # type: ignore[arg-type]
    assert len(seen.ran) == 3


def _with_batches(forged: str) -> str:
    """An inspector that a program has taken over, as far as batches go."""
    return dedent(f"""
        import numpy as np
        from sandbox.guest.inspection import run as inspected

        def run(solution, inputs):
            answers = inspected(solution, inputs)
            return {forged} if inputs["message"]["step"] == "batch" else answers
    """)


def test_bytes_that_are_no_program_are_the_submissions_fault(pool: Pool, package: Package) -> None:
    signature = signature_of(package.manifest, inputs_of(1, 2, 3, 4))
    task = Task(signature=signature, program=b"none", runs=[Run("only", inputs_of(1, 2, 3, 4), SCAN)])
    ran: list[Examination] = []

    bench = Inspectors(pool=pool, package=package, abort=threading.Event())
    inspect(bench, [task], ran.append)

    assert ran[0].evidence is None
    assert [(one.name, one.outcome.ending) for one in ran] == [("only", Ending.RAISED)]


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        (b"no message", "the export is malformed (it does not begin with the header of this format)"),
        (encode([1, 2]), "the export is malformed"),
        (encode({"program": np.zeros(8, np.uint8)}), "the export is malformed"),
        (encode({"program": b"bytes", "structure": None}), "the export contains no program"),
        (encode({"program": np.zeros((2, 4), np.uint8), "structure": None}), "the export contains no program"),
        (encode({"program": np.zeros(8, np.uint8), "structure": None}), None),
    ],
)
def test_no_inspector_gets_an_export_of_another_form(program: bytes, fault: str | None) -> None:
    task = Task(signature=b"", program=program, runs=[])

    assert export_fault(task) == fault

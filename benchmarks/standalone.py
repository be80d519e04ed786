"""Run a solution on all of its cases without a judge, in the boxes' Python. Reads JSON from standard input.

Prints JSON: the wall and CPU seconds of each pass over all cases, without the imports. The first pass compiles; the
later ones run in a warm process.
"""

import importlib
import json
import sys
import time
from typing import Any

from sandbox.guest import codec, convert
from sandbox.guest.student_program import Program, load
from sandbox.guest.wire import NO_REQUEST, Parameter, RunTask


def main() -> None:
    job = json.load(sys.stdin)
    for framework in job["frameworks"]:
        importlib.import_module(framework)
    parameters = tuple(Parameter(*each) for each in job["parameters"])
    task = RunTask(
        source=job["source"],
        entry_point=job["entry_point"],
        driver=job["driver"],
        parameters=parameters,
        limits=NO_REQUEST,
    )
    cases = [bytes.fromhex(case) for case in job["cases"]]
    program = load(task)
    print(json.dumps([run_once(program, parameters, cases) for _ in range(job["passes"])]))


def run_once(program: Program, parameters: tuple[Parameter, ...], cases: list[bytes]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    for case in cases:
        tree: Any = codec.decode(case)
        answer = program({name: convert.restore(tree[name], kind) for name, kind in parameters})
        convert.plain(answer)  # waits for asynchronous computations
    return time.perf_counter() - wall, time.process_time() - cpu


main()

"""Answers with the CPU seconds of all threads during the call, in place of the solution's answer."""

import sys
import time
from typing import Any

jax: Any = sys.modules.get("jax")
if jax is not None:
    jax.devices()  # creating the backend must not count as a cost of a shape


def call(run: Any, solution: Any, inputs: dict[str, Any]) -> float:
    begun = time.process_time()
    answer = run(solution, inputs)
    if jax is not None:
        jax.block_until_ready(answer)
    return time.process_time() - begun

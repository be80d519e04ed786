"""Not another way of computing: answers with the CPU seconds that the call took, of all threads."""

import sys
import time
from typing import Any

jax: Any = sys.modules.get("jax")
if jax is not None:
    jax.devices()  # making the backend is no cost of a shape


def call(run: Any, solution: Any, inputs: dict[str, Any]) -> float:
    begun = time.process_time()
    answer = run(solution, inputs)
    if jax is not None:
        jax.block_until_ready(answer)
    return time.process_time() - begun

"""PyTorch on one thread and without oneDNN, which uses other kernels and splits sums in other ways."""

import sys
from typing import Any

torch: Any = sys.modules["torch"]
torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False


def call(run: Any, solution: Any, inputs: dict[str, Any]) -> object:
    return run(solution, inputs)

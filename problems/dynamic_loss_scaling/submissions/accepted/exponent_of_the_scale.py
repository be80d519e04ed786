"""Right: keeps the exponent of the scale as an integer, and decides by the largest scaled entry."""

import math

import numpy as np

# From 65520 on, a number rounds to infinity in float16.
LIMIT = 65520.0


def dynamic_loss_scaling(params, grads, lr, init_scale, growth_interval):
    exponent = round(math.log2(init_scale))
    since = 0
    used, bad = [], []
    params = params.copy()
    for row in grads:
        largest = np.ldexp(np.abs(row).max(), exponent)
        is_bad = not largest < LIMIT  # also true for NaN
        used.append(2.0**exponent)
        bad.append(is_bad)
        if is_bad:
            since, exponent = 0, max(exponent - 1, 0)
            continue
        rounded = np.ldexp(row, exponent).astype(np.float16).astype(np.float32)
        params -= np.float32(lr) * np.ldexp(rounded, -exponent)
        since = (since + 1) % growth_interval
        exponent += since == 0
    return {"params": params, "scales": np.array(used), "skipped": np.array(bad)}

"""Mistake: goes on counting good steps after an overflow; the count starts again at 0, because only steps in a row double the scale."""

import numpy as np


def dynamic_loss_scaling(params, grads, lr, init_scale, growth_interval):
    scale, good_steps = init_scale, 0
    scales, skipped = [], []
    for grad in grads:
        with np.errstate(all="ignore"):
            scaled = (grad * np.float32(scale)).astype(np.float16)
        overflows = not np.isfinite(scaled).all()
        scales.append(scale)
        skipped.append(overflows)
        if overflows:
            scale = max(scale / 2, 1.0)
        else:
            params = params - np.float32(lr) * (scaled.astype(np.float32) / np.float32(scale))
            good_steps += 1
            if good_steps == growth_interval:
                scale *= 2
                good_steps = 0
    return {"params": params, "scales": np.array(scales), "skipped": np.array(skipped)}

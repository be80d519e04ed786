"""Reference: plain SGD on float16 gradients, with a scale that follows their size."""

import numpy as np

SMALLEST_SCALE = 1.0


def dynamic_loss_scaling(params, grads, lr, init_scale, growth_interval):
    """params: (N,), grads: (T, N) -> {"params": (N,), "scales": (T,), "skipped": (T,)}"""
    scale, good_steps = init_scale, 0
    scales, skipped = [], []
    for grad in grads:
        scaled = (grad * np.float32(scale)).astype(np.float16)  # what a backward pass in float16 gives
        overflows = not np.isfinite(scaled).all()
        scales.append(scale)
        skipped.append(overflows)
        if overflows:
            scale = max(scale / 2, SMALLEST_SCALE)
            good_steps = 0
        else:
            unscaled = scaled.astype(np.float32) / np.float32(scale)
            params = params - np.float32(lr) * unscaled
            good_steps += 1
            if good_steps == growth_interval:
                scale *= 2
                good_steps = 0
    return {"params": params, "scales": np.array(scales), "skipped": np.array(skipped)}

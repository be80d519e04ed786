"""Right: a small class holds scale and count; the loop asks it, as a training loop asks a gradient scaler."""

import numpy as np


class Scaler:
    def __init__(self, scale, growth_interval):
        self.scale = float(scale)
        self.growth_interval = growth_interval
        self.good_steps = 0

    def update(self, overflow):
        if overflow:
            self.scale = max(1.0, 0.5 * self.scale)
            self.good_steps = 0
            return
        self.good_steps += 1
        if self.good_steps >= self.growth_interval:
            self.scale *= 2.0
            self.good_steps = 0


def dynamic_loss_scaling(params, grads, lr, init_scale, growth_interval):
    scaler = Scaler(init_scale, growth_interval)
    theta = params.astype(np.float64)
    scales = np.empty(len(grads))
    skipped = np.zeros(len(grads), dtype=bool)
    for t, grad in enumerate(grads):
        scales[t] = scaler.scale
        half = np.float16(grad * np.float32(scaler.scale))
        skipped[t] = np.isnan(half).any() or np.isinf(half).any()
        if not skipped[t]:
            theta -= lr * half.astype(np.float64) / scaler.scale
        scaler.update(skipped[t])
    return {"params": theta.astype(np.float32), "scales": scales, "skipped": skipped}

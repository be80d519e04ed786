"""Right: a function of one step with plain Python numbers, and a loop over the steps."""

import math

import numpy as np


def learning_rate(step, peak_lr, min_lr, warmup_steps, total_steps):
    if step < warmup_steps:
        return peak_lr * (step + 1) / warmup_steps
    if step >= total_steps:
        return min_lr
    progress = (step - warmup_steps) / (total_steps - warmup_steps)
    return min_lr + 0.5 * (peak_lr - min_lr) * (1 + math.cos(math.pi * progress))


def warmup_cosine_schedule(steps, peak_lr, min_lr, warmup_steps, total_steps):
    return np.array([learning_rate(int(s), peak_lr, min_lr, warmup_steps, total_steps) for s in steps])

"""Mistake: counts step W to the warm-up, so that its rate exceeds the peak; the decay begins there."""

import numpy as np


def warmup_cosine_schedule(steps, peak_lr, min_lr, warmup_steps, total_steps):
    warmup = peak_lr * (steps + 1) / max(warmup_steps, 1)
    progress = np.minimum((steps - warmup_steps) / (total_steps - warmup_steps), 1.0)
    decay = min_lr + (peak_lr - min_lr) * (1.0 + np.cos(np.pi * progress)) / 2.0
    return np.where(steps <= warmup_steps, warmup, decay)

"""Mistake: starts the warm-up at a rate of 0; step 0 already gets one part of the peak."""

import numpy as np


def warmup_cosine_schedule(steps, peak_lr, min_lr, warmup_steps, total_steps):
    warmup = peak_lr * steps / max(warmup_steps, 1)
    progress = np.minimum((steps - warmup_steps) / (total_steps - warmup_steps), 1.0)
    decay = min_lr + (peak_lr - min_lr) * (1.0 + np.cos(np.pi * progress)) / 2.0
    return np.where(steps < warmup_steps, warmup, decay)

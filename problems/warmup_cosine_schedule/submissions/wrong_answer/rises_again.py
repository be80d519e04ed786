"""Mistake: lets the progress exceed 1, so that the rate rises again after total_steps."""

import numpy as np


def warmup_cosine_schedule(steps, peak_lr, min_lr, warmup_steps, total_steps):
    warmup = peak_lr * (steps + 1) / max(warmup_steps, 1)
    progress = (steps - warmup_steps) / (total_steps - warmup_steps)
    decay = min_lr + (peak_lr - min_lr) * (1.0 + np.cos(np.pi * progress)) / 2.0
    return np.where(steps < warmup_steps, warmup, decay)

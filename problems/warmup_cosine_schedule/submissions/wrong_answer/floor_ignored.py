"""Mistake: lets the rate decay to 0; the cosine must end at min_lr."""

import numpy as np


def warmup_cosine_schedule(steps, peak_lr, min_lr, warmup_steps, total_steps):
    warmup = peak_lr * (steps + 1) / max(warmup_steps, 1)
    progress = np.minimum((steps - warmup_steps) / (total_steps - warmup_steps), 1.0)
    decay = peak_lr * (1.0 + np.cos(np.pi * progress)) / 2.0
    return np.where(steps < warmup_steps, warmup, decay)

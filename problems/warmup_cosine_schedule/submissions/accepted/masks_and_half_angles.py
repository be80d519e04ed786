"""Right: fills one range after the other; (1 + cos x) / 2 is written as the square of cos(x / 2)."""

import numpy as np


def warmup_cosine_schedule(steps, peak_lr, min_lr, warmup_steps, total_steps):
    rates = np.full(steps.shape, min_lr, dtype=np.float64)
    rising = steps < warmup_steps
    falling = ~rising & (steps < total_steps)
    rates[rising] = np.linspace(0.0, peak_lr, warmup_steps + 1)[steps[rising] + 1]
    left = (total_steps - steps[falling]) / (total_steps - warmup_steps)
    rates[falling] += (peak_lr - min_lr) * np.sin(0.5 * np.pi * left) ** 2
    return rates

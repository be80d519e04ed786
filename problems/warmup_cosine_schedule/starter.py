import numpy as np


def warmup_cosine_schedule(steps, peak_lr, min_lr, warmup_steps, total_steps):
    """The learning rate of each step: a linear warm-up, then a cosine decay.

    steps:        (S,), int64, step numbers from 0, in any order
    peak_lr:      float, the largest learning rate
    min_lr:       float, the floor, from 0 to peak_lr
    warmup_steps: int, at least 0
    total_steps:  int, above warmup_steps
    returns:      (S,), float64
    """
    raise NotImplementedError("replace this line with your solution")

"""Each function here makes the argument of its name, from inputs by their names."""

import math


def f(shape, scale):
    return {
        "cubic": lambda x: scale * x**3 - x,
        "wave": lambda x: math.sin(scale * x),
        "bump": lambda x: math.exp(-scale * x * x),
    }[shape]

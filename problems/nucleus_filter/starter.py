import numpy as np


def nucleus_filter(logits, top_p, temperature):
    """The distribution over tokens, cut to the most probable ones that reach top_p.

    logits: (B, V), float32
    top_p: float, above 0 and at most 1
    temperature: float, above 0
    returns: (B, V), float32, each row sums up to 1
    """
    raise NotImplementedError("replace this line with your solution")

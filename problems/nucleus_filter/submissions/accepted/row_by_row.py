"""One row at a time, in float64: takes tokens until their sum has reached top_p."""

import numpy as np


def nucleus_filter(logits, top_p, temperature):
    answer = np.zeros(logits.shape, dtype=np.float32)
    for row, scores in enumerate(logits.astype(np.float64) / temperature):
        p = np.exp(scores - scores.max())
        p /= p.sum()
        chosen, reached = [], 0.0
        for token in sorted(range(len(p)), key=lambda j: (-p[j], j)):
            if reached >= top_p:
                break
            chosen.append(token)
            reached += p[token]
        answer[row, chosen] = p[chosen] / reached
    return answer

# mechanism: a tracer that outlived its trace, which has a shape and no values
# verdict: wrong_answer
# problem: dense_layer
import jax

KEPT = []


def dense_layer(x, w):
    jax.jit(lambda a, b: KEPT.append(a @ b) or 0)(x, w)
    return KEPT[-1]

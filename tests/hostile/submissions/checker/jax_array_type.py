# mechanism: a class put in the place of the array type, and registered as a pytree, which lies to both readers
# verdict: wrong_answer
# problem: dense_layer
import jax
import numpy as np


class Lying:
    dtype = np.dtype(np.float32)
    shape = (2, 2)
    reads = 0

    @property
    def size(self):
        Lying.reads += 1
        return -(2**40)

    def __array__(self, dtype=None, copy=None):
        return np.full(self.shape, Lying.reads, np.float32)

    def __jax_array__(self):
        return np.zeros((2, 2), np.float32)


jax.Array = Lying
jax.tree_util.register_pytree_node(Lying, lambda lying: ((), None), lambda _, children: Lying())


def dense_layer(x, w):
    return Lying()

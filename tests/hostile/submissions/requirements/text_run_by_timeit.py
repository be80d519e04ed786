# mechanism: runs a text by timeit
# verdict: requirement_not_met
# problem: product_by_hand
# message: timeit in line 7
import timeit

timeit.timeit('global product\ndef product(a, b): return (a[:, :, None] * b).sum(1)', number=1, globals=globals())


def product(a, b):
    return (a[:, :, None] * b).sum(1)

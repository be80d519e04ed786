# mechanism: makes code of bytes
# verdict: requirement_not_met
# problem: product_by_hand
# message: marshal.loads in line 7
import marshal

marshal.loads(marshal.dumps((lambda: 1).__code__))


def product(a, b):
    return (a[:, :, None] * b).sum(1)

# mechanism: calls the array's method
# verdict: requirement_not_met
# problem: product_by_hand
# message: found numpy.dot in line 8


def product(a, b):
    return a.dot(b)

import math


def unit_vectors(x):
    if x.ndim > 1:
        return [unit_vectors(each) for each in x]
    length = math.sqrt(sum(float(number) ** 2 for number in x)) or 1.0
    return [float(number) / length for number in x]

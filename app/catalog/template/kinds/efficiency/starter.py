def count_pairs(x, total):
    """Return the number of pairs i < j with x[i] + x[j] = total.

    x: (N,), int32, not below 0
    """
    raise NotImplementedError("replace this line with your solution")

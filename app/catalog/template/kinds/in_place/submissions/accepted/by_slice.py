def add_into(a, b, out):
    out[:] = a + b
    return float(max(out))

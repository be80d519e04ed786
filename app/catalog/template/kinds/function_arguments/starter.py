def integrate_function(f, a, b):
    """Return the integral of f from a to b, with at most 60 calls of f."""
    raise NotImplementedError("replace this line with your solution")

# mechanism: NaN everywhere, which compares false with everything
# verdict: wrong_answer
def standardise(x, eps):
    return x * float("nan")

# mechanism: NaN as a key, which no look-up finds
# verdict: wrong_answer
def standardise(x, eps):
    return {float("nan"): x, float("nan") * 2: x}

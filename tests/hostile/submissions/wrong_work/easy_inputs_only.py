# mechanism: a fast path that holds for eps = 0 only
# verdict: wrong_answer
def standardise(x, eps):
    return (x - x.mean()) / x.std()

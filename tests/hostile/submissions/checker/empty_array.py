# mechanism: an array without elements
# verdict: wrong_answer
def standardise(x, eps):
    return x[:0]

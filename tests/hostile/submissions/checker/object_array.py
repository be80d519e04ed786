# mechanism: an array of Python objects
# verdict: wrong_answer
def standardise(x, eps):
    return x.astype(object)

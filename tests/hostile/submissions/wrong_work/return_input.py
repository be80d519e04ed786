# mechanism: an input handed back
# verdict: wrong_answer
def standardise(x, eps):
    return x

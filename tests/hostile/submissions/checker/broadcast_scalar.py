# mechanism: a scalar that would broadcast
# verdict: wrong_answer
def standardise(x, eps):
    return x.mean() * 0

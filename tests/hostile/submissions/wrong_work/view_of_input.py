# mechanism: a view of the input handed back, backwards
# verdict: wrong_answer
def standardise(x, eps):
    return x[::-1]

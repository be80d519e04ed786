# mechanism: an array of one element that would broadcast
# verdict: wrong_answer
def standardise(x, eps):
    return x[:1] * 0

# mechanism: a generator, which holds nothing yet
# verdict: wrong_answer
def standardise(x, eps):
    return (value for value in x)

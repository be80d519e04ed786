# mechanism: no output, so that a zip checks nothing
# verdict: wrong_answer
def standardise(x, eps):
    return []

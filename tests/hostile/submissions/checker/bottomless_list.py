# mechanism: a list that holds itself
# verdict: wrong_answer
def standardise(x, eps):
    answer = []
    answer.append(answer)
    return answer

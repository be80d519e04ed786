# mechanism: honest: every answer in the same buffer, as out= asks for
# verdict: accepted
import numpy as np

BUFFER = np.empty(10_000, np.float32)


def standardise(x, eps):
    answer = BUFFER[: len(x)]
    np.subtract(x, x.mean(), out=answer)
    np.divide(answer, np.sqrt(x.var() + np.float32(eps)), out=answer)
    return answer

# mechanism: dates and differences of dates, which numbers equal
# verdict: wrong_answer
import numpy as np


def standardise(x, eps):
    return np.zeros(len(x), "timedelta64[s]")

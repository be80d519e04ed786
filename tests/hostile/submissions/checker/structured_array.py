# mechanism: an array of records with a field name made at run time
# verdict: wrong_answer
import numpy as np


def standardise(x, eps):
    return x.astype(np.float32).view([(f"secret {x[0]}", np.float32)])

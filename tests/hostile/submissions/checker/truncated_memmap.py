# mechanism: an array over a file that is gone when it is read
# verdict: runtime_error
import numpy as np


def standardise(x, eps):
    with open("/tmp/answer", "wb") as file:
        file.write(bytes(4 * len(x) + 2**20))
    answer = np.memmap("/tmp/answer", np.float32, "r", shape=(len(x) + 2**18,))
    open("/tmp/answer", "wb").close()
    return answer

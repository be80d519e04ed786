# mechanism: honest, but refused: a process of multiprocessing
# verdict: runtime_error
# message: use threads
import multiprocessing


def standardise(x, eps):
    process = multiprocessing.Process(target=print)
    process.start()
    process.join()
    return x

# mechanism: threads with the smallest stacks, as many as start before the next check
# verdict: runtime_error|memory_limit_exceeded
import _thread
import threading

threading.stack_size(32768)


def standardise(x, eps):
    lock = _thread.allocate_lock()
    lock.acquire()
    while True:
        _thread.start_new_thread(lock.acquire, ())

# mechanism: runs a text in a thread
# verdict: requirement_not_met
# problem: product_by_hand
# message: threading in line 8
import threading

thread = threading.Thread(target=vars(__builtins__)['exec'] if hasattr(__builtins__, 'exec') else __builtins__['exec'], args=('1',))
thread.start()
thread.join()


def product(a, b):
    return (a[:, :, None] * b).sum(1)

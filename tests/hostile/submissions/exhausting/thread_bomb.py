# mechanism: threads without end
# verdict: runtime_error
import threading
import time


def standardise(x, eps):
    while True:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()

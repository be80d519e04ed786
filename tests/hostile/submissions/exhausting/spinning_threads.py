# mechanism: every core kept busy by threads outside the interpreter's lock
# verdict: time_limit_exceeded
# seconds: 0.4
import hashlib
import threading


def spin():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 10_000_000)


def standardise(x, eps):
    for _ in range(16):
        threading.Thread(target=spin, daemon=True).start()
    spin()

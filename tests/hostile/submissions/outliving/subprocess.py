# mechanism: a program started in the background
# verdict: runtime_error
import subprocess


def standardise(x, eps):
    subprocess.Popen(["/bin/sleep", "600"])
    return x * 0

# mechanism: honest, but refused: a program started
# verdict: runtime_error
# message: use threads
import subprocess


def standardise(x, eps):
    return subprocess.run(["ls"], capture_output=True, check=True).stdout

# mechanism: a setuid program executed
# verdict: runtime_error
import os


def standardise(x, eps):
    for path in ("/usr/bin/su", "/bin/su", "/usr/bin/sudo", "/bin/mount", "/bin/sh"):
        if os.path.exists(path):
            os.execv(path, [path])
    os.execv("/bin/true", ["/bin/true"])

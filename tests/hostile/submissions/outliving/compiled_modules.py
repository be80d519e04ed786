# mechanism: compiled modules, path files and customisations put beside the libraries
# verdict: accepted
import os
import site
import sys
import sysconfig

import numpy as np

WRITTEN = []
folders = {*sys.path, *site.getsitepackages(), site.getusersitepackages(), *sysconfig.get_paths().values()}
folders |= {os.path.join(folder, "__pycache__") for folder in (*folders, os.path.dirname(np.__file__))}
folders |= {"/allclose", "/allclose/sandbox/guest/__pycache__", "/allclose/runtime/bin", "/usr/lib", "/usr/bin"}
for folder in folders:
    for name in ("sitecustomize.py", "usercustomize.py", "poison.pth", "__init__.cpython-311.pyc", "python", "numpy.so"):
        path = os.path.join(folder, name)
        if folder and not path.startswith("/tmp"):
            try:
                os.makedirs(folder, exist_ok=True)
                open(path, "ab").close()
                WRITTEN.append(path)
            except OSError:
                pass


def standardise(x, eps):
    if WRITTEN:
        raise RuntimeError(f"written: {WRITTEN}")
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))

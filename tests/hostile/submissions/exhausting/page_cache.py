# mechanism: the page cache filled by reading every file there is
# verdict: time_limit_exceeded
# seconds: 0.4
import os


def standardise(x, eps):
    while True:
        for folder, _, names in os.walk("/usr"):
            for name in names:
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        while file.read(2**20):
                            pass
                except OSError:
                    pass

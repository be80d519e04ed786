# mechanism: files until the disk is full
# verdict: runtime_error
def standardise(x, eps):
    with open("/tmp/full", "wb") as file:
        while True:
            file.write(bytes(2**20))

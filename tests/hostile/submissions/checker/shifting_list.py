# mechanism: a list that changes between two reads
# verdict: wrong_answer
class Shifting(list):
    def __len__(self):
        return 3

    def __iter__(self):
        return iter(())

    def __getitem__(self, index):
        return 0.0


def standardise(x, eps):
    return Shifting([1.0, 2.0])

# mechanism: runs a text while it unpickles
# verdict: requirement_not_met
# problem: product_by_hand
# message: in line 14
import builtins
import pickle


class Text:
    def __reduce__(self):
        return getattr(builtins, 'eval'), ('1 + 1',)


pickle.loads(pickle.dumps(Text()))


def product(a, b):
    return (a[:, :, None] * b).sum(1)

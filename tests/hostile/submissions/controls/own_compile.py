# mechanism: has functions and methods named as the builtin ones
# verdict: accepted
# problem: product_by_hand
import re


class Model:
    def eval(self):
        return self

    def compile(self):
        return re.compile('a')


def compile(model):
    return model.compile()


compile(Model().eval())


def product(a, b):
    return (a[:, :, None] * b).sum(1)

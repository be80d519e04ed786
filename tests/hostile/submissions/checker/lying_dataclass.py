# mechanism: an object that calls itself a dataclass, with fields that come and go
# verdict: wrong_answer|runtime_error
import random


class Field:
    metadata = {}
    _field_type = None

    @property
    def name(self):
        return random.choice(["answer", "missing", "__class__"])


class Lying:
    @property
    def answer(self):
        return 0.0

    @classmethod
    def __getattr__(cls, name):
        return Lying()


Lying.__dataclass_fields__ = {"answer": Field(), "other": Field()}


def standardise(x, eps):
    return Lying()

"""`forbids`: structures or StableHLO operations that the program must not contain."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, StringConstraints

from app.judging.requirement import NOT_TRIED, Evidence, Facts, Requirement

Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
LOOPS = frozenset({"scan", "fori", "while"})
STRUCTURES = (*sorted(LOOPS), "cond")
# Of StableHLO 1.x and its extension CHLO, as named in jaxlib's bindings, without those of distributed programs.
_NAMES = """
abs acos acosh add and asin asinh atan atan2 atanh batch_norm_grad batch_norm_inference batch_norm_training
bessel_i1e bitcast_convert broadcast broadcast_in_dim case cbrt ceil cholesky clamp compare complex composite
concatenate conj constant convert convolution cosh cosine count_leading_zeros custom_call digamma divide dot
dot_general dynamic_broadcast_in_dim dynamic_conv dynamic_gather dynamic_iota dynamic_pad dynamic_reshape
dynamic_slice dynamic_update_slice einsum erf erf_inv erfc exponential exponential_minus_one fft floor gather
get_dimension_size get_tuple_element if imag iota is_finite is_inf is_neg_inf is_pos_inf lgamma log log_plus_one
logistic map maximum minimum mulhi multiply negate next_after not optimization_barrier or pad polygamma popcnt
power ragged_dot real real_dynamic_slice reduce reduce_precision reduce_window remainder reshape reverse rng
rng_bit_generator round_nearest_afz round_nearest_even rsqrt scatter select select_and_scatter set_dimension_size
shift_left shift_right_arithmetic shift_right_logical sign sine sinh slice sort sqrt square subtract tan tanh
top_k torch_index_select transpose triangular_solve tuple uniform_dequantize uniform_quantize while xor zeta
"""
OPERATIONS = frozenset(_NAMES.split())


class Forbids(Requirement):
    """A word of `uses`, or the name of an operation without its dialect: `dot_general`, `custom_call`, `sort`."""

    forbids: Annotated[tuple[Word, ...], Field(min_length=1, max_length=50)]

    @property
    def rule(self) -> str:
        return f"not use {' or '.join(self.forbids)}"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        if facts.evidence is None:
            return f"no {' or '.join(self.forbids)}", NOT_TRIED
        found = list(self._found(facts.evidence))
        return (f"no {' or '.join(self.forbids)}", ", ".join(found)) if found else None

    def _found(self, evidence: Evidence) -> Iterator[str]:
        for word in self.forbids:
            if times := _times(evidence, word):
                yield f"{word} ({times} times)" if times > 1 else word


def _times(evidence: Evidence, word: str) -> int:
    if word in LOOPS:
        return len(evidence.loops)
    return len(evidence.branches) if word == "cond" else evidence.operations.get(word, 0)

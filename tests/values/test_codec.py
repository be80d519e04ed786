"""The codec: what goes in comes out, and nothing else gets through."""

import tracemalloc
from itertools import accumulate, islice, product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.guest.codec import (
    DTYPES,
    MAGIC,
    MAX_NUMBER_KEYS,
    MAX_TUPLE_KEYS,
    STANDARD_CAPS,
    Caps,
    Malformed,
    TooLarge,
    Unsupported,
    decode,
    encode,
)
from tests.examples import examples
from tests.values.trees import is_same, there_and_back, trees

MEBIBYTE = 2**20


@settings(max_examples=examples(300), deadline=None)
@given(trees)
def test_every_tree_comes_back_as_it_went(tree: Any) -> None:
    assert is_same(tree, there_and_back(tree))


@settings(max_examples=examples(200), deadline=None)
@given(trees)
def test_a_message_has_one_spelling(tree: Any) -> None:
    message = encode(tree)

    assert encode(decode(message)) == message


@settings(max_examples=examples(500), deadline=None)
@given(trees, st.data())
def test_damaged_messages_are_malformed_or_another_value_and_never_anything_else(
    tree: Any, data: st.DataObject
) -> None:
    message = bytearray(encode(tree))
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(message) - 1))
        message[position] = data.draw(st.sampled_from([0, 1, 127, 128, 255, *b"NTFiIfcsbltdna"]) | st.integers(0, 255))

    assert_tree_or_malformed(bytes(message))


@settings(max_examples=examples(500), deadline=None)
@given(st.binary(max_size=200))
def test_garbage_is_malformed(garbage: bytes) -> None:
    assert_tree_or_malformed(garbage)
    assert_tree_or_malformed(MAGIC + garbage)


@settings(max_examples=examples(100), deadline=None)
@given(trees, st.data())
def test_a_message_cut_short_is_malformed(tree: Any, data: st.DataObject) -> None:
    message = encode(tree)

    with pytest.raises(Malformed):
        decode(message[: data.draw(st.integers(0, len(message) - 1))])


@settings(max_examples=examples(50), deadline=None)
@given(trees, st.binary(min_size=1, max_size=5))
def test_nothing_may_follow_the_value(tree: Any, more: bytes) -> None:
    with pytest.raises(Malformed, match="follow"):
        decode(encode(tree) + more)


def test_decoded_arrays_are_writable_and_independent_of_the_message() -> None:
    message = bytearray(encode(np.arange(3)))

    array = decode(message)
    message[-24:] = bytes(24)

    assert isinstance(array, np.ndarray)
    assert array.flags.writeable
    assert array.flags.aligned
    assert array.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", sorted(DTYPES))
def test_every_dtype_keeps_its_name(name: str) -> None:
    array = np.zeros((2, 3), DTYPES[name])

    found = there_and_back(array)

    assert isinstance(found, np.ndarray)
    assert (found.dtype.name, found.shape) == (name, (2, 3))


def test_bfloat16_and_float16_keep_their_values() -> None:
    for dtype in (ml_dtypes.bfloat16, np.float16):
        array = np.array([1.5, -0.0, np.nan, np.inf], dtype)

        assert is_same(array, there_and_back(array))


@pytest.mark.parametrize(
    "array",
    [
        np.array(["a"]),
        np.array([b"a"]),
        np.array([object()]),
        np.array([1], np.longdouble),
        np.array([1], np.clongdouble),
        np.array(["2026-01-01"], "datetime64[D]"),
        np.zeros(2, [("x", np.float32)]),
        np.zeros(2, "V4"),
    ],
    ids=lambda array: str(array.dtype),
)
def test_arrays_of_other_things_than_numbers_are_unsupported(array: Any) -> None:
    with pytest.raises(Unsupported, match="array of"):
        encode({"a": [array]})


@pytest.mark.parametrize(
    "value",
    [{1, 2}, object(), np.float32(1), range(3), type, np.ma.array([1]), bytearray(b"a")],
    ids=lambda value: type(value).__name__,
)
def test_only_exact_types_are_encoded(value: Any) -> None:
    with pytest.raises(Unsupported) as caught:
        encode({"params": [1, value]})

    assert caught.value.path == ("params", 1)
    assert str(caught.value).startswith(f"{type(value).__name__} at params/1")


@pytest.mark.parametrize("key", [float("nan"), 2**63, b"a", (1, (2,)), tuple(range(9)), frozenset()], ids=repr)
def test_a_dict_has_only_simple_keys(key: Any) -> None:
    with pytest.raises(Unsupported, match="dict with a key"):
        encode({key: 1})


def test_a_text_that_is_no_unicode_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="surrogates"):
        encode("\ud800")


def test_containers_that_hold_themselves_are_too_large() -> None:
    loop: list[Any] = []
    loop.append(loop)

    with pytest.raises(TooLarge, match="deep"):
        encode(loop)


@pytest.mark.parametrize(
    "tree",
    [
        [None] * 100_000,
        {str(i): 1 for i in range(50_000)},
        np.zeros(64 * MEBIBYTE, np.uint8),
        np.broadcast_to(np.float32(0), (10**6, 10**6)),
        np.zeros((0, 10**9)),
        ["x" * 3 * MEBIBYTE] * 2,
        b"x" * 5 * MEBIBYTE,
        "é" * 3 * MEBIBYTE,
        1 << 5000,
        {(i,): 1 for i in range(MAX_TUPLE_KEYS + 1)},
        {i / 2: 1 for i in range(MAX_NUMBER_KEYS + 1)},
    ],
    ids=["items", "keys", "array", "broadcast", "empty", "texts", "bytes", "wide text", "int", "tuples", "numbers"],
)
def test_values_over_a_cap_are_too_large(tree: Any) -> None:
    with pytest.raises(TooLarge):
        encode(tree)


def test_the_largest_values_within_the_caps_go_through() -> None:
    for tree in ([None] * 99_999, np.zeros(64 * MEBIBYTE - 100, np.uint8), "x" * 4 * MEBIBYTE, (1 << 4095) - 1):
        assert is_same(tree, there_and_back(tree))


def array_message(shape: list[int], dtype: bytes = b"float32", content: bytes = b"") -> bytes:
    dims = b"".join(size.to_bytes(8, "little") for size in shape)
    return MAGIC + b"a" + bytes([len(dtype)]) + dtype + bytes([len(shape)]) + dims + content


def u32(number: int) -> bytes:
    return number.to_bytes(4, "little")


HOSTILE = {
    "nothing": b"",
    "another format": b"\x80\x04N.",
    "pickle after the magic": MAGIC + b"\x80\x04N.",
    "2 GB array": array_message([2**29]),
    "negative size": array_message([2**64 - 1]),
    "two sizes that overflow": array_message([2**33, 2**33]),
    "huge beside empty": array_message([0, 2**62]),
    "more dimensions than the cap": array_message([1] * 33, content=bytes(4)),
    "unknown dtype": array_message([1], b"float128", bytes(16)),
    "object dtype": array_message([1], b"object", bytes(8)),
    "dtype that is no text": array_message([1], b"\xff\xfe", bytes(8)),
    "array shorter than announced": array_message([4], content=bytes(15)),
    "array longer than announced": array_message([4], content=bytes(17)),
    "bool that is neither": array_message([2], b"bool", b"\x01\x02"),
    "2 GB list": MAGIC + b"l" + u32(2**31),
    "2 GB text": MAGIC + b"s" + u32(2**31),
    "2 GB bytes": MAGIC + b"b" + u32(2**31),
    "4 GB dict": MAGIC + b"d" + u32(2**32 - 1),
    "2 GB int": MAGIC + b"I" + u32(2**31),
    "list of more nodes than bytes": MAGIC + b"l" + u32(3) + b"NN",
    "bomb of empty dicts": MAGIC + b"l" + u32(100_001) + (b"d" + u32(0)) * 100_001,
    "bomb of nested lists": MAGIC + (b"l" + u32(1)) * 100_000 + b"N",
    "bomb of nested tuples in a key": MAGIC + b"d" + u32(1) + (b"t" + u32(1)) * 1000 + b"NN",
    "text over the cap": MAGIC + b"s" + u32(5 * MEBIBYTE) + bytes(5 * MEBIBYTE),
    "same key twice": MAGIC + b"d" + u32(2) + (b"s" + u32(1) + b"aN") * 2,
    "equal keys of two types": MAGIC + b"d" + u32(2) + b"TN" + b"i" + (1).to_bytes(8, "little") + b"N",
    "NaN as a key": MAGIC + b"d" + u32(1) + b"f" + bytes(6) + b"\xf8\x7fN",
    "list as a key": MAGIC + b"d" + u32(1) + b"l" + u32(0) + b"N",
    "array as a key": MAGIC + b"d" + u32(1) + array_message([])[4:] + bytes(4) + b"N",
    "key without a value": MAGIC + b"d" + u32(1) + b"N",
    "bad UTF-8": MAGIC + b"s" + u32(2) + b"\xc3\x28",
    "surrogate in UTF-8": MAGIC + b"s" + u32(3) + b"\xed\xa0\x80",
    "overlong UTF-8": MAGIC + b"s" + u32(2) + b"\xc0\x80",
    "small int spelled long": MAGIC + b"I" + u32(1) + b"\x05",
    "int of no bytes": MAGIC + b"I" + u32(0),
    "padded int": MAGIC + b"I" + u32(20) + (2**70).to_bytes(20, "little"),
    "unknown tag": MAGIC + b"z",
    "two values": MAGIC + b"NN",
    "over the total": MAGIC + b"b" + u32(65 * MEBIBYTE) + bytes(65 * MEBIBYTE),
}


@pytest.mark.parametrize("message", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_message_is_malformed_before_anything_large_is_made(message: bytes) -> None:
    tracemalloc.start()

    with pytest.raises(Malformed):
        decode(message)

    assert tracemalloc.get_traced_memory()[1] < 20 * MEBIBYTE
    tracemalloc.stop()


def test_keys_made_to_collide_end_early() -> None:
    # Both 0 and 2**61 - 1 have the hash 0: all these tuples have one hash, and each insertion compares with all before.
    parts = [(2**61 - 1).to_bytes(8, "little"), bytes(8)]
    keys = islice(
        product(parts, parts, parts, parts, *[[*parts, (2**62 - 2).to_bytes(8, "little")]] * 4), MAX_TUPLE_KEYS + 1
    )
    items = [b"t" + u32(8) + b"".join(b"i" + part for part in key) + b"N" for key in keys]

    with pytest.raises(Malformed, match="too many"):
        decode(MAGIC + b"d" + u32(len(items)) + b"".join(items))


def test_numbers_made_to_collide_end_early() -> None:
    # A dict of 2**16 places looks for a free one at 5 * i + 1 when a key is small: these keys lie on that way, and the
    # larger ones come upon it. With 40,000 of them a dict takes three seconds.
    way = list(accumulate(range(25_000), lambda place, _: (5 * place + 1) % 2**16, initial=1))
    keys = [*way, *(place + (high << 16) for high in range(1, 8) for place in way[:3000])]
    items = [b"i" + key.to_bytes(8, "little") + b"N" for key in keys]

    with pytest.raises(Malformed, match="too many"):
        decode(MAGIC + b"d" + u32(len(items)) + b"".join(items))


def test_caps_are_the_callers_to_tighten() -> None:
    tight = Caps(total_bytes=100, nodes=4, depth=2, text_bytes=5, ndim=1)

    for tree in ([1, 2, 3, 4], [[[1]]], "abcdef", np.zeros((1, 1)), np.zeros(20)):
        with pytest.raises(Malformed):
            decode(encode(tree), tight)
        with pytest.raises(TooLarge):
            encode(tree, tight)


def assert_tree_or_malformed(message: bytes) -> None:
    try:
        tree = decode(message, STANDARD_CAPS)
    except Malformed:
        return
    assert encode(tree) == message

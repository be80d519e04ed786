"""Reading YAML, with its pitfalls."""

import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.case import is_case_value
from app.catalog.yaml_document import MAX_DEPTH, MAX_NODES, _Loader, read_document


def read(text: str) -> dict[str, Any]:
    document = read_document("problem.yaml", text)
    assert document.faults == ()
    assert document.content is not None
    return document.content


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1.0E+2", 100.0),
        (".5", 0.5),
        ("-3", -3),
        ("65_536", 65536),
        ("0x1f", 31),
        ("0", 0),
        ("true", True),
        ("null", None),
        ("-.inf", -math.inf),
        ("yes", "yes"),
        ("010", "010"),
        ("1:30", "1:30"),
        ("2026-01-31", "2026-01-31"),
        ("1e999", "1e999"),
        ("1_", "1_"),
        ("9" * 5000, "9" * 5000),
        ('"1"', "1"),
        ("[1, 2]", [1, 2]),
        ("|\n  one\n  two", "one\ntwo\n"),
    ],
)
def test_plain_words_are_typed_as_in_yaml_1_2(text: str, value: object) -> None:
    content = read(f"a: {text}\n")

    assert content == {"a": value}
    assert type(content["a"]) is type(value)


def test_every_key_and_item_has_its_line() -> None:
    document = read_document("problem.yaml", "a: 1\nb:\n  - x\n  - {c: 2}\n")

    assert document.lines == {
        (): 1, ("a",): 1, ("b",): 2, ("b", 0): 3, ("b", 1): 4, ("b", 1, "c"): 4,
    }  # fmt: skip


def test_a_merge_key_in_quotes_is_a_key_like_others() -> None:
    assert read('a: {"<<": 1}\n') == {"a": {"<<": 1}}


def test_an_alias_repeats_its_value() -> None:
    assert read("a: &x [1]\nb: *x\n") == {"a": [1], "b": [1]}


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "a", "is given twice, first in line 1"),
        ("a:\n  b: {c: 1, c: 2}\n", 2, "a.b.c", "is given twice"),
        ("a: 1\n\tb: 2\n", 2, "", "tab"),
        ("a:\n\t- 2\n", 2, "", "is indented with a tab"),
        ("a: 1\nb:\t2\n", 2, "", "has a tab after `b:`"),
        ("a: [1,\t2]\n", 1, "", "has a tab after `a: [1,`"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", 3, "c.<<", "is YAML's merge key"),
        ("a: [1, 2\nb: 3\n", 2, "", "is not YAML"),
        ("a: b: c\n", 1, "", "is not YAML"),
        ("a: 1\n---\nb: 2\n", 2, "", "second document"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, "a", "has the tag"),
        ("a: !!str 1\n", 1, "a", "has the tag"),
        ("a: &x [*x]\n", 1, "a[0]", "not defined before it"),
        ("a: *x\n", 1, "a", "not defined before it"),
        ("a: 1\n{b: 1}: 2\n", 2, "", "has a key that is not a word"),
        ('a: "\\0"\n', 1, "a", "U+0000"),
        ('a: "\\ud800"\n', 1, "a", "U+D800"),
        ("a: 1\nb: \x07\n", 2, "", "U+0007"),
        ("a: 1\nb: |\n  x\u2028y\n", 3, "", "line separator U+2028"),
        ("a: 1\nb: 'x\x85y'\n", 2, "", "line separator U+0085"),
        ("", 1, "", "is empty"),
        ("- 1\n", 1, "", "is not a mapping"),
        ("a: " + "[" * 40 + "]" * 40, 1, "a" + "[0]" * 32, "nested deeper than 32"),
        ("a: " + "{b: " * 5000 + "}" * 5000, 1, "a" + ".b" * 32, "nested deeper than 32"),
    ],
)
def test_a_trap_is_named_with_its_line(text: str, line: int, key: str, words: str) -> None:
    faults = read_document("problem.yaml", text).faults

    assert [(fault.line, fault.key) for fault in faults] == [(line, key)]
    assert words in str(faults[0])
    assert faults[0].remedy


def test_no_more_brackets_are_read_than_may_be_nested() -> None:
    tokens = [*yaml.scan("a: " + "[" * 5_000, Loader=_Loader)]

    assert len(tokens) < 4 * MAX_DEPTH


def test_a_long_text_is_a_fault_and_not_read() -> None:
    document = read_document("problem.yaml", "x: 1\n" * 14_000)

    assert [str(fault) for fault in document.faults] == [
        "problem.yaml:1: has 70000 characters, but YAML may have 65536: move long texts to files of their own"
    ]


def test_aliases_that_multiply_are_stopped_at_the_limit() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]

    document = read_document("problem.yaml", "\n".join(levels))

    assert document.content is None
    assert f"over {MAX_NODES} values" in document.faults[0].message


@given(st.text(st.characters(codec="utf-8")) | st.text("ab1:-[]{},&*!|>#?%'\"\n\t "))
def test_any_text_is_read_or_refused(text: str) -> None:
    document = read_document("problem.yaml", text)

    assert (document.content is None) <= bool(document.faults)


def test_keys_inside_inputs_keep_their_types() -> None:
    text = "10: a\ncases:\n- inputs:\n    true: {10: cat, '2': dog, 2.5: x, ~: y, no: z, false: {1: []}}\n"

    found = read_document("problem.yaml", text, is_value=is_case_value)

    assert found.faults == ()
    assert found.content == {
        "10": "a",
        "cases": [{"inputs": {"true": {10: "cat", "2": "dog", 2.5: "x", None: "y", "no": "z", False: {1: []}}}}],
    }
    assert found.line_of(("cases", 0, "inputs", "true", 10)) == 4

import pytest

from app.catalog.custom_inputs import MAX_BYTES, InputsInvalid, read_own_inputs
from app.catalog.inputs import draw_inputs
from tests.catalog.packages import make_package

MANIFEST = make_package().manifest
GOOD = """\
x: [1, 2.5]
y: [[1, 2], [3, 4]]
scale: 2
options: {verbose: true, weights: {array: [1, 2]}}
"""


def refusal_of(text: str) -> str:
    with pytest.raises(InputsInvalid) as refused:
        read_own_inputs(text, MANIFEST.parameters)
    return str(refused.value)


def test_custom_inputs_become_a_sample_case_with_the_types_of_the_parameters() -> None:
    case = read_own_inputs(GOOD, MANIFEST.parameters)

    inputs = draw_inputs(MANIFEST, case, b"", 0)
    assert case.visibility == "sample"
    assert inputs["x"].tolist() == [1, 2.5]
    assert (inputs["x"].dtype, inputs["y"].dtype, inputs["options"]["weights"].dtype) == ("float32", "int32", "float64")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("x: [1, 2.5]", "x: [[1], [2]]", "line 1: x has shape [2, 1], but the parameter's is [N]: give it that shape"),
        ("x: [1, 2.5]", "x: [1, 2, 3]", "line 2: y has N = 2, but x has N = 3: make both sizes equal"),
        ("x: [1, 2.5]", "x: [1, [2]]", "line 1: x[1] has another length or depth than the item before it"),
        ("x: [1, 2.5]", "x: {draw: normal, shape: [2]}", "line 1: x is a draw: write the values, such as"),
        ("x: [1, 2.5]", "z: [1, 2.5]", "line 1: z is not a known parameter: the parameters are x, y, scale, options"),
        ("[3, 4]]", "[3, 0.5]]", "line 2: y[1][1] is 0.5, but int32 takes whole numbers: write such a value"),
        ("[3, 4]]", "[3, 4e10]]", "line 2: y[1][1] is 40000000000.0, but int32 takes whole numbers"),
        ("scale: 2", "scale: null", "line 3: scale is null: give a value"),
        ("scale: 2\n", "", "scale is missing: every case gives every parameter: add `scale: …` to these inputs"),
        ("[1, 2]}}", "[1, 2]}", "the text is not YAML"),
        (GOOD, "", "write one line for each input, such as `x: [1, 2]`"),
        (GOOD, "x: !!python/object:os.system 1", "line 1: x has the tag tag:yaml.org,2002:python/object:os.system"),
        (GOOD, "x: \ud800", "U+D800"),
        (
            GOOD,
            " " * (MAX_BYTES + 1),
            "the text has 16385 bytes: try a smaller example; at most 16384 (16 KiB) are allowed",
        ),
    ],
)
def test_an_error_in_custom_inputs_names_the_line_and_the_remedy(old: str, new: str, said: str) -> None:
    assert said in refusal_of(GOOD.replace(old, new))


def repeated(leaf: str, times: int) -> str:
    """Return `times` × `times` copies of a value, in few bytes."""
    few = f"&a [{', '.join([leaf] * times)}]"
    return f"once: {few}, often: [{', '.join(['*a'] * times)}]"


@pytest.mark.parametrize("leaf", ["1", "[]", "{}", "a" * 100, f"{{? {'a' * 100} : 1}}"])
def test_anchors_make_them_no_larger_than_allowed(leaf: str) -> None:
    said = refusal_of(GOOD.replace("verbose: true", repeated(leaf, 100)))

    assert "bytes of values: make it smaller; at most 65536 are allowed" in said


def test_inputs_with_too_many_anchored_values_are_refused_unread() -> None:
    said = refusal_of(GOOD.replace("verbose: true", repeated("1", 200)))

    assert "brings the file over 32768 values: use smaller inputs" in said


@pytest.mark.parametrize("text", ['x: "\\UFFFFFFFF"', 'x: "\\U00110000"', f"%YAML 1.{'9' * 5000}\n---\n{GOOD}"])
def test_numbers_that_the_parser_of_yaml_can_not_hold_are_refused(text: str) -> None:
    assert "the text is not YAML: a number after \\U or %YAML is too large" in refusal_of(text)

"""Each row breaks one key of problem.yaml. The fault must name its line, key, value, limit and remedy."""

import pytest

from tests.catalog.packages import PROBLEM, edited, faults_of, make_files

# old text, new text, key, words of the message, words of the remedy
BROKEN = [
    ("title: Scaled sum", "titel: Scaled sum", "titel",
     "not a known key; did you mean title?", "the known keys are accept_lists"),
    ("difficulty: beginner", "difficulty: begginer", "difficulty", "did you mean beginner?", "intermediate"),
    ("estimated_minutes: 5", "estimated_minutes: 0", "estimated_minutes", "is 0", "at least 1"),
    ("estimated_minutes: 5", "estimated_minutes: '5'", "estimated_minutes", "is '5'", "whole number, without quotes"),
    ("tags: [numpy, sums]", "tags: [numpy, numpy]", "tags[1]", "is 'numpy', as tags[0] is", "rename or remove"),
    ("tags: [numpy, sums]", "tags: [Numpy]", "tags[0]", "is 'Numpy'", "lower-case letters"),
    ("tags: [numpy, sums]", "tags: numpy", "tags", "is 'numpy'", "write a list"),
    ("track: basics\n", "", "position", "is 1, but the problem has no track", "remove position"),
    ("position: 1\n", "", "position", "is missing in a problem with a track", "position: 1"),
    ("prerequisites: []", "prerequisites: [scaled_sum]", "prerequisites[0]", "the problem itself", "remove it"),
    ("frameworks: [numpy]", "frameworks: [nunpy]", "frameworks[0]", "did you mean numpy?", "jax, flax, optax"),
    ("frameworks: [numpy]", "frameworks: []", "frameworks", "is empty", "at least 1"),
    ("leaves: numpy, dtype: float64", "leaves: torch", "parameters[3].leaves", "only numpy", "add torch to frameworks"),
    ("entry_point: scaled_sum", "entry_point: scaled-sum", "entry_point", "is 'scaled-sum'", "Python name"),
    ("entry_point: scaled_sum", "entry_point: class", "entry_point", "a Python keyword", "another name"),
    ("shape: [N], dtype: float32", "shape: [N], dtype: flaot32", "parameters[0].dtype", "mean float32?", "bfloat16"),
    ("shape: [N], dtype: float32", "dtype: float32", "parameters[0].shape", "missing for an array", "shape: [N]"),
    ("shape: [N], dtype: float32", "shape: [n], dtype: float32", "parameters[0].shape[0]", "'n'", "upper-case name"),
    ("{name: scale, type: float}", "{name: x, type: float}", "parameters[2].name", "as parameters[0] is", "rename"),
    ("{name: scale, type: float}", "{name: s, type: str, dtype: int8}", "parameters[2].dtype", "type str", "remove"),
    ("rtol: 1e-5, atol: 0.0", "rtol: -1, atol: 0.0", "tolerance.rtol", "is -1", "at least 0"),
    ("rtol: 1e-5, atol: 0.0", "rtol: .nan, atol: 0.0", "tolerance.rtol", "is nan", "finite number"),
    ("{rtol: 1e-3, atol: 1e-6}", "1e-3", "tolerance.leaves.history", "is 0.001",
     "`history: {rtol: 0.001, atol: 0.001}`"),
    ("{wall_seconds: 2, memory_mib: 256}", "2", "limits", "is 2", "`limits: {wall_seconds: …, memory_mib: …}`"),
    ("{rtol: 1e-3, atol: 1e-6}", "{rtl: 1e-3, atol: 1e-6}", "tolerance.leaves.history.rtl", "mean rtol?", "atol, rtol"),
    ("wall_seconds: 2", "wall_seconds: 1:30", "limits.wall_seconds", "is '1:30'", "a number, without quotes"),
    ("wall_seconds: 2", "wall_seconds: 100000", "limits.wall_seconds", "is 100000", "at most 300"),
    ("variants: 2", "variants: 2\ndeterministic: yes", "deterministic", "is 'yes'", "true or false"),
    ("variants: 2", "variants: 2\nmay_change: [xs]",
     "may_change[0]", "not a known parameter; did you mean x?", "x, y, scale"),
    ("name: large", "name: small", "cases[1].name", "as cases[0] is", "rename"),
    ("visibility: sample", "visibility: hidden", "cases", "no sample case", "visibility: sample"),
    ("visibility: sample", "visibility: shown", "cases[0].visibility", "is 'shown'", "sample, hidden"),
    ("generate: make, with", "with", "cases[2]", "has no inputs", "add `inputs:`"),
    ("generate: make, with", "generate: mak, with", "cases[2].generate", "cases.py does not define", "def mak("),
    ("with: {width: 3}", "with: {seed: 3}", "cases[2].with.seed", "given by the judge", "remove it"),
    ("      scale: 2\n", "", "cases[0].inputs.scale", "is missing", "add `scale: …`"),
    ("      scale: 2\n", "      scal: 2\n", "cases[0].inputs.scal", "did you mean scale?", "x, y, scale, options"),
    ("      scale: 2\n", "      scale: two\n", "cases[0].inputs.scale", "is 'two'", "write such a value"),
    ("      scale: 2\n", "      scale: null\n", "cases[0].inputs.scale", "is null", "nullable: true"),
    ("      scale: 2\n", "      scale: [2]\n", "cases[0].inputs.scale", "is a list", "a value like 0.5"),
    ("x: [1, 2.5]", "x: [1, true]", "cases[0].inputs.x[1]", "is true, but float32 takes numbers", "write such"),
    ("x: [1, 2.5]", "x: [1, 1e39]", "cases[0].inputs.x[1]", "float32 holds -3.4", "a wider dtype"),
    ("x: [1, 2.5]", "x: [1, 2.5, 3]", "cases[0].inputs.y", "has N = 2, but x has N = 3", "make both sizes equal"),
    ("x: [1, 2.5]", "x: [[1], [2.5]]", "cases[0].inputs.x", "has shape [2, 1]", "change one of them"),
    ("x: [1, 2.5]", "x: {a: 1}", "cases[0].inputs.x", "is a mapping", "numbers in lists"),
    ("[[1, 2], [3, 4]]", "[[1, 2], [3]]", "cases[0].inputs.y[1]", "another length", "equally long"),
    ("[[1, 2], [3, 4]]", "[[1, 2], [3, 4.5]]", "cases[0].inputs.y[1][1]", "takes whole numbers", "write such"),
    ("[[1, 2], [3, 4]]", "[[1, 2], [3, 3000000000]]", "cases[0].inputs.y[1][1]", "-2147483648 to 2147483647", "range"),
    ("{verbose: true,", "{a: [{draw: permutation}],", "cases[0].inputs.options.a[0].n", "is missing", "add `n: …`"),
    ("{array: [1, 2]}", "{array: [1, a]}", "cases[0].inputs.options.weights.array[1]", "is 'a'", "write such"),
    ("{array: [1, 2]}", "{array: [1, 2], dtyp: int8}", "cases[0].inputs.options.weights.dtyp", "mean dtype?", "array"),
    ("draw: normal", "draw: gauss", "cases[1].inputs.x", "draw is 'gauss'", "normal, uniform, integers"),
    ("scale: 2.0}", "scale: -2.0}", "cases[1].inputs.x.scale", "is -2.0", "at least 0"),
    ("scale: 2.0}", "sclae: 2.0}", "cases[1].inputs.x.sclae", "did you mean scale?", "loc"),
    ("scale: 2.0}", "scale: 1e38}", "cases[1].inputs.x.scale", "gives numbers like 8e+38", "draw smaller numbers"),
    ("scale: 2.0}", "dtype: float16}", "cases[1].inputs.x.dtype", "the parameter's dtype is float32", "remove it"),
    ("shape: [100], ", "", "cases[1].inputs.x", "has no shape", "numbers for N"),
    ("shape: [100], ", "shape: [100, 1], ", "cases[1].inputs.x.shape", "is [100, 1], but", "change"),
    ("shape: [100], ", "shape: [N], ", "cases[1].inputs.x.shape[0]", "is 'N'", "whole number"),
    ("shape: [100], ", "shape: [99], ", "cases[1].inputs.y", "has N = 100, but x has N = 99", "equal"),
    ("shape: [100], ", "shape: [100000000], ", "cases[1].inputs", "a case may have 50331648", "smaller arrays"),
    ("draw: integers, shape: [100, 2], low: -5, high: 5", "draw: normal, shape: [100, 2]", "cases[1].inputs.y.draw",
     "gives fractions", "draw: integers"),
    ("low: -5, high: 5", "low: 5, high: 5", "cases[1].inputs.y.high", "is 5, but low is 5", "larger"),
    ("low: -5, high: 5", "low: 0, high: 3000000000", "cases[1].inputs.y.high", "int32 holds", "smaller numbers"),
    ("{draw: choice, of: [0.5, 2]}", "{draw: normal, shape: [2]}", "cases[1].inputs.scale", "draws an array", "remove"),
    ("answer: 1", "answer: 2", "quiz[0].answer", "numbered 0 to 1", "index of the right choice"),
    ('choices: ["1", "2"]', 'choices: ["1"]', "quiz[0].choices", "has 1 items", "at least 2"),
    ('choices: ["1", "2"]', "choices: [1, 2]", "quiz[0].choices[0]", "is 1", "put it in quotes"),
    ("doc: the numbers}", "doc: one, two}", "parameters[0].two",
     "is not a known key", "put a text with a comma in quotes"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "key", "message", "remedy"), BROKEN, ids=[f"{r[2]}: {r[1]}" for r in BROKEN])
def test_a_broken_manifest_names_key_value_and_remedy(old: str, new: str, key: str, message: str, remedy: str) -> None:
    faults = faults_of(make_files(problem=edited(old, new)))

    fault = next((fault for fault in faults if fault.key == key), None)
    assert fault is not None, f"found only {[str(f) for f in faults]}"
    assert message in fault.message
    assert remedy in fault.remedy


def test_a_remedy_behind_a_question_is_a_sentence() -> None:
    (fault,) = faults_of(make_files(problem=edited("difficulty: beginner", "difficulty: begginer")))

    assert "did you mean beginner? Use one of beginner, " in str(fault)


def test_a_fault_has_the_line_of_its_value() -> None:
    faults = faults_of(make_files(problem=edited("dtype: int32", "dtype: int33")))

    wanted = next(n for n, line in enumerate(PROBLEM.splitlines(), 1) if "int32" in line)
    assert [(fault.file, fault.line, fault.key) for fault in faults] == [
        ("problem.yaml", wanted, "parameters[1].dtype")
    ]


def test_a_missing_key_has_the_line_where_its_mapping_begins() -> None:
    faults = faults_of(make_files(problem=edited("      scale: 2\n", "")))

    wanted = next(n for n, line in enumerate(PROBLEM.splitlines(), 1) if "inputs:" in line)
    assert [fault.line for fault in faults] == [wanted]


def test_faults_of_keys_and_of_other_files_are_said_at_once() -> None:
    problem = edited("title: Scaled sum", "titel: x").replace("wall_seconds: 2", "wall_seconds: -2")
    problem = problem.replace("dtype: float64", "dtype: float6")
    files = make_files(
        {"starter.py": "def other(): ...\n", "reference.py": None, "driver.py": "def run(:"}, problem=problem
    )

    faults = faults_of(files)

    assert [(fault.file, fault.key) for fault in faults] == [
        ("problem.yaml", "title"),
        ("problem.yaml", "titel"),
        ("problem.yaml", "parameters[3].dtype"),
        ("problem.yaml", "limits.wall_seconds"),
        ("driver.py", ""),
        ("reference.py", ""),
        ("starter.py", ""),
    ]


def test_conflicts_between_keys_follow_when_each_key_is_valid() -> None:
    conflicting = edited("x: [1, 2.5]", "x: [1, no]").replace("position: 1\n", "")

    faults = [faults_of(make_files(problem=text)) for text in (f"{conflicting}titel: x\n", conflicting)]

    assert [[fault.key for fault in each] for each in faults] == [["titel"], ["position", "cases[0].inputs.x[1]"]]


def test_the_text_of_the_error_has_one_line_per_fault() -> None:
    faults = faults_of(make_files(problem=edited("variants: 2", "variants: 0")))

    assert [str(fault) for fault in faults] == ["problem.yaml:19: variants is 0: must be at least 1"]


def test_a_kernel_in_triton_is_not_watched_on_a_gpu() -> None:
    with_gpu = edited("memory_mib: 256}", "memory_mib: 256, gpu: true}\nrequirements: [{kernel: {}}]")

    faults = faults_of(make_files(problem=with_gpu.replace("frameworks: [numpy]", "frameworks: [numpy, triton]")))

    fault = next(fault for fault in faults if fault.key == "requirements[0].kernel")
    assert "which the problem does not allow" in fault.message
    assert "interpreter: true" in fault.remedy


@pytest.mark.parametrize(
    ("frameworks", "more", "key", "remedy"),
    [
        ("[numpy, pallas]", "interpreter: true", "limits.interpreter", "add `gpu: true`"),
        ("[numpy]", "gpu: true, interpreter: true", "limits.interpreter", "add pallas or triton to frameworks"),
        ("[numpy, triton]", "gpu: true", "requirements[0].kernel", "add `interpreter: true` to limits"),
    ],
)
def test_an_interpreter_is_for_kernels_that_also_run_on_a_gpu(
    frameworks: str, more: str, key: str, remedy: str
) -> None:
    problem = PROBLEM.replace("[numpy]", frameworks).replace("memory_mib: 256", f"memory_mib: 256, {more}")
    problem += "requirements: [{kernel: {}}]\n" if "triton" in frameworks else ""

    faults = {fault.key: fault for fault in faults_of(make_files(problem=problem))}

    assert remedy in faults[key].remedy

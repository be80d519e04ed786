"""Each kind of requirement: what meets it, and what is said when something does not."""

from dataclasses import replace
from math import inf
from typing import Any

import pytest
from pydantic import TypeAdapter

from app.catalog.rule_validation import AnyRequirement
from app.judging.requirement import Facts, Requirement, first_unmet
from app.judging.requirements.forbids_syntax import without_main_guards
from tests.judging.requirements.evidence import (
    BRANCH,
    CALL,
    LOOP,
    PROGRAM,
    facts,
    forbidding,
    source,
    with_branch,
    with_kernels,
    with_loop,
    with_program,
)

SCAN = {"uses": "scan", "length": "n"}
KERNEL = {"kernel": {"through": ["x", "y"], "max_block_bytes": 12_288, "max_reads": 2}}
SLICED = SCAN | {"through": ["x", "y"], "slices": ["x", "y"]}
PADDED = with_program(loops=(replace(LOOP, share=0.8, outside=1000.0),), flops=5000.0)
ENDLESS = with_program(loops=(replace(LOOP, share=1.0, outside=inf),), unbounded=1)
NO_LOOP = with_program(loops=(), copies=8)
QUOTED = 'text = """\nif __name__ == "__main__":\n"""'

MET: list[tuple[dict[str, Any], Facts]] = [
    (SCAN, facts()),
    (SLICED, facts()),
    (SLICED | {"uses": "fori"}, facts()),
    ({"uses": "while"}, with_loop(length=None, steps=None)),
    (SCAN, with_program(loops=(replace(LOOP, index=1, takes_part=False), LOOP))),
    (SCAN, with_loop(share=0.46)),
    (SCAN, with_loop(effect=0.021)),
    (SCAN, with_loop(effect=None)),
    (SCAN | {"through": ["x"]}, with_loop(bypassed_by=("w",))),
    (SCAN | {"slices": ["x"]}, with_loop(whole=("w",))),
    (SCAN | {"length": 1}, NO_LOOP),
    ({"uses": "cond"}, with_branch()),
    ({"uses": "vmap", "length": 4}, facts()),
    ({"uses": "vmap"}, with_program(loops=())),
    ({"forbids": ["cond", "sort"]}, facts()),
    ({"max_temporary_memory": {"mib": 1}}, facts()),
    ({"max_temporary_memory": {"ratio": 2}}, with_program(temporary_bytes=2 * 2**20)),
    ({"max_flops_ratio": 1.5}, with_program(flops=1564.0)),
    ({"max_equations": 40}, facts()),
    ({"kernel": {}}, with_kernels(bypassed_by=("x",))),
    (KERNEL, facts()),
    (KERNEL, with_kernels(fed_by=("x", "y", "z"), bypassed_by=("z",))),
    (KERNEL, with_kernels(outside=())),
    ({"kernel": {"max_kernels": 2}}, with_kernels(calls=(CALL, CALL))),
    ({"calls": "backward", "count": "n"}, facts(backward=8)),
    ({"calls": "backward", "at_least": 2, "at_most": "n"}, facts(backward=2)),
    ({"forbids_calls": ["torch.softmax", "numpy.linalg.*"]}, forbidding({"torch.exp": 3, "numpy.linalg.a.b": 4})),
    ({"forbids_syntax": ["for", "while", "comprehension"]}, source("f = lambda x: x @ x if x else 1")),
    ({"forbids_syntax": ["for"]}, source("\ufeffx = 1")),
    ({"forbids_syntax": ["for", "if"]}, source("x = 1\nif __name__ == '__main__':\n    for x in y:\n        pass")),
    ({"forbids_syntax": ["dynamic code"]}, source("class A:\n    def eval(self): ...\nA().eval()\nre.compile(x)")),
    ({"forbids_syntax": ["dynamic code"]}, source("def compile(x): ...\ncompile(1)")),
    ({"forbids_syntax": ["for"]}, replace(source("x = 1"), code={"timeit": 1})),
]
UNMET: list[tuple[dict[str, Any], Facts, str]] = [
    (SCAN, NO_LOOP, "expected one loop of 8 steps; found 8 copies of the body"),
    (SCAN, with_program(loops=()), "expected one loop of 8 steps; found no loop"),
    (SCAN, with_loop(length=7), "expected one loop of 8 steps; found a loop of 7 steps"),
    (SCAN, with_loop(length=None), "found a loop of unknown length"),
    (SCAN, with_loop(takes_part=False), "found a loop that the answer does not depend on"),
    (SCAN, with_loop(fed_by=()), "found a loop that the answer does not depend on"),
    (SCAN, with_loop(share=0.05), "found a loop that does only 5% of the arithmetic"),
    (SLICED, PADDED, "found a loop, but too much arithmetic outside it"),
    (SLICED, ENDLESS, "found a loop, but too much arithmetic outside it"),
    ({"uses": "vmap", "length": 4}, ENDLESS, "expected one batched computation over 4; found a loop"),
    ({"uses": "vmap", "length": 4}, with_program(axes={4: 100.0}), "found little arithmetic along an axis of 4"),
    ({"max_flops_ratio": 1.5}, ENDLESS, "1.5 times the reference's arithmetic; found a loop of unknown length"),
    (SCAN, with_loop(effect=0.0), "found a loop that gives the same answer without one of its steps"),
    (SCAN, with_loop(effect=0.001), "found a loop that gives the same answer without one of its steps"),
    (SLICED, with_loop(bypassed_by=("y",)), "found a loop, but y also reaches the answer by a path outside the loop"),
    (SLICED, with_loop(whole=("x", "y")), "found a loop in which every step reads all of x and y"),
    ({"uses": "while"}, NO_LOOP, "expected one loop; found 8 copies of the body"),
    ({"uses": "cond"}, facts(), "expected one choice between branches; found none"),
    ({"uses": "cond"}, with_branch(effect=0.0), "a choice that gives the same answer with only one of its branches"),
    ({"uses": "vmap"}, facts(), "expected one batched computation; found a loop of 8 steps"),
    ({"uses": "vmap", "length": 8}, NO_LOOP, "expected one batched computation over 8; found 8 copies of the body"),
    ({"uses": "vmap", "length": 5}, facts(), "found no arithmetic along an axis of 5"),
    ({"forbids": ["scan", "dot_general"]}, facts(), "no scan or dot_general; found scan, dot_general (2 times)"),
    ({"forbids": ["cond"]}, with_program(branches=(BRANCH,)), "expected no cond; found cond"),
    ({"max_temporary_memory": {"mib": 0.5}}, facts(), "at most 0.5 MiB of temporary memory; found 1 MiB"),
    ({"max_temporary_memory": {"ratio": 0.5}}, facts(), "0.5 times the reference's temporary memory; found 1 MiB"),
    ({"max_flops_ratio": 1.5}, with_program(flops=4000.0), "1.5 times the reference's arithmetic; found 4 times"),
    ({"max_equations": 20}, with_program(copies=8), "at most 20 operations; found 40, among them 8 copies of one body"),
    ({"kernel": {}}, with_program(kernels=None), "expected a kernel that computes the answer; found no pallas_call"),
    ({"kernel": {}}, with_kernels(takes_part=False), "found a kernel that the answer does not depend on"),
    ({"kernel": {}}, with_kernels(fed_by=()), "found a kernel that the answer does not depend on"),
    ({"kernel": {}}, with_kernels(outside=("dot_general", "multiply")), "a kernel, but also dot_general outside of it"),
    (KERNEL, with_kernels(fed_by=("x",)), "found a kernel that does not read y"),
    (KERNEL, with_kernels(bypassed_by=("y", "z")), "but also a path from y to the answer outside of it"),
    (KERNEL, with_kernels(calls=(CALL, replace(CALL, outputs=CALL.outputs * 2))), "12 KiB for each program; found 16"),
    (KERNEL, with_kernels(calls=(CALL, CALL)), "expected at most 2 reads of x; found 4"),
    (KERNEL, with_kernels(calls=(replace(CALL, times=3),)), "expected at most 2 reads of x; found 6"),
    ({"kernel": {"max_kernels": 1}}, with_kernels(calls=(CALL, CALL)), "expected one kernel; found 2"),
    ({"kernel": {"max_kernels": 2}}, with_kernels(calls=(replace(CALL, times=3),)), "at most 2 kernels; found 3"),
    ({"calls": "backward", "count": 1}, facts(), "expected backward to be called 1 time; found 0 calls"),
    ({"calls": "backward", "at_most": "n"}, facts(backward=9), "to be called at most 8 times; found 9 calls"),
    ({"forbids_calls": ["torch.exp"]}, forbidding({"torch.exp": 5}), "no call of torch.exp; found torch.exp in line 5"),
    ({"forbids_calls": ["numpy.a.*"]}, forbidding({"numpy.a.b": 9, "numpy.a.c": 2}), "found numpy.a.c in line 2"),
    ({"forbids_syntax": ["for", "while"]}, source("\nwhile x:\n    pass"), "expected no `for` loop or `while` loop"),
    ({"forbids_syntax": ["for", "while"]}, source("\nwhile x:\n    pass"), "found `while` loop in line 2"),
    ({"forbids_syntax": ["comprehension"]}, source("\nx = sum(i for i in y)"), "found comprehension in line 2"),
    ({"forbids_syntax": ["matmul"]}, source("x = (1 +\n     y @ z)"), "found operator `@` in line 2"),
    ({"forbids_syntax": ["if"]}, source("x = 1 if y else 2"), "found `if` in line 1"),
    ({"forbids_syntax": ["for"]}, source("\ufefffor x in y:\n    pass"), "found `for` loop in line 1"),
    ({"forbids_syntax": ["for"]}, source("def f(:"), "found a source that can't be read for them"),
    ({"forbids_syntax": ["for"]}, source(f"x = {'+'.join('y' * 5000)}"), "write simpler and less nested code"),
    ({"forbids_syntax": ["if"]}, source("if __name__ == '__main__': x\nelif y: z"), "found `if` in line 2"),
    ({"forbids_syntax": ["if"]}, source("def f():\n    if __name__ == '__main__': x"), "found `if` in line 2"),
    ({"forbids_syntax": ["matmul"]}, source("x.__matmul__(y)"), "found operator `@` in line 1"),
    ({"forbids_syntax": ["matmul"]}, source("getattr(x, '__matmul__')(y)"), "found operator `@` in line 1"),
    ({"forbids_syntax": ["dynamic code"]}, source("import builtins as b\nb.exec(x)"), "or `compile` in line 2"),
    ({"forbids_syntax": ["dynamic code"]}, source("from builtins import exec as run"), "or `compile` in line 1"),
    ({"forbids_syntax": ["dynamic code"]}, source("class A:\n    def eval(self):\n        eval(x)"), "in line 3"),
    ({"forbids_syntax": ["dynamic code"]}, replace(source("x"), code={"timeit": 4}), "while it runs: timeit in line 4"),
    ({"forbids_calls": ["torch.exp"]}, replace(source("x"), touched={"gc.get_objects": 3}), "line 3, which could hide"),
    ({"forbids_syntax": ["dynamic code"]}, source("run = eval"), "found `eval`, `exec` or `compile` in line 1"),
]  # fmt: skip


def read(options: dict[str, Any]) -> Requirement:
    adapter: TypeAdapter[Requirement] = TypeAdapter(AnyRequirement)
    return adapter.validate_python(options)


@pytest.mark.parametrize(("options", "given"), MET, ids=[str(options) for options, _ in MET])
def test_it_is_met(options: dict[str, Any], given: Facts) -> None:
    assert read(options).find_unmet(given) is None


@pytest.mark.parametrize(("options", "given", "message"), UNMET, ids=[row[2] for row in UNMET])
def test_the_message_says_what_was_expected_and_what_was_found(
    options: dict[str, Any], given: Facts, message: str
) -> None:
    unmet = read(options).find_unmet(given)

    assert unmet is not None
    assert message in unmet.message


def test_evidence_of_a_kernel_depends_on_its_language() -> None:
    requirement = read({"kernel": {}})

    assert (requirement.for_frameworks(("pallas", "jax")).basis) == "program"
    assert (requirement.for_frameworks(("triton", "torch")).basis) == "calls"


@pytest.mark.parametrize(
    "options", [SCAN, {"kernel": {}}, {"forbids": ["while"]}, {"max_equations": 9}, {"max_flops_ratio": 1.0}]
)
def test_without_evidence_nothing_is_met(options: dict[str, Any]) -> None:
    unmet = read(options).find_unmet(Facts(numbers={"n": 8}))

    assert unmet is not None
    assert unmet.message.endswith("found no program that could be inspected")


def test_the_category_holds_the_words_of_the_manifest_and_no_number_of_the_case() -> None:
    unmet = read(SLICED).find_unmet(NO_LOOP)

    assert unmet is not None
    assert unmet.category == "must use scan of length n for x and y"


def test_a_loop_is_measured_by_the_references_only_where_that_tells_something() -> None:
    unsure = replace(PROGRAM, loops=(replace(LOOP, effect=1e-5),))
    given = replace(with_loop(effect=0.0), reference=unsure)

    assert read(SCAN).find_unmet(given) is None


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("if __name__ == '__main__':\n    f()", "if  False                :\n    f()"),
        ("\ufeffif '__main__' == __name__: f()", "\ufeffif  False                : f()"),
        ("x = 1\r\nif (__name__=='__main__'): f()", "x = 1\r\nif ( False              ): f()"),
        ("if'__main__'==__name__: f()", "if False              : f()"),
        ("if __n\uff41me__ == '__main__':f.a: g()", "if  False                  :f.a: g()"),
        (QUOTED, QUOTED),
        ("if __name__ == 'solution':\n    f()", "if __name__ == 'solution':\n    f()"),
        ("def f(:", "def f(:"),
    ],
)
def test_code_below_a_main_guard_does_not_run(text: str, run: str) -> None:
    assert without_main_guards(text) == run


def test_a_rule_says_whether_it_is_proven_or_watched() -> None:
    options = SCAN, {"forbids_calls": ["torch.exp"]}, {"forbids_syntax": ["for"]}, {"forbids_syntax": ["dynamic code"]}

    assert [read(each).evidence for each in options] == [
        "proven from your program as JAX traces it",
        "watched while your program runs",
        "read in your source",
        "read in your source, and watched while your program runs",
    ]


def test_the_first_that_is_not_met_is_told_of_those_on_such_evidence() -> None:
    requirements = [read({"calls": "backward", "count": 1}), read(SCAN), read({"max_equations": 1})]

    unmet = first_unmet(requirements, "program", NO_LOOP)

    assert unmet is not None
    assert unmet.category == "must use scan of length n"

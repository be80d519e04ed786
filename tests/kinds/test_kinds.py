"""Every kind of answer, and kernels: in real boxes, each known solution gets its folder's verdict.

Hostile ones gain nothing.
"""

from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest

from app.catalog.package import Package, load_package
from app.judging.verdicts import Verdict
from app.verification.reference import check_reference
from app.verification.trial import SourceJudging, Trial, VerificationPools
from sandbox.interface import FrameworkMissing
from tests.lacking import do_without
from tests.verification.bench import QUICK

HERE = Path(__file__).parent
QUICKLY = (
    "any_rank",
    "class_functions",
    "class_plain",
    "class_random",
    "class_train",
    "empty_answers",
    "file",
    "functions",
    "in_place",
    "in_place_input",
    "integrator",
    "named_tuples",
    "random",
    "text",
    "triton",
)
SLUGS = sorted(path.parent.name for path in HERE.glob("*/problem.yaml"))
# What a student is told about a sample, by package and solution.
TOLD = {
    ("class_plain", "without_a_method"): "RunningMean has no method mean; define mean(self) in the class",
    ("class_plain", "a_property_fails"): "'RunningMean' object has no attribute 'totl'",
    ("class_plain", "without_count"): "has no attribute count; the problem compares it: set self.count",
    ("class_torch", "other_names"): "has the weights beta (2,), gamma (2,), but the problem sets bias (2,)",
    ("class_torch", "a_function"): "`BatchNorm` takes 1 parameter; the problem calls it with 2: size, momentum",
    ("class_nnx", "transposed_kernel"): "give yours these names and shapes",
    ("class_optax", "not_an_optimizer"): "has no method init",
    ("empty_answers", "minus_one"): "your output is an int; expected an empty list",
    ("empty_answers", "nothing"): "your output is None; expected an empty list",
    ("named_tuples", "swapped"): "`named/sign`",
    (
        "named_tuples",
        "one_item_more",
    ): "`named` is a tuple of length 3; expected a named tuple with the fields 'sign', ",
    ("named_tuples", "missing_name"): "`named` is missing the key 'logabsdet'",
    ("functions", "one_is_missing"): "the source does not define rotate_half; define rotate_half(x) at the top level",
    ("functions", "too_few_parameters"): "`rotate_half` takes 0 parameters; the problem calls it with 1: x",
    ("in_place", "another_array"): "`out`: 2 of 2 elements differ",
    ("in_place", "changes_an_input"): "your function changed a in place",
    ("integrator", "many_points"): "expected f to be called at most 60 times",
    ("generator", "one_epoch"): "your output has 2 items; expected 4",
    ("generator", "returns_a_number"): "let it `yield` them",
    ("gradients_jax", "stops_the_gradient"): "`gradients/b`",
    ("gradients_torch", "through_numpy"): "PyTorch can't follow how your answer depends on w, x",
    ("text_printed", "to_stderr"): "your output is an empty list; expected a list of length 5",
    ("text_printed", "inexact"): "expected 1180591620717411303424",
    ("random", "own_seed"): "another seed gave the same sample",
    ("random", "ignores_the_seed"): "the same seed gave another sample",
    ("random", "one_draw_and_a_grid"): "they are not independent",
    ("class_optimizer", "without_no_grad"): "a leaf Variable that requires grad",
    ("class_random", "seeds_itself"): "another seed gave the same sample",
    ("file", "another_place"): "the function wrote no file at path",
    ("file", "hostile_link"): "a folder, a pipe or a broken link is there",
    ("triton", "without_a_mask"): "writes element 2 of out_ptr, which has 2 elements",
    ("triton", "racing_programs"): "reads element 0 of out_ptr, which another program of the launch writes",
    ("triton", "library_outside"): "a kernel, but also torch.add outside of it",
    ("triton", "kernel_for_show"): "found a kernel that the answer does not depend on",
    ("triton", "through_numpy"): "found torch.from_numpy in line 16, which could hide what computes the answer",
    ("triton", "hides_from_the_watch"): "which could hide what computes the answer",
    ("triton", "reads_twice"): "expected at most 1 reads of x; found 2",
    ("triton", "large_blocks"): "expected blocks of at most 1 KiB for each program; found 3 KiB",
    ("file", "one_array"): "it is a single array; write it with np.savez",
}


def marked(names: list[str], quickly: tuple[str, ...]) -> list[object]:
    return [pytest.param(name, marks=[] if name in quickly else [pytest.mark.whole]) for name in names]


def judge_all(package: Package, pools: VerificationPools) -> Mapping[tuple[Verdict, str], SourceJudging]:
    """Judge the known solutions on all cases."""
    trial = Trial(package=package, pools=pools, watch=lambda *_: None, abort=Event(), effort=QUICK)
    cases = check_reference(trial).cases
    known = [(known, trial.attempt(known.source, cases)) for known in package.submissions]
    return {(each.verdict, each.name): attempt for each, attempt in known}


@pytest.mark.parametrize("slug", marked(SLUGS, QUICKLY))
def test_the_solutions_of_each_kind_get_their_verdicts(pools: VerificationPools, slug: str) -> None:
    try:
        attempts = judge_all(load_package(HERE / slug), pools)
    except FrameworkMissing as error:
        do_without(str(error))

    for (verdict, name), attempt in attempts.items():
        reports = [result.report for result in attempt.results]
        assert attempt.verdict is verdict, (name, reports)
        if words := TOLD.get((slug, name)):
            assert any(words in str(report.get("message")) for report in reports), (name, reports)
        if verdict is Verdict.WRONG_ANSWER:
            assert len(attempt.failed) >= 2, (name, "one case is luck: a mistake shows in at least two")
        hidden = [str(result.report) for result in attempt.results if result.visibility == "hidden"]
        assert "LEAK" not in "".join(hidden)

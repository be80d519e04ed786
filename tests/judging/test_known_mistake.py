"""Recognising known mistakes, and the texts about them."""

import pytest

from app.engine.hints import HINT_CHARACTERS, Likeness, hint_of, recognise


def like(*cases: str, is_refuted: bool = False) -> Likeness:
    return Likeness(cases=frozenset(cases), is_refuted=is_refuted)


def test_the_only_mistake_that_answers_alike_in_two_cases_is_recognised() -> None:
    assert recognise({"halved": like("a", "b"), "zeros": like()}) == "halved"


def test_one_case_is_luck() -> None:
    assert recognise({"halved": like("a")}) is None


def test_two_mistakes_that_explain_the_same_give_none() -> None:
    assert recognise({"halved": like("a", "b"), "also_halved": like("a", "b")}) is None


def test_two_mistakes_of_which_neither_explains_all_give_none() -> None:
    assert recognise({"halved": like("a", "b", "c"), "rounded": like("c", "d")}) is None


def test_the_mistake_that_explains_more_of_the_same_is_recognised() -> None:
    assert recognise({"halved_at_times": like("a", "b"), "halved": like("a", "b", "c")}) == "halved"


def test_a_case_that_refutes_a_mistake_outweighs_all_others() -> None:
    assert recognise({"halved": like("a", "b", "c", is_refuted=True)}) is None
    assert recognise({"halved": like("a", "b", is_refuted=True), "rounded": like("a", "b")}) == "rounded"


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ('"""Mistake: sums where\n   the mean is asked for.\n\nMore."""\nx = 1\n', "sums where the mean is asked for."),
        ('"""Forgets the scale."""\n', "Forgets the scale."),
        ("# Mistake: forgets\n#   the scale\n\n# other\nx = 1\n", "forgets the scale"),
        ("\ufeff\n\n# mistake:  forgets the scale", "forgets the scale"),
        ("'''mistake: forgets the scale'''", "forgets the scale"),
        ("x = 1\n# Mistake: too late\n", ""),
        ('"""Mistake: not closed', ""),
        ('"""Mistake:"""', ""),
        ("", ""),
        ("#", ""),
    ],
)
def test_the_hint_is_what_the_header_says(source: str, hint: str) -> None:
    assert hint_of(source) == hint


def test_a_long_header_is_cut() -> None:
    assert len(hint_of("# " + "a" * 10_000)) == HINT_CHARACTERS

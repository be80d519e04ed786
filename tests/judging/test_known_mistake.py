"""Recognising known mistakes, and the texts about them."""

import pytest

from app.engine.hints import HINT_CHARACTERS, hint_of, recognise


def like(*cases: str) -> frozenset[str]:
    return frozenset(cases)


@pytest.mark.parametrize(
    ("mistakes", "recognised"),
    [
        pytest.param({"halved": like("a", "b"), "zeros": like()}, "halved", id="the only one, in two cases"),
        pytest.param({"halved": like("a")}, None, id="one case is luck"),
        pytest.param({"halved": like("a", "b"), "also": like("a", "b")}, None, id="both explain the same"),
        pytest.param({"halved": like("a", "b", "c"), "rounded": like("c", "d")}, None, id="neither explains all"),
        pytest.param({"at_times": like("a", "b"), "halved": like("a", "b", "c")}, "halved", id="one explains more"),
    ],
)
def test_a_mistake_is_recognised_if_it_alone_explains_two_cases_or_more(
    mistakes: dict[str, frozenset[str]], recognised: str | None
) -> None:
    assert recognise(mistakes) == recognised


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

"""Disguised copies come first, chance comes after them, and no student is paired with themselves."""

import random
from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest

from app.similarity.compare import CohortComparison, Program, compare, leave_out_older
from sandbox.guest.fingerprint import MOST_PARTS, fingerprint
from tests.similarity.cohort import disguise, write_original

KINDS = ("renamed", "reordered", "inserted", "rewritten")
ORIGINAL = """
def smooth(values, width):
    total = sum(values[:width])
    means = [total / width]
    for end in range(width, len(values)):
        total += values[end] - values[end - width]
        means.append(total / width)
    return means
"""
RENAMED = """
def f(a, n):
    '''Mine.'''
    s = sum(a[:n])
    out: list[float] = [s / n]  # the first

    for i in range(n, len(a)):
        s = a[i] - a[i - n] + s
        out.append(s / n)
    return out
"""
OTHER = """
def smooth(values, width):
    window = []
    while values:
        window.append(values.pop())
        if len(window) > width:
            del window[0]
    return max(window, default=0)
"""


def compare_sources(
    sources: Sequence[tuple[int, str]], left_out: Sequence[str] = (), most: int = 100
) -> tuple[CohortComparison, list[tuple[int, int]]]:
    """Compare the sources of these students. Return also the pairs of students, from the top."""
    programs = []
    for number, (student, source) in enumerate(sources):
        parts = fingerprint(source)
        assert parts is not None
        programs.append(Program(submission_id=UUID(int=number), user_id=UUID(int=student), parts=parts))
    known = [fingerprint(source) for source in left_out]
    compared = compare(programs, {int(part) for parts in known if parts is not None for part in parts[:, 0]}, most)
    return compared, [(match.left.user_id.int, match.right.user_id.int) for match in compared.matches]


def test_copies_that_were_renamed_reordered_and_padded_are_among_the_first_pairs_of_a_cohort() -> None:
    rng = random.Random(0)
    originals = [write_original(rng) for _ in range(240)]
    copied = list(zip(rng.sample(range(240), 60), [kind for kind in KINDS for _ in range(15)], strict=True))
    copies = [disguise(originals[number], kind, rng) for number, kind in copied]

    compared, pairs = compare_sources(list(enumerate(originals + copies)), most=60)

    wanted = [(number, 240 + place) for place, (number, kind) in enumerate(copied) if kind != "rewritten"]
    assert len(set(wanted) & set(pairs)) >= 43
    assert sum(compared.histogram) == 300 * 299 / 2


def test_names_layout_comments_and_the_order_of_operands_change_nothing() -> None:
    compared, pairs = compare_sources([(1, ORIGINAL), (2, RENAMED), (3, OTHER)])

    assert pairs == [(1, 2)]
    assert compared.matches[0].similarity == 100


def test_common_parts_are_given_with_their_lines_on_both_sides() -> None:
    compared, _ = compare_sources([(1, ORIGINAL), (2, "\n\n" + RENAMED.replace("s = sum(a[:n])", "s = 0"))])

    assert (5, 7, 9, 11) in compared.matches[0].blocks  # the loop


def test_of_two_students_the_most_similar_programs_are_a_pair_and_none_is_of_one_student() -> None:
    compared, pairs = compare_sources([(1, ORIGINAL), (1, OTHER), (2, OTHER), (2, RENAMED), (2, RENAMED)])

    assert pairs == [(1, 2)]
    assert compared.matches[0].similarity == 100
    assert sum(compared.histogram) == 1


def test_added_statements_hide_nothing_and_a_stub_is_not_similar_to_all() -> None:
    stub = "def smooth(values, width):\n    return sum(values[:width])"

    compared, pairs = compare_sources([(1, ORIGINAL), (2, RENAMED + OTHER), (3, stub), (4, OTHER)])

    found = {pair: match.similarity for pair, match in zip(pairs, compared.matches, strict=True)}
    assert (found[1, 2], found[2, 4]) == (100, 100)
    assert found[1, 3] < 50


def test_what_the_template_gives_does_not_count() -> None:
    compared, pairs = compare_sources([(1, ORIGINAL), (2, RENAMED)], left_out=[ORIGINAL])

    assert pairs == []
    assert compared.histogram[0] == 1


@pytest.mark.parametrize(
    "students",
    [[], [(1, ORIGINAL)], [(1, ""), (2, "")], [(1, ORIGINAL), (2, ""), (3, "")], [(1, "import math"), (2, "x = 1")]],
)
def test_nothing_to_compare_gives_no_pair(students: list[tuple[int, str]]) -> None:
    assert compare_sources(students)[1] == []


@pytest.mark.parametrize(
    "source",
    ["(" * 100_000 + ")" * 100_000, "-" * 100_000 + "1", "x" + ".y" * 50_000, "def f(:", "\0", "x = " + "9" * 5000],
)
def test_what_the_parser_refuses_has_no_fingerprint(source: str) -> None:
    assert fingerprint(source) is None


def test_a_program_that_is_padded_beyond_the_limit_has_none_instead_of_a_part_of_it() -> None:
    assert fingerprint(ORIGINAL + "x.a.b.c\n" * (MOST_PARTS // 2 - 50)) is not None  # 2 parts a line
    assert fingerprint(ORIGINAL + "x.a.b.c\n" * (MOST_PARTS // 2 + 1)) is None


def test_a_huge_number_and_an_odd_name_have_one() -> None:
    assert fingerprint("x = f(0x" + "f" * 5000 + ", 1e999, 2j)\nµ = 'µ' + x.real") is not None


def test_older_programs_are_left_out_where_a_student_s_parts_take_more_than_an_equal_share() -> None:
    sent = [(1, 100), (2, 40), (2, 40), (2, 40), (2, 40)]
    programs = [
        Program(submission_id=UUID(int=number), user_id=UUID(int=user), parts=np.zeros((parts, 3), np.int64))
        for number, (user, parts) in enumerate(sent)
    ]

    assert leave_out_older(programs, most_parts=160) == [programs[0], programs[3], programs[4]]

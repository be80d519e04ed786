import pytest

from app.catalog.diff import MAX_LINES, MAX_SHOWN, MAX_SHOWN_LINES, FileDifference, compare_packages

NUMBERED = "".join(f"line {number}\n" for number in range(1, 101))


def only(old: str | None, new: str | None) -> FileDifference:
    before = {} if old is None else {"a.py": old}
    after = {} if new is None else {"a.py": new}
    (difference,) = compare_packages(before, after)
    return difference


def test_files_that_are_the_same_are_left_out_and_the_manifest_comes_first() -> None:
    old = {"problem.yaml": "a\n", "a.md": "x\n", "same.md": "s\n", "gone.py": "g\n"}
    new = {"problem.yaml": "b\n", "a.md": "y\n", "same.md": "s\n", "new.py": "n\n"}

    changes = [(each.path, each.change) for each in compare_packages(old, new)]

    assert changes == [("problem.yaml", "changed"), ("a.md", "changed"), ("gone.py", "removed"), ("new.py", "added")]


def test_a_change_is_shown_with_three_lines_around_it_and_the_numbers_of_both_sides() -> None:
    difference = only(NUMBERED, NUMBERED.replace("line 50\n", "line fifty\nand more\n"))

    assert [(line.kind, line.old, line.new, line.text) for line in difference.lines] == [
        ("skipped", 47, 47, ""),
        ("same", 47, 47, "line 47"),
        ("same", 48, 48, "line 48"),
        ("same", 49, 49, "line 49"),
        ("removed", 50, None, "line 50"),
        ("added", None, 50, "line fifty"),
        ("added", None, 51, "and more"),
        ("same", 51, 52, "line 51"),
        ("same", 52, 53, "line 52"),
        ("same", 53, 54, "line 53"),
    ]
    assert (difference.added, difference.removed) == (2, 1)


@pytest.mark.parametrize(("old", "new", "kind"), [(None, "a\nb\n", "added"), ("a\nb\n", None, "removed")])
def test_a_file_that_comes_or_goes_is_shown_whole(old: str | None, new: str | None, kind: str) -> None:
    assert [(line.kind, line.text) for line in only(old, new).lines] == [(kind, "a"), (kind, "b")]


def test_a_missing_line_end_is_a_difference() -> None:
    assert [line.text for line in only("a\n", "a").lines] == ["a", "a  (no line end)"]


def test_files_that_would_take_too_long_to_compare_are_not_compared() -> None:
    old = "".join(f"a{number}\n" for number in range(MAX_LINES + 1))

    difference = only(old, old.replace("a", "b"))

    assert (difference.lines, difference.is_whole) == ((), False)


@pytest.mark.parametrize("text", ["\n" * 9_000, "x" * 200_000])
def test_a_comparison_of_packages_shows_a_bounded_amount(text: str) -> None:
    files = {f"{number}.py": text for number in range(20)}

    found = compare_packages({}, files)

    assert [each.path for each in found] == sorted(files)
    assert sum(len(line.text) for each in found for line in each.lines) <= MAX_SHOWN
    assert sum(len(each.lines) for each in found) <= 2 * MAX_SHOWN_LINES
    assert found[0].is_whole
    assert (found[-1].is_whole, found[-1].lines) == (False, ())


def test_one_changed_line_of_a_very_long_file_is_found() -> None:
    old = "x\n" * 50_000

    assert only(old + "a\n" + old, old + "b\n" + old).added == 1

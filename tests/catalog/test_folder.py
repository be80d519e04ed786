from hypothesis import given
from hypothesis import strategies as st

from app.catalog.folder import digest
from tests.catalog.packages import make_files

files = st.dictionaries(st.text(max_size=5), st.binary(max_size=5), max_size=4)


def test_the_digest_of_known_content_never_changes() -> None:
    """Every database finds its revisions by the digest."""
    assert digest({"a": b"1", "b/c": b""}) == "4f783a2fbcf18a6c940d2e68b49321479275f0b0f5cb6c9eb6c6adabe80fb897"


def test_the_order_of_files_does_not_matter() -> None:
    content = make_files()

    assert digest(dict(reversed(content.items()))) == digest(content)


@given(files, files)
def test_other_content_has_another_digest(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    assert (digest(one) == digest(other)) == (one == other)


def test_bytes_do_not_move_between_a_path_and_its_content() -> None:
    assert digest({"ab": b"c"}) != digest({"a": b"bc"})

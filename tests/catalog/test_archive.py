"""Ordinary archives, and archives made by attackers."""

import stat
import struct
from collections.abc import Callable, Iterable
from io import BytesIO
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZipFile, ZipInfo

import pytest

from app.catalog.archive import MAX_ENTRIES, read_upload, write_archive
from app.catalog.fault import PackageInvalid
from app.catalog.folder import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES
from app.catalog.package import package_from_files
from tests.catalog.packages import make_package

SLUG = "scaled_sum"
YAML = b"title: Sum\n"
Build = Callable[[ZipFile], object]


def zipped(build: Build) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        build(archive)
    return buffer.getvalue()


def packed(entries: Iterable[tuple[str, str | bytes]]) -> bytes:
    def build(archive: ZipFile) -> None:
        for name, content in entries:
            archive.writestr(name, content)

    return zipped(build)


def holding(**files: bytes) -> bytes:
    return packed((name.replace("__", "/"), content) for name, content in files.items())


def named(name: str, content: bytes = YAML) -> bytes:
    """Make an archive with one entry of any name, which `ZipInfo` would correct."""
    entry = ZipInfo("placeholder")
    entry.filename = name
    return zipped(lambda archive: archive.writestr(entry, content))


def refusal(body: bytes) -> str:
    with pytest.raises(PackageInvalid) as refused:
        read_upload(SLUG, body)
    for fault in refused.value.problems:
        assert fault.file
        assert fault.message
        assert fault.remedy
    return str(refused.value)


def test_a_folder_zipped_from_outside_and_from_inside_is_the_same_package() -> None:
    package = make_package()
    texts = {path: content.decode() for path, content in package.files.items()}
    outside = write_archive(SLUG, texts)
    inside = packed(texts.items())

    assert package_from_files(SLUG, read_upload(SLUG, outside)) == package
    assert package_from_files(SLUG, read_upload(SLUG, inside)) == package


def test_an_archive_of_the_same_files_has_the_same_bytes() -> None:
    assert write_archive(SLUG, {"a": "1", "b": "2"}) == write_archive(SLUG, {"b": "2", "a": "1"})


def test_a_single_yaml_file_is_a_whole_package() -> None:
    assert read_upload(SLUG, YAML) == {"problem.yaml": YAML}


def test_files_of_archive_tools_are_ignored() -> None:
    junk = ["sum/.DS_Store", "__MACOSX/sum/._problem.yaml", "sum/Thumbs.db", "sum/__pycache__/a.pyc", "sum/.git/config"]
    body = packed((name, YAML) for name in ["sum/problem.yaml", *junk])

    assert read_upload(SLUG, body) == {"problem.yaml": YAML}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../problem.yaml", "points outside the package"),
        ("sum/../../problem.yaml", "points outside the package"),
        ("sum/..", "points outside the package"),
        ("/etc/passwd", "is an absolute path"),
        ("C:/problem.yaml", "is an absolute path"),
        ("..\\problem.yaml", "has a backslash"),
        ("sum//problem.yaml", "has an empty part"),
        ("./problem.yaml", "has an empty part"),
        ("problem.yaml\0.png", "control characters"),
        ("a\nb", "control characters"),
        ("\u202eproblem.yaml", "control characters"),
        ("x" * 300, "has a name of 300 characters"),
    ],
)
def test_a_name_that_means_harm_is_refused(name: str, words: str) -> None:
    assert words in refusal(named(name))


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (stat.S_IFLNK, "is a symbolic link"),
        (stat.S_IFIFO, "is not a plain file"),
        (stat.S_IFCHR, "is not a plain file"),
        (stat.S_IFSOCK, "is not a plain file"),
    ],
)
def test_only_plain_files_are_taken(mode: int, words: str) -> None:
    entry = ZipInfo("problem.yaml")
    entry.external_attr = (mode | 0o777) << 16

    assert words in refusal(zipped(lambda archive: archive.writestr(entry, "/etc/passwd")))


def test_a_name_given_twice_is_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        body = packed(("problem.yaml", text) for text in ("title: a", "title: b"))

    assert "is in the archive twice" in refusal(body)


def test_an_encrypted_entry_is_refused() -> None:
    body = holding(problem=YAML)
    at = body.index(b"PK\1\2") + 8

    assert "is encrypted" in refusal(body[:at] + struct.pack("<H", 1) + body[at + 2 :])


@pytest.mark.parametrize("method", [ZIP_BZIP2, ZIP_LZMA])
def test_a_compression_that_may_ask_for_much_memory_is_refused(method: int) -> None:
    assert "is compressed by method" in refusal(zipped(lambda archive: archive.writestr("problem.yaml", YAML, method)))


def test_a_bomb_is_refused_by_what_it_says_of_itself() -> None:
    bomb = holding(**{f"submissions__accepted__{i}.py": bytes(MAX_FILE_BYTES) for i in range(20)})
    assert len(bomb) < MAX_TOTAL_BYTES / 100

    assert f"has 20 files with {20 * MAX_FILE_BYTES} bytes" in refusal(bomb)


def test_a_huge_file_is_refused() -> None:
    assert f"has {10**8} bytes, but a file may have {MAX_FILE_BYTES}" in refusal(holding(statement=bytes(10**8)))


def test_a_bomb_that_lies_about_its_size_is_not_unpacked() -> None:
    body = holding(problem=bytes(10**7))
    for signature, offset in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        at = body.index(signature) + offset
        body = body[:at] + struct.pack("<I", 100) + body[at + 4 :]

    assert "is damaged" in refusal(body)


def test_many_entries_over_the_same_bytes_are_refused() -> None:
    """Make a zip bomb without nesting: every entry of the directory points to the same file."""
    body = holding(problem=bytes(MAX_FILE_BYTES))
    start, end = body.index(b"PK\1\2"), body.index(b"PK\5\6")
    entry, count = body[start:end], 150
    tail = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, count * len(entry), start, 0)
    copies = b"".join(entry.replace(b"problem", b"pr%05d" % i) for i in range(count))

    assert f"has {count} files" in refusal(body[:start] + copies + tail)


@pytest.mark.parametrize(("count", "words"), [(MAX_ENTRIES + 1, "entries"), (MAX_FILES + 1, "files with")])
def test_too_many_entries_are_refused(count: int, words: str) -> None:
    body = packed((f"a{i}", b"") for i in range(count))

    assert f"has {count} {words}" in refusal(body)


@pytest.mark.parametrize("cut", [10, 40, 100])
def test_a_torn_archive_is_refused(cut: int) -> None:
    assert "can't be read as zip" in refusal(holding(problem=YAML)[:-cut])


def test_damaged_content_is_refused() -> None:
    body = bytearray(holding(problem=bytes(range(256))))
    body[60] ^= 0xFF

    assert "is damaged" in refusal(bytes(body))


def test_a_name_that_is_not_the_utf_8_it_says_is_refused() -> None:
    assert "can't be read as zip" in refusal(named("é").replace("é".encode(), b"\xff\xfe"))


def test_an_empty_upload_is_refused() -> None:
    assert "is empty" in refusal(b"")


@pytest.mark.parametrize("content", ["title: Größe".encode("utf-16"), "title: Größe".encode("latin-1"), b"a\0b"])
def test_a_file_in_another_encoding_is_refused_with_its_place(content: bytes) -> None:
    body = zipped(lambda archive: archive.writestr("sum/problem.yaml", content))

    with pytest.raises(PackageInvalid, match=r"problem.yaml:1: (is not UTF-8|contains a NUL)"):
        package_from_files(SLUG, read_upload(SLUG, body))

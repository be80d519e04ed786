"""Texts of pages can be translated, and each reader gets their language if it is available."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from fastapi.testclient import TestClient

from app.web import messages
from app.web.messages import LOCALE, choose_language

FRENCH = """
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8"

msgid "Skip to content"
msgstr "Aller au contenu"
"""


@pytest.fixture
def french(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "allclose.mo").open("wb") as file:
        write_mo(file, read_po(FRENCH.splitlines()))
    monkeypatch.setattr(messages, "LOCALE", tmp_path)
    for kept in (messages.list_languages, messages._catalogue):
        kept.cache_clear()
    yield
    monkeypatch.undo()
    for kept in (messages.list_languages, messages._catalogue):
        kept.cache_clear()


@pytest.mark.usefixtures("french")
def test_a_reader_gets_the_pages_in_their_language(anyone: TestClient) -> None:
    wanted = anyone.get("/sign-in", headers={"Accept-Language": "de, fr-CA;q=0.8, en;q=0.5"}).text
    usual = anyone.get("/sign-in", headers={"Accept-Language": "de"}).text

    assert '<html lang="fr">' in wanted
    assert "Aller au contenu" in wanted
    assert '<html lang="en">' in usual
    assert "Skip to content" in usual


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("fr", "fr"),
        ("fr-CA", "fr"),
        ("PT-br;q=0.4, fr;q=0.3", "pt_BR"),
        ("en, fr", "en"),
        ("fr;q=0, en", "en"),
        ("*;q=x, ;;, \0", "en"),
        ("," * 100_000, "en"),
    ],
)
def test_the_language_is_the_first_that_is_wanted_and_there(accepted: str, language: str) -> None:
    assert choose_language(accepted, ("en", "fr", "pt_BR")) == language


def test_translators_get_the_texts_of_templates_and_python() -> None:
    with (LOCALE / "extract.ini").open() as mapping:
        methods, options = parse_mapping_cfg(mapping)  # type: ignore[no-untyped-call]
    extracted = {message for _file, _line, message, *_ in extract_from_dir(LOCALE.parent, methods, options)}

    assert "Skip to content" in extracted
    assert "Page not found" in extracted

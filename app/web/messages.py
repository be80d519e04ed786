"""The texts of pages in the reader's language.

Templates and Python hold the English texts, which are the keys of the translations. A translation is a folder
`locale/<language>/LC_MESSAGES` with `allclose.po` and the `allclose.mo` compiled from it. `Language` chooses the
translation of each request from the browser's Accept-Language header.
"""

import gettext as library
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

DOMAIN = "allclose"
LOCALE = Path(__file__).parent / "locale"
SOURCE_LANGUAGE = "en"

_language: ContextVar[str] = ContextVar("language", default=SOURCE_LANGUAGE)


def gettext(message: str) -> str:
    return _catalogue(_language.get()).gettext(message)


def ngettext(one: str, several: str, count: int) -> str:
    return _catalogue(_language.get()).ngettext(one, several, count)


def later(message: str) -> str:
    """Mark a constant for translation. `gettext` translates it when it is shown."""
    return message


def current_language() -> str:
    """Return the language for `<html lang>`."""
    return _language.get().replace("_", "-")


class Language:
    """ASGI middleware that chooses the best language for the request's Accept-Language header."""

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "http":
            accepted = dict(scope["headers"]).get(b"accept-language", b"").decode("latin-1")
            _language.set(choose_language(accepted, list_languages()))
        await self._app(scope, receive, send)


def choose_language(accepted: str, languages: tuple[str, ...]) -> str:
    """Return the preferred language of `languages`, also by its base (`de` for `de-AT`), or else English."""
    known = {language.replace("_", "-").lower(): language for language in languages}
    for wanted in _by_preference(accepted):
        for tag in (wanted, wanted.partition("-")[0]):
            if tag in known:
                return known[tag]
    return SOURCE_LANGUAGE


@cache
def list_languages() -> tuple[str, ...]:
    translated = sorted(path.parts[-3] for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return (SOURCE_LANGUAGE, *translated)


def _by_preference(accepted: str) -> list[str]:
    wanted: list[tuple[float, str]] = []
    for part in accepted.lower().split(",")[:20]:
        tag, _, weight = part.partition(";")
        wanted.append((_weight(weight), tag.strip()))
    return [tag for weight, tag in sorted(wanted, key=lambda entry: -entry[0]) if weight > 0]


def _weight(text: str) -> float:
    """Return the number of `q=0.8`: 1 for an empty text, 0 for an invalid one."""
    if not text.strip():
        return 1
    try:
        return float(text.strip().removeprefix("q="))
    except ValueError:
        return 0


@cache
def _catalogue(language: str) -> library.NullTranslations:
    return library.translation(DOMAIN, LOCALE, languages=[language], fallback=True)

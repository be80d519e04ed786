import pytest

from app.web.visit import MAX_CHARACTERS, name_browser

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (CHROME, "Chrome on Windows"),
        (CHROME + " Edg/126.0.0.0", "Edge on Windows"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605 Version/17.5 Safari/605", "Safari on macOS"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) CriOS/126.0 Mobile Safari/604", "Chrome on iOS"),
        ("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36", "Chrome on Android"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("  ", None),
        ("", None),
    ],
)
def test_a_browser_is_named_as_its_owner_knows_it(user_agent: str, name: str | None) -> None:
    assert name_browser(user_agent) == name


def test_a_browser_that_calls_itself_anything_gets_a_short_printable_name() -> None:
    name = name_browser("\x1b[31m<script>" + "x" * 100_000)

    assert name is not None
    assert name.startswith("\\x1b[31m<script>")
    assert len(name) < MAX_CHARACTERS + 40

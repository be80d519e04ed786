"""The settings of accounts: links begin with them, and wrong ones stop the start with a sentence."""

import re
from pathlib import Path

import pytest

from app.policy import Policy
from app.settings import PREFIX, SECRETS, BadSetting, Settings, read_settings

CONFIGURATION = Path(__file__).parents[2] / "docs/configuration.md"


@pytest.mark.parametrize(
    ("chosen", "base"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"host": "0.0.0.0", "port": 80}, "http://localhost:80"),
        ({"host": "::1"}, "http://[::1]:8000"),
        ({"public_url": "https://judge.example/"}, "https://judge.example"),
    ],
)
def test_links_begin_with_what_the_settings_say(chosen: dict[str, object], base: str) -> None:
    settings = Settings(**chosen)

    assert settings.base_url == base
    assert settings.has_https == base.startswith("https://")


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"public_url": "judge.example"}, "ALLCLOSE_PUBLIC_URL is 'judge.example': an address begins with http"),
        ({"public_url": "https://judge.example/?x"}, "no ?"),
        ({"public_url": "https://judge.example/sub"}, "must not have a path"),
        ({"oidc_issuer": "file:///etc/passwd"}, "an address begins with http"),
        ({"oidc_issuer": "https://id.example"}, "ALLCLOSE_OIDC_ISSUER needs ALLCLOSE_OIDC_CLIENT_ID"),
        ({"smtp_host": "mail.example", "smtp_password": "p4ssword"}, "ALLCLOSE_SMTP_HOST needs ALLCLOSE_SMTP_FROM"),
        ({"smtp_security": "ssl"}, "ALLCLOSE_SMTP_SECURITY is 'ssl'"),
        ({"oidc_scopes": "profile"}, "ALLCLOSE_OIDC_SCOPES is 'profile'"),
        ({"trusted_proxies": "127.0.0.1, everybody"}, "ALLCLOSE_TRUSTED_PROXIES"),
    ],
)
def test_a_setting_that_can_not_be_right_stops_the_start_and_shows_no_secret(
    chosen: dict[str, object], sentence: str
) -> None:
    with pytest.raises(BadSetting) as caught:
        read_settings(**chosen)

    assert sentence in str(caught.value)
    assert "p4ssword" not in str(caught.value)


def test_secrets_of_the_settings_are_not_shown() -> None:
    settings = Settings(smtp_password="p4ssword", oidc_client_secret="s3cret", admin_password="f1rst")

    assert "p4ssword" not in repr(settings)
    assert "s3cret" not in repr(settings)
    assert "f1rst" not in repr(settings)


def test_a_secret_comes_from_the_file_that_a_setting_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("p4ssword\n")
    monkeypatch.setenv("ALLCLOSE_SMTP_PASSWORD_FILE", str(tmp_path / "password"))

    assert read_settings().smtp_password == "p4ssword"


@pytest.mark.parametrize(
    ("content", "environment", "sentence"),
    [
        (None, {}, "ALLCLOSE_SMTP_PASSWORD_FILE names .*, which can't be read .No such file or directory.: write"),
        (b"\n", {}, "which is empty: write the secret into it"),
        (b"p4ss\xff", {}, "it is not text"),
        (b"p4ssword", {"ALLCLOSE_SMTP_PASSWORD": "other"}, "are both set: unset one of them"),
        (b"p4ssword", {"ALLCLOSE_PORT_FILE": "/run/port"}, "unknown setting ALLCLOSE_PORT_FILE"),
    ],
)
def test_a_file_that_holds_no_secret_stops_the_start_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    content: bytes | None,
    environment: dict[str, str],
    sentence: str,
) -> None:
    if content is not None:
        (tmp_path / "password").write_bytes(content)
    for name, value in {"ALLCLOSE_SMTP_PASSWORD_FILE": str(tmp_path / "password"), **environment}.items():
        monkeypatch.setenv(name, value)

    with pytest.raises(BadSetting, match=sentence) as raised:
        read_settings()

    assert "p4ss" not in str(raised.value)


def test_every_setting_is_in_the_documentation() -> None:
    text = CONFIGURATION.read_text()
    variables = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    variables |= {f"{PREFIX}{name.upper()}_FILE" for name in SECRETS}

    named = set(re.findall(r"`(ALLCLOSE_\w+[A-Z])`", text))

    assert named == variables
    assert [name for name in Policy.model_fields if f"| `{name}` |" not in text] == []

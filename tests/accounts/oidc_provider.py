"""A provider of OpenID Connect, as a process of its own: discovery, PKCE, single-use codes, RS256 and a JWKS over HTTP.

It asks for no password: every visitor is signed in as `person`. A test sets `fault` to choose what it does wrong.
Run as `python -m tests.accounts.oidc_provider PORT`.
"""

import base64
import hashlib
import json
import secrets
import sys
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

CLIENT_ID, CLIENT_SECRET = "allclose", "a secret of two: % and +"
SECONDS = 300


class Provider(BaseHTTPRequestHandler):
    """`fault`: nonce, audience, expired, forged, unsigned, issuer, subject, broken, denied, or empty."""

    issuer: ClassVar[str]
    key: ClassVar[RSAKey] = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
    other_key: ClassVar[RSAKey] = RSAKey.generate_key(2048, {"kid": "one"})
    person: ClassVar[dict[str, Any]] = {"sub": "1", "preferred_username": "ada"}
    fault: ClassVar[str] = ""
    codes: ClassVar[dict[str, dict[str, str]]] = {}

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/.well-known/openid-configuration":
            self._say(self._document())
        elif path == "/keys":
            self._say(KeySet([self.key]).as_dict(private=False))
        elif path == "/userinfo":
            self._say(self.person)
        elif path == "/authorize":
            self._authorize({name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/test":
            for name, value in json.loads(body).items():
                setattr(Provider, name, value)
            self._say({})
        elif self.path == "/token":
            self._token({name: values[0] for name, values in parse_qs(body.decode()).items()})

    def _document(self) -> dict[str, Any]:
        named = {name: f"{self.issuer}/{path}" for name, path in ENDPOINTS.items()}
        return {"issuer": "https://evil.example" if self.fault == "issuer" else self.issuer, **named}

    def _authorize(self, asked: dict[str, str]) -> None:
        assert asked["client_id"] == CLIENT_ID
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        back = {"state": asked["state"], "iss": self.issuer}
        if self.fault == "denied":
            back |= {"error": "access_denied"}
        else:
            back["code"] = secrets.token_urlsafe(16)
            self.codes[back["code"]] = asked
        self.send_response(HTTPStatus.FOUND)
        self.send_header("Location", asked["redirect_uri"] + "?" + urlencode(back))
        self.end_headers()

    def _token(self, sent: dict[str, str]) -> None:
        asked = self.codes.pop(sent.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(sent.get("code_verifier", "").encode()).digest())
        is_right = asked is not None and (
            asked["code_challenge"] == challenge.rstrip(b"=").decode()
            and asked["redirect_uri"] == sent.get("redirect_uri")
            and self._is_client()
        )
        if asked is None or not is_right:
            self._say({"error": "invalid_grant"}, HTTPStatus.BAD_REQUEST)
        elif self.fault == "broken":
            self._say({"error": "server on fire"}, HTTPStatus.INTERNAL_SERVER_ERROR)
        else:
            self._say({"access_token": "a", "token_type": "Bearer", "id_token": self._id_token(asked["nonce"])})

    def _is_client(self) -> bool:
        scheme, _, sent = self.headers.get("Authorization", "").partition(" ")
        return scheme == "Basic" and base64.b64decode(sent).decode() == f"{CLIENT_ID}:{CLIENT_SECRET}"

    def _id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + SECONDS, "nonce": nonce, **self.person}
        changes: dict[str, dict[str, Any]] = {
            "nonce": {"nonce": "another"},
            "audience": {"aud": "another"},
            "expired": {"iat": now - 7200, "exp": now - 3600},
            "subject": {"sub": ""},
        }
        claims |= changes.get(self.fault, {})
        if self.fault == "unsigned":
            return f"{_segment({'alg': 'none'})}.{_segment(claims)}."
        key = self.other_key if self.fault == "forged" else self.key
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)

    def _say(self, answer: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def _segment(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


ENDPOINTS = {
    "authorization_endpoint": "authorize",
    "token_endpoint": "token",
    "jwks_uri": "keys",
    "userinfo_endpoint": "userinfo",
}


def main(port: int) -> None:
    with ThreadingHTTPServer(("127.0.0.1", port), Provider) as server:
        Provider.issuer = f"http://127.0.0.1:{server.server_port}"
        print(Provider.issuer, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))

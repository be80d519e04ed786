import subprocess
import sys

import httpx

FORBIDDEN = "numpy ml_dtypes jax flax optax torch sandbox"


def test_the_web_process_imports_no_numerical_library_and_no_sandbox() -> None:
    program = f"import sys, app.web_process; print([name for name in {FORBIDDEN.split()} if name in sys.modules])"

    imported = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert imported.stdout.strip() == "[]"


def test_every_answer_forbids_foreign_content(address: str) -> None:
    for path in ("/healthz", "/api/v1/me", "/api/v1/openapi.json", "/nothing"):
        answer = httpx.get(address + path)

        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"


def test_responses_of_the_api_are_cached_only_for_revalidation(address: str) -> None:
    assert httpx.get(f"{address}/api/v1/problems").headers["cache-control"] == "no-store"
    assert httpx.post(f"{address}/api/v1/tokens", json={}).headers["cache-control"] == "no-store"

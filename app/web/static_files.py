"""Style sheets, fonts and scripts. Their addresses change with their content, so browsers cache them forever."""

import gzip
import mimetypes
from functools import cache

from fastapi import APIRouter, Request, Response

from app.api.response_headers import COMPILER_POLICY
from app.errors import NotFound
from app.web.render import SITE_SHEET, STATIC, read_static

router = APIRouter()
FOR_GOOD = "public, max-age=31536000, immutable"
BUNDLE = "bundle/"
FORMATTER = f"{BUNDLE}format.js"
FONT = ".woff2"  # compressed already


@router.get("/static/{name:path}")
def send_static(request: Request, name: str) -> Response:
    if name not in FILES:
        raise NotFound(f"there is no file {name!r}")
    # Chunks of the bundle are named by their content and import each other.
    is_lasting = "v" in request.query_params or (name.startswith(BUNDLE) and "-" in name)
    headers = {"Cache-Control": FOR_GOOD if is_lasting else "no-cache", "X-Content-Type-Options": "nosniff"}
    headers["Vary"] = "Accept-Encoding"
    if name == FORMATTER:
        headers["Content-Security-Policy"] = COMPILER_POLICY
    if "gzip" in request.headers.get("accept-encoding", "") and not name.endswith(FONT):
        return Response(_compressed(name), headers=headers | {"Content-Encoding": "gzip"}, media_type=_type(name))
    return Response(_content(name), headers=headers, media_type=_type(name))


@cache
def _content(name: str) -> bytes:
    return read_static(name)


@cache
def _compressed(name: str) -> bytes:
    return gzip.compress(_content(name), mtime=0)


def _type(name: str) -> str:
    # Fixed, because a host's own MIME table may give scripts a type that browsers refuse to run.
    if name.endswith(".wasm"):
        return "application/wasm"
    if name.endswith(FONT):
        return "font/woff2"
    return "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0] or "application/octet-stream"


FILES = frozenset((SITE_SHEET, *(str(path.relative_to(STATIC)) for path in STATIC.rglob("*") if path.is_file())))

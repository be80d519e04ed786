"""The JSON Schema of `problem.yaml`, for editors. It needs no token."""

import json
from functools import cache
from hashlib import sha256

from fastapi import APIRouter, Request, Response

from app.catalog.manifest import manifest_schema

router = APIRouter()
# Editors load it at every start. A schema that is a day old lacks at most the keys of a newer version.
KEEP = "public, max-age=86400"


@router.get("/schema/problem.json", include_in_schema=False)
def get_problem_schema(request: Request) -> Response:
    body, tag = _rendered()
    headers = {"Cache-Control": KEEP, "ETag": tag, "Access-Control-Allow-Origin": "*"}
    if request.headers.get("If-None-Match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/schema+json")


@cache
def _rendered() -> tuple[bytes, str]:
    body = json.dumps(manifest_schema(), indent=2).encode()
    return body, f'"{sha256(body).hexdigest()[:16]}"'

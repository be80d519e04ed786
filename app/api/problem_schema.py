"""The JSON Schema of `problem.yaml`, for editors. It needs no token."""

import json
from functools import cache

from fastapi import APIRouter, Response

from app.catalog.manifest import manifest_schema

router = APIRouter()
# Editors load it at every start. A schema that is a day old lacks at most the keys of a newer version.
HEADERS = {"Cache-Control": "public, max-age=86400", "Access-Control-Allow-Origin": "*"}


@router.get("/schema/problem.json", include_in_schema=False)
def get_problem_schema() -> Response:
    return Response(_write_schema(), headers=HEADERS, media_type="application/schema+json")


@cache
def _write_schema() -> bytes:
    return json.dumps(manifest_schema(), indent=2).encode()

"""The problem named in a path."""

import re
from typing import Annotated

from fastapi import Depends, Path

from app.errors import NotFound

SLUG = re.compile(r"[a-z0-9_]+")


def read_slug(slug: Annotated[str, Path(json_schema_extra={"pattern": f"^{SLUG.pattern}$"})]) -> str:
    """Raises NotFound for text that can't name a problem, such as one with NUL, which PostgreSQL can't be asked for."""
    if not SLUG.fullmatch(slug):
        raise NotFound(f"there is no problem {slug!r}; GET /api/v1/problems lists them")
    return slug


Slug = Annotated[str, Depends(read_slug)]

"""The problem named in a path. Text that can't name one is not found, like any other unknown name."""

from typing import Annotated

from fastapi import Depends, Path

from app.catalog.manifest import SLUG, is_slug
from app.errors import ProblemNotFound

Slug = Annotated[str, Path(json_schema_extra={"pattern": SLUG}, examples=["microbatched_grads"])]


def read_slug(slug: Slug) -> str:
    """Raises NotFound for a text that can't be a slug, before the database is asked."""
    if not is_slug(slug):
        raise ProblemNotFound(slug)
    return slug


KnownSlug = Annotated[str, Depends(read_slug)]

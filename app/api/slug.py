"""The problem named in a path. Text that can't name one is not found, like any other unknown name."""

from typing import Annotated

from fastapi import Path

from app.catalog.manifest import SLUG

Slug = Annotated[str, Path(json_schema_extra={"pattern": SLUG}, examples=["microbatched_grads"])]

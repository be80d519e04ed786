"""The JSON Schema for editors agrees with the reader."""

import math
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from app.catalog.manifest import manifest_schema
from tests.catalog.packages import edited

VALIDATOR = jsonschema_rs.validator_for(manifest_schema())
# The loader in C takes a tenth of the time.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PACKAGES = sorted((Path(__file__).parents[2] / "problems").glob("*/problem.yaml"))


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: path.parent.name)
def test_the_schema_takes_our_own_problems(path: Path) -> None:
    VALIDATOR.validate(_finite(yaml.load(path.read_text(), LOADER)))


def _finite(value: Any) -> Any:
    """JSON has no NaN and inf, which an editor's YAML takes as numbers."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return 0.0 if isinstance(value, float) and not math.isfinite(value) else value


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: Scaled sum", "titel: Scaled sum"),
        ("difficulty: beginner", "difficulty: easy"),
        ("draw: normal", "draw: gauss"),
        ("dtype: int32", "dtype: int33"),
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(old: str, new: str) -> None:
    assert not VALIDATOR.is_valid(yaml.safe_load(edited(old, new).replace("1e-", "1.0e-")))

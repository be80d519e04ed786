"""The signature of the function that students write.

With a driver, cases give other values than the function takes. The manifest then has both, under `inputs` and
`parameters`. Older revisions list what cases give under `parameters`; their signature is the starter's.
"""

import ast
import re
from collections.abc import Mapping
from typing import Any

from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE
from app.catalog.package import Package
from app.catalog.source import parameters_of

# A key of problem.yaml is at the start of its line; lines of texts are indented.
_DRIVER_KEY = re.compile(r"""^["']?driver["']?\s*:""", re.M)


def signature_of(package: Package) -> tuple[str, ...] | None:
    """Return the parameter names, or None if only the driver knows them."""
    manifest = package.manifest
    if manifest.inputs is None and package.driver is not None:
        return _of_starter(package.starter, manifest.entry_point)
    return tuple(parameter.name for parameter in manifest.parameters)


def described_signature(manifest: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, Any]:
    """Return the keys `signature`, `parameters` and `inputs` of a problem's view, from a revision."""
    names: tuple[str, ...] | None = tuple(parameter["name"] for parameter in manifest["parameters"])
    found = {"parameters": manifest["parameters"], "inputs": manifest.get("inputs") or ()}
    if not found["inputs"] and _has_driver(files):
        names = _of_starter(manifest["starter"], manifest["entry_point"])
        is_same = names == tuple(parameter["name"] for parameter in manifest["parameters"])
        found = found if is_same else {"parameters": (), "inputs": manifest["parameters"]}
    return found | {"signature": f"{manifest['entry_point']}({'…' if names is None else ', '.join(names)})"}


def _of_starter(starter: str, entry_point: str) -> tuple[str, ...] | None:
    try:
        return parameters_of(ast.parse(starter), entry_point)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _has_driver(files: Mapping[str, str]) -> bool:
    return FILE_OF_KEY["driver"] in files or _DRIVER_KEY.search(files.get(MANIFEST_FILE, "")) is not None

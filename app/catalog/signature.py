"""The signature of the function that students write.

With a driver, cases give other values than the function takes. The manifest then has both, under `inputs` and
`parameters`. Older revisions list what cases give under `parameters`; their signature is the starter's.
"""

import ast
import re
from collections.abc import Mapping
from typing import Any

from app.catalog.answers import list_case_inputs, read_answer
from app.catalog.answers.kind import Definition
from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE
from app.catalog.manifest import Manifest
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


def definitions_of(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    """Return the parameter names of the other functions, or of the methods, such as `Norm.forward`."""
    prefix = f"{manifest.entry_point}." if manifest.answer.has_methods else ""
    return {f"{prefix}{each.name}": each.names for each in manifest.answer.definitions()}


def described_signature(manifest: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a problem's view that say what students write and what cases give, from a revision."""
    names: tuple[str, ...] | None = tuple(parameter["name"] for parameter in manifest["parameters"])
    answer = read_answer(manifest)
    own = list_case_inputs(manifest)
    inputs = () if manifest.get("inputs") is None and own == manifest["parameters"] else own
    found = {"parameters": manifest["parameters"], "inputs": inputs}
    if not found["inputs"] and _has_driver(files):
        names = _of_starter(manifest["starter"], manifest["entry_point"])
        is_same = names == tuple(parameter["name"] for parameter in manifest["parameters"])
        found = found if is_same else {"parameters": (), "inputs": manifest["parameters"]}
    prefix = f"{manifest['entry_point']}." if answer.has_methods else ""
    definitions = [_described(prefix, each) for each in answer.definitions()]
    first = f"{manifest['entry_point']}({'…' if names is None else ', '.join(names)})"
    return found | {"signature": first, "definitions": definitions, "answer_rule": answer.rule}


def _described(prefix: str, definition: Definition) -> dict[str, Any]:
    signature = f"{prefix}{definition.name}({', '.join(definition.names)})"
    return definition.model_dump(mode="json", exclude={"name"}) | {"signature": signature}


def _of_starter(starter: str, entry_point: str) -> tuple[str, ...] | None:
    try:
        return parameters_of(ast.parse(starter), entry_point)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _has_driver(files: Mapping[str, str]) -> bool:
    return FILE_OF_KEY["driver"] in files or _DRIVER_KEY.search(files.get(MANIFEST_FILE, "")) is not None

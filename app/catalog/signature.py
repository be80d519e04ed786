"""The signatures of the functions that students write.

With a driver, cases may give other values than the function takes. The manifest then has both, under `inputs` and
`parameters`.
"""

from collections.abc import Mapping
from typing import Any

from app.catalog.answers import list_case_inputs, read_answer
from app.catalog.answers.kind import Definition
from app.catalog.manifest import Manifest


def definitions_of(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    """Return the parameter names of the other functions, or of the methods, such as `Norm.forward`."""
    prefix = f"{manifest.entry_point}." if manifest.answer.has_methods else ""
    return {f"{prefix}{each.name}": each.names for each in manifest.answer.definitions()}


def described_signature(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a problem's view that say what students write and what cases give, from a revision."""
    answer, given, parameters = read_answer(manifest), list_case_inputs(manifest), manifest["parameters"]
    prefix = f"{manifest['entry_point']}." if answer.has_methods else ""
    return {
        "parameters": parameters,
        "inputs": () if manifest.get("inputs") is None and given == parameters else given,
        "signature": f"{manifest['entry_point']}({', '.join(parameter['name'] for parameter in parameters)})",
        "definitions": [_described(prefix, each) for each in answer.definitions()],
        "answer_rule": answer.rule,
    }


def _described(prefix: str, definition: Definition) -> dict[str, Any]:
    signature = f"{prefix}{definition.name}({', '.join(definition.names)})"
    return definition.model_dump(mode="json", exclude={"name"}) | {"signature": signature}

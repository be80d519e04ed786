"""Writes the public names of Python and of the frameworks for the editor's completion.

Run it with the Python of the boxes, which has the frameworks: `make names FRAMEWORKS=triton`. The editor loads a file
when it is focused. A file has `modules` and `classes`: by path, then by name, what `describe` returns.
"""

import builtins
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import keyword
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = {
    "python": "builtins collections dataclasses functools itertools math operator typing",
    "numpy": "numpy numpy.fft numpy.lib.stride_tricks numpy.linalg numpy.random",
    "jax": "jax jax.experimental jax.experimental.pallas jax.experimental.pallas.triton jax.lax jax.nn "
    "jax.nn.initializers jax.numpy jax.numpy.fft jax.numpy.linalg jax.random jax.scipy jax.scipy.linalg "
    "jax.scipy.special jax.scipy.stats jax.tree jax.tree_util",
    "flax": "flax flax.core flax.linen flax.linen.initializers flax.nnx flax.struct flax.traverse_util",
    "optax": "optax optax.losses optax.projections optax.schedules optax.tree",
    "torch": "torch torch.autograd torch.distributions torch.fft torch.func torch.linalg torch.nn torch.nn.functional "
    "torch.nn.init torch.nn.utils torch.optim torch.optim.lr_scheduler torch.special",
    "triton": "triton triton.language",
}
CLASSES = {
    "python": "str list dict",
    "numpy": "numpy.ndarray numpy.random.Generator",
    "jax": "jax.Array",
    "flax": "flax.linen.Module flax.nnx.Module",
    "torch": "torch.Tensor torch.nn.Module",
}
MOST_CHARACTERS = 160
HIDDEN = frozenset({"parent"})  # flax fills it
_ROLE = re.compile(r":[\w:]+:`~?\.?([^`<]+?)(?:\s*<[^`>]*>)?`")
_SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!cf)(?<!vs)\.(?=\s|$)")


def main(folder: Path) -> None:
    warnings.simplefilter("ignore")
    folder.mkdir(parents=True, exist_ok=True)
    for framework in filter(is_installed, MODULES):
        text = json.dumps(collect(framework), ensure_ascii=False, separators=(",", ":"))
        (folder / f"{framework}.json").write_text(text.replace('},"', '},\n"') + "\n")


def is_installed(framework: str) -> bool:
    return framework == "python" or importlib.util.find_spec(framework) is not None


def collect(framework: str) -> dict[str, Any]:
    modules = {path: dict(list_module(importlib.import_module(path))) for path in MODULES[framework].split()}
    if framework == "python":
        modules["builtins"] |= {word: ["k"] for word in keyword.kwlist if word not in modules["builtins"]}
        version = ".".join(map(str, sys.version_info[:2]))
    else:
        version = importlib.metadata.version(framework).split("+")[0]
    classes = {path: dict(list_class(find(path))) for path in CLASSES.get(framework, "").split()}
    return {"version": version, "modules": modules, "classes": classes}


def find(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module) if module else builtins, name)


def list_module(module: ModuleType) -> Iterator[tuple[str, list[str]]]:
    root = module.__name__.split(".")[0]
    names = {name for name in getattr(module, "__all__", ()) or dir(module) if not name.startswith("_")}
    names |= {path.rpartition(".")[2] for paths in MODULES.values() for path in paths.split() if is_child(path, module)}
    for name in sorted(names):
        value = getattr(module, name, None)
        if isinstance(value, ModuleType):
            if value.__name__.split(".")[0] == root and "._" not in value.__name__:
                yield name, ["m"]
        elif is_public(module, name, value):
            yield name, describe(name, value)


def is_public(module: ModuleType, name: str, value: Any) -> bool:
    is_primitive = module.__name__ == "jax.lax" and name.endswith("_p")
    is_borrowed = module.__name__ != "typing" and getattr(value, "__module__", "") in ("typing", "collections.abc")
    return value is not None and not is_primitive and not is_borrowed


def is_child(path: str, module: ModuleType) -> bool:
    return path.rpartition(".")[0] == module.__name__


def list_class(owner: type) -> Iterator[tuple[str, list[str]]]:
    for name in sorted(dir(owner)):
        value = inspect.getattr_static(owner, name)
        if not name.startswith("_") and not isinstance(value, ModuleType):
            is_value = isinstance(value, property) or not callable(getattr(owner, name, None))
            yield name, ["v", "", say(value)] if is_value else describe(name, getattr(owner, name), is_method=True)


def describe(name: str, value: Any, *, is_method: bool = False) -> list[str]:
    """Return the kind (`c` class, `f` function, `k` keyword, `m` module, `v` value), the signature and the sentence."""
    if inspect.isclass(value):
        return ["c", signature(name, value, is_method), say(value)]
    if callable(value):
        return ["f", signature(name, value, is_method), say(value)]
    shown = repr(value) if isinstance(value, (bool, int, float)) else ""
    return ["v", shown] if shown else ["v"]


def signature(name: str, value: Any, is_method: bool) -> str:
    """Return `(a, axis=None)`, without types, or an empty text."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return documented_signature(name, inspect.getdoc(value) or "")
    if is_method and parameters and parameters[0].name == "self":
        parameters = parameters[1:]
    if is_anything(parameters) and inspect.isclass(value) and inspect.isfunction(value.__init__):
        parameters = list(inspect.signature(value.__init__).parameters.values())[1:]
    if is_anything(parameters):
        documented = documented_signature(name, inspect.getdoc(value) or "")
        return documented or ("" if type(value).__module__ == "typing" else "(*args, **kwargs)")
    plain = [plain_parameter(one) for one in parameters if one.name not in HIDDEN and not one.name.startswith("_")]
    try:
        return cut(str(inspect.Signature(plain)))
    except ValueError:  # without a hidden parameter, one without a default may follow one with a default
        return ""


def is_anything(parameters: list[inspect.Parameter]) -> bool:
    return [one.kind for one in parameters] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]


class PlainDefault:
    """A default that is written as this text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def plain_parameter(one: inspect.Parameter) -> inspect.Parameter:
    default = one.default
    if default is not one.empty and not is_plain(default):
        name = getattr(default, "__name__", None) or str(default)
        default = PlainDefault(name if re.fullmatch(r"\w+|torch\.\w+", name) else "…")
    return one.replace(annotation=one.empty, default=default)


def is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(is_plain, value))
    return value is None or isinstance(value, (bool, int, float, str))


def documented_signature(name: str, text: str) -> str:
    """Return the signature with which a docstring begins, as that of a compiled function does."""
    found = re.match(rf"\s*(?:[\w.]+\.)?{re.escape(name)}(\([^()]*(?:\([^()]*\)[^()]*)*\))", text)
    return cut(" ".join(found[1].split())) if found else ""


def say(value: Any) -> str:
    """Return the first sentence of the docstring, without markup."""
    doc = inspect.getdoc(value) or ""
    if inspect.isclass(value) and not value.__dict__.get("__doc__"):
        doc = ""
    for paragraph in doc.split("\n\n"):
        text = " ".join(paragraph.split())
        is_signature = re.match(r"[\w.]+\(.*\)(\s*->.*)?$", text) or re.search(r" --?> ", text[:MOST_CHARACTERS])
        if text and not is_signature and not text.startswith(("..", ">>>")):
            break
    else:
        return ""
    text = _ROLE.sub(r"\1", text).replace("`", "").replace("*", "") if "`" in text else text
    text = re.sub(r"\\([a-z]+)", r"\1", re.sub(r"\\text\{([^}]*)\}", r"\1", text))
    sentence = _SENTENCE.split(text)[0].rstrip(".:") + "."
    return cut(say_other(sentence) or sentence)


def say_other(sentence: str) -> str:
    """Return the sentence of the function to which one like "See torch.sum." refers, or an empty text."""
    other = re.fullmatch(r"(?:See|Alias (?:of|for)) ((?:jax|torch)\.[\w.]*\w)(?: for details)?\.", sentence)
    try:
        return say(find(other[1])) if other else ""
    except (ImportError, AttributeError):
        return ""


def cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1].rstrip() + "…"


if __name__ == "__main__":
    main(Path(sys.argv[1]))

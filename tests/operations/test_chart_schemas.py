"""Every object of the chart fits the schema by which the cluster's API server judges it."""

from importlib import import_module
from typing import Any

import kubernetes_validate
import pytest

from tests.operations.chart import FILES, Object, find_kind, render

CUSTOM = ("ScaledObject", "TriggerAuthentication", "ServiceMonitor")
# The first release that has user namespaces by default, and the newest one that the schemas know.
VERSIONS = ("1.33", "1.37")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file", FILES)
def test_every_object_fits_the_schema_of_kubernetes(file: str, version: str) -> None:
    objects = [found for found in render(file) if found["kind"] not in CUSTOM]

    assert len(objects) > 5
    for found in objects:
        kubernetes_validate.validate(found, version, strict=True)


def test_the_schema_refuses_an_unknown_field() -> None:
    service = find_kind(render("smallest"), "Service")["allclose-web"]
    misspelt = {**service, "spec": {**service["spec"], "selectors": {}}}

    with pytest.raises(kubernetes_validate.ValidationError, match="selectors"):
        kubernetes_validate.validate(misspelt, VERSIONS[0], strict=True)


@pytest.mark.parametrize("kind", ["ScaledObject", "TriggerAuthentication"])
@pytest.mark.parametrize("file", ["everything", "gvisor"])
def test_every_object_of_keda_fits_its_schema(file: str, kind: str) -> None:
    objects = find_kind(render(file), kind).values()

    assert objects
    for found in objects:
        assert _read("cloudcoil.models.keda.v1alpha1", found) == found


@pytest.mark.whole
def test_the_service_monitor_fits_its_schema() -> None:
    (monitor,) = find_kind(render("everything"), "ServiceMonitor").values()

    assert _read("cloudcoil.models.prometheus_operator.v1", monitor) == monitor


@pytest.mark.parametrize("release", ["allclose", "judge", "a-long-name-for-the-course-on-numerics-of-2026"])
def test_names_are_unique_and_at_most_63_characters_long(release: str) -> None:
    objects = render("everything", release=release)

    names = [(found["kind"], found["metadata"]["name"]) for found in objects]

    assert len(set(names)) == len(names)
    assert [name for _, name in names if len(name) > 63] == []


def _read(module: str, found: Object) -> Any:
    """Return what the schema knows of the object: the models drop unknown fields and refuse wrong ones."""
    model = getattr(import_module(module), found["kind"])
    return model.model_validate(found).model_dump(by_alias=True, exclude_unset=True, mode="json")

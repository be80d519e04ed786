"""What the Helm chart promises of its pods: who they run as, what they reach, what they are told."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.cli.main import COMMANDS, _import_command
from app.settings import PREFIX, ROOT, Settings, read_settings
from tests.operations.chart import CHART, FILES, VALUES, Pod, find_kind, list_all_pods, list_pods, render, selects
from tests.operations.chart import template as run_helm

PODS = pytest.mark.parametrize("file", FILES)
DNS, POSTGRES = 53, 5432


@PODS
def test_no_pod_has_rights_that_it_does_not_need(file: str) -> None:
    pods = list_pods(render(file))

    assert pods
    for pod in pods:
        walls = pod.container["securityContext"]
        assert pod.spec["securityContext"]["runAsNonRoot"] is True
        assert pod.spec["securityContext"]["runAsUser"] > 0
        assert (walls["privileged"], walls["allowPrivilegeEscalation"]) == (False, False)
        assert walls["readOnlyRootFilesystem"] is True
        assert walls["capabilities"] == {"drop": ["ALL"]}
        assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.spec.keys()
        assert all(volume.keys() & {"emptyDir", "secret", "persistentVolumeClaim"} for volume in pod.spec["volumes"])
        assert pod.spec["automountServiceAccountToken"] is False


@PODS
def test_the_restricted_profile_admits_all_pods_but_workers_without_gvisor(file: str) -> None:
    for pod in list_pods(render(file)):
        walls, container = pod.spec["securityContext"], pod.container["securityContext"]
        is_restricted = walls["seccompProfile"]["type"] == "RuntimeDefault" and "procMount" not in container

        assert is_restricted == (not pod.is_worker or file == "gvisor")


@PODS
def test_a_proc_without_masks_comes_with_a_user_namespace_of_the_pod(file: str) -> None:
    for pod in list_pods(render(file)):
        is_unmasked = pod.container["securityContext"].get("procMount") == "Unmasked"

        assert is_unmasked == (pod.spec.get("hostUsers") is False)


def test_gvisor_runs_the_workers_only() -> None:
    classes = {pod.component: pod.spec.get("runtimeClassName") for pod in list_pods(render("gvisor"))}

    assert classes == {"migrations": None, "web": None, "worker-cpu": "gvisor"}


@PODS
def test_each_pod_has_exactly_one_network_policy_for_both_directions(file: str) -> None:
    objects = render(file)
    policies = find_kind(objects, "NetworkPolicy").values()

    for pod in list_pods(objects):
        (policy,) = [each["spec"] for each in policies if selects(each["spec"]["podSelector"], pod.labels)]
        assert policy["policyTypes"] == ["Ingress", "Egress"]


@PODS
def test_nothing_reaches_a_worker_and_workers_reach_postgresql_and_dns_alone(file: str) -> None:
    for pod in filter(lambda pod: pod.is_worker, list_pods(render(file))):
        policy = _policy_of(file, pod)

        assert policy["ingress"] == []
        assert _ports(policy) == {DNS, 6432 if file == "everything" else POSTGRES}


def test_the_web_process_reaches_the_mail_server_and_the_provider_only_if_they_are_set() -> None:
    with_both, without = (_web_policy(file) for file in ("everything", "smallest"))

    assert _ports(with_both) == {DNS, 6432, 587, 443}
    assert _ports(without) == {DNS, POSTGRES}
    assert with_both["ingress"][0]["from"] == [
        {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress"}}}
    ]


def test_a_named_database_is_the_only_address_on_its_port() -> None:
    rules = _web_policy("everything")["egress"]

    (database,) = [rule for rule in rules if rule["ports"][0]["port"] == 6432]

    assert database["to"] == [{"ipBlock": {"cidr": "192.0.2.10/32"}}]


@PODS
def test_services_budgets_and_monitors_select_the_pods_that_they_name(file: str) -> None:
    objects = render(file)
    pods = list_pods(objects)

    for found in objects:
        selector = found["spec"].get("selector") if "spec" in found else None
        if found["kind"] == "Service":
            selector = {"matchLabels": selector}
        if selector is None or found["kind"] == "ServiceMonitor":  # a monitor selects the Service
            continue
        chosen = [pod.component for pod in pods if selects(selector, pod.labels)]
        assert chosen == [found["metadata"]["labels"]["app.kubernetes.io/component"]]


def test_the_monitor_selects_the_service_of_the_pages() -> None:
    objects = render("everything")
    (monitor,) = find_kind(objects, "ServiceMonitor").values()
    services = find_kind(objects, "Service")

    chosen = [
        name for name, each in services.items() if selects(monitor["spec"]["selector"], each["metadata"]["labels"])
    ]

    assert chosen == ["allclose-web"]


@PODS
def test_allclose_accepts_the_environment_and_the_command_of_each_pod(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)
    for pod in list_pods(render(file)):
        with monkeypatch.context() as environment:
            for name, value in _environment(pod, tmp_path).items():
                environment.setenv(name, value)
            settings = read_settings()
        command, *options = pod.container["args"]
        _import_command(command, *COMMANDS[command]).make_context(command, options)

        assert settings.database_url == "secret of database-url"
        assert settings.log_format == "json"


def test_the_values_reach_the_settings_of_the_pods_that_need_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web, worker, gpus, migrations = (
        _settings_of(component, tmp_path, monkeypatch)
        for component in ("web", "worker-cpu", "worker-gpu", "migrations")
    )

    assert web.public_url == "https://judge.example"
    assert web.trusted_proxies == "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16"
    assert (web.smtp_host, web.smtp_port, web.smtp_user) == ("mail.example", 587, "allclose")
    assert web.smtp_password == "secret of smtp-password"
    assert web.oidc_client_secret == "secret of oidc-client-secret"
    assert migrations.admin_password == "secret of admin-password"
    assert (worker.slots, worker.data, worker.isolation) == (4, Path("/cache"), "namespaces")
    assert gpus.slots == 2
    assert {worker.smtp_password, worker.oidc_client_secret, worker.admin_password} == {None}


def test_each_component_takes_places_priority_annotations_and_variables_of_its_own() -> None:
    values = yaml.safe_load((VALUES / "everything.yaml").read_text())
    own = {"migrations": values["migrations"], "web": values["web"]}
    own |= {f"worker-{queue}": pool for queue, pool in values["pools"].items()}
    objects = render("everything")

    for pod in list_pods(objects):
        wanted = own[pod.component]
        assert pod.annotations == wanted["podAnnotations"]
        assert wanted["extraEnv"][0] in pod.container["env"]
        placement = ("priorityClassName", "nodeSelector", "tolerations", "affinity")
        assert [pod.spec[field] for field in placement if field in wanted] == [
            wanted[field] for field in placement if field in wanted
        ]
    assert find_kind(objects, "Service")["allclose-web"]["metadata"]["annotations"] == values["service"]["annotations"]


def test_an_unset_place_priority_or_annotation_is_left_out() -> None:
    for pod in list_pods(render("smallest")):
        assert not {"priorityClassName", "nodeSelector", "tolerations", "affinity"} & pod.spec.keys()
        assert pod.annotations is None


def test_kubernetes_sets_no_variable_that_allclose_would_read() -> None:
    """For a Service that is called allclose, a pod with service links has ALLCLOSE_PORT=tcp://…"""
    assert all(pod.spec["enableServiceLinks"] is False for _, pod in list_all_pods())


def test_only_workers_of_the_queue_gpu_get_gpus() -> None:
    gpus = {
        pod.component: pod.container["resources"]["limits"].get("nvidia.com/gpu")
        for pod in list_pods(render("everything"))
    }

    assert gpus == {"migrations": None, "web": None, "worker-cpu": None, "worker-gpu": 2}
    assert "worker-gpu" not in {pod.component for pod in list_pods(render("smallest"))}


@PODS
def test_an_autoscaled_deployment_has_no_number_of_its_own(file: str) -> None:
    objects = render(file)
    scaled = {each["spec"]["scaleTargetRef"]["name"] for each in objects if "scaleTargetRef" in each.get("spec", {})}

    for name, deployment in find_kind(objects, "Deployment").items():
        assert ("replicas" in deployment["spec"]) == (name not in scaled)


def test_migrations_run_before_the_release_and_need_none_of_its_objects() -> None:
    objects = render("everything")
    hooks = [each for each in objects if "helm.sh/hook" in each["metadata"].get("annotations", {})]
    (job,) = find_kind(hooks, "Job").values()
    pod = job["spec"]["template"]["spec"]
    own = {each["metadata"]["name"] for each in objects if each not in hooks}

    named = {volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}

    assert {each["kind"] for each in hooks} == {"Job", "NetworkPolicy"}
    assert "serviceAccountName" not in pod
    assert named == {"judge-secrets"}
    assert not named & own


@PODS
def test_all_mounts_of_a_pod_have_volumes_and_its_writable_folders_have_a_limit(file: str) -> None:
    for pod in list_pods(render(file)):
        volumes = {volume["name"]: volume for volume in pod.spec["volumes"]}
        mounts = {mount["name"]: mount for mount in pod.container["volumeMounts"]}

        assert volumes.keys() == mounts.keys()
        assert mounts["tmp"]["mountPath"] == "/tmp"
        assert mounts["secrets"]["readOnly"] is True
        assert all(volume["emptyDir"]["sizeLimit"] for volume in volumes.values() if "emptyDir" in volume)


def test_the_image_has_the_user_the_folders_and_the_check_that_the_chart_names() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    checks = re.findall(r"^def ([a-z]+)\(", (ROOT / "deploy/container/health.py").read_text(), re.MULTILINE)

    for _, pod in list_all_pods():
        assert f"--uid {pod.spec['securityContext']['runAsUser']} " in dockerfile
        assert all(
            mount["mountPath"] in (*re.findall(r"/[a-z]+", dockerfile), "/tmp")
            for mount in pod.container["volumeMounts"]
        )
        command = pod.container.get("livenessProbe", {}).get("exec", {}).get("command")
        assert command is None or (command[1] == "/opt/allclose/container/health.py" and command[2] in checks)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([], "existingSecret is empty: Allclose needs your own PostgreSQL"),
        ([], "images.worker is empty: build this image"),
        ([], "publicUrl is empty: write the address of the pages"),
        (["ingress.enabled=true"], "ingress.host is empty"),
        (["smtp.host=mail.example"], "smtp.from is empty"),
        (["oidc.issuer=https://id.example"], "oidc.clientId is empty"),
        (["web.data.enabled=true", "web.data.accessMode=ReadWriteOnce"], "only one pod can use, and there may be 2"),
        (["workers.gvisor.enabled=true", "pools.cpu.runtimeClassName=kata"], "both set: a pod has one runtime class"),
        (["pools.cpu.autoscaling.enabled=true", "pools.cpu.autoscaling.minReplicas=11"], "minReplicas is 11, above"),
        (["web.replicas=0"], "at '/web/replicas': minimum: got 0, want 1"),
        (["pools.cpu.slots=many"], "at '/pools/cpu/slots': got string, want integer"),
        (["webb.replicas=3"], "additional properties 'webb' not allowed"),
        (["publicUrl=judge.example"], "at '/publicUrl'"),
        (["smtp.security=ssl"], "at '/smtp/security': value must be one of"),
        (["images.service=registry.example/allclose:1.0"], "at '/images/service'"),
        (["trustedProxies={everybody}"], "at '/trustedProxies/0'"),
    ],
)
def test_helm_refuses_values_that_can_not_be_right(changes: list[str], message: str) -> None:
    refused = run_helm(*(word for change in changes for word in ("--set", change)))

    assert refused.returncode != 0
    assert message in refused.stderr


def test_the_schema_of_the_values_knows_exactly_the_values_of_the_chart() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    schema = yaml.safe_load((CHART / "values.schema.json").read_text())

    del schema["properties"]["global"]  # Helm's own
    _compare(values, schema, schema["definitions"], "")


def test_every_value_that_the_page_names_is_one() -> None:
    page = (ROOT / "docs/operations/kubernetes.md").read_text()
    rows = [row.split(" | ")[0] for row in page.splitlines() if row.startswith("| `")]
    values = yaml.safe_load((CHART / "values.yaml").read_text())

    named = [name for row in rows for name in re.findall(r"`([a-zA-Z.]+)`", row)]

    assert len(named) > 20
    assert [name for name in named if not _has(values, name.split("."))] == []
    assert sorted(values.keys() - {name.split(".")[0] for name in named}) == []


def _policy_of(file: str, pod: Pod, *changes: str) -> dict[str, Any]:
    policies = find_kind(render(file, *changes), "NetworkPolicy").values()
    (policy,) = [each["spec"] for each in policies if selects(each["spec"]["podSelector"], pod.labels)]
    return dict(policy)


def _web_policy(file: str) -> dict[str, Any]:
    (web,) = [pod for pod in list_pods(render(file)) if pod.component == "web"]
    return _policy_of(file, web)


def _ports(policy: Mapping[str, Any]) -> set[int]:
    return {port["port"] for rule in policy["egress"] for port in rule["ports"]}


def _environment(pod: Pod, folder: Path) -> dict[str, str]:
    """Return the pod's environment, with the files of its secrets in this folder."""
    (secrets,) = [volume["secret"] for volume in pod.spec["volumes"] if "secret" in volume]
    for item in secrets["items"]:
        (folder / item["path"]).write_text(f"secret of {item['path']}")
    return {each["name"]: each["value"].replace("/secrets/", f"{folder}/") for each in pod.container["env"]}


def _settings_of(component: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Return the settings of this pod of `everything.yaml`."""
    (pod,) = [pod for pod in list_pods(render("everything")) if pod.component == component]
    with monkeypatch.context() as environment:
        for name, value in _environment(pod, folder).items():
            environment.setenv(name, value)
        return read_settings()


def _compare(values: object, schema: Mapping[str, Any], definitions: Mapping[str, Any], at: str) -> None:
    schema = definitions[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
    if not isinstance(values, dict) or "properties" not in schema or "required" in schema:
        return
    assert values.keys() - {"requests", "limits"} == schema["properties"].keys() - {"requests", "limits"}, at
    for name, value in values.items():
        _compare(value, schema["properties"][name], definitions, f"{at}/{name}")


def _has(values: object, path: list[str]) -> bool:
    return not path or (isinstance(values, dict) and path[0] in values and _has(values[path[0]], path[1:]))

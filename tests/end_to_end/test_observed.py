"""One submission seen from outside: by its metrics and its log, from a real server with a real worker.

And every metric that the dashboard and the alerts read exists.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import yaml
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from app.settings import ROOT
from tests.queue.fleet import wait_until
from tests.serving import ADMIN, RIGHT, SLUG, Served, serve

MONITORING = ROOT / "deploy/monitoring"
NAME = re.compile(r"\b(?:allclose|process)_[a-z_]+\b")


@dataclass(frozen=True)
class Observed:
    served: Served
    submission: str
    request_id: str
    token: str

    def lines(self) -> list[dict[str, Any]]:
        """Return the log's lines, without the text printed for people in between."""
        return [json.loads(line) for line in self.served.lines if line.startswith("{")]

    def scrape(self) -> dict[str, Metric]:
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = httpx.get(f"{self.served.url}/metrics", headers=headers).raise_for_status()
        return {family.name: family for family in text_string_to_metric_families(answer.text)}


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observed]:
    with serve(tmp_path_factory.mktemp("observed"), {"ALLCLOSE_LOG_FORMAT": "json"}) as served:
        student = served.sign_up("grace")
        sent = student.client.post(
            f"/problems/{SLUG}/submissions", json={"source": RIGHT, "mode": "sample"}
        ).raise_for_status()
        assert student.result(sent.json()["id"])["verdict"] == "accepted"
        found = ADMIN.search(served.text)
        assert found is not None
        account = {"username": "admin", "password": found[1], "scopes": ["operations:read"]}
        made = httpx.post(f"{served.url}/api/v1/tokens", json=account, timeout=90).raise_for_status()
        yield Observed(served, sent.json()["id"], sent.headers["x-request-id"], made.json()["token"])


def value(families: dict[str, Metric], name: str, **labels: str) -> float:
    """The sum of all samples that have these labels."""
    samples = [sample for family in families.values() for sample in family.samples if sample.name == name]
    return sum(sample.value for sample in samples if labels.items() <= sample.labels.items())


@pytest.mark.whole
def test_a_submission_shows_in_the_metrics(observed: Observed) -> None:
    wait_until(lambda: value(observed.scrape(), "allclose_judgings_total", verdict="accepted") == 1)

    families = observed.scrape()
    assert value(families, "allclose_judging_phase_duration_seconds_count", phase="running") == 1
    assert value(families, "allclose_judging_duration_seconds_count", queue="cpu", kind="interactive") == 1
    assert value(families, "allclose_boxes_opened_total") >= 1
    assert value(families, "allclose_queue_depth") == 0
    assert value(families, "allclose_workers", queue="cpu", state="alive") == 1
    route = "/api/v1/problems/{slug}/submissions"
    assert value(families, "allclose_http_requests_total", method="POST", route=route, status="202") == 1
    (worker,) = {sample.labels["worker"] for sample in families["allclose_judgings"].samples}
    assert value(families, "process_resident_memory_bytes", worker=worker) > 0


def test_no_label_has_a_value_for_each_submission_or_user(observed: Observed) -> None:
    for family in observed.scrape().values():
        assert re.fullmatch("(allclose|process)_[a-z0-9_]+", family.name)
        for sample in family.samples:
            assert observed.submission not in sample.labels.values()
            assert "grace" not in sample.labels.values()


def test_every_metric_of_the_dashboard_and_the_alerts_exists(observed: Observed) -> None:
    board = json.loads((MONITORING / "grafana-dashboard.json").read_text())
    rules = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"][0]["rules"]
    drawn = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    told = [rule["expr"] for rule in rules]

    families = observed.scrape()
    endings = ("", "_total", "_bucket", "_sum", "_count")
    there = {name + ending for name in families for ending in endings}

    assert {name for expression in drawn + told for name in NAME.findall(expression)} - there == set()
    assert all(NAME.search(expression) or "up{" in expression for expression in drawn + told)
    ours = {name for name in families if name.startswith("allclose_")}
    shown = " ".join(drawn)
    assert {name for name in ours if name not in shown} == set()


def test_every_alert_has_a_line_that_says_what_to_do() -> None:
    rules = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"][0]["rules"]
    guide = (ROOT / "docs/operations/monitoring.md").read_text()

    assert [rule["alert"] for rule in rules] == re.findall(r"^\| (Allclose\w+) \|", guide, re.MULTILINE)


def test_the_log_follows_a_submission_from_the_request_to_the_box(observed: Observed) -> None:
    wait_until(lambda: any(line["message"].startswith("judged:") for line in observed.lines()))

    own = [line for line in observed.lines() if line.get("request_id") == observed.request_id]
    assert {line["process"] for line in own} == {"serve", "worker"}
    (judged,) = [line for line in own if line["message"].startswith("judged: accepted")]
    assert judged["submission_id"] == observed.submission
    assert (judged["attempt"], judged["verdict"]) == (1, "accepted")
    assert re.match("(bubblewrap|allclose)-", judged["box"])
    (access,) = [line for line in own if line["logger"] == "allclose.access"]
    assert (access["submission_id"], access["status"]) == (observed.submission, 202)
    assert RIGHT.splitlines()[-1].strip() not in observed.served.text

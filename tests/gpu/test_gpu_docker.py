"""Docker boxes with a GPU, up to where an engine would need NVIDIA's container toolkit."""

import json

import pytest

from sandbox.docker.launcher import DockerOptions, open_docker
from sandbox.docker.seccomp_profile import docker_profile
from sandbox.gpu.driver import open_driver
from sandbox.gpu.gpu_lease import Gpus
from sandbox.interface import BoxSpec, SandboxUnavailable
from tests.gpu.nvml import make_gpus
from tests.sandbox.bench import make_request, run_in, value_of
from tests.sandbox.conftest import docker_launcher

SPEC = BoxSpec((), gpu=True)


@pytest.fixture
def gpus() -> Gpus:
    driver = open_driver(make_gpus())
    return Gpus(driver, driver.list_gpus())


def names_allowed(profile: str) -> set[str]:
    rules = json.loads(profile)["syscalls"]
    return {name for rule in rules if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}


def test_an_engine_that_can_t_hand_a_gpu_on_says_what_to_install(gpus: Gpus) -> None:
    launcher = docker_launcher("shared")
    if "nvidia" in launcher.engine.info()["Runtimes"]:
        pytest.skip("this engine can")
    image = launcher.options.cpu_image
    with_gpus = open_docker(DockerOptions(cuda_image=image), isolation="shared", gpus=gpus)

    with pytest.raises(SandboxUnavailable, match=r"could not select device driver .*install NVIDIA's"):
        with_gpus.launch(SPEC)

    assert [gpus.bind().index for _ in range(2)] == [0, 0]  # nothing is held


def test_boxes_without_a_gpu_of_a_launcher_that_has_some_are_as_ever(gpus: Gpus) -> None:
    image = docker_launcher("shared").options.cpu_image
    launcher = open_docker(DockerOptions(cuda_image=image), isolation="shared", gpus=gpus)

    box = launcher.launch(BoxSpec(()))
    answer = value_of(run_in(box, make_request("def solve():\n    return 1\n")).cases[0])
    box.close()

    assert (box.ready.device, answer) == ("cpu", 1)


def test_a_worker_with_gpus_wants_the_image_that_has_cuda(gpus: Gpus) -> None:
    docker_launcher("shared")  # or skip

    with pytest.raises(SandboxUnavailable, match="no image allclose-no-such-image"):
        open_docker(DockerOptions(cuda_image="allclose-no-such-image"), gpus=gpus)


def test_the_engine_s_profile_allows_what_a_driver_asks_for_with_a_gpu_only() -> None:
    extra = names_allowed(docker_profile(namespaces=True, gpu=True)) - names_allowed(docker_profile(namespaces=True))

    assert extra == {"socket", "bind", "listen"}

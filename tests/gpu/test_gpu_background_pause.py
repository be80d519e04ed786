from contextlib import closing
from functools import partial

import pytest

from app.queue.background_work import BackgroundBoxes, BackgroundPause
from sandbox.box_middleware import LauncherWithMiddleware
from sandbox.interface import BoxSpec
from tests.gpu.conftest import MakeLauncher
from tests.gpu.nvml import FakeNvml
from tests.sandbox.bench import run_in
from tests.worker.test_background_pause import SPEC, THREE, Run


@pytest.mark.whole
def test_background_runs_pause_before_a_run_on_a_gpu_and_not_within(
    make_launcher: MakeLauncher, nvml: FakeNvml
) -> None:
    """A pause within a run would keep the GPU from the students that it is for."""
    launcher, pause = make_launcher(nvml), BackgroundPause()
    with closing(
        LauncherWithMiddleware(launcher, [BackgroundBoxes(pause)]).launch(BoxSpec(("numpy",), gpu=True))
    ) as box:
        run = Run(box, on_first=partial(pause.set, is_paused=True))
        assert run.ends()
        assert len(run.told) == 3

        again = Run(box)
        with closing(launcher.launch(SPEC)) as other:
            run_in(other, THREE)
        assert again.told == []
        pause.set(is_paused=False)
        assert again.ends()

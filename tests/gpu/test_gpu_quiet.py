from contextlib import closing
from functools import partial

import pytest

from app.queue.background_pause import BackgroundLauncher, BackgroundPause
from sandbox.interface import BoxSpec
from tests.gpu.conftest import MakeLauncher
from tests.gpu.nvml import FakeNvml
from tests.sandbox.bench import run_in
from tests.worker.test_quiet import SPEC, THREE, Run


@pytest.mark.whole
def test_what_is_judged_again_rests_before_a_run_on_a_gpu_and_not_within(
    make_launcher: MakeLauncher, nvml: FakeNvml
) -> None:
    """Within, it would keep the GPU from those for whom it rests."""
    launcher, quiet = make_launcher(nvml), BackgroundPause()
    with closing(BackgroundLauncher(launcher, quiet).launch(BoxSpec(("numpy",), gpu=True))) as box:
        run = Run(box, on_first=partial(quiet.tell, is_quiet=False))
        assert run.ends()
        assert len(run.told) == 3

        again = Run(box)
        with closing(launcher.launch(SPEC)) as other:
            run_in(other, THREE)
        assert again.told == []
        quiet.tell(is_quiet=True)
        assert again.ends()

"""The worker of the queue gpu as it is, but for NVML's stand-in and files in place of devices.

usage: python -m tests.gpu.worker_process URL FOLDER       (settings come from the environment)
The GPU is lost when FOLDER/lost is there. The exit code is that of `allclose worker`.
"""

import logging
import sys
import threading
from pathlib import Path

from app.database.engine import Database
from app.settings import read_settings
from app.worker_process import open_worker_launcher, run_worker
from sandbox.gpu.driver import open_driver
from sandbox.gpu.gpu_lease import Gpus
from sandbox.interface import SandboxError
from tests.gpu.nvml import GPU_IS_LOST, FakeGpu, make_devices, make_gpus


def lose_when_told(gpu: FakeGpu, folder: Path) -> None:
    while not (folder / "lost").exists():
        threading.Event().wait(0.05)
    gpu.failing = GPU_IS_LOST


def main(url: str, folder: Path) -> int:
    logging.basicConfig(level=logging.INFO)
    nvml = make_gpus()
    threading.Thread(target=lose_when_told, args=(nvml.gpus[0], folder), daemon=True).start()
    driver = open_driver(nvml)
    database = Database(url)
    try:
        settings, gpus = read_settings(slots=1), Gpus(driver, driver.list_gpus(), make_devices(folder))
        run_worker(settings, database, open_worker_launcher(settings, gpus), gpus)
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))

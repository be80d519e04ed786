"""`allclose worker` with short leases, so that a test waits seconds for a lost worker's lease to end.

usage: python -m tests.faults.worker_process      (its settings are environment variables)
"""

import sys
from datetime import timedelta

from app.cli import main
from app.queue.lease_loop import Rhythm

LEASE_SECONDS = 3.0

if __name__ == "__main__":
    defaults = Rhythm.__init__.__kwdefaults__
    assert defaults is not None
    defaults.update(lease=timedelta(seconds=LEASE_SECONDS), beat=timedelta(seconds=0.5))
    sys.argv = ["allclose", "worker"]
    main()

"""uvicorn in a thread of the test's process, on a port of the loopback interface."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The application's address, for as long as the block lasts."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "uvicorn did not start"
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()

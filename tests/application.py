"""One application for all tests of a process: building its routes takes half a second, setting its state none."""

from functools import cache

from fastapi import FastAPI

from app.database.engine import Database
from app.settings import Settings
from app.web_process import build_application, set_state

_application = cache(build_application)


def open_application(settings: Settings, database: Database) -> FastAPI:
    """Return the application on this database. The call before this one gets the same application and loses its state.

    A test that changes routes, or needs two applications at once, calls `create_app` instead.
    """
    app = _application()
    set_state(app, settings, database)
    return app

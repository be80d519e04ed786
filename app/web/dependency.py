"""What pages ask for, typed: as parameters of a page, or of the request where a function has only that.

As for the API, no transaction is among them; see `app/api/dependency.py`.
"""

from typing import Annotated

from fastapi import Depends, Request

from app.accounts.provider import Provider
from app.accounts.request_throttle import RequestThrottle
from app.accounts.reset_desk import ResetDesk
from app.accounts.throttle import AccountThrottles
from app.accounts.waiting_room import WaitingRoom
from app.database import Database
from app.policy.current import CurrentPolicy
from app.settings import Settings
from app.submissions.progress import Progress


def get_settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


def get_database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def get_policy(request: Request) -> CurrentPolicy:
    policy: CurrentPolicy = request.app.state.policy
    return policy


def get_progress(request: Request) -> Progress:
    progress: Progress = request.app.state.progress
    return progress


def get_request_throttle(request: Request) -> RequestThrottle:
    throttle: RequestThrottle = request.app.state.request_throttle
    return throttle


def get_account_throttles(request: Request) -> AccountThrottles:
    throttles: AccountThrottles = request.app.state.account_throttles
    return throttles


def get_waiting_room(request: Request) -> WaitingRoom:
    room: WaitingRoom = request.app.state.waiting_room
    return room


def get_reset_desk(request: Request) -> ResetDesk:
    desk: ResetDesk = request.app.state.reset_desk
    return desk


def find_provider(request: Request) -> Provider | None:
    """None where nobody signs in elsewhere."""
    provider: Provider | None = request.app.state.provider
    return provider


Stored = Annotated[Database, Depends(get_database)]
Live = Annotated[Progress, Depends(get_progress)]
Throttles = Annotated[AccountThrottles, Depends(get_account_throttles)]
Seats = Annotated[WaitingRoom, Depends(get_waiting_room)]
Desk = Annotated[ResetDesk, Depends(get_reset_desk)]

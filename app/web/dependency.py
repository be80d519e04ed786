"""What pages ask for as their parameters, typed.

As for the API, no transaction is among them; see `app/api/dependency.py`.
"""

from typing import Annotated

from fastapi import Depends

from app.accounts.reset_desk import ResetDesk
from app.accounts.throttle import AccountThrottles
from app.accounts.waiting_room import WaitingRoom
from app.database import Database
from app.request_state import get_account_throttles, get_database, get_progress, get_reset_desk, get_waiting_room
from app.submissions.progress import Progress

Stored = Annotated[Database, Depends(get_database)]
Live = Annotated[Progress, Depends(get_progress)]
Throttles = Annotated[AccountThrottles, Depends(get_account_throttles)]
Seats = Annotated[WaitingRoom, Depends(get_waiting_room)]
Desk = Annotated[ResetDesk, Depends(get_reset_desk)]

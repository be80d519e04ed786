"""FastAPI dependencies of pages. None of them is a transaction; see `app/api/dependency.py`."""

from typing import Annotated

from fastapi import Depends

from app.accounts.password_reset import PasswordResets
from app.accounts.rate_limit import AccountThrottles
from app.accounts.sign_in import SignInQueue
from app.accounts.stream_limit import StreamLimit
from app.database.engine import Database
from app.request_state import (
    get_account_throttles,
    get_database,
    get_password_resets,
    get_progress,
    get_sign_in_queue,
    get_stream_limit,
    in_loop,
)
from app.submissions.progress import Progress

Stored = Annotated[Database, Depends(in_loop(get_database))]
Live = Annotated[Progress, Depends(in_loop(get_progress))]
SignIns = Annotated[SignInQueue, Depends(in_loop(get_sign_in_queue))]
Throttles = Annotated[AccountThrottles, Depends(in_loop(get_account_throttles))]
Seats = Annotated[StreamLimit, Depends(in_loop(get_stream_limit))]
Resets = Annotated[PasswordResets, Depends(in_loop(get_password_resets))]

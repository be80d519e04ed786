"""A sender of scores, as a web process has one, that tests kill: `python -m tests.lti.sender_process DATABASE TOOL`."""

import sys
import time
from datetime import timedelta

from app.database.engine import Database
from app.lti.platform import open_platforms
from app.lti.score import Pauses, ScoreSender
from app.settings import Settings

QUICK = Pauses(
    look=timedelta(milliseconds=500),
    lease=timedelta(seconds=1),
    retry=timedelta(milliseconds=50),
    away=timedelta(milliseconds=50),
)

if __name__ == "__main__":
    database = Database(sys.argv[1])
    sender = ScoreSender(open_platforms(Settings(public_url=sys.argv[2]), database), QUICK)
    while True:
        sender.send_due(database)
        time.sleep(0.05)

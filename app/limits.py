"""Limits: all that may refuse or delay a request, in one list, in the order of its groups.

1. Size: the bytes of a body. `app/api/request_limits.py` counts them.
2. Concurrency: blocks of a user, a network or everyone that run at the same time.
3. Rate: uses in a time window. Each request counts, also one that is refused: refusing costs time too.
4. Quota: rows of a user. `app/submissions/quota.py` counts those of submissions, with the limits of the policy.
5. Admission: the time that a new submission would wait in its queue, in `app/submissions/queue_wait.py`.

Each web process counts concurrency and rates in its memory. Exports, which hold a snapshot of the database, have their
limit in `app/database/engine.py`.
"""

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from ipaddress import IPv6Address, ip_address
from threading import Lock
from weakref import WeakValueDictionary

from app.capacity import count_cores
from app.errors import LimitReached

# 1. Size.
SOURCE_BYTES = 256 * 1024
# A source in JSON, with room for escapes.
MAX_BODY_BYTES = 1024 * 1024
# A package may have `MAX_UPLOAD_BYTES` of `app/catalog/archive.py`.
# Without signing in: a password of 1024 bytes, an e-mail address and a path, each byte escaped as `\\u00e9` or `%C3`.
MAX_UNKNOWN_BYTES = 16 * 1024
# A visitor's run: the form escapes most of the source's signs to three bytes.
MAX_VISITOR_RUN_BYTES = 64 * 1024
# The event loop decodes the escapes of a form (`%C3`), which takes more time and memory than their bytes. 256 KiB of
# source has at most this many, with its other fields. Authors' packages come as `multipart/form-data` without escapes.
MAX_ESCAPES = 300_000

# 2. Concurrency: see `Limits`. Each open stream and long poll queries the database every few seconds. The number is the
# default of `max_pending`: one for each unfinished submission.
STREAMS_PER_USER = 20
CHANGES_PER_USER = 4

# 3. Rate: see `Limits`. All visitors of one network, such as a classroom, may together open this multiple of one user's
# limit of pages.
CROWD = 5
RUNS_PER_MINUTE = 10
MINUTE = timedelta(minutes=1)
# A subscriber has at least a /64. Counting single IPv6 addresses would allow a new one for each guess.
SUBSCRIBER_BITS = 64
# A trusted proxy names the address, which may be any text. An IPv6 address has at most 45 characters.
MAX_ADDRESS = 64

# 4. Quota.
MAX_UNFINISHED_VERIFICATIONS = 5
MAX_POSTS_PER_HOUR = 30
MAX_REPORTS_PER_HOUR = 20
# Between two edits of a user: each edit is a new text to render.
EDIT_INTERVAL = timedelta(seconds=10)
# Of all visitors together, since a run has no user. Each network has one.
MAX_UNFINISHED_VISITOR_RUNS = 20


class SubmissionLimit(StrEnum):
    """The quotas of submissions in the order of their checks, and at the end admission, which is checked once."""

    UNFINISHED = "unfinished"
    CANCELLED = "cancelled"
    UNFINISHED_CUSTOM_INPUT = "unfinished_custom_input"
    SENT = "sent"
    SENT_BYTES = "sent_bytes"
    JUDGING_SECONDS = "judging_seconds"
    QUEUE = "queue"


class SubmissionKind(StrEnum):
    """Decides which limits apply. A run of the samples counts as a solution."""

    SOLUTION = "solution"
    CUSTOM_INPUT = "custom_input"
    VISITOR_RUN = "visitor_run"
    HAND_IN = "hand_in"


# An entry that is left out is switched off for the kind.
LIMITS_OF: Mapping[SubmissionKind, frozenset[SubmissionLimit]] = {
    SubmissionKind.SOLUTION: frozenset(SubmissionLimit) - {SubmissionLimit.UNFINISHED_CUSTOM_INPUT},
    SubmissionKind.CUSTOM_INPUT: frozenset(SubmissionLimit),
    SubmissionKind.VISITOR_RUN: frozenset({SubmissionLimit.UNFINISHED, SubmissionLimit.QUEUE}),
    # A deadline is no time to refuse work: its assignment limits the attempts (`app/submissions/hand_in.py`).
    SubmissionKind.HAND_IN: frozenset({SubmissionLimit.SENT_BYTES}),
}


class ConcurrencyLimit:
    """Lets `at_once` blocks of each key run together; the others wait outside of threads. A key has `most` blocks.

    `what` names them in the message ("submissions"), and `remedy` says what to do.
    """

    def __init__(self, what: str, at_once: int, most: float = math.inf, remedy: str = "Try again in 5 s.") -> None:
        self._what, self._at_once, self._most, self._remedy = what, at_once, most, remedy
        self._lock = Lock()
        self._blocks: Counter[Hashable] = Counter()
        self._turns: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    def check(self, key: Hashable = None) -> None:
        """Raises LimitReached if another block of the key would be too many. Takes no place."""
        if self._blocks[key] >= self._most:
            raise LimitReached(f"Too many {self._what} at the same time; the limit is {self._most}. {self._remedy}")

    @contextmanager
    def place(self, key: Hashable = None) -> Iterator[None]:
        """Hold one of the key's `most` places during the block, without waiting. Raises LimitReached."""
        with self._lock:
            self.check(key)
            self._blocks[key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._blocks -= Counter([key])

    @asynccontextmanager
    async def turn(self, key: Hashable = None) -> AsyncIterator[None]:
        """Wait, then run the block. Raises LimitReached at once if the key has too many."""
        with self.place(key):
            async with self._turns.setdefault(key, asyncio.Semaphore(self._at_once)):
                yield


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitStatus:
    """How much of a rate limit is left: `remaining` of `limit` uses. The oldest use leaves the window at `reset_at`.

    `reset_at` is in seconds since 1970.
    """

    limit: int
    remaining: int
    reset_at: float


class RateLimitReached(LimitReached):
    """Too many uses in a time window."""

    def __init__(self, message: str, status: RateLimitStatus) -> None:
        seconds = max(1, math.ceil(status.reset_at - time.time()))
        super().__init__(f"{message} Try again in {seconds} s.", timedelta(seconds=seconds))
        self.status = status


class RateLimit:
    """Allows `amount` uses of a key per `window`. `what` names them in the message ("requests").

    The event loop calls it for every request, so it neither waits nor starts threads. Keys without recent uses are
    forgotten; the memory storage of the library `limits` 5.8 keeps them, and starts a thread for many of its uses.
    """

    def __init__(self, amount: int | Callable[[], int], window: timedelta, what: str) -> None:
        self._amount, self._window, self._what = amount, window, what
        self._seconds = window.total_seconds()
        self._lock = Lock()
        # The times of each key's uses in the window, oldest first.
        self._uses: dict[tuple[str, ...], deque[float]] = {}
        self._swept_at = time.monotonic()

    def use(self, *key: str) -> RateLimitStatus:
        """Count one use. Raises RateLimitReached."""
        if not self._take(key):
            raise self._reached(*key)
        return self.read(*key)

    def count(self, *key: str) -> None:
        """Count one use, if it is not too many."""
        self._take(key)

    def check(self, *key: str) -> None:
        """Raises RateLimitReached if another use would be too many. Counts nothing."""
        if self.read(*key).remaining < 1:
            raise self._reached(*key)

    def forgive(self, *key: str) -> None:
        """Forget the key's uses."""
        with self._lock:
            self._uses.pop(key, None)

    def read(self, *key: str) -> RateLimitStatus:
        """Return how much is left for the key. Counts nothing."""
        limit = self._read_amount()
        with self._lock:
            now = time.monotonic()
            uses = self._recent(key, now)
            left = uses[0] + self._seconds - now if uses else self._seconds
            return RateLimitStatus(limit=limit, remaining=max(0, limit - len(uses)), reset_at=time.time() + left)

    def _read_amount(self) -> int:
        return self._amount if isinstance(self._amount, int) else self._amount()

    def _take(self, key: tuple[str, ...]) -> bool:
        limit = self._read_amount()
        with self._lock:
            now = time.monotonic()
            self._sweep(now)
            uses = self._recent(key, now)
            if len(uses) >= limit:
                return False
            uses.append(now)
            self._uses[key] = uses
            return True

    def _recent(self, key: tuple[str, ...], now: float) -> deque[float]:
        """Return the key's uses without those that have left the window."""
        uses = self._uses.get(key, deque())
        while uses and uses[0] <= now - self._seconds:
            uses.popleft()
        return uses

    def _sweep(self, now: float) -> None:
        """Forget the keys without a use in the window, once per window."""
        if now - self._swept_at >= self._seconds:
            self._uses = {key: uses for key, uses in self._uses.items() if uses and uses[-1] > now - self._seconds}
            self._swept_at = now

    def _reached(self, *key: str) -> RateLimitReached:
        status = self.read(*key)
        return RateLimitReached(f"More than {status.limit} {self._what} in {_spoken(self._window)}.", status)


class SlowDown:
    """Allows `amount` counted uses of a key per `window`, and then one per `pause`."""

    def __init__(self, amount: int, window: timedelta, pause: timedelta, what: str) -> None:
        self._counted = RateLimit(amount, window, what)
        self._paced = RateLimit(1, pause, what)
        self._message = f"More than {amount} {what} in {_spoken(window)}, so each further one waits."

    def count(self, *key: str) -> None:
        self._counted.count(*key)

    def forgive(self, *key: str) -> None:
        """Forget the key's counted uses."""
        self._counted.forgive(*key)

    def check(self, *key: str) -> None:
        """Raises RateLimitReached if the next use has to wait.

        Counts nothing below the limit, and the pause above it.
        """
        try:
            self._counted.check(*key)
        except RateLimitReached:
            self._pause(*key)

    def _pause(self, *key: str) -> None:
        try:
            self._paced.use(*key)
        except RateLimitReached as fault:
            raise RateLimitReached(self._message, fault.status) from None


def _spoken(window: timedelta) -> str:
    minutes = int(window.total_seconds() // 60)
    return {1: "1 minute", 60: "1 hour"}.get(minutes, f"{minutes} minutes")


def _per(amount: int, minutes: int, what: str) -> RateLimit:
    return RateLimit(amount, timedelta(minutes=minutes), what)


def _slow(amount: int, pause_seconds: int, what: str) -> SlowDown:
    return SlowDown(amount, timedelta(minutes=5), timedelta(seconds=pause_seconds), what)


class Limits:
    """The limits that a web process counts. They leave room for a classroom behind one address."""

    def __init__(self, requests_per_minute: Callable[[], int] = lambda: 600) -> None:
        # Concurrency. A user's changes wait for a lock on the user, so more of them would only hold threads.
        self.changes = ConcurrencyLimit("changes", CHANGES_PER_USER)
        streams = "event streams and waiting requests of yours"
        self.streams = ConcurrencyLimit(streams, STREAMS_PER_USER, STREAMS_PER_USER, "Close one, or send wait=0.")
        # Submissions that wait to be stored. In a long queue, workers have enough to do, and pages need the time.
        self.submissions = ConcurrencyLimit("submissions", 300, 300)
        self.own_submissions = ConcurrencyLimit("submissions of yours", 1)
        self.stored_submissions = ConcurrencyLimit("submissions", 2)
        self.stored_in_long_queue = ConcurrencyLimit("submissions", 1)
        # Hand-ins wait here alone, outside of threads, and are never refused. A user has at most CHANGES_PER_USER of
        # them with a body in memory, each of MAX_BODY_BYTES.
        self.hand_ins = ConcurrencyLimit("hand-ins", 2)
        self.visitor_runs = ConcurrencyLimit("runs without an account", 1, 20)
        # Passwords are hashed on all cores. A lecture hall may sign in at once; more sign-ins for one name would be
        # guesses that are counted too late.
        self.sign_ups = ConcurrencyLimit("sign-ups", count_cores(), 300)
        self.slowed_sign_ins = ConcurrencyLimit("slowed sign-ins from your network", 50, 50)
        self.network_sign_ins = ConcurrencyLimit("sign-ins from your network", 250, 250)
        self.name_sign_ins = ConcurrencyLimit("sign-ins with this user name", 10, 10)
        self.sign_ins = ConcurrencyLimit("sign-ins", count_cores())

        # Rate. Requests by user, or by network without one; and pages that a network opens without signing in.
        self.requests = RateLimit(requests_per_minute, MINUTE, "requests")
        pages = "pages opened from your network without signing in"
        self.pages = RateLimit(lambda: CROWD * requests_per_minute(), MINUTE, pages)
        # Sign-ins per user name and network, or known browser, since the last success. Guesses per network.
        self.names = _slow(10, 10, "sign-ins with this user name")
        self.guesses = _slow(100, 1, "failed sign-ins from your network")
        self.successes = _per(30, 5, "sign-ins of this user")
        self.reauthentications = _per(10, 5, "wrong passwords for this account")
        self.new_accounts = _per(300, 60, "sign-ups from your network")
        # Mails with reset links per account and current password, and per account.
        self.reset_requests = _per(30, 60, "requests for a new password")
        self.letters = _per(2, 30, "mails with a link for this password")
        self.account_letters = _per(6, 60, "mails for this account")
        # Each export is a file until the client has read it.
        self.exports = _per(10, 60, "exports of your data")
        self.network_runs = _per(RUNS_PER_MINUTE, 1, "runs from your network without an account")


def address_of(host: str | None) -> str:
    """Return the client's address as Allclose stores, shows and counts it."""
    return "unknown" if host is None else host[:MAX_ADDRESS]


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and an IPv6 address's /64. Any other text is returned unchanged."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    beyond = 128 - SUBSCRIBER_BITS
    return f"{IPv6Address(int(known) >> beyond << beyond)}/{SUBSCRIBER_BITS}"

import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack, aclosing
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Permission, Viewer, signed_in
from app.database.engine import Database, SharedReads
from app.submissions.progress import POLL_SECONDS, READS_PER_SECOND, ChangeStream, Progress, Watch
from tests.factories import make_user


@pytest.fixture
def progress(database: Database) -> Iterator[Progress]:
    progress = Progress(database)
    yield progress
    progress.stop()


def notify(database: Database, submission_id: UUID) -> None:
    with database.transaction() as session:
        session.execute(select(func.pg_notify("progress", str(submission_id))))


async def wait(progress: Progress, submission: UUID, timeout: float) -> bool:
    with progress.watch(submission) as watch:
        return await watch.changed(timeout)


async def start(progress: Progress, *watches: Watch) -> None:
    """Start, and wait until each watch is woken once by the new connection."""
    progress.start()
    for watch in watches:
        assert await watch.changed()


def test_a_change_wakes_only_watchers_of_that_submission(database: Database, progress: Progress) -> None:
    async def scenario() -> tuple[bool, bool]:
        mine, other = uuid4(), uuid4()
        with progress.watch(mine) as watch, progress.watch(other) as bystander:
            await start(progress, watch, bystander)
            await asyncio.to_thread(notify, database, mine)
            return await watch.changed(), await bystander.changed(timeout=0.1)

    assert asyncio.run(scenario()) == (True, False)


def test_a_change_between_two_looks_is_not_lost(database: Database, progress: Progress) -> None:
    async def scenario() -> bool:
        submission = uuid4()
        with progress.watch(submission) as watch:
            await start(progress, watch)
            await asyncio.to_thread(notify, database, submission)
            await asyncio.sleep(0.2)
            return await watch.changed(timeout=0.01)

    assert asyncio.run(scenario())


def test_a_thousand_people_wait_over_one_connection(database: Database, progress: Progress) -> None:
    async def scenario() -> list[bool]:
        submission = uuid4()
        with progress.watch(submission) as watch:
            await start(progress, watch)
        waits = [asyncio.create_task(wait(progress, submission, 5)) for _ in range(1000)]
        await asyncio.sleep(0)
        await asyncio.to_thread(notify, database, submission)
        return await asyncio.gather(*waits)

    assert all(asyncio.run(scenario()))


def test_waiting_goes_on_after_the_database_dropped_the_connection(database: Database, progress: Progress) -> None:
    async def scenario() -> bool:
        submission = uuid4()
        with progress.watch(submission) as watch:
            await start(progress, watch)
            await asyncio.to_thread(drop_listeners, database)
            assert await watch.changed()
            await asyncio.to_thread(notify, database, submission)
            return await watch.changed()

    assert asyncio.run(scenario())


def drop_listeners(database: Database) -> None:
    listeners = "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    with database.transaction() as session:
        dropped = session.execute(text(f"SELECT pg_terminate_backend(pid) {listeners}")).all()
    assert len(dropped) == 1


def test_a_wait_without_a_change_ends_at_its_timeout(progress: Progress) -> None:
    async def scenario() -> bool:
        with progress.watch(uuid4()) as watch:
            await start(progress, watch)
            return await watch.changed(timeout=0.05)

    assert asyncio.run(scenario()) is False


def test_many_clients_together_read_no_more_often_than_a_few(progress: Progress) -> None:
    async def scenario() -> tuple[float, float]:
        await start(progress)
        with ExitStack() as stack:
            for _ in range(10):
                stack.enter_context(progress.watch(uuid4()))
            few = progress.poll_seconds()
            for _ in range(990):
                stack.enter_context(progress.watch(uuid4()))
            return few, progress.poll_seconds()

    assert asyncio.run(scenario()) == (POLL_SECONDS, 1000 / READS_PER_SECOND)
    assert progress.poll_seconds() == POLL_SECONDS


def test_a_stream_goes_on_after_a_read_whose_connection_was_lost(progress: Progress) -> None:
    reads: list[int] = []

    def read(session: Session, _: Viewer) -> int:
        reads.append(len(reads))
        if reads[-1] == 1:
            session.execute(select(func.pg_terminate_backend(func.pg_backend_pid())))
        return reads[-1]

    async def scenario() -> list[int]:
        subject = uuid4()
        stream = ChangeStream(
            progress=progress,
            find_viewer=lambda session: signed_in(make_user(session)),
            right=Permission.READ_SUBMISSIONS,
        ).stream(subject, read)
        progress.start()
        async with aclosing(stream):
            return [await anext(stream), await anext(stream)]

    assert asyncio.run(scenario()) == [0, 2]
    assert reads == [0, 1, 2]


def test_a_shared_read_sees_what_was_committed_since_and_keeps_no_lock(database: Database) -> None:
    with database.transaction() as session:
        user_id = make_user(session, "ada").id

    def rename(name: str) -> None:
        with database.transaction() as session:
            session.execute(text("SET LOCAL lock_timeout = '5s'"))
            session.get_one(User, user_id).username = name

    def read_and_touch(session: Session) -> str:
        name = session.get_one(User, user_id).username
        session.execute(update(User).where(User.id == user_id).values(role="author"))
        rename(f"{name}-more")
        return name

    async def scenario() -> list[str]:
        reads = SharedReads(database)
        return await asyncio.gather(*(reads.read(read_and_touch) for _ in range(3)))

    assert asyncio.run(scenario()) == ["ada", "ada-more", "ada-more-more"]


def test_a_failed_read_fails_alone_and_a_lost_connection_fails_the_reads_after_it(database: Database) -> None:
    def fail(_: Session) -> int:
        raise ZeroDivisionError

    def lose(session: Session) -> int:
        return int(session.scalars(select(func.pg_terminate_backend(func.pg_backend_pid()))).one())

    def work(session: Session) -> int:
        return int(session.scalars(select(func.length("four"))).one())

    async def scenario() -> tuple[list[int | BaseException], list[int | BaseException]]:
        reads = SharedReads(database)
        both = [
            await asyncio.gather(*map(reads.read, each), return_exceptions=True)
            for each in ([work, fail, work], [work, lose, work])
        ]
        assert await reads.read(work) == 4
        return both[0], both[1]

    failed, lost = asyncio.run(scenario())

    assert [type(each) for each in failed] == [int, ZeroDivisionError, int]
    assert [type(each) for each in lost] == [int, OperationalError, OperationalError]


def test_a_read_whose_client_has_left_is_not_run(database: Database) -> None:
    begun, goes_on = threading.Event(), threading.Event()
    late: list[Session] = []

    def wait(_: Session) -> None:
        begun.set()
        assert goes_on.wait(10)

    async def scenario() -> None:
        reads = SharedReads(database)
        first = asyncio.create_task(reads.read(wait))
        await asyncio.to_thread(begun.wait, 10)
        second = asyncio.create_task(reads.read(late.append))
        await asyncio.sleep(0)
        second.cancel()
        goes_on.set()
        await first
        await reads.read(lambda _: None)

    asyncio.run(scenario())
    assert late == []

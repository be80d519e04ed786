"""A TCP proxy between two parts of a deployment, whose connections a test can drop and stall."""

import asyncio
import random
import threading
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

CHUNK_BYTES = 64 * 1024

# A host and a port, or the path of a Unix socket.
Address = tuple[str, int] | str
T = TypeVar("T")


class Loop:
    """An event loop in a thread of its own, for all proxies of a test."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxies", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def close(self) -> None:
        self.run(self._cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _cancel_all(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


class Proxy:
    """Connects each client to the next of `targets` that answers. `port` is where it listens."""

    def __init__(self, loop: Loop, targets: Sequence[Address]) -> None:
        self._loop, self._targets, self._numbers = loop, targets, count()
        self._open: list[asyncio.StreamWriter] = []
        # asyncio itself keeps no reference to the task of an aborted connection.
        self._tasks: set[asyncio.Task[None] | None] = set()
        self.port = loop.run(self._listen())

    def drop(self, share: float, chance: random.Random) -> None:
        """Reset this share of the connections, and at least one if there are any."""
        self._loop.run(self._drop(share, chance))

    def stall(self) -> None:
        """Pass no more bytes, in either direction, until `flow`. New connections are accepted."""
        self._loop.run(self._set_flowing(False))

    def flow(self) -> None:
        self._loop.run(self._set_flowing(True))

    async def _listen(self) -> int:
        self._flowing = asyncio.Event()
        self._flowing.set()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return int(server.sockets[0].getsockname()[1])

    async def _set_flowing(self, is_flowing: bool) -> None:
        (self._flowing.set if is_flowing else self._flowing.clear)()

    async def _drop(self, share: float, chance: random.Random) -> None:
        clients = list(self._open)
        for client in chance.sample(clients, min(len(clients), max(1, round(share * len(clients))))):
            client.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            await self._join(reader, writer)
        finally:
            self._tasks.discard(task)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream = await self._connect()
        if upstream is None:
            writer.transport.abort()
            return
        self._open.append(writer)
        pumps = [self._pump(reader, upstream[1]), self._pump(upstream[0], writer)]
        try:
            await asyncio.gather(*pumps)
        finally:
            self._open.remove(writer)
            for each in (writer, upstream[1]):
                each.transport.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        first = next(self._numbers)
        for number in range(len(self._targets)):
            target = self._targets[(first + number) % len(self._targets)]
            with suppress(OSError):
                if isinstance(target, str):
                    return await asyncio.open_unix_connection(target)
                return await asyncio.open_connection(*target)
        return None

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Copy until the end, and then pass on the end. A reset of one side resets the other."""
        try:
            while data := await reader.read(CHUNK_BYTES):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
            await self._flowing.wait()
            if writer.can_write_eof():
                writer.write_eof()
        except OSError:
            writer.transport.abort()

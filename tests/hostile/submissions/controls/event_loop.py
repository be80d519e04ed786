# mechanism: honest: an event loop, a thread pool in it, queues and a timer
# verdict: accepted
import asyncio
import threading

import numpy as np


async def answer(x, eps):
    queue = asyncio.Queue()
    threading.Timer(0.001, print, ["tick"]).start()
    mean, variance = await asyncio.gather(asyncio.to_thread(np.mean, x), asyncio.to_thread(np.var, x))
    await queue.put((x - mean) / np.sqrt(variance + np.float32(eps)))
    return await asyncio.wait_for(queue.get(), 1)


def standardise(x, eps):
    return asyncio.run(answer(x, eps))

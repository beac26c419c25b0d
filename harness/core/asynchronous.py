"""Bridges between synchronous and asynchronous code."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


async def stream(items: Iterable[T]) -> AsyncIterator[T]:
    """An iterable as an asynchronous iterator."""
    for item in items:
        yield item


def outside_loop(work: Callable[[], T]) -> T:
    """Call a function that runs event loops; in a thread within a running loop (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` that also works inside a running loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    # A loop is running, as in a notebook: a second loop needs a thread.
    results: list[T] = []
    errors: list[BaseException] = []
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)

    def drive() -> None:
        asyncio.set_event_loop(loop)
        try:
            results.append(loop.run_until_complete(task))
        except BaseException as error:
            errors.append(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    # The interrupt reaches the main thread only. The task is cancelled and awaited, so that models
    # close before the error is raised.
    thread = threading.Thread(target=drive, name="sweep")
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]

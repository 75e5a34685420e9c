"""Many asynchronous calls at once, for a caller that is not asynchronous."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Resource = TypeVar("Resource")


@dataclass
class _Pool(Generic[Resource, Item, Result]):
    """Workers that share one resource and one queue of items, in a loop of their own."""

    items: Sequence[Item]
    opened: AbstractAsyncContextManager[Resource]
    work: Callable[[Resource, Item], Awaitable[Result]]
    at_once: int
    results: queue.SimpleQueue[tuple[bool, Any]] = field(default_factory=queue.SimpleQueue)
    stopped: threading.Event = field(default_factory=threading.Event)
    loop: asyncio.AbstractEventLoop | None = None
    task: asyncio.Task[None] | None = None

    def main(self) -> None:
        try:
            asyncio.run(self._all())
        except BaseExceptionGroup as group:
            self.results.put((False, group.exceptions[0]))
        except BaseException as error:  # noqa: BLE001  # it is raised again in the caller's thread
            self.results.put((False, error))
        else:
            self.results.put((False, None))

    async def _all(self) -> None:
        self.loop, self.task = asyncio.get_running_loop(), asyncio.current_task()
        remaining = self._remaining()
        async with self.opened as resource, asyncio.TaskGroup() as group:
            for _ in range(min(self.at_once, len(self.items))):
                group.create_task(self._worker(resource, remaining))

    async def _worker(self, resource: Resource, remaining: Iterator[Item]) -> None:
        for item in remaining:
            self.results.put((True, await self.work(resource, item)))

    def _remaining(self) -> Iterator[Item]:
        for item in self.items:
            if self.stopped.is_set():
                return
            yield item

    def stop(self) -> None:
        self.stopped.set()
        if self.loop is not None and self.task is not None:
            # The loop may end between two lines: then there is nothing left to cancel.
            with contextlib.suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self.task.cancel)


def stream(
    items: Sequence[Item],
    opened: AbstractAsyncContextManager[Resource],
    work: Callable[[Resource, Item], Awaitable[Result]],
    *,
    at_once: int,
) -> Iterator[Result]:
    """Yields the result of each item as it comes, with at most `at_once` in flight.

    The work runs in a thread with a loop of its own, so that it goes on while the caller is busy, and so that the
    caller may itself stand in a loop. Closing the iterator cancels what is in flight; an error of `work` ends it all
    and is raised here.

    Args:
        items: What to work on.
        opened: A resource that all the work shares; opened in the loop.
        work: The work.
        at_once: Items in flight.

    Example:
        >>> @contextlib.asynccontextmanager
        ... async def nothing() -> AsyncIterator[None]:
        ...     yield None
        >>> async def double(_: None, item: int) -> int:
        ...     return 2 * item
        >>> sorted(stream([1, 2, 3], nothing(), double, at_once=2))
        [2, 4, 6]
    """
    pool = _Pool(items, opened, work, at_once)
    thread = threading.Thread(target=pool.main, name="tierlake-calls", daemon=True)
    thread.start()
    try:
        while True:
            is_result, value = pool.results.get()
            if is_result:
                yield value
            elif value is not None:
                raise value
            else:
                return
    finally:
        pool.stop()
        thread.join()

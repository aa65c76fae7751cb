"""News for every open tab: what changed, how far a release has come, and that the server lives."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from typing import Any, Final

_BEAT: Final = 10.0  # seconds between signs of life, by which a lost tab is noticed
_MOST: Final = 500  # news that a tab may lag behind; it then loads everything again


class Events:
    """Sends news to every tab that listens, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tabs: dict[asyncio.Queue[str | None], asyncio.AbstractEventLoop] = {}
        self._left = time.monotonic()
        self.opened = False  # whether any tab ever listened

    def send(self, kind: str, value: Any) -> None:
        """Tell every tab."""
        text = f"event: {kind}\ndata: {json.dumps(value, separators=(',', ':'))}\n\n"
        self._each(text)

    def close(self) -> None:
        """Let every tab go."""
        self._each(None)

    def _each(self, text: str | None) -> None:
        with self._lock:
            for queue, loop in self._tabs.items():
                if not loop.is_closed():
                    loop.call_soon_threadsafe(_put, queue, text)

    @property
    def alone_for(self) -> float:
        """Seconds since the last tab left; 0 while one is there."""
        with self._lock:
            return 0.0 if self._tabs else time.monotonic() - self._left

    async def listen(self) -> AsyncIterator[str]:
        """The news of one tab, until it leaves."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        with self._lock:
            self._tabs[queue] = asyncio.get_running_loop()
            self.opened = True
        try:
            yield "event: hello\ndata: {}\n\n"  # from now on nothing is missed
            while True:
                try:
                    text = await asyncio.wait_for(queue.get(), _BEAT)
                except TimeoutError:
                    text = ": alive\n\n"
                if text is None:
                    return
                yield text
        finally:
            with self._lock:
                self._tabs.pop(queue, None)
                self._left = time.monotonic()


def _put(queue: "asyncio.Queue[str | None]", text: str | None) -> None:
    """Add news; a tab that lags far behind is told to load everything again."""
    if queue.qsize() > _MOST:
        while not queue.empty():
            queue.get_nowait()
        text = "event: reload\ndata: {}\n\n" if text is not None else None
    queue.put_nowait(text)

"""The last answers to questions that cost much to answer, by a digest of what was asked about."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Memo(Generic[Answer]):
    """The last ``most`` answers. Of what was asked a digest alone is kept, so that many fit.

    Guarantee: an answer is given again only to the same bytes. Threads may share it.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._answers: OrderedDict[bytes, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, asked: bytes, answer: Callable[[], Answer]) -> Answer:
        """What was answered to these bytes, or what ``answer`` answers now."""
        key = hashlib.blake2b(asked, digest_size=32).digest()
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        found = answer()
        with self._lock:
            self._answers[key] = found
            while len(self._answers) > self.most:
                self._answers.popitem(last=False)
        return found

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._answers.clear()

"""Tasks for a cluster's workers, who import this file."""

import os
import time
from pathlib import Path

from ksame.errors import MediaError


def facts() -> dict[str, str]:
    """What every worker has in common."""
    return {"ksame": "1"}


def facts_of_a_file() -> dict[str, str]:
    """What a file says that the environment names; it may change between two workers."""
    return {"ksame": Path(os.environ["KSAME_TEST_FACTS"]).read_text()}


def facts_of_a_process() -> dict[str, str]:
    """Different in every process."""
    return {"ksame": str(os.getpid()), "weight file yunet": "the pinned one"}


def square(number: int) -> int:
    return number * number


def process_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def die_once(mark: Path) -> str:
    """End the worker the first time; with a number in the name so many times."""
    if _is_first(mark):
        os._exit(1)
    return mark.name


def hang_once(mark: Path) -> str:
    if _is_first(mark):
        time.sleep(600)
    return mark.name


def die(_: int) -> None:
    os._exit(1)


def complain(_: int) -> None:
    raise MediaError("a photo is a tree; bring another one")


def fill_disk(_: int) -> None:
    raise OSError(28, "No space left on device")


def _is_first(mark: Path) -> bool:
    """Whether nobody asked for this file before."""
    if mark.name.startswith("plain"):
        return False
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True

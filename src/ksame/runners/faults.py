"""Faults of the machine, told as errors that say what to do."""

import errno
import os
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from ksame.errors import KsameError, MediaError


@contextmanager
def explaining_faults() -> Iterator[None]:
    """Turn faults of disks and processes into errors that say what to do.

    Raises
    ------
    MediaError
        The disk is full, a worker process died, or a file cannot be read or written.
    """
    try:
        yield
    except KsameError:
        raise
    except BrokenProcessPool:
        raise MediaError(
            "a worker process died, perhaps out of memory; what was done is kept. Run it again, "
            "with one job or a smaller limit of pixels"
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise MediaError(
                "the disk is full; what was done is kept. Free some space and run the same "
                "command again"
            ) from None
        raise MediaError(
            f"a file cannot be read or written ({_why(error)}); what was done is kept. "
            "Mend it and run the same command again"
        ) from None


def _why(error: OSError) -> str:
    """What the system says; libraries raise some errors without its number."""
    number = error.errno or (errno.ENOENT if isinstance(error, FileNotFoundError) else errno.EIO)
    return os.strerror(number)

"""What can go wrong with a cluster while it works, and what to do then."""

from typing import Final

GONE: Final = (
    "the scheduler of the cluster went away; what was done is kept. Start it again and run the "
    "same command: it goes on from there"
)
NO_WORKERS: Final = (
    "the cluster has no worker that may do the tasks; what was done is kept. Start workers (dask "
    "worker ADDRESS --nthreads 1) of the same version, which see the same folders, and run the "
    "same command again; a worker's own log says why it is not fit"
)
DEADLY: Final = (
    "a task ended its workers again and again, perhaps out of memory or time; what was done is "
    "kept. Run it again with more memory a worker or a smaller limit of pixels"
)
LOST: Final = (
    "the scheduler of the cluster gives a task to none of its workers; what was done is kept. "
    "Start the scheduler and its workers again and run the same command: it goes on from there"
)
DUMB: Final = (
    "the workers of the cluster do not answer. Stop those that hang and run the same command again"
)

"""A review from the command line or from Python: page, release, last screen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ksame.errors import InputError, KsameError
from ksame.release.pipeline import run
from ksame.release.plan import Plan
from ksame.release.publish import Release, check_out
from ksame.review.session import Ended, Session


def review(
    plan: Plan, opened: Callable[[str], None], port: int = 0, made: Path | None = None
) -> Release:
    """Let a person look at what was found and correct it, then make the release.

    Parameters
    ----------
    plan : Plan
        The release that is asked for.
    opened : callable
        Called with the page's address, which works once: show or open it.
    port : int
        Of the loopback address; 0 takes any that is free.
    made : path, optional
        The folder of the finished release that is reviewed: what stays is taken over from it.

    Raises
    ------
    Ended
        The page was closed before release was pressed; the same call goes on from there.
    InputError, GuaranteeError, MediaError
        As `ksame.release.run`; the page says so too.
    """
    if not plan.guarantees:
        raise InputError(
            f"method={plan.method!r} gives no guarantee, so there is nothing to review; choose a "
            "k-anonymous method"
        )
    if check_out(plan):
        raise InputError(
            f"OUT {plan.out} holds a release already; review it with its ledger, or choose "
            "another folder"
        )
    server = _server()
    session = Session(plan, made)
    with server.PageServer(session, port) as page:
        opened(page.address)
        try:
            release = run(plan, session.progress, session, made)
        except Ended:
            raise
        except KsameError as error:
            session.fail(str(error))
            page.wait()
            raise
        session.finish(release)
        page.wait()
    return release


def _server() -> Any:
    """The module of the server, whose libraries are an extra."""
    try:
        from ksame.review import server
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] in ("starlette", "uvicorn"):
            raise InputError(
                f"the review page needs {error.name}, which is not installed; install it with: "
                "pip install 'ksame[review]'"
            ) from None
        raise
    return server

"""The server of the page: on the loopback address, with routes for data, pictures and news."""

import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from ksame.errors import InputError, MediaError
from ksame.review.footage import Shot
from ksame.review.guard import Guard, TooLarge
from ksame.review.pictures import Pictures
from ksame.review.session import DONE, FAILED, Session

HOST: Final = "127.0.0.1"
GONE: Final = 12.0  # seconds without a tab after which nobody looks: a reload takes one or two
UNOPENED: Final = 900.0  # seconds that the address waits to be opened
_LOOK: Final = 0.5  # seconds between two looks at whether somebody is there
_KINDS: Final[Mapping[str, str]] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
# the report carries its own styles and pictures, and must do nothing else
_REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'; sandbox"
)


def page_files() -> dict[str, bytes]:
    """The files of the page by their names; nothing else is ever read by name."""
    return {
        file.name: file.read_bytes()
        for file in files("ksame.review").joinpath("page").iterdir()
        if file.name.rpartition(".")[2] in _KINDS
    }


def build_app(session: Session, port: int, token: str, close: Callable[[], None]) -> ASGIApp:
    """The application: every request passes the guard first."""
    page = page_files()
    pictures = Pictures(session.plan.max_pixels)

    async def index(request: Request) -> Response:
        return Response(page["index.html"], media_type=_KINDS["html"])

    async def part(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in page:
            raise HTTPException(404)
        return Response(page[name], media_type=_KINDS[name.rpartition(".")[2]])

    async def state(request: Request) -> Response:
        return _json(await run_in_threadpool(session.snapshot))

    async def act(request: Request) -> Response:
        return await _answering(session.act, await _body(request))

    async def release(request: Request) -> Response:
        await _body(request)
        return await _answering(session.release, {})

    async def leave(request: Request) -> Response:
        await _body(request)
        close()
        return _json({})

    async def events(request: Request) -> Response:
        return StreamingResponse(session.events.listen(), media_type="text/event-stream")

    async def report(request: Request) -> Response:
        if session.outcome is None:
            raise HTTPException(404)
        headers = {"content-security-policy": _REPORT_POLICY}
        data = session.outcome.report.read_bytes()
        return Response(data, media_type=_KINDS["html"], headers=headers)

    async def picture(request: Request) -> Response:
        given = request.path_params
        wanted = given["kind"], given["number"], given.get("frame")
        data = await run_in_threadpool(_picture, session, pictures, *wanted)
        return Response(data, media_type="image/jpeg")

    async def boxes(request: Request) -> Response:
        number, chunk = request.path_params["number"], request.path_params["chunk"]
        try:
            return _json(await run_in_threadpool(session.boxes_of, number, chunk))
        except LookupError:
            raise HTTPException(404) from None

    routes = [
        Route("/", index),
        Route("/page/{name}", part),
        Route("/api/state", state),
        Route("/api/act", act, methods=["POST"]),
        Route("/api/release", release, methods=["POST"]),
        Route("/api/close", leave, methods=["POST"]),
        Route("/api/events", events),
        Route("/report", report),
        Route("/api/boxes/{number:int}/{chunk:int}", boxes),
        Route("/picture/{kind}/{number:int}", picture),
        Route("/picture/{kind}/{number:int}/{frame:int}", picture),
    ]
    handlers = {HTTPException: _refused, TooLarge: _too_large, Exception: _failed}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), port, token)  # type: ignore[arg-type]


def _picture(
    session: Session, pictures: Pictures, kind: str, number: int, frame: int | None
) -> bytes:
    """One picture as JPEG; of a clip a frame of it."""
    try:
        if kind == "face" and frame is None:
            return pictures.crop(*session.face_at(number))
        if kind in ("before", "after") and session.outcome is not None:
            path = session.outcome.pairs[number][kind == "after"]
            if frame is None:
                return pictures.view(Shot(path))
            facts = pictures.facts_of(path)
            return pictures.view(Shot(path, facts, range(facts.frames)[frame]))
        if kind in ("thumbnail", "view"):
            shot = session.shot_at(number, frame)
            return pictures.view(shot) if kind == "view" else pictures.thumbnail(shot)
    except (LookupError, MediaError, OSError):
        pass
    raise HTTPException(404)


async def _body(request: Request) -> Mapping[str, Any]:
    """What a tab asks for."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415, "send JSON")
    try:
        value = json.loads(await request.body())
    except (ValueError, RecursionError, ClientDisconnect):
        raise HTTPException(400, "this is no JSON") from None
    if not isinstance(value, dict):
        raise HTTPException(400, "this is no request")
    return value


async def _answering(do: Callable[[Mapping[str, Any]], Any], value: Mapping[str, Any]) -> Response:
    """Do it, or say in words why not."""
    try:
        return _json(await run_in_threadpool(do, value))
    except InputError as error:
        return _json({"error": str(error)}, 409)


def _json(value: Any, status: int = 200) -> Response:
    return JSONResponse(value, status)


async def _refused(request: Request, error: HTTPException) -> Response:
    return PlainTextResponse(error.detail, error.status_code)


async def _too_large(request: Request, error: Exception) -> Response:
    return PlainTextResponse("too large", 413, {"connection": "close"})


async def _failed(request: Request, error: Exception) -> Response:
    """No word of what went wrong leaves: it may hold a path or a name."""
    return PlainTextResponse("this failed", 500)


class PageServer:
    """The server in a thread of its own; use it as a context.

    It ends when the last tab is gone for some seconds, when a tab says so, or with the context.
    """

    def __init__(self, session: Session, port: int = 0) -> None:
        self.session = session
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.bind((HOST, port))
            self._socket.listen()  # the address works from now on: whoever is early waits
        except OSError as error:
            self._socket.close()
            raise InputError(
                f"port={port} cannot be used ({error.strerror}); choose another, or 0 for any"
            ) from None
        self.port = int(self._socket.getsockname()[1])
        token = secrets.token_urlsafe(32)
        self.address = f"http://{HOST}:{self.port}/?token={token}"
        app = build_app(session, self.port, token, self.stop)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_config=None,  # a log would tell the token and what was looked at
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=1,
                ws="none",
            )
        )
        self._threads = [
            threading.Thread(target=self._serve, name="review", daemon=True),
            threading.Thread(target=self._watch, name="watch", daemon=True),
        ]

    def __enter__(self) -> "PageServer":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        for thread in self._threads:
            thread.join(timeout=5)
        self._socket.close()

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])

    def _watch(self) -> None:
        """End the server when nobody looks any more."""
        started = time.monotonic()
        events = self.session.events
        while not self._server.should_exit:
            time.sleep(_LOOK)
            waited = time.monotonic() - started
            if events.alone_for > GONE if events.opened else waited > UNOPENED:
                self.stop()

    def stop(self) -> None:
        """End the server; the session is told that nobody looks any more."""
        self._server.should_exit = True
        self.session.end()
        self.session.events.close()

    def wait(self) -> None:
        """Until nobody looks any more."""
        while not self._server.should_exit:
            time.sleep(_LOOK)

    @property
    def over(self) -> bool:
        """Whether the last screen was reached."""
        return self.session.phase in (DONE, FAILED)

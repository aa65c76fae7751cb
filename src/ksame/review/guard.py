"""Who may talk to the server: the page that was opened from the terminal, and nobody else.

Any web site that is open in the same browser can send requests to this machine. So every request
must name this server as its host (against DNS rebinding), come from no other origin, and carry a
cookie that only the holder of the one-time token was given.
"""

import hmac
import secrets
from collections.abc import Mapping
from typing import Final

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY: Final = 1_000_000  # bytes: the numbers of 100,000 faces
_HEADERS: Final[Mapping[str, str]] = {
    "cache-control": "no-store",
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_OWN: Final = ("same-origin", "none")  # of the header Sec-Fetch-Site
_REFUSED: Final = "This page can only be opened with the address that ksame printed, once."


class Guard:
    """Refuses every request that is not the page's own, before anything else sees it."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app = app
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._token: str | None = token
        self._session = secrets.token_urlsafe(32)
        # cookies know no ports: two reviews at a time must not take each other's
        self._cookie = f"ksame-review-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it."""
        if scope["type"] != "http":  # the life of the server itself; web sockets there are none
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if answer := self._refusal(scope, headers):
            await answer(scope, receive, _adding_headers(send))
            return
        await self._app(scope, _Limited(receive), _adding_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("unknown host", 421)
        origin = headers.get("origin")
        reads = scope["method"] in ("GET", "HEAD")
        if (origin is None and not reads) or (origin is not None and origin != f"http://{host}"):
            return PlainTextResponse("another origin", 403)
        if headers.get("sec-fetch-site", "none") not in _OWN:
            return PlainTextResponse("another site", 403)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return PlainTextResponse("too large", 413, {"connection": "close"})
        token = QueryParams(scope["query_string"]).get("token")
        if token is not None and reads and scope["path"] == "/":
            return self._admit(token)
        if not self._knows(headers):
            return PlainTextResponse(_REFUSED, 403)
        return None

    def _admit(self, token: str) -> Response:
        """The token becomes a cookie, once, and leaves the address."""
        if self._token is None or not hmac.compare_digest(token.encode(), self._token.encode()):
            return PlainTextResponse(_REFUSED, 403)
        self._token = None
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", path="/")
        return answer

    def _knows(self, headers: Headers) -> bool:
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == self._cookie:
                return hmac.compare_digest(value.encode(), self._session.encode())
        return False


class TooLarge(Exception):
    """A body without a stated length went on and on."""


class _Limited:
    """What a request sends, up to a limit: a length need not be stated, nor true."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._size = receive, 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > LARGEST_BODY:
            raise TooLarge
        return message


def _adding_headers(send: Send) -> Send:
    """Send with the headers that every answer has; an answer's own policy stays."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending

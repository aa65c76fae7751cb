"""Requests that no page of ours sends: each is refused, and nothing of the review leaks."""

import http.client
import socket
from contextlib import closing

import pytest

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from ksame.release import Plan  # noqa: E402
from ksame.review.guard import LARGEST_BODY  # noqa: E402
from ksame.review.server import PageServer, page_files  # noqa: E402
from ksame.review.session import Session  # noqa: E402


def _serve(folder):
    return PageServer(Session(Plan(folder, folder / "out", jobs=1)))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with _serve(tmp_path_factory.mktemp("hostile")) as running:
        yield running


@pytest.fixture(scope="module")
def home(server) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="module")
def client(server, home):
    """The page: admitted by the token, with the headers that a browser sends."""
    with httpx.Client(base_url=home, headers={"sec-fetch-site": "same-origin"}) as tab:
        assert tab.get(server.address).status_code == 303
        yield tab


def _post(client, path="/api/act", **given):
    headers = {"origin": str(client.base_url).rstrip("/"), **given.pop("headers", {})}
    return client.post(path, headers=headers, **({"json": {"do": "undo"}} | given))


def test_the_page_itself_is_served_and_answered(client):
    assert "ksame" in client.get("/").text
    assert client.get("/api/state").json()["phase"] == "finding"
    assert _post(client).status_code == 409  # understood: there is nothing to undo yet


def test_the_token_becomes_a_strict_cookie_and_leaves_the_address(tmp_path):
    with _serve(tmp_path) as fresh:
        answer = httpx.get(fresh.address)
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "token" not in cookie


def test_an_old_token_is_worth_nothing(server, client):
    assert httpx.get(server.address).status_code == 403


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=guess", "/api/state", "/api/events",
                                  "/picture/face/0", "/picture/view/0/0", "/api/boxes/0/0",
                                  "/page/main.js", "/report"])  # fmt: skip
def test_without_the_cookie_there_is_nothing(home, path):
    answer = httpx.get(home + path)
    assert answer.status_code == 403
    assert "table" not in answer.text


def test_a_wrong_cookie_is_refused(server, home):
    cookie = f"ksame-review-{server.port}=guess"
    assert httpx.get(home, headers={"cookie": cookie}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", ""]
)
def test_a_foreign_host_is_refused(server, client, host):
    """DNS rebinding: the browser believes that this machine is somebody else's site."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest("GET", "/api/state", skip_host=True)
    connection.putheader("Host", host)
    connection.putheader("Cookie", "; ".join(f"{n}={v}" for n, v in client.cookies.items()))
    connection.endheaders()
    assert connection.getresponse().status in (400, 421)
    connection.close()


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1", "http://localhost:1"]
)
def test_another_origin_is_refused(client, origin):
    assert _post(client, headers={"origin": origin}).status_code == 403
    assert client.get("/api/state", headers={"origin": origin}).status_code == 403


def test_a_post_without_an_origin_is_refused(client):
    assert client.post("/api/act", json={"do": "undo"}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_is_refused(client, site):
    assert client.get("/api/state", headers={"sec-fetch-site": site}).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/page/../guard.py",
        "/page/..%2fguard.py",
        "/page/%2e%2e/guard.py",
        "/page//etc/passwd",
        "/../../etc/passwd",
        "/page/index.html%00.js",
        "/picture/view/../../x",
        "/picture/view/-1",
        "/picture/view/1e9",
        "/picture/x/0",
        "/picture/view/0/0",
        "/picture/view/0/-1",
        "/picture/face/0/../../x",
        "/picture/before/0/0",
        "/api/boxes/0/0",
        "/api/boxes/0/1e9",
        "/api/boxes/..%2f..%2fetc/0",
    ],
)
def test_a_path_leads_nowhere_else(server, client, path):
    """Sent as it is written: clients would tidy it up."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    cookie = "; ".join(f"{n}={v}" for n, v in client.cookies.items())
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    assert answer.status in (400, 403, 404)
    assert b"Guard" not in answer.read()
    connection.close()


def test_a_body_of_100_megabytes_is_refused_before_it_is_read(server, client, home):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.putrequest("POST", "/api/act")
    connection.putheader("Origin", home)
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Cookie", "; ".join(f"{n}={v}" for n, v in client.cookies.items()))
    connection.putheader("Content-Length", str(100_000_000))
    connection.endheaders()
    assert connection.getresponse().status == 413  # not a byte of it was sent
    connection.close()


def test_a_body_without_a_length_is_cut_off(client):
    def endless():
        for _ in range(100):
            yield b"x" * 1_000_000

    try:
        status = _post(client, json=None, content=endless(),
                       headers={"content-type": "application/json"}).status_code  # fmt: skip
    except httpx.TransportError:
        status = 413  # the connection was closed while the body was still being sent
    assert status == 413
    assert client.get("/api/state").status_code == 200  # and the server goes on


@pytest.mark.parametrize("length", ["-5", "many", "1, 1"])
def test_a_length_that_is_no_number_is_refused(server, client, home, length):
    cookie = "; ".join(f"{n}={v}" for n, v in client.cookies.items())
    headers = {"Origin": home, "Cookie": cookie, "Content-Length": length}
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)) as connection:
        connection.request("POST", "/api/act", b"", headers)
        # a body of no length is no JSON either
        assert connection.getresponse().status in (400, 413, 415)


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"3", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_request_is_refused(client, body):
    answer = _post(client, json=None, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400


def test_a_form_is_refused(client):
    """A form of another site needs no permission to be sent; JSON does."""
    assert _post(client, json=None, data={"do": "undo"}).status_code == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(client, home, method):
    answer = client.request(method, "/api/state", headers={"origin": home})
    assert answer.status_code in (400, 403, 404, 405)


@pytest.mark.parametrize("path", ["/", "/api/state", "/page/main.js", "/nothing"])
def test_nothing_is_cached_framed_or_loaded_from_elsewhere(client, path):
    headers = client.get(path).headers
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "server" not in headers


def test_the_server_listens_on_this_machine_alone(server):
    """Another address of this very machine finds nobody."""
    with socket.socket() as probe:
        probe.settimeout(1)
        assert probe.connect_ex(("127.0.0.2", server.port)) != 0


def test_the_page_names_no_other_place_and_is_small():
    script = sum(len(data) for name, data in page_files().items() if name.endswith(".js"))
    assert script <= 80_000
    for name, data in page_files().items():
        text = data.decode().replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text, name
        assert "https:" not in text, name
        assert "innerHTML" not in text, name
        assert "<script>" not in text, name
        assert " style=" not in text or not name.endswith(".html"), name


def test_a_message_about_a_body_never_exceeds_the_limit():
    assert LARGEST_BODY < 100_000_000

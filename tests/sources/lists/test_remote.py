"""Lists are fetched from a real https server on loopback, whose name only the injected resolver knows."""

import gzip
import pickle
import socket
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sources.errors import PermanentSourceError, SourceUnreachable, TransientSourceError, UsageError
from sources.lists.list_urls import Fetched
from sources.lists.remote import MAX_BYTES, fetch_list
from tests.certificates import certificate
from tests.matrices import for_each

HOST = "lists.test"
LIST = b"# Papers\n\n- Attention Is All You Need\n"


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, pem) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = {}
        self.seen = []
        self.names = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        context.sni_callback = lambda sock, name, ctx: self.names.append(name)
        self.context = context

    def finish_request(self, request, client_address) -> None:
        with self.context.wrap_socket(request, server_side=True) as secured:
            self.RequestHandlerClass(secured, client_address, self)

    def handle_error(self, request, client_address) -> None:
        """A client that leaves early is what some tests are about."""

    def url(self, path: str = "/list.md") -> str:
        return f"https://{HOST}:{self.server_address[1]}{path}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.seen.append((self.path, self.headers["Host"], dict(self.headers)))
        self.server.answers[self.path.partition("?")[0]](self)

    def log_message(self, *args) -> None:
        """Keeps the test's output clean."""


def says(body: bytes = LIST, status: int = 200, **headers: str):
    def answer(handler) -> None:
        handler.send_response(status)
        for name, value in {"content_length": str(len(body)), "content_type": "text/plain", **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@pytest.fixture(scope="module")
def pem(tmp_path_factory):
    return certificate(tmp_path_factory.mktemp("tls"), HOST)


@pytest.fixture
def server(pem, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(pem))
    server = Server(pem)
    server.answers["/list.md"] = says()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def fetch(url: str, **options) -> Fetched:
    return fetch_list(url, **{"resolve": lambda host, port: ["127.0.0.1"], "allow_loopback": True, **options})


def test_a_list_is_read_from_the_checked_address_under_its_own_name(server):
    assert fetch(server.url()) == Fetched(body=LIST)
    ((path, host, headers),) = server.seen
    assert (path, host) == ("/list.md", f"{HOST}:{server.server_address[1]}")
    assert server.names == [HOST]
    assert headers.get("Authorization") is None


def test_the_stated_encoding_comes_along_and_a_compressed_list_is_unpacked(server, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # proxies are not used
    server.answers["/list.md"] = says(
        gzip.compress(LIST), content_encoding="gzip", content_type='text/plain; charset="windows-1252"'
    )
    assert fetch(server.url()) == Fetched(body=LIST, charset="windows-1252")


def test_a_name_is_looked_up_once_so_that_a_second_answer_cannot_lead_elsewhere(server):
    answers = [["127.0.0.1"], ["10.0.0.1"]]
    assert fetch(server.url(), resolve=lambda host, port: answers.pop(0)).body == LIST
    assert len(answers) == 1


def test_the_next_address_is_tried_where_the_first_takes_no_connection(server):
    assert fetch(server.url(), resolve=lambda host, port: ["127.255.255.254", "::1", "127.0.0.1"]).body == LIST


@pytest.mark.parametrize(
    ("name", "ascii_name"),
    [("b\u00fccher.test", "xn--bcher-kva.test"), ("\u2603.test", "xn--n3h.test")],  # newer rules refuse the second
)
def test_a_name_beyond_ascii_is_asked_in_its_ascii_form(server, name, ascii_name):
    with pytest.raises(PermanentSourceError, match="certificate"):
        fetch(server.url().replace(HOST, name))
    assert server.names == [ascii_name]


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["169.254.169.254"], ["93.184.216.34", "192.168.0.1"], ["::ffff:127.0.0.1"], []],
)
def test_an_address_off_the_public_internet_is_never_asked(server, addresses):
    with pytest.raises(UsageError, match="not on the public internet"):
        fetch_list(server.url(), resolve=lambda host, port: addresses)
    assert server.seen == []

    if addresses != ["127.0.0.1"]:  # loopback is all that tests may open
        with pytest.raises(UsageError, match="not on the public internet"):
            fetch(server.url(), resolve=lambda host, port: addresses)


@for_each(
    ("url", "message"),
    [
        ("https://127.0.0.1/a.md", "not on the public internet"),
        ("http://lists.test/a.md", "not an https address"),
        ("https://ada:s3cret@lists.test/a.md", "user name or password"),
        ("https://lists.test\\@10.0.0.1/a.md", "user name|not a valid"),
        ("https://[bad/a.md", "not a valid address"),
        (f"https://{'x' * 80}.test/a.md", "no valid host name|name look-up failed"),
    ],
)
def test_what_is_no_https_address_is_refused(url, message):
    with pytest.raises((UsageError, SourceUnreachable), match=message) as caught:
        fetch_list(url)
    assert "s3cret" not in str(caught.value)


def to(target: str, status: int = 302):
    return says(b"", status, location=target)


def test_a_redirect_is_followed(server):
    server.answers |= {"/old.md": to("/older.md", 301), "/older.md": to(server.url(), 307)}
    assert fetch(server.url("/old.md")).body == LIST


@pytest.mark.parametrize(
    "target",
    ["http://lists.test/a.md", "https://private.test/a.md", "https://u:p@lists.test/a", "file:///x", "https://[bad"],
)
def test_a_redirect_to_where_no_list_is_read_from_is_refused(server, target):
    def resolve(host: str, port: int) -> list[str]:
        return ["10.0.0.1"] if host == "private.test" else ["127.0.0.1"]

    server.answers["/old.md"] = to(target)
    with pytest.raises(PermanentSourceError, match="redirects to where no list is read from"):
        fetch(server.url("/old.md"), resolve=resolve)
    assert len(server.seen) == 1


def test_redirects_without_end_are_given_up(server):
    server.answers["/round.md"] = to("/round.md")
    with pytest.raises(PermanentSourceError, match="more than 5 times"):
        fetch(server.url("/round.md"))
    assert len(server.seen) == 6


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (says(b"gone", 404), PermanentSourceError, "404"),
        (says(b"part", 206), PermanentSourceError, "206"),
        (says(b"", 302), PermanentSourceError, "302"),  # a redirect to nowhere
        (says(b"slow down", 429, retry_after="7"), TransientSourceError, "429"),
        (says(b"<p>hi", content_type="text/html; charset=utf-8"), UsageError, "web page"),
        (says(b"\n<!DOCTYPE html><p>hi"), UsageError, "web page"),
        (says(b"x" * (MAX_BYTES + 1)), UsageError, "larger than 10 MiB"),
        (says(gzip.compress(b"x" * (MAX_BYTES * 4)), content_encoding="gzip"), UsageError, "larger"),
        (says(LIST, content_length="9999"), TransientSourceError, "broke off"),
        (lambda handler: None, TransientSourceError, "broke off"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_list_is_an_error_that_names_the_address_without_its_query(server, answer, error, message):
    server.answers["/list.md"] = answer
    with pytest.raises(error, match=message) as caught:
        fetch(server.url("/list.md?token=s3cret"))
    assert server.url() in str(caught.value)
    assert "s3cret" not in str(caught.value) + str(getattr(caught.value, "url", ""))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert message != "429" or (caught.value.status, caught.value.retry_after_s) == (429, 7.0)


def test_a_certificate_for_another_name_or_that_nobody_trusts_is_not_accepted(server, monkeypatch):
    with pytest.raises(PermanentSourceError, match="certificate"):
        fetch(server.url().replace(HOST, "other.test"))
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(PermanentSourceError, match="certificate"):
        fetch(server.url())
    assert server.seen == []
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/no/such/bundle.pem")
    with pytest.raises(UsageError, match=r"/no/such/bundle\.pem"):
        fetch(server.url())


def test_a_server_that_takes_no_connection_or_that_nobody_knows_is_unreachable():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(SourceUnreachable, match="could not be reached"):
        fetch(f"https://{HOST}:{port}/list.md")

    def resolve(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.raises(SourceUnreachable, match="look-up failed"):
        fetch("https://nowhere.test/list.md", resolve=resolve)


@pytest.mark.parametrize("path", ["/silent.md", "/head.md", "/body.md", "/stream.md"])
def test_a_server_that_does_not_come_to_an_end_is_given_up_in_time(server, path):
    def drip(handler) -> None:
        if handler.path in ("/body.md", "/stream.md"):
            handler.send_response(200)
            handler.end_headers()
        while not released.wait(0.02):
            handler.wfile.write({"/silent.md": b"", "/stream.md": b"x" * 70_000}.get(path, b"x"))
            handler.wfile.flush()

    released = threading.Event()
    server.answers[path] = drip
    with pytest.raises(TransientSourceError, match="took too long"):
        fetch(server.url(path), max_seconds=0.3)
    released.set()


def test_a_look_up_that_hangs_is_given_up_in_time():
    with pytest.raises(TransientSourceError, match="took too long"):
        fetch("https://slow.test/list.md", resolve=lambda host, port: time.sleep(1) or [], max_seconds=0.1)

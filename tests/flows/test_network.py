"""Without a network or behind a proxy: what is said, how little is tried, and which settings are honoured."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from flows.progress import Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.refresh.services import NO_NETWORK
from sources.errors import SourceUnreachable
from sources.http.retry import Attempts, RetryPolicy
from sources.http.transport import Limits, Transport
from standins.trials.bench import Bench
from tests.certificates import certificate

NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")


class Said:
    """A reporter that keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def stage(self, name, total, unit=""):
        return lambda _: None

    def say(self, sentence: str) -> None:
        self.said.append(sentence)


class Proxy(ThreadingHTTPServer):
    """A proxy on loopback: it answers requests for http itself, and puts https through to `behind`."""

    def __init__(self, behind: int = 0, refuses: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.behind, self.refuses = behind, refuses

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Proxy

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        if isinstance(self.server, Proxy):
            self.server.asked.append(f"GET {self.path}")
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def do_CONNECT(self) -> None:
        self.server.asked.append(f"CONNECT {self.path}")
        if self.server.refuses:
            self.send_error(407)
            return
        self.send_response(200)
        self.end_headers()
        with socket.create_connection(("127.0.0.1", self.server.behind)) as target:
            back = threading.Thread(target=_copy, args=(target, self.connection), daemon=True)
            back.start()
            _copy(self.connection, target)
            back.join(5)
        self.close_connection = True


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while part := source.recv(65536):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


@contextmanager
def transport(url: str) -> Iterator[Transport]:
    made = Transport("arxiv", url=url, limits=Limits(connect_s=5, read_s=5))
    try:
        yield made
    finally:
        made.close()


def test_a_proxy_is_asked_for_http_and_not_for_hosts_that_need_none(bare):
    proxy, direct = Proxy(), ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    with running(proxy), running(direct):
        bare.setenv("HTTP_PROXY", proxy.url)
        with transport("http://arxiv.test/api") as asked:
            assert asked.send("GET", "http://arxiv.test/api").body == b"ok"
        assert proxy.asked == ["GET http://arxiv.test/api"]
        bare.setenv("NO_PROXY", "127.0.0.1")
        near = f"http://127.0.0.1:{direct.server_port}/api"
        with transport(near) as asked:
            assert asked.send("GET", near).body == b"ok"
        assert len(proxy.asked) == 1


def test_https_goes_through_the_proxy_with_the_certificates_that_are_named_and_with_no_others(bare, tmp_path):
    file = certificate(tmp_path, "arxiv.test")
    behind = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    behind.socket = context.wrap_socket(behind.socket, server_side=True)
    proxy = Proxy(behind=behind.server_port)
    url = "https://arxiv.test/api"
    with running(proxy), running(behind):
        bare.setenv("HTTPS_PROXY", proxy.url)
        with transport(url) as asked, pytest.raises(SourceUnreachable, match="set SSL_CERT_FILE") as refused:
            asked.send("GET", url)
        assert refused.value.is_lasting
        bare.setenv("SSL_CERT_FILE", str(file))
        with transport(url) as asked:
            assert asked.send("GET", url).body == b"ok"
    assert proxy.asked == ["CONNECT arxiv.test:443"] * 2


def test_a_proxy_that_refuses_and_a_name_without_an_address_are_told_apart_and_not_tried_again(bare):
    proxy = Proxy(refuses=True)
    with running(proxy):
        bare.setenv("HTTPS_PROXY", proxy.url)
        with transport("https://arxiv.test/") as asked, pytest.raises(SourceUnreachable, match="the proxy of the env"):
            with_tries(lambda: asked.send("GET", "https://arxiv.test/"))
        assert len(proxy.asked) == 1
    bare.delenv("HTTPS_PROXY")
    with transport("http://arxiv.invalid/") as asked, pytest.raises(SourceUnreachable, match="no address here"):
        with_tries(lambda: asked.send("GET", "http://arxiv.invalid/"))


def with_tries(ask):
    waits: list[float] = []
    attempts = Attempts(RetryPolicy(max_tries=4, backoff_s=0.0), sleep=waits.append)
    try:
        while True:
            with attempts:
                return ask()
    finally:
        assert not waits


def test_without_a_network_one_sentence_says_what_to_do_and_what_is_left_is_not_tried(bench: Bench):
    lists = [bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- Attention Is All You Need\n")]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{probe.getsockname()[1]}"
    urls = {"arxiv_url": nowhere, "s2_url": nowhere, "openalex_url": nowhere, "openalex": True}
    settings, report = bench.settings(**urls), Said()
    reading = read_and_parse(lists, settings.place)
    summary = refresh_lake(
        reading, settings, run_batch=lambda _, call: call(), report=report, clock=Stopwatch(), force=False
    )
    assert summary.failed == summary.mentions > 0
    assert report.said.count(NO_NETWORK) == 1
    assert sum("could not be reached at" in sentence for sentence in report.said) == 2
    assert any(problem.startswith("OpenAlex was not asked: no other service") for problem in summary.problems)

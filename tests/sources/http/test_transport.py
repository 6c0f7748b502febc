"""One request over HTTP: what is no reply, and which redirects are followed."""

import pytest

from sources.errors import SourceUnreachable, UsageError
from sources.http.transport import Limits, Transport


@pytest.fixture
def transport():
    transport = Transport("arxiv", url="http://127.0.0.1:9", limits=Limits(connect_s=2.0, read_s=2.0))
    yield transport
    transport.close()


def test_no_connection_is_said_of_the_service(transport):
    with pytest.raises(SourceUnreachable, match=r"^arXiv could not be reached at http://127\.0\.0\.1:9$"):
        transport.send("GET", "http://127.0.0.1:9/api/query")


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
def test_certificates_that_are_not_there_are_named(monkeypatch, variable):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.setenv(variable, "/no/such/bundle.pem")
    with pytest.raises(UsageError, match=r"/no/such/bundle\.pem"):
        Transport("arxiv", url="https://arxiv.test", limits=Limits())


@pytest.mark.parametrize(
    ("redirects", "location", "status"),
    [
        pytest.param("none", "/api/query?id_list=1706.03762", 307, id="none"),
        pytest.param("same host", "http://localhost:9/", 307, id="another-machine"),
        pytest.param("same host", "ftp://127.0.0.1/", 307, id="another-protocol"),
        pytest.param("any", None, 307, id="round-and-round"),
    ],
)
def test_a_redirect_that_is_not_followed_is_the_reply(standins, redirects, location, status):
    standins.fault("arxiv", "redirect_loop", status=status, **({"location": location} if location else {}))
    transport = Transport("arxiv", url=standins.arxiv_url, limits=Limits(), redirects=redirects)
    assert transport.send("GET", standins.arxiv_url, params={"id_list": "1706.03762"}).status == status
    transport.close()


def test_a_redirect_that_leads_to_a_reply_is_followed(standins):
    elsewhere = standins.arxiv_url.replace("127.0.0.1", "localhost")
    standins.fault("arxiv", "redirect_loop", location=f"{standins.arxiv_url}?id_list=1706.03762", times=1)
    transport = Transport("arxiv", url=elsewhere, limits=Limits(), redirects="any")
    assert transport.send("GET", elsewhere, params={"id_list": "1706.03762"}).status == 200
    transport.close()

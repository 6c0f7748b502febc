from __future__ import annotations

import socket

import pytest
import requests

from standins.link_hosts import LinkHosts


@pytest.fixture(scope="module")
def hosts():
    with LinkHosts() as running:
        yield running


def asked(hosts: LinkHosts, path: str, *, method: str = "HEAD", host: str = "a.test") -> requests.Response:
    port = hosts.server_address[1]
    url = f"http://127.0.0.1:{port}{path}"
    return requests.request(method, url, headers={"Host": f"{host}:{port}"}, allow_redirects=False, timeout=10)


@pytest.mark.parametrize(
    ("path", "head", "get"),
    [("/ok/1", 200, 200), ("/404/1", 404, 404), ("/head-405/1", 405, 200), ("/wall/1", 200, 200), ("/", 200, 200)],
)
def test_a_path_says_what_it_answers(hosts, path, head, get):
    assert (asked(hosts, path).status_code, asked(hosts, path, method="GET").status_code) == (head, get)


def test_a_redirect_leads_to_another_path_host_or_address(hosts):
    port = hosts.server_address[1]
    assert asked(hosts, "/to/301/ok/1").headers["location"] == "/ok/1"
    assert asked(hosts, "/to/301/host/b.test/ok/1").headers["location"] == f"http://b.test:{port}/ok/1"
    assert asked(hosts, "/to/302/url/ftp://b.test/").headers["location"] == "ftp://b.test/"


def test_a_busy_host_is_busy_once_and_a_page_that_is_back_was_gone_for_two_requests(hosts):
    assert [asked(hosts, "/busy/7/x").status_code for _ in range(2)] == [429, 200]
    assert [asked(hosts, "/back/x").status_code for _ in range(3)] == [404, 404, 200]


def test_the_requests_of_each_host_are_seen_with_their_times(hosts):
    hosts.visits.clear()
    for _ in range(2):
        asked(hosts, "/ok/1", host="c.test")
    assert [(visit.host, visit.method, visit.path) for visit in hosts.visits] == [("c.test", "HEAD", "/ok/1")] * 2
    assert hosts.gaps() == {"c.test": hosts.visits[1].at - hosts.visits[0].at}


@pytest.mark.parametrize(("host", "error"), [("gone.test", socket.EAI_NONAME), ("unsure.test", socket.EAI_AGAIN)])
def test_a_name_can_be_unknown_or_not_looked_up(hosts, host, error):
    with pytest.raises(socket.gaierror) as caught:
        hosts.resolve(host, 80)
    assert caught.value.errno == error
    assert hosts.resolve("a.test", 80) == ["127.0.0.1"]

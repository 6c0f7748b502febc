"""Addresses of hosts on loopback, whose names only the injected resolver knows."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from sources.errors import UsageError
from sources.lists.links import LinkAnswer, LinkLimits, check_links
from sources.lists.links.addresses import LONGEST
from standins.link_hosts import LinkHosts

QUICK = LinkLimits(spacing_s=0.0, again_s=0.01, request_s=10.0, whole_s=60.0, longest_hold_s=1.0)


class Memory(dict[str, LinkAnswer]):
    """A store in memory."""

    find = dict.get
    keep = dict.__setitem__


@pytest.fixture(scope="module")
def running():
    with LinkHosts() as hosts:
        yield hosts


@pytest.fixture
def hosts(running):
    running.visits.clear()
    running.seen.clear()
    running.looked_up.clear()
    running.knows_names = True
    return running


def ask(hosts: LinkHosts, *addresses: str, **options) -> list[LinkAnswer]:
    settings = {"resolve": hosts.resolve, "allow_loopback": True, "limits": QUICK, **options}
    return list(check_links(addresses, **settings).values())


def methods(hosts: LinkHosts) -> list[str]:
    return [visit.method for visit in hosts.visits]


@pytest.mark.parametrize(
    ("place", "kind", "status", "requests"),
    [
        pytest.param("a.test/ok/page", "alive", 200, "HEAD GET", id="the first page of a host is read"),
        pytest.param("a.test/file/paper.pdf", "alive", 200, "HEAD", id="a file"),
        pytest.param("a.test/head-405/page", "alive", 200, "HEAD GET", id="HEAD refused"),
        pytest.param("a.test/head-404/page", "alive", 200, "HEAD GET", id="HEAD that says 404"),
        pytest.param("a.test/head-cut/page", "alive", 200, "HEAD GET", id="HEAD without an answer"),
        pytest.param("a.test/404/page", "dead", 404, "HEAD GET GET GET", id="not found, twice, but the front page is"),
        pytest.param("a.test/back/page", "alive", 200, "HEAD GET GET", id="not found once only"),
        pytest.param("nothing.test/404/page", "blocked", 404, "HEAD GET GET GET", id="a host that has nothing"),
        pytest.param("gone.test/ok/page", "dead", None, "", id="no such host"),
        pytest.param("gone-at-first.test/file/a.pdf", "alive", 200, "GET", id="no such host once only"),
        pytest.param("unsure.test/ok/page", "blocked", None, "", id="a resolver that fails"),
        *(pytest.param(f"a.test/{code}/page", "blocked", code, "HEAD GET") for code in (403, 500, 999)),
        pytest.param("a.test/busy/0/page", "alive", 200, "HEAD HEAD GET", id="a short Retry-After"),
        pytest.param("a.test/busy/99/page", "blocked", 429, "HEAD", id="a long Retry-After"),
        pytest.param("a.test/wall/page", "blocked", 200, "HEAD GET", id="a bot wall that answers 200"),
        pytest.param("a.test/challenge/page", "blocked", 403, "HEAD", id="a challenge"),
        pytest.param("a.test/cut/page", "blocked", None, "HEAD GET", id="a connection that breaks off"),
        pytest.param("a.test/away/paper17.html", "moved", 200, "HEAD HEAD GET", id="moved to another site"),
        pytest.param("a.test/to/301/host/b.test/ok/newer", "moved", 200, "HEAD HEAD GET", id="moved, with its name"),
        pytest.param("a.test/sold/page", "blocked", 200, "HEAD HEAD GET", id="moved to another site's other page"),
        pytest.param("a.test/up/page/old", "blocked", 200, "HEAD HEAD GET", id="moved to the section above"),
        pytest.param("a.test/to/301/404/new", "dead", 404, "HEAD HEAD GET GET GET", id="moved to a dead page"),
        pytest.param("a.test/to/302/file/new", "alive", 200, "HEAD HEAD", id="elsewhere for now"),
        pytest.param("a.test/to/302/to/301/file/new", "alive", 200, "HEAD HEAD HEAD GET", id="for now, for good"),
        pytest.param("a.test/to/301/", "blocked", 200, "HEAD HEAD GET", id="the front page"),
        pytest.param("a.test/members/page", "blocked", 200, "HEAD HEAD GET", id="a log-in"),
        pytest.param("a.test/lost/page", "blocked", 200, "HEAD HEAD GET", id="an error page with 200"),
        pytest.param("a.test/to/301/ok/a?token=s3cr3t5", "alive", 200, "HEAD HEAD GET", id="a secret of the visit"),
        pytest.param("a.test/round/page", "blocked", 302, "HEAD", id="a circle"),
        pytest.param("a.test/further/page", "blocked", 302, "HEAD " * 6, id="redirects without end"),
        pytest.param("a.test/to/301/host/private.test/ok/a", "blocked", None, "HEAD", id="a private host"),
        pytest.param("a.test/to/301/url/ftp://a.test/x", "blocked", 301, "HEAD", id="another scheme"),
        pytest.param("a.test/to/301/url/https://doi.org/10.1/x", "unasked", 301, "HEAD", id="a service's address"),
    ],
)  # fmt: skip
def test_every_answer_of_a_host_is_told_apart(hosts, place, kind, status, requests):
    host, path = place.split("/", 1)
    (answer,) = ask(hosts, hosts.url(host, f"/{path}"))
    assert (answer.kind, answer.status, methods(hosts)) == (kind, status, requests.split())
    assert bool(answer.reason) == (kind != "alive")
    assert (answer.asked_at is None) == (kind == "unasked")


@pytest.mark.parametrize("path", ["/slow/page", "/drip/page"])
def test_a_time_out_is_no_dead_link(hosts, path):
    (answer,) = ask(hosts, hosts.url("a.test", path), limits=replace(QUICK, request_s=0.2))
    assert (answer.kind, answer.status, answer.reason) == ("blocked", None, "no answer came in time")
    assert methods(hosts) == ["HEAD"]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("https://arxiv.org/abs/1706.03762", "settled by arXiv"),
        ("https://dx.doi.org/10.1145/1", "settled by DOI"),
        ("https://www.semanticscholar.org/paper/x/204e3073870fae3d05bcbc2f6a8e263d9b72e776", "settled by Semantic"),
        ("ftp://a.test/x", "only http and https"),
        ("#section", "only http and https"),
        ("https://ada:s3cret@a.test/x", "user name"),
        ("https://[bad/x", "not a valid address"),
        (f"https://a.test/{'x' * LONGEST}", "not a valid address"),
        ("https://private.test/x", "not on the public internet"),
        ("https://fa\u00df.test/x", "two hosts"),
        (f"https://{'x' * 80}.test/x", "no valid host name"),
    ],
)
def test_what_is_not_asked_says_why(hosts, address, reason):
    (answer,) = ask(hosts, address)
    assert answer.kind == "unasked"
    assert reason in answer.reason
    assert "s3cret" not in answer.reason
    assert hosts.visits == []


def test_loopback_is_refused_unless_a_test_allows_it(hosts):
    assert ask(hosts, "https://openreview.net:1/group?id=a")[0].reason == "no connection could be made"
    (answer,) = ask(hosts, hosts.url("a.test", "/ok/a"), allow_loopback=False)
    assert (answer.kind, answer.reason, hosts.visits) == ("unasked", "its host is not on the public internet", [])


def test_no_host_is_called_unknown_by_a_resolver_that_knows_no_host(hosts):
    hosts.knows_names = False
    (answer,) = ask(hosts, hosts.url("gone.test", "/ok/a"))
    assert (answer.kind, answer.reason) == ("blocked", "its host's name could not be looked up")


def test_an_address_of_which_only_the_first_request_came_through_is_not_dead(hosts):
    def clock() -> float:
        """Leaps when the first inquiry is through."""
        return time.monotonic() + (1000 if len(hosts.visits) == 2 else 0)

    (answer,) = ask(hosts, hosts.url("a.test", "/404/a"), clock=clock)
    assert answer.kind == "blocked"
    assert "answers 404; it could not be asked again, as no time was left" in answer.reason


def test_a_name_beyond_ascii_is_asked_in_its_ascii_form_and_its_path_in_percents(hosts):
    (answer,) = ask(hosts, hosts.url("b\u00fccher.test", "/file/\u00e4 %20b?q=\u00f6&r=%41#\u00fc"))
    assert answer.kind == "alive"
    assert (hosts.visits[0].host, hosts.visits[0].path) == ("xn--bcher-kva.test", "/file/%C3%A4%20%20b?q=%C3%B6&r=%41")


def test_a_certificate_that_is_not_accepted_is_no_dead_link(hosts, monkeypatch):
    (answer,) = ask(hosts, hosts.url("a.test", "/ok/a", scheme="https"))
    assert (answer.kind, answer.reason) == ("blocked", "its certificate was not accepted")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/no/such/bundle.pem")
    with pytest.raises(UsageError, match=r"/no/such/bundle\.pem"):
        ask(hosts, hosts.url("a.test", "/ok/a"))


def test_two_addresses_that_differ_in_their_fragment_are_one_question(hosts):
    first, second = ask(hosts, hosts.url("a.test", "/to/301/file/a#b"), hosts.url("a.test", "/to/301/file/a#c"))
    assert methods(hosts) == ["HEAD", "HEAD", "GET"]
    assert (first.location, second.location) == tuple(hosts.url("a.test", f"/file/a#{name}") for name in "bc")


def test_a_page_to_which_several_pages_of_a_site_lead_takes_the_place_of_none(hosts):
    first, second = (hosts.url("a.test", f"/lead/{name}") for name in ("one", "two"))
    assert [answer.kind for answer in ask(hosts, first)] == ["moved"]
    answers = ask(hosts, first, second)
    assert [answer.kind for answer in answers] == ["blocked", "blocked"]
    assert "other addresses" in answers[0].reason
    pages = [hosts.url(host, "/to/301/host/b.test/ok/newer") for host in ("a.test", "www.a.test")]  # one page
    assert [answer.kind for answer in ask(hosts, *pages)] == ["moved", "moved"]


def test_a_host_that_gives_no_answer_three_times_or_wants_fewer_requests_is_left_alone(hosts):
    pages = [hosts.url("a.test", f"/slow/{number}") for number in range(5)]
    answers = ask(hosts, *pages, limits=replace(QUICK, request_s=0.1))
    assert [answer.kind for answer in answers] == ["blocked"] * 3 + ["unasked"] * 2
    assert answers[-1].reason == "its host gave no answer 3 times in a row"
    assert len(hosts.visits) == 3
    hosts.visits.clear()
    answers = ask(hosts, *(hosts.url("a.test", f"/busy/99/{number}") for number in range(3)))
    assert [answer.kind for answer in answers] == ["blocked", "unasked", "unasked"]
    assert answers[-1].reason == "its host answers 429, and asks to be left alone for 99 s"
    assert len(hosts.visits) == 1


def test_a_retry_after_holds_back_all_requests_to_the_host(hosts):
    ask(hosts, *(hosts.url("a.test", path) for path in ("/busy/0.3/a", "/file/b", "/file/c")))
    assert [visit.path for visit in hosts.visits] == ["/busy/0.3/a", "/busy/0.3/a", "/busy/0.3/a", "/file/b", "/file/c"]
    assert hosts.visits[1].at - hosts.visits[0].at >= 0.3


def test_the_front_page_is_asked_for_once_and_only_where_no_page_was_there(hosts):
    dead = [hosts.url("a.test", f"/404/{number}") for number in range(3)]
    assert [answer.kind for answer in ask(hosts, *dead)] == ["dead"] * 3
    assert [visit.path for visit in hosts.visits].count("/") == 1
    ask(hosts, *dead, hosts.url("a.test", "/file/a"))
    assert [visit.path for visit in hosts.visits].count("/") == 1
    unknown = [hosts.url("nothing.test", f"/404/{number}") for number in range(3)]
    answers = ask(hosts, *unknown)
    assert [answer.kind for answer in answers] == ["blocked"] * 3
    assert answers[0].reason == "it answers 404, but its host shows no front page either"


def test_a_host_behind_a_bot_wall_has_no_living_pages(hosts):
    answers = ask(hosts, *(hosts.url("a.test", f"/wall/{number}") for number in range(3)))
    assert [answer.kind for answer in answers] == ["blocked"] * 3
    assert methods(hosts) == ["HEAD", "GET", "HEAD", "HEAD"]


def test_an_answer_that_holds_is_not_asked_for_again(hosts):
    store, paths = Memory(), ("/ok/a", "/404/b", "/403/c", "/to/301/ok/d")
    pages = [hosts.url("a.test", path) for path in paths]
    first = ask(hosts, *pages, store=store)
    sent = len(hosts.visits)
    assert ask(hosts, *pages, store=store) == first
    assert len(hosts.visits) == sent
    later = datetime.now(UTC) + timedelta(days=1, minutes=1)
    ask(hosts, *pages, store=store, now=lambda: later)
    assert {visit.path for visit in hosts.visits[sent:]} == {"/404/b", "/403/c", "/"}


def test_a_host_has_a_pause_between_two_requests(hosts):
    limits = replace(QUICK, spacing_s=0.05, again_s=0.1)
    paths = ("/file/1", "/head-405/2", "/404/3", "/to/301/file/4", "/to/302/host/b.test/file/5")
    ask(hosts, *(hosts.url(host, path) for path in paths for host in ("a.test", "b.test")), limits=limits)
    assert len(hosts.visits) > 2 * len(paths)
    assert min(hosts.gaps().values()) >= limits.spacing_s


def test_what_goes_wrong_beside_the_requests_ends_the_run(hosts):
    class Full(Memory):
        def keep(self, address: str, answer: LinkAnswer) -> None:
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk is full"):
        ask(hosts, *(hosts.url(f"{name}.test", "/ok/a") for name in "abc"), store=Full())
    assert ask(hosts) == []

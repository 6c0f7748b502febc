"""A list of 500 entries on 40 hosts: every kind of answer, politely, and once."""

from collections import Counter
from dataclasses import replace
from typing import get_args

import pytest

from sources.lists.links import LinkKind, LinkLimits, check_links
from sources.lists.reading import parse_reading_list
from standins.link_hosts import LinkHosts
from standins.trials.link_list import ENTRIES, HOSTS, link_trial
from tests.sources.link_checks.test_check_links import Memory

LIMITS = LinkLimits(spacing_s=0.05, again_s=0.5, request_s=5.0, whole_s=200.0)


@pytest.mark.slow
def test_a_list_of_500_entries_on_40_hosts_is_asked_politely_and_once():
    store = Memory()
    with LinkHosts() as hosts:
        trial = link_trial(hosts)
        addresses = [mention.url for mention in parse_reading_list(trial.text).mentions if mention.url]
        answers = check_links(trial.expected, limits=LIMITS, store=store, resolve=hosts.resolve, allow_loopback=True)
        asked = Counter(visit.host for visit in hosts.visits)
        gaps = hosts.gaps()
        heads = [visit for visit in hosts.visits if visit.method == "HEAD"]
        sent = len(hosts.visits)
        again = check_links(trial.expected, limits=LIMITS, store=store, resolve=hosts.resolve, allow_loopback=True)
    assert len(trial.expected) == ENTRIES
    assert len(set(addresses) & set(trial.expected)) > 0.9 * ENTRIES
    wrong = {address: answers[address] for address, kind in trial.expected.items() if answers[address].kind != kind}
    assert wrong == {}
    assert {answer.kind for answer in answers.values()} == {*get_args(LinkKind)}
    assert len(asked) == HOSTS - 4  # of the others, no name leads anywhere public
    assert min(gaps.values()) >= LIMITS.spacing_s
    assert len({(visit.host, visit.path) for visit in hosts.visits}) <= len(heads)
    assert again == answers
    assert len(hosts.visits) == sent


def test_a_host_has_a_pause_between_two_requests():
    limits = replace(LIMITS, again_s=0.1)
    paths = ("/file/1", "/head-405/2", "/404/3", "/to/301/file/4", "/to/302/host/b.test/file/5")
    with LinkHosts() as hosts:
        addresses = [hosts.url(host, path) for path in paths for host in ("a.test", "b.test")]
        check_links(addresses, limits=limits, resolve=hosts.resolve, allow_loopback=True)
    assert len(hosts.visits) > 2 * len(paths)
    assert min(hosts.gaps().values()) >= LIMITS.spacing_s

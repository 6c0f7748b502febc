"""Each fault x each endpoint x each position: nothing is called absent that is there, nothing is lost, and a second
ask without the fault gives the answer of an unharmed one.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from sources.errors import SourceError
from sources.http.retry import RetryPolicy
from sources.records import BatchAnswer, TitleAnswer
from sources.services.arxiv.client import ArxivClient
from sources.services.semantic_scholar.client import S2Client
from sources.services.service_client import ServiceSettings
from standins import StandIns
from standins.harms import EACH_PUSH, HARMS, NO_MATCH, ONLY_BY_IDENTIFIER
from tests.sources.stores import MemoryReplies, NoPace

IDS = [
    ["1706.03762", "1409.4842", "1311.2524", "2105.99991"],
    ["1504.08083", "1506.01497", "2105.99992", "1506.02640"],
    ["1910.10699", "2105.99993", "1712.01887", "1502.03167"],
]
"""Three batches, in each one identifier that nobody has."""
TITLE_IDS = {
    "Rich feature hierarchies for accurate object detection": "1311.2524",
    "ZeRO-Offload: Democratizing Billion-Scale Model": "2101.06840",
    "Going Deeper with Convolutions": "1409.4842",
    "Contrastive Representation Distillation": "1910.10699",
    "Layer Normalization": "1607.06450",
    "Mixed Precision Training": "1710.03740",
}
TITLES = [list(TITLE_IDS)[at : at + 2] for at in (0, 2, 4)]
"""Three batches, longest titles first, as the clients ask for them."""
LASTING_EACH_PUSH = frozenset({"503", "403", "body cut off", "HTML with 200", "every second null"})
"""Harms of which every push tries that they do not pass: a status that may pass and one that does not, a reply that
cannot be read, one that lacks entries."""


class Outcome(NamedTuple):
    """What an ask came to, in a form that can be compared."""

    found: frozenset[str]
    absent: frozenset[str]
    failed: frozenset[str]


class Bench:
    """Both clients over one reply store, which a test may empty; making a client takes longer than using it."""

    def __init__(self, standins: StandIns) -> None:
        self.standins = standins
        self.replies = MemoryReplies()
        around: dict[str, Any] = {"replies": self.replies, "pace": NoPace(), "sleep": lambda _: None}
        patience: dict[str, Any] = {"timeout_s": (5.0, 0.6), "retry": RetryPolicy(max_tries=2)}
        self.arxiv = ArxivClient(ServiceSettings(url=standins.arxiv_url, **patience), **around)
        self.arxiv.MAX_IDS, self.arxiv.MAX_TITLES = 4, 2
        self.s2 = S2Client(ServiceSettings(url=standins.s2_url, **patience), **around)
        self.s2.MAX_TITLES = 2


def _of_ids(answer: BatchAnswer[str, Any]) -> Outcome:
    return Outcome(frozenset(answer.found), answer.not_found, frozenset(answer.failed))


def _of_titles(answer: TitleAnswer[Any]) -> Outcome:
    there = {paper.arxiv_id for paper in answer.papers}
    found = frozenset(title for title in answer.answered if TITLE_IDS[title] in there)
    return Outcome(found, answer.answered - found, frozenset(answer.failed))


def _s2_ids(bench: Bench) -> Outcome:
    # A batch is what one call asks: a smaller MAX_IDS would leave no room for control_queries.
    answers = [bench.s2.fetch_papers([f"ARXIV:{one}" for one in batch]) for batch in IDS]
    return Outcome(*(frozenset().union(*parts) for parts in zip(*map(_of_ids, answers), strict=True)))


def _s2_match(bench: Bench) -> Outcome:
    found, absent, failed = set(), set(), set()
    for title, arxiv_id in TITLE_IDS.items():
        try:
            paper = bench.s2.match_title(title)
        except SourceError:
            failed.add(title)
        else:
            (found if paper and paper.arxiv_id == arxiv_id else absent).add(title)
    return Outcome(frozenset(found), frozenset(absent), frozenset(failed))


ENDPOINTS: dict[str, tuple[str, str, Callable[[Bench], Outcome], bool]] = {
    "arXiv ids": ("arxiv", "query", lambda bench: _of_ids(bench.arxiv.fetch_papers([*IDS[0], *IDS[1], *IDS[2]])), True),
    "arXiv titles": ("arxiv", "query", lambda bench: _of_titles(bench.arxiv.search_titles(list(TITLE_IDS))), False),
    "S2 batch": ("s2", "batch", _s2_ids, True),
    "S2 bulk": ("s2", "bulk", lambda bench: _of_titles(bench.s2.search_titles(list(TITLE_IDS))), False),
    "S2 match": ("s2", "match", _s2_match, False),
}


def _batch_of(endpoint: str, position: int) -> list[str]:
    service, _, _, by_identifier = ENDPOINTS[endpoint]
    prefix = "ARXIV:" if service == "s2" else ""
    return [f"{prefix}{one}" for one in IDS[position]] if by_identifier else TITLES[position]


def _aimed_at(endpoint: str, position: int) -> dict[str, Any]:
    """Details that harm only the requests of one batch."""
    first = _batch_of(endpoint, position)[0]
    return {"ids": [first]} if ENDPOINTS[endpoint][3] else {"text": first.split(":")[0].replace("-", " ")}


@pytest.fixture(scope="module")
def bench(_small_process: StandIns) -> Iterator[Bench]:
    bench = Bench(_small_process)
    yield bench
    bench.arxiv.close()
    bench.s2.close()


@pytest.fixture(scope="module")
def unharmed(bench: Bench) -> dict[str, Outcome]:
    bench.standins.reset()
    return {name: ask(bench) for name, (_, _, ask, _) in ENDPOINTS.items()}


@pytest.mark.parametrize(
    ("fault", "lasting"),
    [
        pytest.param(fault, lasting, marks=() if fault in tried else pytest.mark.nightly, id=f"{fault}-{name}")
        for lasting, name, tried in ((False, "once", EACH_PUSH | NO_MATCH), (True, "lasting", LASTING_EACH_PUSH))
        for fault in HARMS
    ],
)
@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_a_fault_never_looks_like_an_answer(endpoint, fault, lasting, bench, unharmed):
    service, path, ask, by_identifier = ENDPOINTS[endpoint]
    if fault in ONLY_BY_IDENTIFIER and not by_identifier:
        return
    kind, details = HARMS[fault]
    whole = unharmed[endpoint]
    assert not whole.failed
    for position in range(3) if lasting else (1,):
        bench.standins.reset()
        bench.replies.kept.clear()
        aim = _aimed_at(endpoint, position)
        bench.standins.fault(service, kind, endpoint=path, times=None if lasting else 1, **details, **aim)
        harmed = ask(bench)
        if fault in NO_MATCH and endpoint == "S2 match":
            asked = {TITLES[position][0]}
            assert harmed == Outcome(whole.found - asked, whole.absent | asked, frozenset())
            continue
        assert harmed.found <= whole.found
        assert harmed.absent <= whole.absent, "something was called absent that is there"
        assert harmed.found | harmed.absent | harmed.failed == whole.found | whole.absent, "something was lost"
        assert harmed.failed <= {*_batch_of(endpoint, position)}, "a fault spread to other batches"
        bench.standins.clear_faults()
        assert ask(bench) == whole

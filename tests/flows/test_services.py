"""What the services of a run note of what they are sent."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import ClassVar

from flows.progress import Silent
from flows.refresh.services import Service, TimedReplies
from sources.bibliography.identifiers import Identifier
from sources.http.queries import QueryRules
from sources.records import BatchAnswer, S2Paper, TitleAnswer
from sources.services.registry import SOURCES
from sources.services.semantic_scholar.client import read_asked
from warehouse.loading.reply_spool import ReplySpool


class Adapter:
    """Answers every identifier with a record whose arXiv identifier is in a form of the future."""

    requests_sent = 1
    problems: ClassVar[dict[str, int]] = {}

    def fetch_papers(self, ids):
        unread = (Identifier("arxiv", "2701.123456"),)
        found = {
            text: S2Paper(s2_paper_id=f"{number:040x}", title="T", identifiers=(read_asked(text),), unread=unread)
            for number, text in enumerate(ids)
        }
        return BatchAnswer(requested=ids, found=found)


def service_of(adapter, folder, *, titles=2):
    rules = QueryRules(most_ids=2, most_titles=titles, room=1_000, term="{}", both=" ", either=" ")
    return Service(
        replace(SOURCES["s2"], rules=rules),
        make_client=adapter,
        replies=TimedReplies(ReplySpool(folder, max_age=timedelta(days=1))),
        run_batch=lambda _, run: run(),
        report=Silent(),
    )


class Contradicting:
    """Gives one paper the title that each search asks for first, and another paper its own."""

    problems: ClassVar[dict[str, int]] = {}

    requests_sent = 1

    def search_titles(self, titles):
        papers = (S2Paper(s2_paper_id="a" * 40, title=titles[0]), S2Paper(s2_paper_id=titles[0][-1] * 40, title="Own"))
        return TitleAnswer(requested=titles, papers=papers, answered=frozenset(titles))


def test_searches_that_tell_two_things_of_one_paper_have_failed_both(tmp_path):
    service = service_of(Contradicting, tmp_path, titles=1)
    titles = ("Colouring Graphs with Registers, Part 1", "Heaps in the Practice of Sorting 2")
    answer = service.search_titles(titles)
    assert set(answer.failed) == set(titles)
    assert answer.papers == ()
    assert service.blamed
    assert set(service_of(Contradicting, tmp_path, titles=1).search_titles(titles[:1]).answered) == set(titles[:1])


def test_identifiers_in_a_form_not_known_today_are_named_once_with_their_number(tmp_path):
    service = service_of(Adapter, tmp_path)
    asked = [Identifier("corpus", str(number)) for number in range(3)]
    assert set(service.fetch_papers(asked).found) == set(asked)
    sentence = "Semantic Scholar sent arxiv identifiers in no form known here, such as '2701.123456'"
    assert service.problems == {sentence: 3}


class Misdating(Adapter):
    """Sends years that are far from the day of publication, for as many papers as it is asked about."""

    def fetch_papers(self, ids):
        papers = {each: S2Paper(s2_paper_id=f"{each:.>40}", title="Any", misdated=True) for each in ids}
        return BatchAnswer(requested=tuple(ids), found=papers)


def test_years_far_from_their_days_are_named_where_they_are_several(tmp_path):
    service = service_of(Misdating, tmp_path)
    asked = [Identifier("corpus", str(number)) for number in range(3)]
    service.fetch_papers(asked[:1])
    assert service.problems == {}
    service.fetch_papers(asked)
    assert service.problems == {
        "Semantic Scholar sent years that are far from the day of publication; neither is used": 3
    }

"""What the services of a run note of what they are sent."""

from __future__ import annotations

from datetime import timedelta

from flows.progress import Silent
from flows.services import Dialect, Service, TimedReplies
from sources.identifiers import S2_SCHEMES, Identifier
from sources.records import Answer, S2Paper
from sources.semantic_scholar.asked import read_asked, written
from warehouse.reply_spool import ReplySpool


class Adapter:
    """Answers every identifier with a record whose arXiv identifier is in a form of the future."""

    requests_sent = 1

    def fetch_papers(self, ids):
        unread = (Identifier("arxiv", "2701.123456"),)
        found = {
            text: S2Paper(s2_paper_id=f"{number:040x}", title="T", identifiers=(read_asked(text),), unread=unread)
            for number, text in enumerate(ids)
        }
        return Answer(requested=ids, found=found)


def test_identifiers_in_a_form_not_known_today_are_named_once_with_their_number(tmp_path):
    dialect = Dialect(name="s2", schemes=S2_SCHEMES, written=written, batch_ids=2, batch_titles=2)
    service = Service(
        dialect,
        make_client=Adapter,
        replies=TimedReplies(ReplySpool(tmp_path, max_age=timedelta(days=1))),
        run_batch=lambda _, run: run(),
        report=Silent(),
    )
    asked = [Identifier("corpus", str(number)) for number in range(3)]
    assert set(service.fetch_papers(asked).found) == set(asked)
    sentence = "Semantic Scholar sent arxiv identifiers in no form known here, such as '2701.123456'"
    assert service.problems == {sentence: 3}

"""What Semantic Scholar's client alone does, and never shows; the rest is in tests/sources/test_clients.py."""

import json
import pickle

import pytest
from pydantic import SecretStr

from sources.errors import PayloadError, PermanentSourceError, SourceError
from sources.http.retry import RetryPolicy
from sources.services.semantic_scholar.client import S2Client
from sources.services.service_client import ServiceSettings
from tests.sources.stores import shared_words

KEY = "k3y-Th4t-n0b0dy-sh0uld-s33"
KNOWN = [f"ARXIV:{base}" for base in ("1706.03762", "1409.4842", "1311.2524", "1504.08083", "1506.01497", "1506.02640")]
UNKNOWN = "ARXIV:2105.99991"


@pytest.fixture
def client(connect, standins):
    return connect(S2Client, standins.s2_url)


def test_papers_come_under_the_very_text_that_asked_for_them(client, standins):
    asked = ["ARXIV:1706.03762v1", "arxiv:1706.03762", "CorpusId:13756489", "DOI:10.1109/5.726791",
             "DOI:10.48550/arXiv.1706.03762", "204e3073870fae3d05bcbc2f6a8e263d9b72e776"]  # fmt: skip
    answer = client.fetch_papers(asked)
    assert set(answer.found) == set(asked)
    assert answer.found["DOI:10.1109/5.726791"].title.startswith("Gradient-Based Learning")
    assert {answer.found[text].arxiv_id for text in asked if "726791" not in text} == {"1706.03762"}
    assert client.requests_sent == 1


def test_a_batch_of_which_none_is_known_is_answered_400_and_believed_beside_known_ones(client, standins):
    answer = client.fetch_papers([UNKNOWN, "DOI:10.1000/nobody"])
    assert answer.not_found == {UNKNOWN, "DOI:10.1000/nobody"}
    assert [request["status"] for request in standins.requests()] == [400, 200]


def test_answers_are_kept_negative_ones_too(client, standins, replies):
    def ask():
        return client.fetch_papers([UNKNOWN]), client.match_title("Fast R-CNN"), client.match_title("zzz qqq www")

    first = ask()
    sent = len(standins.requests())
    assert ask() == first
    assert len(standins.requests()) == sent
    assert sorted(reply.status for reply in replies.kept.values()) == [200, 400, 404]


@pytest.mark.parametrize("title", ["a=b&fields=title&limit=1", "Ünïcode – 深度学习 / slash? 50% off #1"])
def test_a_title_arrives_as_it_was_given(client, standins, title):
    client.match_title(title)
    (request,) = standins.requests()
    assert request["params"]["query"] == title
    assert request["params"]["fields"].startswith("paperId,corpusId,")


def test_no_match_is_none_and_a_fault_is_an_error(client, standins):
    assert client.match_title("zzz qqq www") is None
    standins.fault("s2", "empty_feed", endpoint="match")
    sent = client.requests_sent
    assert client.match_title("Fast R-CNN with an empty list") is None
    assert client.requests_sent == sent + 1
    for kind in ("503", "404", "empty_object", "html", "nulls"):
        standins.clear_faults()
        standins.fault("s2", kind, endpoint="match", indices=[0])
        with pytest.raises(SourceError):
            client.match_title("Fast R-CNN")


def test_a_wrong_key_is_refused_and_not_tried_again(connect, standins, waits):
    standins.require_key("another")
    client = connect(S2Client, standins.s2_url, api_key=SecretStr(KEY))
    (error,) = set(client.fetch_papers(KNOWN).failed.values())
    assert isinstance(error, PermanentSourceError)
    assert error.status == 403
    assert waits == []


def test_the_key_is_sent_and_is_in_no_answer_error_or_reply(connect, standins, replies):
    """Nor is it in a log: tests/flows/test_secrets.py."""
    standins.require_key(KEY)
    settings = {"api_key": SecretStr(KEY), "retry": RetryPolicy(max_tries=2)}
    client = connect(S2Client, standins.s2_url, **settings)
    shown = [repr(client), repr(vars(client)), repr(ServiceSettings(url=standins.s2_url, **settings))]
    echo = {"status": 500, "body": json.dumps({"message": f"your key is {KEY}"})}
    for kind, details in {"slow": {}, "status": echo, "429": {}, "html": {}, "cut_body": {}}.items():
        standins.clear_faults()
        standins.fault("s2", kind, **details)
        answer = client.fetch_papers(KNOWN[:2] if kind == "slow" else ["DOI:10.1000/x"])
        errors = list(answer.failed.values())
        assert bool(errors) == (kind != "slow")
        shown += [repr(answer), *map(str, errors), *(repr(vars(error)) for error in errors)]
        shown += [repr((pickle.dumps(error), error.__cause__, error.__context__)) for error in errors]
    shown += [repr(reply) for reply in replies.kept.values()]
    assert all(request["key_sent"] for request in standins.requests())
    assert [text for text in shown if KEY in text] == []


def test_pages_short_of_what_they_count_say_of_no_title_that_it_has_no_paper_and_are_not_kept(
    client, standins, replies
):
    standins.add(shared_words(1_500))
    titles = ["on shared words", "Nothing of this name at all"]
    for fault in ({"times": None}, {"skip": 1, "times": None}):
        standins.clear_faults()
        standins.fault("s2", "missing_entries", endpoint="bulk", indices=[0], **fault)
        answer = client.search_titles(titles)
        assert {title: type(error) for title, error in answer.failed.items()} == {titles[1]: PayloadError}
        assert not replies.kept
    standins.clear_faults()
    answer = client.search_titles(titles)
    assert (len(answer.papers), answer.answered) == (1_500, set(titles))


def test_two_records_under_one_paper_id_cost_their_titles_and_no_other_of_eighty(client, standins):
    papers = shared_words(77)
    standins.add(papers)
    titles = [paper["title"] for paper in papers] + ["Layer Normalization", "Fast R-CNN", "Nothing of this name at all"]
    first = client._hits(titles).answer.papers[:2]
    sent = len(standins.requests())
    standins.fault("s2", "set_field", endpoint="bulk", field="paperId", value="ab" * 20, indices=[0, 1])
    answer = client.search_titles(titles)
    assert set(answer.failed) == {paper.title for paper in first}
    assert {paper.title for paper in answer.papers} == set(titles[:-1]) - set(answer.failed)
    assert titles[-1] in answer.answered
    assert len(standins.requests()) - sent == 2


@pytest.mark.parametrize("field", ["year", "authors", "paperId", "externalIds"])
def test_a_hit_that_cannot_be_read_costs_the_title_it_bears(client, standins, field):
    titles = ["Layer Normalization", "Going Deeper with Convolutions", "Nothing of this name at all"]
    standins.fault("s2", "set_field", endpoint="bulk", field=field, value="not one", indices=[0])
    answer = client.search_titles(titles)
    (failed,) = answer.failed
    assert answer.answered == set(titles) - {failed}
    assert {paper.title for paper in answer.papers} == set(titles[:2]) - {failed}


def test_a_hit_without_a_title_costs_the_titles_that_found_nothing(client, standins):
    titles = ["Layer Normalization", "Going Deeper with Convolutions", "Nothing of this name at all"]
    standins.fault("s2", "lie", endpoint="bulk", steps=[["first", ["title", "abstract"], None]])
    answer = client.search_titles(titles)
    assert len(answer.failed) == 2
    assert titles[2] in answer.failed
    assert len(answer.answered) == len(answer.papers) == 1


def test_no_witness_is_left_to_call_where_all_are_said_to_be_absent(client, standins):
    famous = [f"ARXIV:{base}" for base in ("1706.03762", "1810.04805", "1512.03385", "1412.6980")]
    standins.fault("s2", "nulls", endpoint="batch", indices=[0, 1, 2, 3])
    assert set(client.fetch_papers(famous).failed) == set(famous)


def test_whatever_is_said_to_be_absent_was_asked_for_beside_papers_that_are_there(client, standins):
    unknown = [f"ARXIV:2105.{number:05}" for number in range(99_000, 99_500)]
    answer = client.fetch_papers(unknown)
    assert answer.not_found == frozenset(unknown)
    first, *looked = [set(line["body"]["ids"]) for line in standins.requests()]
    assert first == set(unknown)
    controls = set.union(*looked) - first
    assert len(controls) == 2
    assert all(controls < asked for asked in looked)
    assert set.union(*looked) == first | controls


def test_what_is_lost_of_a_further_look_is_not_said_to_be_absent(client, standins):
    unknown = [f"ARXIV:2105.{number:05}" for number in range(99_000, 99_500)]
    standins.fault("s2", "nulls", endpoint="batch", ids=[unknown[-1]], indices=[0, 1, 2, 3])
    answer = client.fetch_papers(unknown)
    assert set(answer.failed) == {unknown[-1], unknown[-2]}
    assert len(answer.not_found) == 498

"""arXiv's feed: every real one is read, and nothing that is none passes for one."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.errors import PayloadError, PermanentSourceError, SourceError
from sources.services.arxiv.feed import parse_feed
from sources.services.arxiv.oai import parse_authors
from standins.arxiv.feed import render_error
from tests.matrices import for_each

HEAD = (
    '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" '
    'xmlns="http://www.w3.org/2005/Atom">'
)
ENTRY = (
    "<entry><id>http://arxiv.org/abs/math.GT/0309136v2</id><title>On  the\n  {x} title</title>"
    "<published>2003-09-08T10:00:00Z</published><updated>2004-01-02T03:04:05+01:00</updated>"
    "<summary>  An\n abstract. </summary><author><name>Ada  L.</name></author><author><name> </name></author>"
    '<category term="math.GT"/><category term="math.AG"/><category term="math.GT"/>'
    '<arxiv:primary_category term="math.GT"/><arxiv:doi>10.1000/ABC, 10.1000/def</arxiv:doi></entry>'
)


def feed(*entries: str, total: object = None) -> bytes:
    count = len(entries) if total is None else total
    return f"{HEAD}<opensearch:totalResults>{count}</opensearch:totalResults>{''.join(entries)}</feed>".encode()


def test_white_space_is_folded_and_nothing_else_changed():
    (paper,) = parse_feed(feed(ENTRY.format(x=r"$\mathcal{O}(n)$ &amp; \'etale"))).papers
    assert paper.title == r"On the $\mathcal{O}(n)$ & \'etale title"
    assert paper.abstract == "An abstract."
    assert paper.authors == ("Ada L.",)
    assert (paper.arxiv_id, paper.version) == ("math/0309136", 2)
    assert paper.categories == ("math.GT", "math.AG")
    assert paper.updated_at == datetime(2004, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert paper.doi == "10.1000/abc"


@for_each(
    "body",
    [
        b"",
        b"Rate exceeded.",
        b"<!DOCTYPE html><html><body>maintenance</body></html>",
        f"{HEAD}</feed>".encode(),
        feed(total="many"),
        feed(ENTRY.format(x="a"))[:-3],
        feed(ENTRY.format(x="a")).replace(b"title", b"t\xe9\xfftle"),
    ],
)
def test_what_is_no_whole_feed_is_a_payload_error(body):
    with pytest.raises(PayloadError) as caught:
        parse_feed(body)
    assert caught.value.source == "arxiv"


def test_an_error_entry_is_an_error_and_no_paper():
    with pytest.raises(PermanentSourceError, match="incorrect id format for abc"):
        parse_feed(render_error("incorrect id format for abc"))


def test_a_paper_may_be_called_error():
    (paper,) = parse_feed(feed(ENTRY.replace("On  the\n  {x} title", "Error"))).papers
    assert paper.title == "Error"


@pytest.mark.parametrize(
    ("old", "new", "record", "field"),
    [
        pytest.param("<id>http://arxiv.org/abs/math.GT/0309136v2</id>", "", "", "id", id="no id"),
        pytest.param("<title>On  the\n  {x} title</title>", "", "math/0309136", "title", id="no title"),
        pytest.param("2003-09-08T10:00:00Z", "yesterday", "math/0309136", "published", id="date in words"),
    ],
)
def test_an_unsound_entry_is_named_and_harms_no_other(old, new, record, field):
    page = parse_feed(feed(ENTRY.replace(old, new), ENTRY.format(x="sound").replace("0309136v2", "0309137v1")))
    (fault,) = page.faults
    assert (fault.source, fault.record, fault.field) == ("arxiv", record, field)
    assert [paper.arxiv_id for paper in page.papers] == ["math/0309137"]


@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: feed(f"<entry>{text}</entry>")))
def test_any_bytes_are_a_feed_or_our_error(body):
    try:
        page = parse_feed(body)
    except SourceError:
        return
    assert page.total >= 0


def _of_month(*published: str, name: str = "1810.04805v2") -> bytes:
    entry = f"<entry><id>http://arxiv.org/abs/{name}</id><title>T</title>"
    return feed(*(f"{entry}<published>{each}</published></entry>" for each in published))


@for_each(
    ("name", "published", "is_fault"),
    [
        ("1810.04805v2", "2018-11-01T00:00:00Z", False),
        ("1810.04805v2", "2016-12-27T00:00:00Z", False),
        ("1810.04805v2", "2014-12-22T00:00:00Z", True),
        ("1810.04805v2", "2019-02-01T00:00:00Z", True),
        ("cs/9301111v1", "1989-12-31T00:00:00Z", False),
        ("cs/9301111v1", "2007-05-01T00:00:00Z", True),
    ],
)
def test_an_entry_published_in_another_time_than_its_identifier_tells_is_a_fault(name, published, is_fault):
    faults = parse_feed(_of_month(published, name=name)).faults
    assert [fault.field for fault in faults] == ["published"] * is_fault


def test_an_entry_that_comes_twice_is_a_fault_where_its_first_days_are_far_apart():
    day, another = "2018-10-11T00:00:00Z", "2017-10-11T00:00:00Z"
    assert len(parse_feed(_of_month(day, "2018-10-01T00:00:00Z")).papers) == 2
    feed = parse_feed(_of_month(day, another))
    assert (feed.papers, [fault.record for fault in feed.faults]) == ((), ["1810.04805"] * 2)


@for_each(
    ("text", "names"),
    [
        (r"Ada Lovelace, Charles Babbage and \'Edgar Rold\'an", "Ada Lovelace|Charles Babbage|Édgar Roldán"),
        ("A. Smith (1), B. Jones (2 and 3), C. Miller ((1) MIT, (2) ETH (Z))", "A. Smith|B. Jones|C. Miller"),
        ("Martin King, Jr., John Smith, III and X. Y", "Martin King Jr.|John Smith III|X. Y"),
        ("ATLAS Collaboration: G. Aad, B. Abbott, et al. (2900 others)", "ATLAS Collaboration|G. Aad|B. Abbott"),
        ("J. Doe, on behalf of the LHCb collaboration", "J. Doe|the LHCb collaboration"),
        ("J. Doe for the ALICE Collaboration", "J. Doe|the ALICE Collaboration"),
        ("Keck Array, BICEP2 Collaborations: P. Ade", "Keck Array|BICEP2 Collaborations|P. Ade"),
        ("Ludwig van Beethoven, Vincent van 't Hoff & Al Gore", "Ludwig van Beethoven|Vincent van 't Hoff|Al Gore"),
        (r"Ren\'e Descartes {\it et al.}", "René Descartes"),
        (r"I. N\'emeti (R\'enyi Institute", "I. Németi"),
        ("Sandy Anderson, Alexandra Fordham", "Sandy Anderson|Alexandra Fordham"),
        (r"D. Armstrong$^{1,2}$, P. Smith\thanks{Supported by A, B}", "D. Armstrong|P. Smith"),
        (r"Jos\'e~Mar\'\i a Fern\'andez, {\O}yvind {\L}o\'s", "José María Fernández|Øyvind Łoś"),
    ],
)  # fmt: skip
def test_authors_stand_apart_by_commas_and_words(text, names):
    assert "|".join(parse_authors(text)) == names

"""Rows of arXiv's metadata dump beside its feed: one paper, told by both."""

from xml.sax.saxutils import escape

from sources.services.arxiv.dump import parse_row
from sources.services.arxiv.feed import parse_feed
from tests.matrices import for_each

ABSTRACT = "We study what is told."
FEED = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"
 xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><opensearch:totalResults>1</opensearch:totalResults>
 <entry><id>http://arxiv.org/abs/1706.03762v1</id><title>T</title><summary>{abstract}</summary>
 <arxiv:comment>{comment}</arxiv:comment></entry></feed>"""


def by_dump(comment: str | None, abstract: str | None):
    row = {"id": "1706.03762", "title": "T", "comments": comment, "abstract": abstract}
    return parse_row(row).withdrawn


@for_each(
    ("comment", "abstract", "withdrawn"),
    [
        ("This paper has been withdrawn by the author", ABSTRACT, True),
        ("12 pages", "This paper has been withdrawn by the authors.", True),
        ("12 pages; the claim of [3] was since withdrawn", ABSTRACT, False),
        ("A bank run model with funds withdrawn early", ABSTRACT, False),
        ("", "Deposits are withdrawn by their owners.", False),
        ("", "Withdrawn.", True),
        ("", "Deposits are made. " * 30 + "This paper has been withdrawn.", False),
    ],
)
def test_dump_and_feed_say_the_same_of_a_withdrawal(comment, abstract, withdrawn):
    (paper,) = parse_feed(FEED.format(comment=escape(comment), abstract=escape(abstract)).encode()).papers
    assert paper.withdrawn is by_dump(comment, abstract) is withdrawn


def test_a_row_without_an_abstract_cannot_say_that_a_paper_was_not_withdrawn():
    assert by_dump("12 pages", None) is None
    assert by_dump("Withdrawn", None) is True


@for_each(
    ("arxiv_id", "created", "update_date", "day"),
    [
        ("1706.03762", "Wed, 02 Aug 2023 00:00:00 GMT", None, None),
        ("1706.03762", "Mon, 12 Jun 2017 00:00:00 GMT", None, "2017-06-12"),
        ("math/0211159", "Mon, 10 Nov 2008 00:00:00 GMT", None, None),
        ("1706.03762", "Wed, 02 Aug 2017 00:00:00 GMT", "2023-08-02", "2017-08-02"),
    ],
)
def test_the_one_version_of_a_former_update_is_not_believed_where_it_is_later_than_the_identifier(
    arxiv_id, created, update_date, day
):
    versions = [{"version": "v1", "created": created}]
    told = parse_row({"id": arxiv_id, "title": "T", "versions": versions, "update_date": update_date})
    assert (told.published_at and f"{told.published_at:%Y-%m-%d}") == day

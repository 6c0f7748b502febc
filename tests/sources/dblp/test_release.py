"""A release of DBLP, as XML and as N-Triples, read as lines; and what is no release."""

import io
import json
import zlib

import pytest

from sources.errors import PayloadError
from sources.services.dblp import release
from sources.services.dblp.release import lines_of_release
from sources.services.dblp.works import LARGEST_RECORD, is_front_matter
from tests.matrices import for_each

HEAD = b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>\n'
PAPER = (
    b'<inproceedings key="conf/osdi/KimM19" mdate="2020-02-03"><author>A. Kim 0002</author>'
    b"<author>J&uuml;rgen M&#252;ller</author><title>Fast <i>n</i>-way H<sub>2</sub>O Joins.</title>"
    b"<pages>1-14</pages><year>2019</year><booktitle>OSDI (2)</booktitle>"
    b'<ee type="oa">https://doi.org/10.1145/3341301.3359646</ee><url>db/conf/osdi/osdi2019.html#KimM19</url>'
    b"</inproceedings>\n"
)
ROW = {
    "key": "conf/osdi/KimM19",
    "kind": "inproceedings",
    "title": "Fast n-way H2O Joins",
    "authors": ["A. Kim", "Jürgen Müller"],
    "year": "2019",
    "venue": "OSDI",
    "pages": "1-14",
    "mdate": "2020-02-03",
    "doi": "10.1145/3341301.3359646",
    "arxiv": None,
    "acl": None,
    "openreview": None,
}


def read(body: bytes) -> list[dict | None]:
    lines = lines_of_release(io.BytesIO(body)).read().decode().split("\n")
    assert lines.pop() == ""
    return [json.loads(line) if line else None for line in lines]


def xml(*records: bytes) -> bytes:
    return HEAD + b"".join(records) + b"</dblp>\n"


def article(fields: bytes, attributes: bytes = b'key="journals/x/A1"', element: bytes = b"article") -> bytes:
    return b"<" + element + b" " + attributes + b">" + fields + b"</" + element + b">\n"


def test_a_record_of_the_xml_is_a_line():
    assert read(xml(PAPER)) == [ROW]


@pytest.mark.parametrize(
    ("written", "title"),
    [
        pytest.param(b"Going deeper.", "Going deeper", id="full-stop"),
        pytest.param(b"<tt>malloc</tt> in O(n<sup>2</sup>) <i>time</i>.", "malloc in O(n2) time", id="mark-up"),
        pytest.param(b"AT&amp;T &lt;3 &szlig;&times;.", "AT&T <3 ß×", id="letters"),
        pytest.param("Łódź".encode("ascii", "xmlcharrefreplace"), "Łódź", id="beyond-latin-1"),
    ],
)
def test_a_title_loses_its_mark_up_and_its_full_stop(written, title):
    (row,) = read(xml(article(b"<title>" + written + b"</title>")))
    assert row["title"] == title


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(article(b"<editor>A B</editor><title>Proceedings.</title>", element=b"proceedings"), id="volume"),
        pytest.param(article(b"<editor>A B</editor><title>Advances.</title>", element=b"book"), id="collection"),
        pytest.param(article(b"<title>Gone.</title>", b'key="j/x" publtype="withdrawn"'), id="withdrawn"),
        pytest.param(article(b"<title>Frontmatter, Table of Contents, Preface, Committees.</title>"), id="pages"),
    ],
)
def test_what_is_no_paper_is_a_blank_line_so_that_lines_count_records(record):
    assert read(xml(record, PAPER)) == [None, ROW]


@for_each("title", ["Prefaces of the Renaissance", "Index Structures", "Editorial Bias"])
def test_papers_about_such_pages_are_papers(title):
    assert not is_front_matter(title)


@pytest.mark.parametrize(
    ("links", "found"),
    [
        pytest.param(["http://arxiv.org/abs/1706.03762"], {"arxiv": "1706.03762"}, id="arxiv"),
        pytest.param(["https://aclanthology.org/N19-1423/"], {"acl": "N19-1423"}, id="acl"),
        pytest.param(["https://openreview.net/forum?id=YicbFdNTTy"], {"openreview": "YicbFdNTTy"}, id="openreview"),
        pytest.param(
            ["https://www.usenix.org/x", "https://doi.org/10.1145/1.2", "https://doi.org/10.1145/9.9"],
            {"doi": "10.1145/1.2"},
            id="first-doi",
        ),
        pytest.param(["http://www.wikidata.org/entity/Q1", "https://doi.org/10.5555/1.2", ""], {}, id="none"),
    ],
)
def test_links_become_identifiers(links, found):
    ees = b"".join(b"<ee>" + link.replace("&", "&amp;").encode() + b"</ee>" for link in links)
    (row,) = read(xml(article(b"<title>T</title>" + ees)))
    assert {scheme: row[scheme] for scheme in ("doi", "arxiv", "acl", "openreview") if row[scheme]} == found


def test_a_preprint_in_corr_has_no_venue_and_takes_its_identifier_from_the_volume_or_the_page():
    fields = b"<title>T</title><volume>abs/1706.03762</volume><journal>CoRR</journal>"
    told = triples("journals/corr/abs-1706-03762").replace("Inproceedings", "Informal").replace("OSDI (2)", "CoRR")
    told = told.replace("https://doi.org/10.1145/3341301.3359646", "https://arxiv.org/abs/1706.03762")
    for body in (xml(article(fields, b'key="journals/corr/abs-1706-03762" publtype="informal"')), told.encode()):
        (row,) = read(body)
        assert (row["kind"], row["venue"], row["arxiv"]) == ("preprint", None, "1706.03762")


@for_each("booktitle", ["ICLR (Poster)", "ICLR"])
def test_a_paper_in_proceedings_with_a_key_of_corr_is_no_preprint(booktitle):
    fields = (
        f"<title>T</title><year>2015</year><booktitle>{booktitle}</booktitle><ee>http://arxiv.org/abs/1412.6980</ee>"
    )
    (row,) = read(xml(article(fields.encode(), b'key="journals/corr/KingmaB14"', b"inproceedings")))
    assert (row["kind"], row["venue"], row["arxiv"]) == ("inproceedings", "ICLR", "1412.6980")


@pytest.mark.parametrize(
    ("record", "why"),
    [
        pytest.param(article(b"<title>A &alpha; B</title>"), "&alpha;", id="letter-not-declared"),
        pytest.param(article(b"<author>A B</author>"), "without title", id="no-title"),
        pytest.param(article(b"<title>T</title>stray"), "text stands between", id="stray-text"),
        pytest.param(article(b"<title>" + b"x" * 2_001 + b"</title>"), "2001 characters", id="long-title"),
        pytest.param(article(b"<title>T</title><note>" + b"z" * LARGEST_RECORD + b"z</note>"), "1,048,576", id="huge"),
        pytest.param(article("<title>Über Größen</title>".encode()), "another encoding", id="utf-8-as-latin-1"),
    ],
)
def test_a_record_that_cannot_be_read_says_why_and_spoils_no_other(record, why):
    faulty, sound = read(xml(record, PAPER))
    assert why in faulty["fault"]
    assert "title" not in faulty
    assert sound == ROW


BOMB = b'<?xml version="1.0"?><!DOCTYPE dblp [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><dblp>&b;</dblp>'
READS_A_FILE = b'<!DOCTYPE dblp [<!ENTITY x SYSTEM "file:///etc/hostname">]><dblp><article key="a">&x;</article></dblp>'
WEB_PAGE = b"<!doctype html><html><head><title>Making sure you are no robot</title></head><body>Wait</body></html>"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(WEB_PAGE, "web page ('Making sure you are no robot')", id="web-page"),
        pytest.param(b'{"id": "1706.03762"}\n', "neither DBLP's XML nor N-Triples", id="json"),
        pytest.param(b'<?xml version="1.0"?><rss/>', "its root is 'rss'", id="another-root-with-prolog"),
        pytest.param(BOMB, "entities", id="entity-bomb"),
        pytest.param(READS_A_FILE, "entities", id="entity-from-a-file"),
        pytest.param(HEAD + PAPER + PAPER[:70], "breaks off behind record 1", id="cut-in-a-record"),
        pytest.param(HEAD + PAPER + b"<article></book></dblp>", "breaks off", id="mismatched"),
        pytest.param(b'<?xml version="1.0" encoding="x-none"?><dblp/>', "breaks off", id="unknown-encoding"),
        pytest.param(xml(b"<a>" * 20 + b"</a>" * 20), "nested", id="deep"),
        pytest.param(b"<https://dblp.org/rec/a/b> <x:y> .\n", "line 1 is no triple", id="no-triple"),
        pytest.param(b'<https://dblp.org/rec/a/b> <x:y> "z" .\n<https://dblp', "breaks off in line 2", id="cut-triple"),
    ],
)
def test_what_is_no_whole_release_is_an_error(body, why):
    with pytest.raises(PayloadError) as error:
        read(body)
    assert why in str(error.value)


def test_a_tag_without_end_is_an_error_and_no_full_memory(monkeypatch):
    monkeypatch.setattr(release, "_LONGEST_TAG", 2**16)
    monkeypatch.setattr(release, "_BYTES_PARSED", 2**14)
    with pytest.raises(PayloadError, match="no tag that ever ends"):
        read(HEAD + PAPER + b"<article key='" + b"x" * 2**20)


KEY = "conf/osdi/KimM19"
REC = f"<https://dblp.org/rec/{KEY}>"
SCHEMA = "https://dblp.org/rdf/schema#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
TRIPLES = f"""\
{REC} {TYPE} <{SCHEMA}Inproceedings> .
{REC} {TYPE} <{SCHEMA}Publication> .
{REC} <{SCHEMA}title> "Fast n-way H2O Joins." .
{REC} <{SCHEMA}yearOfPublication> "2019"^^<http://www.w3.org/2001/XMLSchema#gYear> .
{REC} <{SCHEMA}publishedIn> "OSDI (2)" .
{REC} <{SCHEMA}pagination> "1-14" .
{REC} <{SCHEMA}doi> <https://doi.org/10.1145/3341301.3359646> .
{REC} <{SCHEMA}numberOfCreators> "2"^^{INTEGER} .
{REC} <{SCHEMA}hasSignature> _:Sig_2 .
_:Sig_2 <{SCHEMA}signatureOrdinal> "2"^^{INTEGER} .
_:Sig_2 <{SCHEMA}signatureDblpName> "J\\u00FCrgen M\\u00fcller" .
_:Sig_2 <{SCHEMA}signaturePublication> {REC} .
{REC} <{SCHEMA}hasSignature> _:Sig_1 .
_:Sig_1 <{SCHEMA}signatureOrdinal> "1"^^{INTEGER} .
_:Sig_1 <{SCHEMA}signatureDblpName> "A. Kim 0002" .
_:Sig_1 <{SCHEMA}signaturePublication> {REC} .
"""


def triples(key: str) -> str:
    """Returns the triples of one more publication."""
    return TRIPLES.replace(KEY, key).replace("_:Sig_", f"_:Sig_{zlib.crc32(key.encode())}_")


def read_triples(*texts: str) -> list[dict | None]:
    return read("".join(texts).encode())


def test_the_triples_of_a_publication_make_the_same_line_and_others_none():
    withdrawn = triples("conf/x/1").replace("Inproceedings", "Withdrawn")
    person = f'<https://dblp.org/pid/1/2> <{SCHEMA}primaryCreatorName> "A. Kim 0002" .\n'
    assert read_triples("# DBLP\n\n", withdrawn, person, TRIPLES) == [None, ROW | {"mdate": None}]


def test_escapes_of_literals_are_resolved():
    title = r'"A \"quoted\" C:\\u0041 \U0001F600\t\u00d6."@en'
    (row,) = read_triples(TRIPLES.replace('"Fast n-way H2O Joins."', title))
    assert row["title"] == 'A "quoted" C:\\u0041 \U0001f600 Ö'


def test_a_publication_without_its_authors_beside_it_is_faulty():
    (row,) = read_triples(*(line for line in TRIPLES.splitlines(keepends=True) if not line.startswith("_:")))
    assert "0 authors, and it has 2" in row["fault"]


def test_triples_that_come_too_late_make_a_faulty_record_and_no_second_paper(monkeypatch):
    monkeypatch.setattr(release, "_BYTES_SPLIT", 2**14)
    late = (f'<https://dblp.org/rec/conf/x/{number}> <{SCHEMA}pagination> "9-9" .\n' for number in (1, 599))
    rows = read_triples(*(triples(f"conf/x/{number}") for number in range(600)), *late)
    assert [row["key"] for row in rows if "fault" in row] == ["conf/x/1"]
    assert len(rows) == 601
    assert rows[599]["pages"] == "1-14"


def test_authors_far_from_their_publications_are_an_error_and_no_full_memory(monkeypatch):
    monkeypatch.setattr(release, "_MOST_NAMES", 100)
    apart = (f'_:Sig_{number} <{SCHEMA}signatureDblpName> "A. Kim" .\n' for number in range(101))
    with pytest.raises(PayloadError, match="line 101, the authors stand apart"):
        read_triples(*apart, TRIPLES)

"""Identifiers: the forms that exist pass and keep their meaning, the forms that cannot exist do not."""

import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.bibliography.identifiers import OLD_ARCHIVES, SCHEMES, ArxivId, Doi, parse_identifier, rank
from sources.errors import IdentifierError
from tests.matrices import for_each

MONTHS = st.integers(1, 12)
VERSIONS = st.none() | st.integers(1, 99)
NEW_STYLE = st.one_of(
    st.builds("{:02}{:02}.{:04}".format, st.integers(8, 14), MONTHS, st.integers(1, 9999)),
    st.builds("{:02}{:02}.{:05}".format, st.integers(15, 99), MONTHS, st.integers(1, 99999)),
)
OLD_STYLE = st.builds(
    "{}/{:02}{:02}{:03}".format, st.sampled_from(sorted(OLD_ARCHIVES)), st.integers(0, 99), MONTHS, st.integers(1, 999)
)
ARXIV_IDS = st.builds(ArxivId, NEW_STYLE | OLD_STYLE, VERSIONS)
SUFFIXES = st.from_regex(r"[a-z0-9][a-z0-9._;()/-]{0,30}[a-z0-9]", fullmatch=True)
DOIS = st.builds("10.{}/{}".format, st.integers(1000, 999_999_999), SUFFIXES)


@given(ARXIV_IDS)
def test_an_arxiv_identifier_reads_back_as_itself(arxiv_id):
    assert ArxivId.parse(str(arxiv_id)) == arxiv_id
    assert ArxivId.parse(f"arXiv:{arxiv_id}") == arxiv_id
    assert re.fullmatch(SCHEMES["arxiv"].form, arxiv_id.base)


@given(st.sampled_from([ArxivId, Doi]), st.text(max_size=60))
def test_any_text_is_an_identifier_or_an_identifier_error(kind, text):
    try:
        identifier = kind.parse(text)
    except IdentifierError:
        return
    assert kind.parse(str(identifier)) == identifier


@pytest.mark.parametrize(
    ("text", "base", "version"),
    [
        pytest.param("1706.03762v5", "1706.03762", 5, id="new style with version"),
        pytest.param("math.CA/0611800", "math/0611800", None, id="subject class dropped"),
        pytest.param("HEP-TH/9901001", "hep-th/9901001", None, id="archive in capitals"),
        pytest.param(" arxiv: 2401.04088 ", "2401.04088", None, id="blanks around"),
    ],
)
def test_forms_that_lists_use_are_read(text, base, version):
    assert ArxivId.parse(text) == ArxivId(base, version)


@for_each(
    "text",
    ["1713.00001", "0703.0001", "1401.12345", "1501.1234", "1706.03762v0", "foo/0611800", "math/0613800", "N/A", "",
     "1706.03762 v2", "https://arxiv.org/abs/1706.03762", "１７０６.03762"],
)  # fmt: skip
def test_forms_that_cannot_exist_are_refused(text):
    with pytest.raises(IdentifierError) as caught:
        ArxivId.parse(text)
    assert (caught.value.scheme, caught.value.value) == ("arxiv", text)


@given(DOIS)
def test_a_doi_reads_back_as_itself_from_every_form(text):
    doi = Doi.parse(text)
    for form in (text, text.upper(), f"doi:{text}", f"https://doi.org/{text}", f"http://dx.doi.org/{text}"):
        assert Doi.parse(form) == doi


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("10.1145/3458817.3476205.", "10.1145/3458817.3476205", id="full stop of the sentence"),
        pytest.param("10.1016/S0140-6736(05)67891-2", "10.1016/s0140-6736(05)67891-2", id="brackets of its own"),
        pytest.param("10.1145/3458817)", "10.1145/3458817", id="bracket of the sentence"),
    ],
)
def test_marks_of_the_sentence_are_no_part_of_a_doi(text, value):
    assert Doi.parse(text).value == value


SICI = "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2"


@for_each(
    "text",
    [SICI, "https://doi.org/" + quote(SICI, safe=""), SICI.replace("<", "&amp;lt;").replace(">", "&amp;gt;")],
)
def test_a_doi_has_one_normal_form_however_its_signs_are_encoded(text):
    assert Doi.parse(text).value == SICI.lower()


def test_what_encoding_would_make_no_doi_of_stays():
    for text in ("10.1000/a%20b", "10.1000/a%00b", "10.1000/a%e9b", "10.1000/5%"):
        assert Doi.parse(text).value == text


@for_each(
    ("scheme", "text", "value"),
    [
        ("arXiv", "arXiv:1706.03762v5", "1706.03762"),
        ("doi", "10.1000/abc(1)", "10.1000/abc(1)"),
        ("s2", "A" * 40, "a" * 40),
        ("CorpusId", " 7 ", "7"),
        ("pmcid", "PMC32", "32"),
        ("dblp", "conf/nips/VaswaniSPUJGKP17", "conf/nips/VaswaniSPUJGKP17"),
    ],
)
def test_every_scheme_has_one_normal_form(scheme, text, value):
    identifier = parse_identifier(scheme, text)
    assert identifier.value == value
    assert parse_identifier(identifier.scheme, value) == identifier
    assert re.fullmatch(SCHEMES[identifier.scheme].form, value)


@for_each(
    ("scheme", "text"), [("arxiv", "0701.1234"), ("doi", "x"), ("s2", "7"), ("corpus", "٣"), ("pmid", ""), ("ark", "1")]
)
def test_what_is_in_no_scheme_s_form_is_refused(scheme, text):
    with pytest.raises(IdentifierError):
        parse_identifier(scheme, text)


@given(st.from_regex(SCHEMES["arxiv"].form, fullmatch=True))
def test_what_has_the_form_of_an_arxiv_identifier_is_one(text):
    assert ArxivId.parse(text).base == text


def test_what_tells_most_of_a_paper_stands_first():
    texts = {"mag": "1", "corpus": "2", "s2": "a" * 40, "doi": "10.1000/a", "arxiv": "1706.03762"}
    ranked = sorted((parse_identifier(scheme, text) for scheme, text in texts.items()), key=rank)
    assert [one.scheme for one in ranked] == ["arxiv", "doi", "s2", "corpus", "mag"]

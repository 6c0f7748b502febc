"""Joining a batch's answer to what was asked: by position, checked, and by identifier where the order is another."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.bibliography.identifiers import Identifier, written_for_s2
from sources.errors import IdentifierError, PayloadError
from sources.records import S2Paper
from sources.services.semantic_scholar.client import join, read_asked
from tests.matrices import for_each

SHA = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"


def paper(number: int, *, arxiv: str | None = None, doi: str | None = None) -> S2Paper:
    sha = f"{number:040x}"
    names = [Identifier("s2", sha), Identifier("corpus", str(number))]
    names += [Identifier("arxiv", arxiv)] if arxiv else []
    names += [Identifier("doi", doi)] if doi else []
    return S2Paper(s2_paper_id=sha, corpus_id=number, title="T", arxiv_id=arxiv, doi=doi, identifiers=tuple(names))


ARXIV = [Identifier("arxiv", f"2401.0000{number}") for number in range(1, 7)]
TITLES = ("Nested satisfiability", "Deep residual learning")
PAPERS = [paper(number, arxiv=asked.value) for number, asked in enumerate(ARXIV, 1)]


@for_each(
    ("text", "identifier", "sent"),
    [
        ("ARXIV:1706.03762", Identifier("arxiv", "1706.03762"), "ARXIV:1706.03762"),
        ("arxiv:1706.03762v3", Identifier("arxiv", "1706.03762"), "ARXIV:1706.03762"),
        ("ARXIV:math.GT/0309136", Identifier("arxiv", "math/0309136"), "ARXIV:math/0309136"),
        ("DOI:10.1000/ABC", Identifier("doi", "10.1000/abc"), "DOI:10.1000/abc"),
        ("CorpusId:7", Identifier("corpus", "7"), "CorpusId:7"),
        ("PMCID:PMC7", Identifier("pmcid", "7"), "PMCID:7"),
        ("ACL:P19-1001", Identifier("acl", "P19-1001"), "ACL:P19-1001"),
        (SHA.upper(), Identifier("s2", SHA), SHA),
    ],
)
def test_every_form_that_the_service_takes_is_read_and_written(text, identifier, sent):
    assert read_asked(text) == identifier
    assert written_for_s2(identifier) == sent
    assert read_asked(sent) == identifier


@for_each(
    "text", ["", "Attention Is All You Need", "ARXIV:9999.99999", "DOI:x", "CorpusId:x", "DBLP:a/b", "ACL:", SHA[:-1]]
)
def test_other_text_is_refused(text):
    with pytest.raises(IdentifierError):
        read_asked(text)


@given(st.permutations(range(6)), st.sets(st.integers(0, 5), max_size=5))
def test_a_reordered_answer_is_joined_by_identifier(order, absent):
    entries = [None if number in absent else PAPERS[number] for number in order]
    joined = join(ARXIV, entries)
    assert joined.found == {ARXIV[number]: PAPERS[number] for number in range(6) if number not in absent}
    assert not joined.faults
    assert set(joined.missing) == {ARXIV[number] for number in absent}


@for_each("entries", [[], PAPERS[:2], [*PAPERS[:3], PAPERS[3]], [None]])
def test_more_or_fewer_entries_than_asked_for_are_no_answer(entries):
    with pytest.raises(PayloadError):
        join(ARXIV[:3], entries)


def test_a_merged_record_is_taken_and_bears_both_identifiers():
    old_sha, old_corpus = Identifier("s2", SHA), Identifier("corpus", "99")
    joined = join([old_sha, old_corpus], [paper(1), paper(2)])
    assert joined.found[old_sha].s2_paper_id == paper(1).s2_paper_id
    assert old_sha in joined.found[old_sha].identifiers
    assert old_corpus in joined.found[old_corpus].identifiers


@for_each("asked", [Identifier("arxiv", "1706.03762"), Identifier("doi", "10.1000/other")])
def test_a_record_that_contradicts_what_was_asked_is_a_fault_of_its_own(asked):
    joined = join([asked, ARXIV[1]], [paper(1, arxiv="2401.00001", doi="10.1000/abc"), PAPERS[1]])
    assert set(joined.faults) == {asked}
    assert joined.faults[asked].record == written_for_s2(asked)
    assert joined.found == {ARXIV[1]: PAPERS[1]}


def test_a_record_silent_on_its_identifiers_is_taken_at_its_position():
    silent = paper(1)
    assert join([ARXIV[0]], [silent]).found == {ARXIV[0]: silent}


@pytest.mark.parametrize("stray", [paper(9), PayloadError("no title")])
def test_an_entry_of_a_reordered_answer_that_says_not_what_it_is_costs_what_it_may_have_answered(stray):
    joined = join(ARXIV[:4], [PAPERS[1], PAPERS[0], stray, None])
    assert joined.found == {ARXIV[0]: PAPERS[0], ARXIV[1]: PAPERS[1]}
    assert (set(joined.faults), joined.missing) == ({ARXIV[2], ARXIV[3]}, [])


def test_case_does_not_part_an_identifier():
    asked = Identifier("acl", "2020.ACL-main.1")
    record = S2Paper(s2_paper_id=SHA, title="T", identifiers=(Identifier("acl", "2020.acl-main.1"),))
    assert join([asked], [record]).found == {asked: record}


def test_an_entry_that_cannot_be_read_fails_alone():
    fault = PayloadError("no title")
    joined = join(ARXIV[:2], [fault, PAPERS[1]])
    assert joined.faults == {ARXIV[0]: fault}
    assert set(joined.found) == {ARXIV[1]}


def test_one_paper_id_for_several_papers_is_a_fault_of_each_of_them():
    records = [replace(one, s2_paper_id="ab" * 20, title=f"Paper {one.arxiv_id}") for one in PAPERS[:3]]
    shared = [replace(one, identifiers=(Identifier("s2", "ab" * 20), *one.identifiers[1:])) for one in records]
    joined = join(ARXIV, [*shared, *PAPERS[3:]])
    assert set(joined.faults) == set(ARXIV[:3])
    assert joined.found == dict(zip(ARXIV[3:], PAPERS[3:], strict=True))


def test_one_identifier_for_two_papers_is_a_fault_of_both():
    shared = [
        replace(PAPERS[at], title=TITLES[at], identifiers=(*PAPERS[at].identifiers, Identifier("corpus", "77")))
        for at in (0, 1)
    ]
    assert set(join(ARXIV[:4], [*shared, *PAPERS[2:4]]).faults) == set(ARXIV[:2])


def test_a_doi_that_two_papers_have_in_common_is_neither_of_them_and_noted_with_both():
    told = [paper(1, arxiv="2401.00001", doi="10.1000/x"), paper(2, arxiv="2401.00002", doi="10.1000/x")]
    shared = [replace(one, title=title) for one, title in zip(told, TITLES, strict=True)]
    joined = join(ARXIV[:3], [*shared, PAPERS[2]])
    assert not joined.faults
    for identifier in ARXIV[:2]:
        assert (joined.found[identifier].doi, joined.found[identifier].shared_doi) == (None, "10.1000/x")
        assert {item.scheme for item in joined.found[identifier].identifiers} == {"s2", "corpus", "arxiv"}
    assert joined.found[ARXIV[2]] == PAPERS[2]


def test_a_doi_stays_with_the_paper_that_answers_to_it():
    asked = [Identifier("doi", "10.1000/x"), ARXIV[1]]
    told = [paper(1, doi="10.1000/x"), paper(2, arxiv="2401.00002", doi="10.1000/x")]
    joined = join(asked, [replace(one, title=title) for one, title in zip(told, TITLES, strict=True)])
    assert [joined.found[item].doi for item in asked] == ["10.1000/x", None]
    assert {joined.found[item].shared_doi for item in asked} == {"10.1000/x"}


@for_each("change", [{"year": 1990}, {"citation_count": 1}, {"authors": ("Nemo Nobody",)}])
def test_one_record_that_is_told_in_two_ways_is_a_fault_of_both(change):
    both = paper(7, arxiv="2401.00007", doi="10.1000/x")
    joined = join([Identifier("arxiv", "2401.00007"), Identifier("doi", "10.1000/x")], [both, replace(both, **change)])
    assert joined.found == {}
    assert len(joined.faults) == 2

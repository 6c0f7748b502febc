from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_keys
from sources.errors import DisputedRecord
from standins.trials.rows import (
    DAY,
    T0,
    arxiv_paper,
    count_row,
    identifier_row,
    list_row,
    mention_row,
    paper_row,
    retraction_row,
    run_row,
    s2_paper,
    version_row,
)
from tests.matrices import for_each
from warehouse.loading.commit import Harvest, load
from warehouse.mirrors import RetractionMirror
from warehouse.papers.lake_papers import KnownPapers
from warehouse.papers.paper_facts import paper_ids_for
from warehouse.papers.paper_merge import RunPapers, identifiers_of
from warehouse.papers.retractions import find_retractions

DOI = "10.1000/182"
LATER = T0 + 7 * DAY


class Rows:
    """A lake of plain rows, which answers as `KnownPapers` does."""

    def __init__(self, papers=(), identifiers=()):
        self._papers = {row["paper_id"]: row for row in papers}
        self._identifiers = list(identifiers)

    def owners(self, identifiers):
        held = {Identifier(row["scheme"], row["value"]): row["paper_id"] for row in self._identifiers}
        return {one: held[one] for one in identifiers if one in held}

    def claimants(self, identifiers):
        dois = {one.value for one in identifiers if one.scheme == "doi"}
        return {row["paper_id"] for row in self._papers.values() if row.get("arxiv_doi") in dois}

    def papers(self, paper_ids):
        found, wanted = {}, set(paper_ids) & self._papers.keys()
        while wanted:
            paper_id = wanted.pop()
            found[paper_id] = dict(self._papers[paper_id])
            wanted |= {found[paper_id]["merged_into"]} - {None} - found.keys()
        return list(found.values())

    def identifiers(self, paper_ids):
        wanted = set(paper_ids)
        return [row for row in self._identifiers if row["paper_id"] in wanted]


class Runs:
    """A lake of plain rows after several runs."""

    def __init__(self):
        self.papers, self.owners = {}, {}

    def begin(self, now):
        identifiers = [identifier_row(owner, *key) for key, owner in self.owners.items()]
        return RunPapers(Rows(self.papers.values(), identifiers), now=now)

    def end(self, run_papers):
        self.papers |= {row["paper_id"]: dict(row) for row in run_papers.paper_rows()}
        self.owners = {key: owner for key, owner in self.owners.items() if Identifier(*key) not in run_papers.retired}
        self.owners |= {(row["scheme"], row["value"]): row["paper_id"] for row in run_papers.identifier_rows()}


def known_row(paper_id="p1", **told):
    return paper_row(paper_id, **{"title": "Attention Is All You Need", **told})


def after(run_papers):
    """The lake as it would be once the rows of the run are in it."""
    owned = {(row["scheme"], row["value"]) for row in run_papers.identifier_rows()}
    assert len(owned) == len(run_papers.identifier_rows()), "an identifier has one owner"
    return Rows(run_papers.rows.values(), run_papers.identifier_rows())


@pytest.fixture
def run_papers():
    return RunPapers(Rows(), now=T0)


def test_a_paper_that_lost_the_identifier_it_was_named_by_is_not_overwritten_by_the_next_paper_that_has_it(run_papers):
    paper_id = run_papers.add(s2_paper(corpus_id=2), fetched_at=T0)
    run_papers.add(s2_paper("c" * 40, corpus_id=2), fetched_at=T0)
    assert [str(item) for item in run_papers.identifiers(paper_id)] == ["s2:" + "c" * 40, "corpus:2"]
    later = RunPapers(after(run_papers), now=LATER)
    other = later.add(s2_paper(title="Deep Residual Learning"), fetched_at=LATER)
    assert other != paper_id
    assert later.new == {other}
    assert later.add(s2_paper("c" * 40), fetched_at=LATER) == paper_id


def named_by(number, papers):
    """Rows of papers that were first known by `number`, and have lost it since."""
    return [known_row(name) for name in itertools.islice(paper_ids_for(number), papers)]


def test_a_paper_id_that_several_papers_in_turn_were_named_by_is_given_to_no_other():
    stored = named_by(Identifier("s2", "a" * 40), papers=3)
    later = RunPapers(Rows(stored), now=LATER)
    other = later.add(s2_paper(title="Deep Residual Learning"), fetched_at=LATER)
    assert other not in {row["paper_id"] for row in stored}
    assert later.new == {other}


def test_a_paper_id_is_given_to_no_other_where_its_identifier_was_read_with_the_paper_that_has_it_now():
    number = Identifier("s2", "a" * 40)
    (stored,) = named_by(number, papers=1)
    now = known_row("now", s2_paper_id=number.value)
    later = RunPapers(Rows([stored, now], [identifier_row("now", "s2", number.value)]), now=LATER)
    later.read(paper_ids=["now"])
    later.release("now", s2_paper("b" * 40))
    assert later.add(s2_paper(title="Deep Residual Learning"), fetched_at=LATER) != stored["paper_id"]


# identity


def test_a_record_that_ties_two_papers_together_merges_the_younger_into_the_older():
    old, young = known_row("old", first_seen_at=T0), known_row("young", first_seen_at=T0 + DAY)
    held = [identifier_row("old", "doi", DOI), identifier_row("young", "s2", "a" * 40)]
    run_papers = RunPapers(Rows([young, old], held), now=LATER)
    assert run_papers.add(s2_paper(doi=DOI), fetched_at=LATER) == "old"
    assert run_papers.merged() == {"young": "old"}
    assert run_papers.current("young") == "old"
    rows = {row["paper_id"]: row for row in run_papers.paper_rows()}
    assert rows["young"]["merged_into"] == "old"
    assert rows["old"]["merged_into"] is None
    assert {row["paper_id"] for row in run_papers.identifier_rows()} == {"old"}


def test_a_merge_takes_over_what_only_the_other_paper_knew():
    old = known_row("old", doi=DOI, venue="NeurIPS")
    young = known_row(
        "young", arxiv_id="1706.03762", abstract="Text.", categories=["cs.CL"], first_seen_at=T0 + DAY, venue="arXiv"
    )
    held = [
        identifier_row("old", "doi", DOI),
        identifier_row("young", "s2", "a" * 40),
        identifier_row("young", "arxiv", "1706.03762"),
    ]
    run_papers = RunPapers(Rows([old, young], held), now=LATER)
    paper = run_papers.rows[run_papers.add(s2_paper(doi=DOI), fetched_at=LATER)]
    assert paper["paper_id"] == "old"
    assert (paper["arxiv_id"], paper["abstract"], paper["categories"]) == ("1706.03762", "Text.", ["cs.CL"])
    assert paper["venue"] == "NeurIPS"


def test_papers_with_different_arxiv_ids_are_never_merged():
    held = [identifier_row("one", "arxiv", "1706.03762"), identifier_row("two", "arxiv", "1512.03385")]
    papers = [known_row("one", arxiv_id="1706.03762"), known_row("two", arxiv_id="1512.03385")]
    run_papers = RunPapers(Rows(papers, [*held, identifier_row("two", "doi", DOI)]), now=LATER)
    assert run_papers.add(s2_paper(arxiv_id="1706.03762", doi=DOI), fetched_at=LATER) == "one"
    assert run_papers.merged() == {}
    assert run_papers.rows["two"]["merged_into"] is None
    assert Identifier("doi", DOI) in run_papers.identifiers("two")


@for_each("repeat", range(8))
def test_a_reply_that_names_another_arxiv_paper_than_was_asked_for_belongs_to_the_one_it_names(repeat):
    asked = Identifier("arxiv", f"1512.0338{repeat}")
    papers = [known_row("asked", arxiv_id=asked.value), known_row("named", arxiv_id="1706.03762")]
    held = [identifier_row("asked", "arxiv", asked.value), identifier_row("named", "arxiv", "1706.03762")]
    run_papers = RunPapers(Rows(papers, held), now=LATER)
    run_papers.read(paper_ids=["asked"])
    assert run_papers.add(s2_paper(arxiv_id="1706.03762"), fetched_at=LATER, also=[asked]) == "named"
    assert run_papers.rows["asked"]["citation_count"] is None
    assert run_papers.identifiers("named")[0] == Identifier("arxiv", "1706.03762")
    assert asked not in run_papers.identifiers("named")


@for_each("asked", [Identifier("s2", "b" * 40), Identifier("arxiv", "1706.03762"), Identifier("doi", DOI)])
def test_a_record_under_another_s2_id_is_the_same_paper_and_drops_the_old_one_whatever_asked_for_it(asked):
    held = [identifier_row("p", "s2", "b" * 40), identifier_row("p"), identifier_row("p", "doi", DOI)]
    row = known_row("p", s2_paper_id="b" * 40, arxiv_id="1706.03762", doi=DOI)
    run_papers = RunPapers(Rows([row], held), now=LATER)
    assert run_papers.add(s2_paper("a" * 40), fetched_at=LATER, also=[asked]) == "p"
    assert run_papers.rows["p"]["s2_paper_id"] == "a" * 40
    assert {one.value for one in run_papers.identifiers("p")} == {"a" * 40, "1706.03762", DOI}


@pytest.mark.parametrize("older", ["arxiv", "doi"])
def test_the_older_papers_citation_key_stays_in_a_merge(older):
    rows = [known_row("arxiv", arxiv_id="1706.03762", citation_key="of-arxiv", first_seen_at=T0),
            known_row("doi", doi=DOI, citation_key="of-doi", first_seen_at=T0)]  # fmt: skip
    for row in rows:
        row["first_seen_at"] -= DAY * (row["paper_id"] == older)
    held = [identifier_row("arxiv"), identifier_row("doi", "doi", DOI)]
    run_papers = RunPapers(Rows(rows, held), now=LATER)
    assert run_papers.add(s2_paper(arxiv_id="1706.03762", doi=DOI), fetched_at=LATER) == "arxiv"
    keys = {row["paper_id"]: row["citation_key"] for row in run_papers.paper_rows()}
    assert keys["arxiv"] == f"of-{older}"
    assert sorted(keys.values()) == ["of-arxiv", "of-doi"], "the other key still leads to the paper"


def test_papers_merged_one_after_the_other_lead_to_the_last():
    papers = [known_row("a", merged_into="b"), known_row("b", merged_into="c"), known_row("c")]
    run_papers = RunPapers(Rows(papers, [identifier_row("c", "s2", "a" * 40)]), now=LATER)
    run_papers.read(paper_ids=["a"])
    assert run_papers.current("a") == "c"


def test_arxivs_own_doi_is_no_publishers():
    record = s2_paper(doi="10.48550/arxiv.1706.03762", identifiers=(Identifier("acl", "P18-1001"),))
    assert {one.scheme for one in identifiers_of(record)} == {"s2", "acl"}


# what a paper is described as


def test_arxiv_tells_the_title_whoever_came_first():
    for order in ((arxiv_paper(), s2_paper(arxiv_id="1706.03762")), (s2_paper(arxiv_id="1706.03762"), arxiv_paper())):
        run_papers = RunPapers(Rows(), now=T0)
        for record in order:
            run_papers.add(record, fetched_at=T0)
        (paper,) = run_papers.paper_rows()
        assert paper["title"] == "Attention Is All You Need"
        assert paper["authors"] == ["Ashish Vaswani"]
        assert paper["title_keys"] == list(title_keys(paper["title"]))


def test_the_venue_is_semantic_scholars_and_arxivs_reference_only_where_there_is_none(run_papers):
    paper_id = run_papers.add(arxiv_paper(journal_ref="NIPS 2017"), fetched_at=T0)
    assert run_papers.rows[paper_id]["venue"] == "NIPS 2017"
    run_papers.add(s2_paper(arxiv_id="1706.03762", venue="Neural Information Processing Systems"), fetched_at=T0)
    run_papers.add(arxiv_paper(journal_ref="NIPS 2017"), fetched_at=T0)
    assert run_papers.rows[paper_id]["venue"] == "Neural Information Processing Systems"


def test_the_year_is_that_of_the_first_publication(run_papers):
    paper_id = run_papers.add(s2_paper(arxiv_id="1706.03762", year=2019), fetched_at=T0)
    run_papers.add(arxiv_paper(), fetched_at=T0)
    assert run_papers.rows[paper_id]["year"] == 2017


def test_what_a_later_reply_does_not_tell_stays_known_but_for_venue_and_doi(run_papers):
    paper_id = run_papers.add(arxiv_paper(abstract="Text.", doi=DOI, version=7), fetched_at=T0)
    run_papers.add(
        s2_paper(
            arxiv_id="1706.03762",
            venue="NeurIPS",
            year=2017,
            fields_of_study=("Computer Science",),
            open_access_pdf_url="https://example.org/a.pdf",
            corpus_id=7,
        ),
        fetched_at=T0,
    )
    known = dict(run_papers.rows[paper_id])
    run_papers.add(arxiv_paper(authors=(), categories=(), published_at=None, primary_category=None), fetched_at=LATER)
    run_papers.add(s2_paper(arxiv_id="1706.03762"), fetched_at=LATER)
    changed = {name for name, value in run_papers.rows[paper_id].items() if value != known[name]}
    assert changed <= {"refreshed_at", "counted_at", "venue", "s2_venue", "doi", "arxiv_doi"}
    assert (run_papers.rows[paper_id]["venue"], run_papers.rows[paper_id]["doi"]) == (None, None)


# counts


def test_a_count_is_an_observation_dated_by_its_reply(run_papers):
    run_papers.add(arxiv_paper(), fetched_at=T0)
    paper_id = run_papers.add(s2_paper(citation_count=0, influential_citation_count=0), fetched_at=T0)
    assert run_papers.counts == [count_row(paper_id, T0, 0, influential_citation_count=0)]
    assert run_papers.rows[paper_id]["citation_count"] == 0
    assert run_papers.rows[paper_id]["counted_at"] == T0
    assert run_papers.rows[paper_id]["reference_count"] is None


def test_a_count_that_is_not_told_is_neither_zero_nor_an_observation(run_papers):
    paper_id = run_papers.add(s2_paper(citation_count=None), fetched_at=T0)
    assert run_papers.counts == []
    assert run_papers.rows[paper_id]["citation_count"] is None
    run_papers.add(s2_paper(citation_count=5), fetched_at=T0 + DAY)
    run_papers.add(s2_paper(citation_count=None), fetched_at=LATER)
    assert run_papers.rows[paper_id]["citation_count"] == 5
    assert run_papers.rows[paper_id]["counted_at"] == T0 + DAY


def test_an_older_or_the_same_reply_adds_no_observation(run_papers):
    run_papers.add(s2_paper(), fetched_at=T0)
    run_papers.add(s2_paper(), fetched_at=T0)
    run_papers.add(s2_paper(citation_count=1), fetched_at=T0 - DAY)
    assert len(run_papers.counts) == 1


def test_a_count_dated_by_a_clock_far_ahead_gives_way_to_the_next_one():
    ahead = T0 + 3650 * DAY
    held = known_row("p1", citation_count=2**62, counted_at=ahead, refreshed_at=ahead)
    run_papers = RunPapers(Rows([held], [identifier_row("p1", "s2", "a" * 40)]), now=T0)
    assert run_papers.add(s2_paper(), fetched_at=T0) == "p1"
    assert run_papers.counts == [count_row("p1", T0, 100)]
    row = run_papers.rows["p1"]
    assert (row["citation_count"], row["counted_at"], row["refreshed_at"]) == (100, T0, T0)


# in a real lake


def test_a_merge_in_the_lake_keeps_both_histories_and_moves_the_mentions(lake):
    first = RunPapers(KnownPapers(lake), now=T0)
    by_doi = first.add(s2_paper("b" * 40, doi=DOI, citation_count=7), fetched_at=T0)
    by_arxiv = first.add(arxiv_paper(), fetched_at=T0 + timedelta(hours=1))
    mentions = [mention_row("m1", paper_id=by_doi), mention_row("m2", paper_id=by_arxiv)]
    facts = [retraction_row(by_doi), retraction_row(by_doi, source="other"), retraction_row(by_arxiv, source="other")]
    harvest = _harvest(first, reading_lists=[list_row()], mentions=mentions, retractions=facts)
    harvest = replace(harvest, published_versions=[version_row(by_doi), version_row(by_arxiv, record="conf/y/2")])
    load(lake, harvest, run_row("r1"))

    second = RunPapers(KnownPapers(lake), now=LATER)
    kept = second.add(s2_paper(doi=DOI, arxiv_id="1706.03762", citation_count=9), fetched_at=LATER)
    load(lake, _harvest(second), run_row("r2"))

    lost = ({by_doi, by_arxiv} - {kept}).pop()
    assert lake.execute("SELECT DISTINCT paper_id FROM mentions").fetchall() == [(kept,)]
    assert lake.execute("SELECT merged_into FROM papers WHERE paper_id = ?", [lost]).fetchone() == (kept,)
    assert lake.execute("SELECT citation_count FROM citation_counts ORDER BY observed_at").fetchall() == [(7,), (9,)]
    assert lake.execute("SELECT DISTINCT paper_id FROM paper_identifiers").fetchall() == [(kept,)]
    assert lake.execute("SELECT paper_id, citation_count FROM catalog").fetchall() == [(kept, 9)]
    sources = lake.execute("SELECT source, paper_id FROM retractions ORDER BY source").fetchall()
    assert sources == [("other", kept), ("retraction-watch", kept)]
    versions = lake.execute("SELECT record, paper_id FROM published_versions ORDER BY record").fetchall()
    assert versions == [("conf/x/1", kept), ("conf/y/2", kept)]


def test_of_facts_that_two_merged_papers_have_one_stays(lake):
    papers = [paper_row("p1"), paper_row("p2"), paper_row("p3")]
    facts = [retraction_row("p1", record="1"), retraction_row("p2", record="2"), retraction_row("p2", source="other")]
    load(lake, Harvest(papers=papers, retractions=facts), run_row("r1"))
    gone = [paper_row(name, merged_into="p3") for name in ("p1", "p2")]
    load(lake, Harvest(papers=gone, merged={"p1": "p3", "p2": "p3"}), run_row("r2"))
    rows = lake.execute("SELECT paper_id, source, record FROM retractions ORDER BY source").fetchall()
    assert [row[:2] for row in rows] == [("p3", "other"), ("p3", "retraction-watch")]
    assert rows[1][2] == "1"


def test_a_paper_keeps_the_retraction_of_one_that_is_merged_into_it(lake):
    papers = [paper_row("p1", arxiv_id="1706.03762"), paper_row("p2", doi=DOI, retracted=True)]
    papers = [row | {"title": "Attention Is All You Need"} for row in papers]
    names = [identifier_row("p1"), identifier_row("p2", "doi", DOI)]
    mentions = [mention_row("m1", paper_id="p1"), mention_row("m2", paper_id="p2", line=2)]
    written = Harvest(reading_lists=[list_row()], papers=papers, paper_identifiers=names, mentions=mentions)
    load(lake, replace(written, retractions=[retraction_row("p2")]), run_row())
    known = KnownPapers(lake)
    run_papers = RunPapers(known, now=LATER)
    assert run_papers.add(s2_paper(arxiv_id="1706.03762", doi=DOI), fetched_at=LATER) == "p1"
    assert run_papers.merged() == {"p2": "p1"}
    mirror = RetractionMirror(Path("nowhere"))
    found = find_retractions({"m1": "p1", "m2": "p1"}, {}, run_papers=run_papers, known=known, mirror=mirror, now=LATER)
    assert run_papers.rows["p1"]["retracted"] is True
    assert [row["mention_id"] for row in found.findings] == ["m1", "m2"]
    assert found.rows == []


def _harvest(run_papers, **told):
    return Harvest(
        retired=sorted(run_papers.retired),
        papers=run_papers.paper_rows(),
        paper_identifiers=run_papers.identifier_rows(),
        citation_counts=run_papers.counts,
        merged=run_papers.merged(),
        **told,
    )


@pytest.mark.parametrize("withdrawn", [True, False])
def test_a_record_that_does_not_tell_of_a_withdrawal_leaves_what_was_told(run_papers, withdrawn):
    paper_id = run_papers.add(arxiv_paper("1706.03762", withdrawn=withdrawn), fetched_at=T0)
    run_papers.add(arxiv_paper("1706.03762", withdrawn=None), fetched_at=T0 + timedelta(weeks=1))
    assert run_papers.rows[paper_id]["withdrawn"] is withdrawn


def test_a_record_of_another_paper_changes_nothing_whatever_its_identifier():
    for record in (arxiv_paper(**ADAM), s2_paper(arxiv_id="1706.03762", **ADAM), s2_paper(doi=DOI, **ADAM)):
        held = [identifier_row("p1", "arxiv", "1706.03762"), identifier_row("p1", "doi", DOI)]
        row = known_row(arxiv_id="1706.03762", doi=DOI, s2_paper_id="c" * 40, authors=["Ashish Vaswani"])
        run_papers = RunPapers(Rows([row], held), now=LATER)
        with pytest.raises(DisputedRecord):
            run_papers.add(record, fetched_at=LATER)
        assert run_papers.rows["p1"] == row
        assert run_papers.counts == []


def test_a_record_that_is_disputed_takes_no_doi_from_another_paper(run_papers):
    adam = run_papers.add(arxiv_paper("1412.6980", **ADAM, doi=DOI), fetched_at=T0)
    run_papers.add(arxiv_paper(), fetched_at=T0)
    told = s2_paper(title="Deep Residual Learning", authors=("Kaiming He",), doi=DOI)
    with pytest.raises(DisputedRecord):
        run_papers.add(told, fetched_at=T0, also=[Identifier("doi", DOI), Identifier("arxiv", "1706.03762")])
    assert run_papers.rows[adam]["doi"] == DOI
    assert run_papers.retired == set()


def test_a_doi_that_authors_gave_arxiv_for_another_paper_ties_nothing(run_papers):
    one = run_papers.add(arxiv_paper(doi=DOI), fetched_at=T0)
    other = run_papers.add(arxiv_paper("1412.6980", doi=DOI, **ADAM), fetched_at=T0)
    assert one != other
    assert [run_papers.rows[item]["doi"] for item in (one, other)] == [None, None], "whose it is nobody else tells"
    assert run_papers.owners.owner(Identifier("doi", DOI)) is None
    assert run_papers.parted
    run_papers.add(s2_paper(arxiv_id="1706.03762", doi=DOI), fetched_at=T0)
    assert [run_papers.rows[item]["doi"] for item in (one, other)] == [DOI, None]


# records that are not believed


ADAM = {"title": "Adam: A Method for Stochastic Optimization", "authors": ("Diederik P. Kingma",)}


def test_a_year_told_wrongly_is_put_right_by_the_next_reply(run_papers):
    paper_id = run_papers.add(s2_paper(year=1998, venue="X", doi="10.1000/9"), fetched_at=T0)
    run_papers.add(s2_paper(year=2017, venue="Y", doi=DOI, title="Attention is all you need!"), fetched_at=LATER)
    row = run_papers.rows[paper_id]
    assert (row["year"], row["venue"], row["doi"], row["title"]) == (2017, "Y", DOI, "Attention is all you need!")


def test_paper_ids_that_were_mixed_up_are_put_right_together():
    rows = [known_row("one", arxiv_id="1706.03762", s2_paper_id="b" * 40),
            known_row("two", arxiv_id="1412.6980", s2_paper_id="a" * 40, title=ADAM["title"])]  # fmt: skip
    held = [identifier_row("one", "arxiv", "1706.03762"), identifier_row("one", "s2", "b" * 40),
            identifier_row("two", "arxiv", "1412.6980"), identifier_row("two", "s2", "a" * 40)]  # fmt: skip
    run_papers = RunPapers(Rows(rows, held), now=LATER)
    run_papers.read(paper_ids=["one", "two"])
    records = {
        "one": s2_paper("a" * 40, arxiv_id="1706.03762"),
        "two": s2_paper("b" * 40, arxiv_id="1412.6980", **ADAM),
    }
    for paper_id, record in records.items():
        run_papers.release(paper_id, record)
    for paper_id, record in records.items():
        assert run_papers.add(record, fetched_at=LATER) == paper_id
    assert Identifier("s2", "a" * 40) in run_papers.identifiers("one")
    assert Identifier("s2", "b" * 40) in run_papers.identifiers("two")
    assert run_papers.retired == set()


def test_a_paper_that_is_taken_back_leaves_nothing(run_papers):
    paper_id = run_papers.add(s2_paper(arxiv_id="1706.03762"), fetched_at=T0)
    assert run_papers.withdraw(paper_id)
    assert (run_papers.paper_rows(), run_papers.identifier_rows(), run_papers.counts, run_papers.new) == (
        [],
        [],
        [],
        set(),
    )
    assert run_papers.add(s2_paper("b" * 40, arxiv_id="1706.03762", **ADAM), fetched_at=T0)


def test_a_record_found_by_a_title_that_the_lakes_paper_does_not_have_is_disputed(run_papers):
    told = {"title": "A Study of Something Else", "authors": ("Ashish Vaswani",), "year": 2017}
    held = [identifier_row("p1", "arxiv", "1706.03762")]
    row = known_row(arxiv_id="1706.03762", authors=["Ashish Vaswani"], year=2017)
    with pytest.raises(DisputedRecord, match="Something Else"):
        RunPapers(Rows([row], held), now=LATER).add(
            s2_paper(arxiv_id="1706.03762", **told), fetched_at=LATER, by_title=True
        )
    run_papers = RunPapers(Rows([row], held), now=LATER)
    assert run_papers.add(s2_paper(arxiv_id="1706.03762", **told), fetched_at=LATER) == "p1"


WORKS = (
    {"title": "Attention Is All You Need", "authors": ("Ashish Vaswani", "Noam Shazeer"), "year": 2017},
    {"title": "Deep Residual Learning for Image Recognition", "authors": ("Kaiming He", "Jian Sun"), "year": 2016},
    {"title": "Attention Is All You Need", "authors": ("Petra Bauer", "Lars Holm"), "year": 2021},
    {"title": "基于卷积神经网络的人脸识别方法研究", "authors": ("Wei Zhou", "Fang Liu"), "year": 2018},
)
ARXIV, DOIS, NUMBERS, CORPUS = ("1706.03762", "1512.03385"), ("10.1000/1", "10.1000/2"), "abc", (1, 2)
IDENTIFIERS = (
    *(Identifier("arxiv", value) for value in ARXIV),
    *(Identifier("doi", value) for value in DOIS),
    *(Identifier("s2", 40 * letter) for letter in NUMBERS),
)


@st.composite
def told(draw):
    """What a source says of a work, under identifiers that may be any other's, and by which it was asked."""
    number = draw(st.integers(0, len(WORKS) - 1))
    by_s2 = st.builds(
        s2_paper,
        st.sampled_from(NUMBERS).map(lambda letter: 40 * letter),
        arxiv_id=st.none() | st.sampled_from(ARXIV),
        doi=st.none() | st.sampled_from(DOIS),
        corpus_id=st.none() | st.sampled_from(CORPUS),
        citation_count=st.integers(1, 99).map(lambda count: 1000 * number + count),
        **{name: st.just(value) for name, value in WORKS[number].items()},
    )
    by_arxiv = st.builds(
        arxiv_paper,
        st.sampled_from(ARXIV),
        doi=st.none() | st.sampled_from(DOIS),
        title=st.just(WORKS[number]["title"]),
        authors=st.just(WORKS[number]["authors"]),
    )
    return draw(by_s2 | by_arxiv), draw(st.lists(st.sampled_from(IDENTIFIERS), max_size=2)), draw(st.booleans())


def work_of(row):
    described = row["title"], tuple(row["authors"])
    return [(work["title"], work["authors"]) for work in WORKS].index(described)


def tell(run_papers, telling, at):
    """Adds a record; one that is disputed must leave everything as it was."""
    record, asked_by, by_title = telling
    run_papers.read(records=[record], identifiers=asked_by)
    before = {paper_id: (dict(row), run_papers.identifiers(paper_id)) for paper_id, row in run_papers.rows.items()}
    try:
        paper_id = run_papers.add(record, fetched_at=at, also=asked_by, by_title=by_title)
        assert run_papers.current(paper_id) == paper_id
        assert record.arxiv_id is None or run_papers.rows[paper_id]["arxiv_id"] == record.arxiv_id
    except DisputedRecord:
        assert before == {
            paper_id: (row, run_papers.identifiers(paper_id)) for paper_id, row in run_papers.rows.items()
        }


@given(st.lists(st.lists(told(), min_size=1, max_size=4), min_size=1, max_size=6))
def test_whatever_sources_mix_up_a_paper_stays_the_work_that_it_was_first_described_as(runs):
    lake, works = Runs(), {}
    for number, run in enumerate(runs):
        at = T0 + number * DAY
        run_papers = lake.begin(at)
        for telling in run:
            tell(run_papers, telling, at)
        assert run_papers.new.isdisjoint(lake.papers), "a new paper overwrites none"
        rows = {row["paper_id"]: dict(row) for row in run_papers.paper_rows()}
        assert all(works.setdefault(paper_id, work_of(row)) == work_of(row) for paper_id, row in rows.items())
        assert all(count["citation_count"] // 1000 == works[count["paper_id"]] for count in run_papers.counts)
        lake.end(run_papers)
        papers = lake.papers.values()
        assert all(works[row["merged_into"] or row["paper_id"]] == works[row["paper_id"]] for row in papers)
        assert all(lake.papers[owner]["merged_into"] is None for owner in lake.owners.values())
        known = [row["arxiv_id"] for row in papers if row["arxiv_id"] and row["merged_into"] is None]
        assert len(known) == len(set(known)), "an arXiv identifier is of one paper"

"""Refreshes with a mirror of DBLP, and what they learn of published versions from it and from arXiv."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from flows.check.bibliography import list_bibliography
from flows.prefect import flow
from flows.progress import Silent
from standins import StandIns
from standins.trials.bench import Bench
from tests.matrices import first_each_push
from tests.sources.dblp.test_release import HEAD
from warehouse.mirrors import MirrorFolder, importing, shapes
from warehouse.mirrors.importing import Dump, import_dump
from warehouse.query.bibliography import bibtex_fields
from warehouse.query.changes import Jump, changes_since

pytestmark = pytest.mark.slow

TITLE = "Fast Joins on Slow Disks"


def record(key, title=TITLE, authors=("Ann Kim", "Bo Li"), year=2019, *, venue="OSDI", link="", pages=""):
    people = "".join(f"<author>{name}</author>" for name in authors)
    kind, place = ("article", "journal") if key.startswith("journals") else ("inproceedings", "booktitle")
    ee = (f"<ee>{link}</ee>" if link else "") + (f"<pages>{pages}</pages>" if pages else "")
    return (
        f'<{kind} key="{key}" mdate="2026-01-01">{people}<title>{title}.</title><year>{year}</year>'
        f"<{place}>{venue}</{place}>{ee}</{kind}>\n"
    )


def mirror_of(bench: Bench, *records: str, whole: bool = False, told_at: datetime | None = None) -> None:
    path = bench.folder / "dblp.xml"
    path.write_bytes(HEAD + "".join(records).encode() + b"</dblp>")
    dump = Dump(source="dblp", files=(path,), whole=whole, told_at=told_at)
    import_dump(MirrorFolder(bench.place.folder / "mirror" / "dblp"), dump)


def papers(bench: Bench):
    return bench.rows("SELECT title, authors, year, venue, doi, arxiv_id, s2_paper_id, citation_count FROM papers")


def identifiers(bench: Bench):
    return {f"{row['scheme']}:{row['value']}" for row in bench.rows("FROM paper_identifiers")}


def test_a_title_is_settled_offline_with_venue_year_and_doi(bench: Bench):
    mirror_of(
        bench,
        record("conf/osdi/KimL19", link="https://doi.org/10.1145/1.2"),
        record("journals/corr/abs-1801-00001", year=2018, venue="CoRR", link="http://arxiv.org/abs/1801.00001"),
    )
    list_file = bench.write(f"# Papers\n\n- {TITLE}. Kim and Li, 2019.\n")
    assert bench.refresh(list_file, offline=True).resolved == 1
    (paper,) = papers(bench)
    assert (paper["venue"], paper["doi"], paper["arxiv_id"]) == ("OSDI", "10.1145/1.2", "1801.00001")
    assert (paper["year"], paper["authors"]) == (2018, ["Ann Kim", "Bo Li"])
    assert identifiers(bench) == {
        "arxiv:1801.00001",
        "doi:10.1145/1.2",
        "dblp:conf/osdi/KimL19",
        "dblp:journals/corr/abs-1801-00001",
    }
    (harvest,) = [row for row in bench.rows("FROM harvests") if row["source"] == "dblp"]
    assert (harvest["status"], f"{harvest['asked_at']:%Y-%m-%d}") == ("found", "2026-01-01")
    before = bench.contents()
    bench.refresh(list_file, offline=True)
    assert bench.contents() == before


@pytest.mark.parametrize(
    "link", first_each_push(["https://doi.org/10.1145/1.2", "https://dblp.org/rec/conf/osdi/KimL19"], count=1)
)
def test_a_link_is_settled_offline(bench: Bench, link):
    mirror_of(bench, record("conf/osdi/KimL19", link="https://doi.org/10.1145/1.2"))
    assert bench.refresh(bench.write(f"# Papers\n\n- [{TITLE}]({link})\n"), offline=True).resolved == 1
    assert papers(bench)[0]["venue"] == "OSDI"


def test_two_papers_of_one_title_are_left_to_a_person(bench: Bench):
    mirror_of(bench, record("conf/osdi/KimL19"), record("conf/sosp/Ode19", authors=("C. Ode",), venue="SOSP"))
    bench.refresh(bench.write(f"# Papers\n\n- {TITLE}\n- {TITLE}. C. Ode. SOSP 2019.\n"), offline=True)
    assert sorted(row["status"] for row in bench.rows("FROM mentions")) == ["failed", "resolved"]
    assert [paper["venue"] for paper in papers(bench)] == ["SOSP"]


def test_a_paper_without_identifier_of_a_service_is_looked_for_there_once(bench: Bench, standins: StandIns):
    facts = {"title": TITLE, "authors": ["Ann Kim", "Bo Li"], "year": 2019, "venue": None, "citation_count": 41}
    standins.add([facts | {"s2_paper_id": "5" * 40, "corpus_id": 555}])
    mirror_of(bench, record("conf/osdi/KimL19"))
    list_file = bench.write(f"# Papers\n\n- {TITLE}. Ann Kim, Bo Li. OSDI 2019.\n")
    bench.refresh(list_file)
    (paper,) = papers(bench)
    assert (paper["s2_paper_id"], paper["citation_count"], paper["venue"]) == ("5" * 40, 41, "OSDI")
    assert "dblp:conf/osdi/KimL19" in identifiers(bench)
    before, sent = bench.contents(), len(standins.requests())
    bench.refresh(list_file)
    assert bench.contents() == before
    assert len(standins.requests()) == sent


def test_what_arxiv_and_semantic_scholar_tell_stays(bench: Bench):
    known = "Deep Compression: Compressing Deep Neural Networks with Pruning, Trained Quantization and Huffman Coding"
    people = ("Song Han", "Huizi Mao", "William J. Dally")
    link = "http://arxiv.org/abs/1510.00149"
    list_file = bench.write("# Papers\n\n- [Deep Compression](https://arxiv.org/abs/1510.00149)\n")
    bench.refresh(list_file)
    (before,) = papers(bench)
    mirror_of(
        bench,
        record(
            "conf/iclr/HanMD16", known.upper(), people, 2016, venue="ICLR", link="https://doi.org/10.1/x", pages="3-9"
        ),
        record("journals/corr/HanMD15", known, people, 2015, venue="CoRR", link=link),
    )
    bench.refresh(list_file, force=True)
    (paper,) = papers(bench)
    told = {name: value for name, value in before.items() if value is not None}
    assert {name: paper[name] for name in told} == told
    assert (before["doi"], paper["venue"]) == (None, before["venue"] or "ICLR")
    added = {"pages": "3-9", "publication_type": "inproceedings"}
    assert bench.rows("SELECT pages, publication_type FROM papers") == [added]


def test_a_paper_posted_after_it_came_out_is_of_the_year_of_its_venue(bench: Bench):
    people = ("Song Han", "Huizi Mao", "William J. Dally")
    title = "Deep Compression: Compressing Deep Neural Networks with Pruning, Trained Quantization and Huffman Coding"
    list_file = bench.write("# Papers\n\n- [Deep Compression](https://arxiv.org/abs/1510.00149)\n")
    bench.refresh(list_file)
    mirror_of(
        bench,
        record("conf/mm/HanMD14", title, people, 2014, venue="MM", link="https://doi.org/10.1/x"),
        record("journals/corr/HanMD15", title, people, 2015, venue="CoRR", link="http://arxiv.org/abs/1510.00149"),
    )
    bench.refresh(list_file, force=True)
    assert [paper["year"] for paper in papers(bench)] == [2014]


def test_the_record_of_a_list_has_the_pages_and_category_that_the_lake_would_have(bench: Bench):
    link = "http://arxiv.org/abs/1510.00149"
    title, people = "Layer Normalization", ("Ann Kim", "Bo Li")
    mirror_of(
        bench,
        record("conf/osdi/KimL19", title, people, pages="3-9"),
        record("journals/corr/KimL15", title, people, 2015, venue="CoRR", link=link),
    )
    list_file = bench.write(f"# Papers\n\n- {title}. Ann Kim, Bo Li. OSDI 2019.\n")
    settings = bench.settings(offline=True)
    (row,) = list_bibliography(str(list_file), settings, report=Silent()).rows
    kind, fields = bibtex_fields(row)
    assert (kind, fields["booktitle"], fields["pages"]) == ("inproceedings", "OSDI", "3--9")


@pytest.mark.parametrize("whole", first_each_push([True, False], count=1))
def test_that_dblp_lacks_a_paper_only_its_whole_release_tells(bench: Bench, monkeypatch, whole):
    monkeypatch.setitem(importing.SHAPES, "dblp", replace(importing.SHAPES["dblp"], fewest=1))
    mirror_of(bench, record("conf/osdi/KimL19"), whole=whole)
    list_file = bench.write("# Papers\n\n- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n")
    bench.refresh(list_file)
    told = [row["status"] for row in bench.rows("FROM harvests WHERE source = 'dblp'")]
    assert told == (["not_found"] if whole else [])
    before = bench.contents()
    bench.refresh(list_file)
    assert bench.contents() == before


def test_a_record_that_disagrees_with_its_identifier_changes_nothing(bench: Bench):
    list_file = bench.write("# Papers\n\n- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n")
    bench.refresh(list_file)
    before = papers(bench), identifiers(bench)
    other = record("conf/x/Ode16", "Deep Sea Fishing in the North", ("C. Ode",), link="http://arxiv.org/abs/1607.06450")
    mirror_of(bench, other)
    bench.refresh(list_file, force=True)
    assert (papers(bench), identifiers(bench)) == before


RCNN = {"title": "Fast R-CNN", "arxiv_id": "1504.08083", "authors": ["Ross Girshick"], "year": 2015}
MIXED = "Mixed Precision Training"
PEOPLE = (
    *("Sharan Narang", "Gregory Diamos", "Erich Elsen", "Paulius Micikevicius", "Jonah Alben", "David Garcia"),
    *("Boris Ginsburg", "Michael Houston", "Oleksii Kuchaiev", "Ganesh Venkatesh", "Hao Wu"),
)
LIST = (
    "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- [Mixed Precision Training](https://arxiv.org/abs/1710.03740)\n"
)


def versions(bench: Bench) -> list[tuple]:
    rows = bench.rows(
        "SELECT p.title, v.source, v.record, v.kind, v.venue, v.year, v.gone_at IS NULL AS stands"
        " FROM published_versions v JOIN papers p USING (paper_id) ORDER BY ALL"
    )
    return [tuple(row.values()) for row in rows]


@pytest.mark.slow
def test_versions_of_both_sources_are_told_once_and_each_for_itself(bench: Bench, standins: StandIns, monkeypatch):
    path = bench.write(LIST)
    bench.refresh(path)
    since = datetime.now(UTC)
    mirror_of(
        bench,
        record("conf/iclr/NarangD18", MIXED, PEOPLE, 2018, venue="ICLR"),
        record("journals/x/NarangD20", MIXED, PEOPLE, 2020, venue="J. Precis."),
        record("conf/y/Other18", MIXED, ("Cy Ode", "Di Pa"), 2018, venue="OTHER"),
    )
    standins.add([{**RCNN, "journal_ref": "ICCV 2015"}])
    events = []
    monkeypatch.setattr(flow, "emit_event", lambda name, payload, **_: events.append((name, payload["papers"])))
    monkeypatch.setattr(flow, "create_markdown_artifact", lambda text, **_: events.append(text))
    monkeypatch.setattr(flow, "create_table_artifact", lambda *_, **__: None)
    flow._publish(bench.refresh(path, metadata_max_age=timedelta(0)), bench.settings())
    assert ("paperlake.papers.published", [f"{MIXED}: ICLR 2018", f"{MIXED}: J. Precis. 2020"]) in events
    assert "## Preprints with a published version: 2" in events[0]
    expected = [
        ("Fast R-CNN", "arxiv", "1504.08083", "conference", "ICCV 2015", 2015, True),
        (MIXED, "dblp", "conf/iclr/NarangD18", "conference", "ICLR", 2018, True),
        (MIXED, "dblp", "journals/x/NarangD20", "journal", "J. Precis.", 2020, True),
    ]
    assert versions(bench) == expected
    told = changes_since(bench.place, since, jump=Jump())["published"].to_pylist()
    # Of Fast R-CNN the DOI was known from the start.
    assert [row["published_as"] for row in told] == ["ICLR 2018", "J. Precis. 2020"]
    catalog = {row["title"]: row["published_as"] for row in bench.rows("FROM catalog")}
    assert catalog == {"Fast R-CNN": ["ICCV 2015"], MIXED: ["ICLR 2018", "J. Precis. 2020"]}
    before = bench.contents()
    bench.refresh(path)
    assert bench.contents() == before
    assert not changes_since(bench.place, datetime.now(UTC), jump=Jump())["published"].num_rows


@pytest.mark.nightly
@pytest.mark.parametrize("whole", [True, False])
def test_a_version_that_a_whole_release_of_dblp_lacks_is_marked_as_gone(bench: Bench, monkeypatch, whole):
    monkeypatch.setitem(shapes.SHAPES, "dblp", replace(shapes.DBLP, fewest=0))
    path = bench.write(LIST.splitlines()[1])
    bench.refresh(path)
    mirror_of(bench, record("conf/iclr/NarangD18", MIXED, PEOPLE, 2018, venue="ICLR"))
    bench.refresh(path, offline=True)
    assert [row[-1] for row in versions(bench)] == [True]
    mirror_of(bench, record("conf/y/Other18", "Another Work"), whole=whole, told_at=datetime.now(UTC))
    bench.refresh(path, offline=True)
    assert [row[-1] for row in versions(bench)] == [not whole], "a part that lacks the record says nothing of it"


@pytest.mark.slow
def test_a_version_that_its_source_no_longer_tells_is_marked_as_gone(bench: Bench, standins: StandIns):
    path = bench.write(LIST.splitlines()[1])
    facts = {"title": MIXED, "arxiv_id": "1710.03740", "authors": list(PEOPLE), "year": 2017}
    standins.add([{**facts, "journal_ref": "ICLR 2018"}])
    bench.refresh(path)
    assert [row[3:] for row in versions(bench)] == [("conference", "ICLR 2018", 2018, True)]
    assert not changes_since(bench.place, datetime(2020, 1, 1, tzinfo=UTC), jump=Jump())["published"].num_rows
    standins.add([{**facts, "journal_ref": "Submitted to ICLR 2018"}])
    bench.refresh(path, metadata_max_age=timedelta(0))
    assert [row[-1] for row in versions(bench)] == [False]
    assert [row["published_as"] for row in bench.rows("FROM catalog")] == [None]

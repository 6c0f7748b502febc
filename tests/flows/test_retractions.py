"""The mirror of Retraction Watch: its import, and refreshes that find retracted papers in the lists."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from flows.commands.mirror import mirror_import, mirror_update
from flows.prefect import flow
from flows.refresh.summary import summary_lines
from sources.errors import UsageError
from standins import StandIns
from standins.catalogue.dumps import notice_row, notices_csv
from standins.trials.bench import Bench
from warehouse.mirrors import MirrorFolder
from warehouse.mirrors.importing import Dump, import_dump
from warehouse.query.changes import Jump, changes_since

pytestmark = pytest.mark.slow

RCNN = ("Fast R-CNN", ["Ross Girshick"])
MIXED = (
    "Mixed Precision Training",
    [
        *("Sharan Narang", "Gregory Diamos", "Erich Elsen", "Paulius Micikevicius", "Jonah Alben", "David Garcia"),
        *("Boris Ginsburg", "Michael Houston", "Oleksii Kuchaiev", "Ganesh Venkatesh", "Hao Wu"),
    ],
)
LIST = (
    "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- [Mixed Precision Training](https://arxiv.org/abs/1710.03740)\n"
)


def notices(bench: Bench, *rows: dict[str, str], whole: bool = False) -> None:
    path = bench.folder / "retraction_watch.csv"
    path.write_bytes(notices_csv(rows))
    folder = MirrorFolder(bench.place.folder / "mirror" / "retractions")
    import_dump(folder, Dump(source="retractions", files=(path,), whole=whole))


def findings(bench: Bench) -> list[tuple[str, str]]:
    rows = bench.rows(
        "SELECT p.title, f.message FROM findings f JOIN mentions m USING (mention_id) JOIN papers p USING (paper_id)"
        " WHERE f.code = 'retracted-paper' ORDER BY p.title, m.list_id"
    )
    return [(row["title"], row["message"]) for row in rows]


def retracted(bench: Bench) -> dict[str, bool | None]:
    return {row["title"]: row["retracted"] for row in bench.rows("SELECT title, retracted FROM papers")}


REASONS = ["Unreliable Results and/or Conclusions", "Error in Analyses"]
SENTENCE = f"the paper was retracted on 2020-06-04, says Retraction Watch: {', '.join(REASONS)}"


def test_mentions_of_a_retracted_paper_get_a_finding_and_nothing_is_written_twice(bench: Bench):
    first, second = bench.write(LIST), bench.write(LIST.splitlines()[1] + "\n", "second.md")
    bench.refresh(first, second)
    since = datetime.now(UTC)
    notices(
        bench,
        notice_row(1, *MIXED, OriginalPaperDate="5/1/2018 0:00"),
        notice_row(2, *RCNN, RetractionNature="Correction"),
    )
    summary = bench.refresh(first)
    assert findings(bench) == [("Mixed Precision Training", SENTENCE)] * 2
    assert retracted(bench) == {"Fast R-CNN": None, "Mixed Precision Training": True}
    assert summary.findings == {"retracted-paper": 1}
    assert summary.news
    assert "1 finding in the lists: 1 retracted-paper" in summary_lines(summary)
    (row,) = bench.rows("FROM retractions")
    assert (row["retracted_on"], row["matched_by"], row["source"]) == (
        date(2020, 6, 4), "title and authors", "retraction-watch"
    )  # fmt: skip
    (change,) = changes_since(bench.place, since, jump=Jump())["retracted"].to_pylist()
    assert (change["title"], change["reasons"]) == ("Mixed Precision Training", row["reasons"])
    before = bench.contents()
    bench.refresh(first, second)
    assert bench.contents() == before


def test_a_mention_that_is_new_and_retracted_has_the_finding_at_once(bench: Bench):
    notices(bench, notice_row(1, *RCNN, OriginalPaperDate="12/7/2015 0:00"))
    bench.refresh(bench.write(LIST), force=True)
    assert [title for title, _ in findings(bench)] == ["Fast R-CNN"]


@pytest.mark.nightly
@pytest.mark.parametrize("told", [{"doi_at_arxiv": "10.1000/wrong"}, {"doi_at_arxiv": "10.1000/own"}])
def test_a_doi_that_authors_gave_arxiv_neither_retracts_a_paper_nor_hides_that_it_was(
    bench: Bench, standins: StandIns, told
):
    people = ["Ada Lovelace", "Boris Karlov"]
    paper = {"arxiv_id": "1901.00007", "title": "Bounds for Tidal Heating", "authors": people, "year": 2019}
    standins.add([paper | told])
    path = bench.write("# Papers\n\n- <https://arxiv.org/abs/1901.00007>\n")
    other = notice_row(1, "Glacier Melt Observed", people, OriginalPaperDOI="10.1000/wrong")
    notices(bench, other)
    bench.refresh(path)
    assert retracted(bench) == {paper["title"]: None}
    notices(bench, other, notice_row(2, paper["title"], people, OriginalPaperDOI="10.1000/own"))
    bench.refresh(path)
    assert retracted(bench) == {paper["title"]: True}


@pytest.mark.nightly
def test_a_reinstatement_and_a_file_without_the_notice_take_it_back(bench: Bench):
    path = bench.write(LIST)
    notice = notice_row(1, *RCNN, OriginalPaperDate="12/7/2015 0:00")
    notices(bench, notice)
    bench.refresh(path)
    again = notice | {"Record ID": "2", "RetractionNature": "Reinstatement", "RetractionDate": "6/4/2021 0:00"}
    notices(bench, notice, again)
    bench.refresh(path)
    assert (findings(bench), retracted(bench)["Fast R-CNN"]) == ([], False)
    since = datetime.now(UTC)
    notices(bench, notice)
    bench.refresh(path)
    assert (len(findings(bench)), retracted(bench)["Fast R-CNN"]) == (1, True)
    (row,) = bench.rows("FROM retractions")
    assert row["first_seen_at"] > since, "one that holds again is a new one"
    assert changes_since(bench.place, since, jump=Jump())["retracted"].num_rows == 1
    notices(bench, notice_row(9, "Something Else", ["A. B"]))
    bench.refresh(path)
    assert len(findings(bench)) == 1, "a part of the file that lacks the notice says nothing of it"


FLAGGED = "A Study of Storage Engines"
NOTICE = notice_row(1, FLAGGED, ["Carla Ender", "Dirk Fall"], OriginalPaperDOI="10.5555/published.1")


@pytest.fixture
def flagged(openalex_bench: Bench, standins: StandIns) -> tuple[Bench, str]:
    """A bench and a list of a paper that OpenAlex flags as retracted."""
    facts = {"doi": "10.5555/published.1", "title": FLAGGED, "year": 2019, "authors": ["Carla Ender", "Dirk Fall"]}
    standins.add([{**facts, "retracted": True}])
    return openalex_bench, openalex_bench.write(f"- [{FLAGGED}](https://doi.org/{facts['doi']})\n")


@pytest.mark.nightly
def test_the_flag_of_openalex_is_a_finding_unless_retraction_watch_knows_better(flagged, monkeypatch):
    bench, path = flagged
    events = []
    monkeypatch.setattr(flow, "emit_event", lambda name, payload, **_: events.append((name, payload["papers"])))
    monkeypatch.setattr(flow, "create_markdown_artifact", lambda *_, **__: None)
    monkeypatch.setattr(flow, "create_table_artifact", lambda *_, **__: None)
    flow._publish(bench.refresh(path), bench.settings())
    assert ("paperlake.papers.retracted", [f"{FLAGGED}: unknown"]) in events
    assert findings(bench) == [(FLAGGED, "the paper was retracted, says OpenAlex")]
    before = bench.contents()
    bench.refresh(path)
    assert bench.contents() == before
    again = NOTICE | {"Record ID": "2", "RetractionNature": "Reinstatement", "RetractionDate": "6/4/2021 0:00"}
    notices(bench, NOTICE, again)
    bench.refresh(path)
    assert (findings(bench), retracted(bench)) == ([], {FLAGGED: False})
    assert {(row["source"], row["retracted"]) for row in bench.rows("FROM retractions")} == {
        ("openalex", True),
        ("retraction-watch", False),
    }


def test_what_is_not_retraction_watchs_whole_file_is_refused_and_the_mirror_stays(bench: Bench, capsys):
    path, lake = bench.folder / "retraction_watch.csv", str(bench.place.folder)

    def take(body: bytes, *, part: bool) -> None:
        path.write_bytes(body)
        mirror_import("retractions", [path], lake=lake, part=part, as_of=None, as_json=False)

    rows = [notice_row(1, *RCNN), notice_row(2, "?", ["A. B"]), notice_row(3, "X", [], RetractionNature="Apology")]
    take(notices_csv(rows), part=True)
    said = capsys.readouterr().out
    assert "1 notice of Retraction Watch in the mirror (a part, as of 2020-06-04)" in said
    assert "2 lines refused" in said
    for body, why in (
        (notices_csv(rows), "only 1 notice, and the source has more than 40,000"),
        (b"<html><title>Sign in</title></html>", "it is a web page"),
    ):
        with pytest.raises(UsageError, match=why):
            take(body, part=False)
    with pytest.raises(UsageError, match="mirror import retractions"):
        mirror_update("retractions", [], [], lake=lake, as_of=None, as_json=False)
    assert MirrorFolder(bench.place.folder / "mirror" / "retractions").release.rows == 1

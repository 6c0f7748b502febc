"""Tables are read back by pandas, Polars and pyarrow as they are."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from sources.errors import UsageError
from tests.matrices import for_each
from warehouse.lake.place import LakePlace
from warehouse.query.export import NOTICE, select, spreadsheet_text, whole_folder, write_parquet

NAMES = set(
    "candidates catalog citation_counts findings mentions paper_identifiers papers published_versions reading_lists "
    "retractions runs".split()
)


@pytest.fixture
def folder(catalogue, tmp_path):
    with select(catalogue) as selection:
        write_parquet(selection, tmp_path)
    return tmp_path


def ids(folder, name, column="paper_id"):
    return sorted(pq.read_table(folder / f"{name}.parquet").column(column).to_pylist())


def test_a_file_a_table_with_the_tables_own_columns(folder, catalogue):
    assert {path.stem for path in folder.iterdir()} == NAMES
    assert ids(folder, "papers") == ["p1", "p2", "p3", "p4", "p5"]
    assert ids(folder, "catalog") == ["p1", "p2", "p3"]


def test_a_condition_chooses_papers_and_what_belongs_to_them(catalogue, tmp_path):
    with select(catalogue, where="citation_count > 50") as selection:
        write_parquet(selection, tmp_path)
    assert ids(tmp_path, "catalog") == ["p1"]
    assert ids(tmp_path, "papers") == ["p1", "p4"]
    assert ids(tmp_path, "citation_counts") == ["p1", "p4"]
    assert ids(tmp_path, "mentions", "mention_id") == ["m1"]


def test_csv_is_rfc_4180_and_runs_no_formula(catalogue):
    with select(catalogue) as selection:
        text = spreadsheet_text(selection)
    assert text.endswith("\r\n")
    rows = {row["paper_id"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}
    assert rows["p1"]["authors"] == "Ashish Vaswani; Łukasz Kaiser"
    assert rows["p1"]["citation_count"] == "100"
    assert rows["p3"]["title"] == "'=HYPERLINK(1)"
    assert rows["p2"]["year"] == ""
    assert list(pd.read_csv(io.StringIO(text))["paper_id"]) == sorted(rows)


# conditions


@for_each(
    ("where", "chosen"),
    [
        ("year >= 2000 -- and so on", ["p1", "p3"]),
        ("list_contains(lists, 'A list') AND doi IS NULL", ["p1", "p2"]),
        ("paper_id IN (SELECT paper_id FROM citation_counts)", ["p1"]),
        ("year", ["p1", "p3"]),
    ],
)
def test_a_condition_is_any_expression(catalogue, where, chosen):
    with select(catalogue, where=where) as selection:
        assert selection.paper_ids.to_pylist() == chosen


@for_each(
    ("where", "message"),
    [
        ("yaer > 3", r'Candidate bindings: "year"[\s\S]*yaer > 3\n\s+\^'),
        ("year FRM 3", r"syntax error at or near \"FRM\"\nyear FRM 3\n     \^"),
        ("", "syntax error"),
        ("true); SELECT (1", "one condition"),
        ("true); DELETE FROM papers; SELECT (1", "--where"),
        ("true) FROM (SELECT 1", "one condition"),
        ("getenv('HOME') = 'x'", "--where"),
        ("(SELECT count(*) FROM read_text('/etc/passwd')) > 0", "not for reading the lake"),
        ("(SELECT count(*) FROM '/etc/passwd') > 0", "--where"),
    ],
)
def test_what_is_no_condition_is_refused_and_pointed_at(catalogue, where, message):
    with pytest.raises(UsageError, match=message), select(catalogue, where=where):
        pass


# where it goes

ELSEWHERE = LakePlace.of(Path("/no/lake/here"))


def test_a_folder_is_filled_whole_or_not_at_all(tmp_path):
    def stop_half_way():
        with whole_folder(tmp_path / "out", force=False, notice="n", place=ELSEWHERE) as filled:
            (filled / "a").write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stop_half_way()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_others_is_left_alone_unless_forced_and_loses_nothing_then(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    unforced = whole_folder(tmp_path, force=False, notice="n", place=ELSEWHERE)
    with pytest.raises(UsageError, match="--force"), unforced:
        pass
    with whole_folder(tmp_path, force=True, notice="n", place=ELSEWHERE) as filled:
        (filled / "a").write_text("new")
    assert sorted(path.name for path in tmp_path.iterdir()) == [NOTICE, "a", "mine.txt"]

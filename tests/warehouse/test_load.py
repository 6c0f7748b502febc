from __future__ import annotations

from datetime import timedelta

import pytest

from sources.errors import SchemaMismatch
from standins.trials.rows import DAY, T0, candidate_row, count_row, paper_row
from tests.matrices import for_each
from warehouse.lake.session import latest_snapshot
from warehouse.loading.load import append, replace_where, upsert
from warehouse.tables import declarations as tables

pytestmark = pytest.mark.both_backends


def rows(lake, table):
    order = ", ".join(f'"{name}"' for name in table.key)
    return lake.execute(f'SELECT * FROM "{table.name}" ORDER BY {order}').to_arrow_table().to_pylist()


def changes(lake, table, since):
    found = lake.execute(
        f"SELECT change_type, count(*) FROM lake.table_changes('{table.name}', {since + 1}, {latest_snapshot(lake)}) "
        "GROUP BY ALL"
    ).fetchall()
    return dict(found)


WRITES = [
    pytest.param(append, tables.CITATION_COUNTS, [count_row("p1"), count_row("p2", citation_count=None)], id="append"),
    pytest.param(upsert, tables.PAPERS, [paper_row("p1", year=2017), paper_row("p2", authors=["Ö. A"])], id="upsert"),
    pytest.param(
        lambda lake, table, given: replace_where(lake, table, "mention_id", ["m1"], given),
        tables.CANDIDATES,
        [candidate_row("m1", 1, year=None), candidate_row("m1", 2, reasons=["title", "year"])],
        id="replace_where",
    ),
]


@pytest.fixture
def files(backend, place):
    """Names the lake's files."""
    return lambda: set(backend.files(place))


@pytest.mark.parametrize(("write", "table", "given"), WRITES)
def test_the_same_batch_again_writes_no_row_no_file_and_no_snapshot(lake, files, write, table, given):
    write(lake, table, given)
    stored, before, snapshot = rows(lake, table), files(), latest_snapshot(lake)
    assert len(stored) == 2
    write(lake, table, list(reversed(given)))
    assert rows(lake, table) == stored
    assert files() == before
    assert latest_snapshot(lake) == snapshot


@pytest.mark.parametrize(("write", "table", "given"), WRITES)
def test_a_row_that_does_not_fit_stops_the_batch_before_anything_is_written(lake, write, table, given):
    with pytest.raises(SchemaMismatch):
        write(lake, table, [*given, given[0] | {"surprise": 1}])
    assert rows(lake, table) == []
    assert write(lake, table, given) == 2, "the connection is as good as before"


def test_append_counts_and_keeps_only_what_is_new_and_changes_nothing_old(lake):
    append(lake, tables.CITATION_COUNTS, [count_row(citation_count=10)])
    assert append(lake, tables.CITATION_COUNTS, [count_row(citation_count=99), count_row(observed_at=T0 + DAY)]) == 1
    assert [row["citation_count"] for row in rows(lake, tables.CITATION_COUNTS)] == [10, 10]


def test_upsert_rewrites_only_the_rows_that_differ(lake):
    upsert(lake, tables.PAPERS, [paper_row(f"p{number}", citation_count=number) for number in range(10)])
    snapshot = latest_snapshot(lake)
    again = [paper_row(f"p{number}", citation_count=number + (number == 3)) for number in range(11)]
    assert upsert(lake, tables.PAPERS, again) == 2
    assert changes(lake, tables.PAPERS, snapshot) == {"update_preimage": 1, "update_postimage": 1, "insert": 1}
    assert {row["paper_id"]: row["citation_count"] for row in rows(lake, tables.PAPERS)}["p3"] == 4


@for_each(
    ("before", "after"),
    [
        ({"year": None}, {"year": 0}),
        ({"year": 2017}, {"year": None}),
        ({"abstract": ""}, {"abstract": None}),
        ({"authors": []}, {"authors": [""]}),
        ({"authors": ["A", "B"]}, {"authors": ["B", "A"]}),
        ({"counted_at": T0}, {"counted_at": T0 + timedelta(microseconds=1)}),
        ({"title": "é"}, {"title": "e\u0301"}),
    ],
)
def test_upsert_sees_the_least_difference(lake, before, after):
    upsert(lake, tables.PAPERS, [paper_row(**before)])
    assert upsert(lake, tables.PAPERS, [paper_row(**after)]) == 1
    assert rows(lake, tables.PAPERS) == [paper_row(**after)]


@pytest.mark.parametrize("number", [499, 501], ids=["few", "many"])
def test_upsert_rewrites_few_rows_and_many_alike_in_a_table_spread_over_files(lake, number):
    given = [paper_row(f"p{n:04}", citation_count=n) for n in range(600)]
    for part in (given[:250], given[250:]):
        upsert(lake, tables.PAPERS, part)
    again = [row | {"citation_count": -row["citation_count"]} for row in given[1 : number + 1]]
    assert upsert(lake, tables.PAPERS, tables.PAPERS.batch(again)) == number
    assert rows(lake, tables.PAPERS) == [given[0], *again, *given[number + 1 :]]


def test_replace_where_touches_no_others(lake):
    others = [candidate_row("m2", 1), candidate_row("m2", 2)]
    append(lake, tables.CANDIDATES, [candidate_row("m1", 1), candidate_row("m1", 2), *others])
    replace_where(lake, tables.CANDIDATES, "mention_id", ["m1", "m3"], [candidate_row("m1", 1, title="Better")])
    assert rows(lake, tables.CANDIDATES) == [candidate_row("m1", 1, title="Better"), *others]
    replace_where(lake, tables.CANDIDATES, "mention_id", ["m1", "m3"], [])
    assert rows(lake, tables.CANDIDATES) == others


def test_text_bytes_and_extreme_instants_come_back_as_they_went_in(lake):
    odd = "Robert'); DROP TABLE papers;-- \u202e\u0000 \U0001f600 'q' \"q\" \\ \n\t"
    paper = paper_row(
        title=odd, authors=[odd, ""], refreshed_at=T0.replace(year=9000), first_seen_at=T0.replace(year=1)
    )
    upsert(lake, tables.PAPERS, [paper])
    assert rows(lake, tables.PAPERS) == [paper]

"""Each view over a small lake made by hand, where every row that should be there can be counted on fingers."""

from __future__ import annotations

import pytest

from standins.trials.rows import (
    DAY,
    T0,
    WEEK,
    candidate_row,
    cited_row,
    count_row,
    fill,
    list_row,
    mention_row,
    paper_row,
    run_row,
    version_row,
    work_row,
)
from warehouse.lake.migrations import view_files
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake
from warehouse.loading.commit import Harvest, load

PAPERS = [
    paper_row("p1", title="Alpha", year=2017, citation_count=120, influential_citation_count=9, counted_at=T0),
    paper_row("p2", title="Beta", year=2017, citation_count=0, counted_at=T0),
    paper_row("p3", title="Gamma", year=None),
    paper_row("p4", title="Alpha, once more", year=2016, citation_count=999, merged_into="p1"),
    paper_row("p5", title="Nobody's", year=2015, citation_count=5000),
]
MENTIONS = [
    mention_row("m1", list_id="a", paper_id="p1", section=["Vision"]),
    mention_row("m2", list_id="a", paper_id="p2", section=["Vision", "Detection"], line=2),
    mention_row("m3", list_id="a", status="ambiguous", title="Half known", line=3, reason="two alike"),
    mention_row("m4", list_id="a", status="failed", title="Not asked", line=4),
    mention_row("m5", list_id="b", paper_id="p1", first_seen_at=T0 - DAY),
    mention_row("m6", list_id="b", paper_id="p3", line=2),
    mention_row("m7", list_id="b", status="not_found", title="Nowhere", line=3),
    mention_row("m8", list_id="b", paper_id="p2", removed_at=T0, line=4),
    mention_row("m9", list_id="a", paper_id="p1", section=["Vision"], line=9),
]
COUNTS = [
    count_row("p1", T0 - 10 * WEEK, 100),
    count_row("p1", T0 - 2 * WEEK, 110),
    count_row("p1", T0, 120),
    count_row("p1", T0 - 40 * WEEK, 1),
    count_row("p2", T0, 0),
    count_row("p2", T0 - WEEK, None),
    count_row("p5", T0 - WEEK, 5000),
    count_row("p5", T0, 4990),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = LakePlace.of(tmp_path_factory.mktemp("views") / "lake")
    candidates = [candidate_row("m3", 1, title="Best", score=0.7), candidate_row("m3", 2, title="Second", score=0.6)]
    lists = [list_row("a", title="List A"), list_row("b", title=None), list_row("c", title="Empty")]
    fill(
        place,
        reading_lists=lists,
        papers=PAPERS,
        mentions=MENTIONS,
        citation_counts=COUNTS,
        weighed=["m3"],
        candidates=candidates,
    )
    connection = open_lake(place)
    yield connection
    connection.close()


def rows(reader, sql):
    return reader.execute(sql).fetchall()


def test_catalog_is_one_row_a_paper_that_some_list_names_now(reader):
    assert rows(reader, "SELECT paper_id, mention_count, list_count, lists, sections FROM catalog ORDER BY 1") == [
        ("p1", 3, 2, ["List A", "b.md"], ["Vision"]),
        ("p2", 1, 1, ["List A"], ["Vision / Detection"]),
        ("p3", 1, 1, ["b.md"], None),
    ]
    assert rows(reader, "SELECT first_mentioned_at FROM catalog WHERE paper_id = 'p1'") == [(T0 - DAY,)]


@pytest.mark.parametrize(
    ("told", "published_as"),
    [
        ({"dblp": "ICLR", "openalex": "Int. Conf. on Learning"}, ["ICLR 2018"]),
        ({"openalex": None, "arxiv": "In ICLR"}, ["In ICLR"]),
        ({"openalex": "ICLR", "arxiv": "In ICLR"}, ["ICLR 2018"]),
        ({"dblp": None, "openalex": "ICLR"}, ["ICLR 2018"]),
        ({"openalex": None, "arxiv": None}, ["10.1234/openalex 2018"]),
    ],
)
def test_a_publication_is_told_by_who_names_its_venue_and_dblp_first(lake, told, published_as):
    versions = [
        version_row("p1", source=source, record=source, venue=venue, year=2018, doi=f"10.1234/{source}")
        for source, venue in told.items()
    ]
    papers, mentions = [paper_row("p1")], [mention_row(paper_id="p1")]
    harvest = Harvest(reading_lists=[list_row()], papers=papers, mentions=mentions, published_versions=versions)
    load(lake, harvest, run_row())
    assert rows(lake, "SELECT published_as FROM catalog") == [(published_as,)]


def test_unresolved_is_one_row_a_standing_mention_without_a_paper(reader):
    assert rows(
        reader, "SELECT mention_id, status, best_candidate, best_candidate_score FROM unresolved ORDER BY 1"
    ) == [
        ("m3", "ambiguous", "Best", 0.7),
        ("m4", "failed", None, None),
        ("m7", "not_found", None, None),
    ]


def test_rising_is_the_count_gained_a_week_between_two_observations_of_the_last_ninety_days(reader):
    found = rows(reader, "SELECT paper_id, count_then, count_now, gained, gained_per_week FROM rising ORDER BY 1")
    assert found == [("p1", 100, 120, 20, 2.0)]  # p5 has two counts, of one week


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        pytest.param(["2020-01-01"], [("p1", 1, 120, 119), ("p5", 5000, 4990, -10)], id="all-there-is"),
        pytest.param([T0 - 2 * WEEK], [("p1", 110, 120, 10), ("p5", 5000, 4990, -10)], id="both-ends-are-inside"),
        pytest.param([T0 - 40 * WEEK, T0 - 2 * WEEK], [("p1", 1, 110, 109)], id="until"),
        pytest.param([T0 - 9 * WEEK, T0 - WEEK], [], id="one-observation-tells-no-gain"),
        pytest.param([T0 + WEEK], [], id="after-the-last"),
    ],
)
def test_rising_since_compares_the_first_and_the_last_observation_of_any_window(reader, window, expected):
    given = "?" if len(window) == 1 else "?, until := ?"
    found = reader.execute(
        f"SELECT paper_id, count_then, count_now, gained FROM rising_since({given}) ORDER BY 1", window
    )
    assert found.fetchall() == expected


def test_trend_by_year_counts_the_papers_of_the_catalog(reader):
    assert rows(
        reader, "SELECT year, papers, mentions, citations, median_citations FROM trend_by_year ORDER BY year NULLS LAST"
    ) == [(2017, 2, 4, 120, 60.0), (None, 1, 1, None, None)]


def test_trend_by_section_counts_a_paper_once_in_each_section(reader):
    found = rows(
        reader,
        "SELECT list, section, papers, first_year, last_year, citations, most_cited FROM trend_by_section "
        "ORDER BY list, section",
    )
    assert found == [
        ("List A", "Vision", 1, 2017, 2017, 120, "Alpha"),
        ("List A", "Vision / Detection", 1, 2017, 2017, 0, "Beta"),
        ("b.md", "", 2, 2017, 2017, 120, "Alpha"),
    ]


def test_top_cited_ranks_what_lists_name_and_takes_zero_for_a_count(reader):
    assert rows(reader, 'SELECT "rank", title, citation_count FROM top_cited ORDER BY 1') == [
        (1, "Alpha", 120),
        (2, "Beta", 0),
    ]


def test_list_overlap_is_one_row_a_pair_of_lists_with_papers_in_common(reader):
    assert rows(reader, "SELECT * FROM list_overlap") == [("List A", "b.md", 1, 0.5, ["Alpha"])]


def test_coverage_is_one_row_a_list_and_adds_up(reader):
    names = "list, mentions, resolved, ambiguous, not_found, failed, papers, papers_counted, percent_resolved"
    assert rows(reader, f"SELECT {names} FROM coverage ORDER BY 1") == [
        ("Empty", 0, 0, 0, 0, 0, 0, 0, 0.0),
        ("List A", 5, 3, 1, 0, 1, 2, 2, 60.0),
        ("b.md", 3, 2, 0, 1, 0, 2, 1, 66.7),
    ]
    assert rows(
        reader, "SELECT count(*) FROM coverage WHERE mentions <> resolved + ambiguous + not_found + failed"
    ) == [(0,)]


# papers that turned out to be one


@pytest.fixture
def merged(lake):
    """`new` stands for `old` since both were found to be one; each had been counted before, from records of its own."""
    papers = [paper_row("new", title="One"), paper_row("old", title="The same", merged_into="new")]
    counts = [
        count_row("old", T0, 40),
        count_row("new", T0, 100),
        count_row("old", T0 + WEEK, 41),
        count_row("new", T0 + 2 * WEEK, 104),
    ]
    mention = mention_row("m1", paper_id="new", list_id="a")
    harvest = Harvest(
        reading_lists=[list_row("a")], papers=papers, citation_counts=counts, mentions=[mention], merged={"old": "new"}
    )
    load(lake, harvest, run_row())
    return lake


def test_merged_papers_rise_as_one_and_the_merge_itself_is_no_rise(merged):
    assert rows(merged, "SELECT count(*) FROM citation_counts") == [(4,)], "both histories are kept"
    assert rows(merged, "SELECT paper_id, gained, days FROM rising_since('2020-01-01')") == [("new", 4, 14.0)]
    assert rows(merged, "SELECT paper_id FROM catalog") == [("new",)]


# the files


@pytest.mark.parametrize(("name", "sql"), view_files(), ids=lambda part: part if len(part) < 30 else "sql")
def test_every_view_says_what_a_row_is(new_lake, name, sql):
    assert sql.startswith(("-- One row a ", "-- One row an "))
    (there,) = rows(
        new_lake, f"SELECT comment FROM duckdb_views() WHERE database_name = 'lake' AND view_name = '{name}'"
    )
    assert there == (sql.splitlines()[0].removeprefix("-- "),)


# rates and recounts


def observe(lake, *counts):
    """Writes counts given as (paper, weeks before now, count) and perhaps a source."""
    observed = [
        count_row(name, T0 - weeks * WEEK, count, **({"source": source[0]} if source else {}))
        for name, weeks, count, *source in counts
    ]
    papers = [paper_row(name) for name in sorted({name for name, *_ in counts})]
    load(lake, Harvest(papers=papers, citation_counts=observed), run_row())


def risen(lake, *counts):
    """Returns paper -> its row of rising_since for counts given as to `observe`, and the recounts."""
    observe(lake, *counts)
    told = lake.execute("FROM rising_since('2000-01-01')").to_arrow_table().to_pylist()
    rising = {paper for (paper,) in rows(lake, "SELECT paper_id FROM rising")}
    assert rising == {row["paper_id"] for row in told if row["gained_per_week"] is not None}
    marked = rows(lake, "SELECT paper_id, count_before, citation_count FROM recounts ORDER BY ALL")
    return {row["paper_id"]: row for row in told}, marked


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param([(20 / (7 * 24 * 60), 100), (0, 609)], id="twenty-minutes-apart"),
        pytest.param([(10, 100), (0, 120)], id="two-counts"),
        pytest.param([(2.9, 100), (2, 105), (0, 120)], id="three-counts-in-twenty-days"),
        pytest.param([(9, 100), (8, 4100), (0, 4120)], id="one-step-of-two-is-a-recount"),
    ],
)
def test_no_rate_is_told_of_too_few_counts_or_too_short_a_span(lake, counts):
    found, _ = risen(lake, *(("p", weeks, count) for weeks, count in counts))
    assert found["p"]["gained_per_week"] is None


def test_a_rate_tells_its_span_and_how_many_counts_it_is_of(lake):
    found, _ = risen(lake, ("p", 3, 100), ("p", 1, 105), ("p", 0, 130))
    assert [found["p"][name] for name in ("counts", "days", "gained", "gained_per_week")] == [3, 21.0, 30, 10.0]


def test_a_jump_beyond_what_a_paper_gains_is_a_recount_and_no_rise(lake):
    weekly = [1000, 1010, 1020, 4020, 4030, 4040]
    found, marked = risen(lake, *(("p", 5 - week, count) for week, count in enumerate(weekly)))
    row = found["p"]
    assert (row["count_then"], row["count_now"], row["recounted"], row["gained"]) == (1000, 4040, 3000, 40)
    assert (row["days"], row["gained_per_week"]) == (28.0, 10.0)
    assert marked == [("p", 1020, 4020)]


def test_a_paper_that_gains_much_every_week_is_not_taken_for_recounted(lake):
    found, marked = risen(lake, *(("p", 5 - week, 100_000 + 700 * week + week**3) for week in range(6)))
    assert marked == []
    assert found["p"]["gained"] == 3625


@pytest.mark.parametrize("days_apart", [7, 30])
def test_a_paper_counted_daily_by_a_source_that_adds_now_and_then_has_gained_it_all(lake, days_apart):
    added = 300 * days_apart // 7
    daily = [("p", (84 - day) / 7, 1000 + added * (day // days_apart)) for day in range(85)]
    found, marked = risen(lake, *daily, ("recounted", 8, 9), *(("recounted", week, 5009) for week in range(5)))
    assert found["p"]["gained"] == added * (84 // days_apart)
    assert found["p"]["gained_per_week"] == pytest.approx(300, rel=0.3)
    assert {paper for paper, *_ in marked} == {"recounted"}


def test_a_count_dated_in_the_future_is_named_and_empties_nothing(lake):
    ahead = (T0 - T0.replace(year=T0.year + 90)) / WEEK
    observe(lake, *(("p", week, 100 - week) for week in range(6)), ("p", ahead, 7), ("q", ahead, 7))
    assert rows(lake, "SELECT paper_id, counts, gained FROM rising") == [("p", 6, 5)]
    assert rows(lake, "SELECT paper_id, citation_count FROM counts_ahead ORDER BY 1") == [("p", 7), ("q", 7)]


def test_a_fall_of_many_papers_on_one_day_is_a_recount_of_all_that_were_counted_then(lake):
    counts = [(f"fell{n}", 8 - week, 500 + 5 * week - 60 * (week >= 4)) for n in range(6) for week in range(9)]
    counts += [("rose", 8 - week, 100 + 2 * week + 40 * (week >= 4)) for week in range(9)]
    found, marked = risen(lake, *counts)
    assert {name: (row["gained"], row["days"]) for name, row in found.items()} == {
        **{f"fell{n}": (35, 49.0) for n in range(6)},
        "rose": (14, 49.0),
    }
    assert len(marked) == 7


def test_a_few_citations_less_of_some_papers_are_no_recount(lake):
    counts = [(f"p{n}", 8 - week, 500 + 5 * week - 2 * (week == 4)) for n in range(6) for week in range(9)]
    counts += [("one", 8 - week, 500 - 60 * (week >= 4)) for week in range(9)]
    found, marked = risen(lake, *counts)
    assert marked == []
    assert found["one"]["gained"] == -60


def test_what_rises_lately_may_be_told_by_the_counts_of_one_source(lake):
    by_s2 = [("p", week, 100 - week) for week in range(6)]
    by_openalex = [("p", week, 140 - 2 * week, "openalex") for week in (0, 1, 2, 3, 40)]
    observe(lake, *by_s2, *by_openalex, *(("q", week, 20 - 3 * week, "openalex") for week in range(4)))
    sql = "SELECT counts, gained, gained_per_week FROM rising_lately(counted_by := '{}') ORDER BY 2"
    found = {source: rows(lake, sql.format(source)) for source in ("s2", "openalex", "crossref")}
    assert found == {"s2": [(6, 5, 1.0)], "openalex": [(4, 6, 2.0), (4, 9, 3.0)], "crossref": []}
    assert rows(lake, "SELECT paper_id, source, gained FROM rising ORDER BY 1") == [
        ("p", "s2", 5),
        ("q", "openalex", 9),
    ], "two sources are never compared"


# citations by year


@pytest.fixture
def cited(lake):
    """Twelve papers of one year and field, cited 0, 1, 2, ... times in 2025, each once in 2024; T0 is in 2026."""
    papers = [paper_row(f"p{n:02}", year=2020, primary_category="cs.DS", categories=["cs.DS"]) for n in range(12)]
    papers += [paper_row("other", year=2019), paper_row("unlisted"), paper_row("unknown", year=2020)]
    counts = [cited_row(f"p{n:02}", 2025, n) for n in range(1, 12)] + [
        cited_row(f"p{n:02}", 2024, 1) for n in range(12)
    ]
    counts += [cited_row("p03", 2026, 500), cited_row("other", 2025, 9), cited_row("unlisted", 2025, 9)]
    harvest = Harvest(
        reading_lists=[list_row()],
        papers=papers,
        mentions=[
            mention_row(f"m-{row['paper_id']}", paper_id=row["paper_id"])
            for row in papers
            if row["paper_id"] != "unlisted"
        ],
        openalex_works=[work_row(row["paper_id"], citation_count=12) for row in papers],
        citations_by_year=counts,
    )
    load(lake, harvest, run_row())
    return lake


def test_papers_rise_by_year_from_the_first_refresh(cited):
    found = {row[0]: row[1:] for row in rows(
        cited, "SELECT paper_id, counted_year, cited, cited_before, gained, peers, percentile FROM rising_by_year"
    )}  # fmt: skip
    assert found["p00"] == (2025, 0, 1, -1, 12, 0)
    assert found["p03"] == (2025, 3, 1, 2, 12, 27), "the year that is not over counts for nothing"
    assert found["p11"] == (2025, 11, 1, 10, 12, 100)
    assert found["other"] == (2025, 9, 0, 9, None, None), "of an unknown field there are no peers"
    assert found.keys().isdisjoint({"unlisted", "unknown"}), "cited twelve times, but nobody knows when"


@pytest.mark.parametrize("unknown", [{"year": None}, {"primary_category": None, "categories": []}])
def test_papers_of_an_unknown_year_or_field_are_nobody_s_peers(lake, unknown):
    facts = {"year": 2020, "primary_category": "cs.DS", "categories": ["cs.DS"]} | unknown
    papers = [paper_row(f"p{n:02}", **facts) for n in range(12)]
    harvest = Harvest(
        reading_lists=[list_row()],
        papers=papers,
        mentions=[mention_row(f"m{row['paper_id']}", paper_id=row["paper_id"]) for row in papers],
        openalex_works=[work_row(row["paper_id"], citation_count=12) for row in papers],
        citations_by_year=[cited_row(row["paper_id"], 2025, n) for n, row in enumerate(papers, 1)],
    )
    load(lake, harvest, run_row())
    assert rows(lake, "SELECT DISTINCT peers, percentile FROM rising_by_year") == [(None, None)]


def test_the_trend_of_years_has_the_citations_in_each_year(cited):
    found = rows(cited, "SELECT year, papers, cited_in_year FROM trend_by_year ORDER BY year")
    assert found == [(2019, 1, None), (2020, 13, None), (2024, 0, 12), (2025, 0, 75), (2026, 0, 500)]

"""Whether the page's figures are right: `python -m benchmarks.page.right_figures [--choices 12] [--seed 1]`.

Publishes a made-up lake with everything a lake may know, opens it in Chromium under random choices of list, section,
category and years, and reads what its panels and their numbers say. Beside each figure stands what SQL over the lake's
own tables gives, written here anew and without the page's queries and views. It ends with 1 where one differs.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from standins.trials.browser import chromium, visit
from standins.trials.dashboard_lake import PARTS, made_up, make_lake
from warehouse.dashboard.page import publish
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake

PAPERS, LISTS, WEEKS = 900, 7, 30
# What is chosen: places of papers, and entries without a paper, of which no category is known.
CHOSEN = """
CREATE OR REPLACE TEMP TABLE entries AS
SELECT m.*, array_to_string(CASE WHEN m.section[1] = l.title THEN m.section[2:] ELSE m.section END, ' / ') AS part
FROM mentions AS m JOIN reading_lists AS l USING (list_id)
WHERE m.removed_at IS NULL AND ($list IS NULL OR m.list_id = $list);
CREATE OR REPLACE TEMP TABLE places AS
SELECT e.list_id, e.part, p.paper_id, p.year, p.primary_category, p.authors, p.citation_count
FROM entries AS e JOIN papers AS p USING (paper_id)
WHERE ($section IS NULL OR e.part = $section OR starts_with(e.part, $section || ' / '))
    AND ($category IS NULL OR p.primary_category = $category)
    AND ($first IS NULL OR p.year >= $first) AND ($last IS NULL OR p.year <= $last);
CREATE OR REPLACE TEMP TABLE unresolved_entries AS
FROM entries AS e
WHERE e.paper_id IS NULL AND $category IS NULL
    AND ($section IS NULL OR e.part = $section OR starts_with(e.part, $section || ' / '))
    AND ($first IS NULL OR e.year >= $first) AND ($last IS NULL OR e.year <= $last);
"""
ONE = "SELECT count(DISTINCT paper_id) FROM places"
# Name of a figure -> SQL that gives it.
SINGLE = {
    "papers": ONE,
    "papers in several lists": "SELECT count(*) FROM (SELECT paper_id FROM mentions WHERE removed_at IS NULL "
    "AND paper_id IN (SELECT paper_id FROM places) GROUP BY ALL HAVING count(DISTINCT list_id) > 1)",
    "mentions": "SELECT (SELECT count(*) FROM places) + (SELECT count(*) FROM unresolved_entries)",
    "mentions without a paper": "SELECT count(*) FROM unresolved_entries",
    "papers on the map": f"{ONE} JOIN openalex_works USING (paper_id)",
    "most citations on the map": "SELECT max(w.citation_count) FROM places JOIN openalex_works AS w USING (paper_id)",
    "papers with citations by year": f"{ONE} SEMI JOIN citations_by_year USING (paper_id)",
    "citations gained": "SELECT sum(gained) FROM (SELECT arg_max(citation_count, observed_at) - "
    "arg_min(citation_count, observed_at) AS gained FROM citation_counts WHERE source = 's2' "
    "AND paper_id IN (SELECT paper_id FROM places) GROUP BY paper_id)",
}
# Panel -> SQL of its numbers: a name and a figure each, the first ones of which are held against the page's.
TABLES = {
    "years": "SELECT year, count(DISTINCT paper_id) FROM places GROUP BY ALL",
    "sections": "SELECT replace(part, ' / ', ' › '), count(DISTINCT paper_id) FROM places GROUP BY ALL",
    "people": "SELECT name, count(*) FROM (SELECT DISTINCT paper_id, unnest(list_distinct(authors)) AS name "
    "FROM places) GROUP BY ALL",
    "institutions": "SELECT name, count(*) FROM (SELECT DISTINCT paper_id, unnest(institutions) AS name "
    "FROM paper_authors SEMI JOIN places USING (paper_id)) GROUP BY ALL",
    "coverage": "SELECT title, sum(known) FROM (SELECT list_id, 1 AS known FROM places UNION ALL "
    "SELECT list_id, 1 FROM unresolved_entries) JOIN reading_lists USING (list_id) GROUP BY ALL",
    "cited": "SELECT c.year, sum(c.citation_count) FROM citations_by_year AS c SEMI JOIN places USING (paper_id) "
    "GROUP BY ALL",
}


def whole(text: str) -> int:
    """Returns the first whole number of a text."""
    return int(re.sub(r"\D", "", re.search(r"[\d,]+", text)[0]))  # type: ignore[index]


def read_page(page: Any) -> Iterator[tuple[str, Any]]:
    """Yields the figures that the page shows now: of panels a dictionary each."""
    tiles = page.eval_on_selector_all(
        "#glance > div", "all => all.map(one => [...one.children].map(c => c.textContent))"
    )
    named = {name: (value, note) for name, value, note in tiles}
    yield "papers", whole(named["Papers"][0])
    yield "papers in several lists", whole(named["Papers"][1] or "0")
    yield "mentions", whole(named["Mentions"][0])
    if "category" not in named["Mentions"][1]:
        yield "mentions without a paper", whole(named["Mentions"][1] or "0")
    rows = read_numbers(page, "map")
    yield "papers on the map", len(rows)
    yield "most citations on the map", max(whole(row[2]) for row in rows) if rows else None
    if cited := re.search(r"that ([\d,]+) of these", page.inner_text("#cited-says")):
        yield "papers with citations by year", whole(cited[1])
    if gained := re.search(r"\+([\d,]+) citations from", page.inner_text("#history-says")):
        yield "citations gained", whole(gained[1])
    for panel in TABLES:
        rows = read_numbers(page, panel)
        # A year has a figure for each row of columns, which together are all papers of it.
        parts = slice(1, None) if panel == "years" else slice(1, 2)
        yield panel, {row[0]: sum(map(whole, row[parts])) for row in rows}


def read_numbers(page: Any, panel: str) -> list[list[str]]:
    details = page.locator(f"#{panel}-numbers")
    if details.evaluate("one => one.hidden"):
        return []
    details.evaluate("one => { one.open = true; }")
    page.wait_for_selector(f"#{panel}-numbers tbody tr", state="attached")
    script = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    rows: list[list[str]] = details.locator("tbody tr").evaluate_all(script)
    return rows


def choices(many: int, seed: int, connection: Any) -> Iterator[dict[str, Any]]:
    """Yields what is chosen, nothing first."""
    draw = random.Random(seed)
    names = [
        name for (name,) in connection.execute("SELECT DISTINCT primary_category FROM papers ORDER BY 1").fetchall()
    ]
    yield {"list": None, "section": None, "category": None, "first": None, "last": None}
    for _ in range(many - 1):
        first = draw.choice([None, draw.randint(2005, 2022)])
        yield {
            "list": draw.choice([None, None, f"l{draw.randrange(LISTS):02}"]),
            "section": draw.choice([None, None, draw.choice(PARTS)]),
            "category": draw.choice([None, None, draw.choice(names[:6])]),
            "first": first,
            "last": draw.choice([None, draw.randint(first or 2005, 2026)]),
        }


def compare(page: Any, connection: Any, chosen: dict[str, Any], draw: random.Random) -> Iterator[tuple[str, Any, Any]]:
    """Yields figures under a choice: its name, what the page says, what SQL does; of each panel five at random."""
    for statement in filter(str.strip, CHOSEN.split(";")):
        connection.execute(statement, {name: value for name, value in chosen.items() if f"${name}" in statement})
    for name, shown in read_page(page):
        if name in SINGLE:
            yield name, shown, connection.execute(SINGLE[name]).fetchall()[0][0]
            continue
        if name == "coverage" and chosen["category"] is not None:
            continue
        right = {str(key): int(value) for key, value in connection.execute(TABLES[name]).fetchall()}
        yield f"{name}: rows", sum(map(bool, shown.values())), sum(map(bool, right.values()))
        for key in draw.sample(sorted(shown | right), min(5, len(shown | right))):
            yield f"{name}: {key}", shown.get(key, 0), right.get(key, 0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--choices", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw, figures, wrong = random.Random(options.seed), 0, 0
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        place = LakePlace.of(Path(folder) / "lake")
        make_lake(place, list(made_up(PAPERS)), lists=LISTS, weeks=WEEKS, whole=True)
        page = publish(place, Path(folder) / "out").page
        with closing(open_lake(place)) as connection, visit(browser, page) as visited:
            for chosen in choices(options.choices, options.seed, connection):
                names = {"first": "from", "last": "to"}
                address = urlencode({names.get(name, name): value for name, value in chosen.items() if value})
                if visited.page.evaluate("location.hash.slice(1)") != address:
                    with visited.redrawn():
                        visited.page.evaluate("address => { location.hash = address; }", address)
                for name, shown, right in compare(visited.page, connection, chosen, draw):
                    figures += 1
                    if shown != right:
                        wrong += 1
                        print(f"{address or 'everything'}: {name}: the page says {shown}, SQL {right}")
    print(f"{figures - wrong} of {figures} figures are right, under {options.choices} choices")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

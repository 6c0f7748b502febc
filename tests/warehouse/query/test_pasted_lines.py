"""The entry of a missing work is in the form of its list, where the list's file is as the lake has read it."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pytest

from standins.trials.citation_world import views_over
from standins.trials.rows import list_row
from warehouse.loading.commit import Harvest
from warehouse.loading.load import registration
from warehouse.query.pasted_lines import lines_to_paste

ENTRIES = ["- [A First Study of Things](https://arxiv.org/abs/2001.00001) (2019)"]
ENTRIES += ["- [Another Study of Things](https://arxiv.org/abs/2001.00002) (2020)"]
TEXT = "\n".join(["# Things", "", *ENTRIES, ""])
OWN = "- [A Missing Work on Things](https://doi.org/10.5555/apt) (2018)"
COLUMNS = {
    "title": "A Missing Work on Things",
    "authors": ["Ann Ames"],
    "year": 2018,
    "venue": None,
    "doi": "10.5555/apt",
    "arxiv_id": None,
    "openalex_id": "W200",
    "citing_paper_ids": ["p1"],
    "cited_paper_ids": None,
}


def lines_of(*list_ids: str, lists) -> list[str | None]:
    """Returns the lines of the same missing work in each list."""
    lake = views_over(Harvest(reading_lists=lists))
    rows = {name: [value] * len(list_ids) for name, value in COLUMNS.items()} | {"list_id": list(list_ids)}
    texts = pa.list_(pa.string())
    kinds = {"authors": texts, "citing_paper_ids": texts, "cited_paper_ids": texts}
    with registration(lake, "missing_works", pa.table({k: pa.array(v, kinds.get(k)) for k, v in rows.items()})):
        return lines_to_paste(lake, rows)


@pytest.fixture
def listed(tmp_path):
    def write(text: str = TEXT, list_id: str = "l1", **changes):
        path = tmp_path / f"{list_id}.md"
        path.write_text(text, encoding="utf-8")
        revision = hashlib.sha256(TEXT.encode()).hexdigest()
        return list_row(list_id, **{"location": str(path), "revision": revision} | changes)

    return write


def test_of_the_only_list_also_all_lists_together_have_its_form(listed):
    assert lines_of("l1", "all", lists=[listed()]) == [OWN, OWN]


def test_several_lists_have_each_its_own(listed):
    assert lines_of("l1", "l2", "all", lists=[listed(), listed(list_id="l2", location="/no/file.md")]) == [
        OWN, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [{"text": f"{TEXT}changed"}, {"location": "github:owner/name/list.md"}, {"location": "https://x.org/l.md"}],
)
def test_a_list_that_is_not_at_hand_as_it_was_read_has_none(listed, changes):
    assert lines_of("l1", lists=[listed(**changes)]) == [None]

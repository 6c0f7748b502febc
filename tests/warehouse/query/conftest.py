from __future__ import annotations

import pytest

from standins.trials.rows import DAY, T0, count_row, fill, identifier_row, list_row, mention_row, paper_row
from warehouse.lake.place import LakePlace

ODD = '100% of $x^2$ & Über_cases: BERT #1 — Łódź 中文 \\alpha ~ ^ "q" it\'s <b> {x'


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory):
    """A lake with a conference paper, an odd preprint, one merged into the first, and one that no list names now."""
    place = LakePlace.of(tmp_path_factory.mktemp("export") / "lake")
    papers = [
        paper_row(
            "p1",
            title="Attention Is All You Need",
            abstract="The dominant models\nare complex.",
            authors=["Ashish Vaswani", "Łukasz Kaiser"],
            year=2017,
            published_on=T0.date().replace(year=2017),
            venue="Neural Information Processing Systems",
            arxiv_id="1706.03762",
            primary_category="cs.CL",
            categories=["cs.CL", "cs.LG"],
            s2_paper_id="a" * 40,
            citation_count=100,
            counted_at=T0,
            citation_key="vaswani2017attention",
        ),
        paper_row("p2", title=ODD, authors=["ATLAS Collaboration"], arxiv_id="1207.7214", citation_key="atlas100"),
        paper_row("p3", title="=HYPERLINK(1)", year=2001, venue="Nature", doi="10.1/a_b", citation_key="anon2001"),
        paper_row("p4", title="Merged", merged_into="p1"),
        paper_row("p5", title="Gone", citation_key="gone"),
    ]
    mentions = [mention_row(f"m{n}", paper_id=f"p{n}", section=["A", "B"], line=n) for n in (1, 2, 3)]
    gone = mention_row("m5", paper_id="p5", removed_at=T0)
    counts = [count_row("p1", T0, 100), count_row("p4", T0 - DAY, 90), count_row("p5", T0, 1)]
    return fill(
        place,
        reading_lists=[list_row(title="A list")],
        mentions=[*mentions, gone],
        papers=papers,
        paper_identifiers=[identifier_row("p1")],
        citation_counts=counts,
    )

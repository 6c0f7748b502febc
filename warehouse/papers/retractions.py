"""Retractions of the papers of a run, from Retraction Watch and OpenAlex, and the findings about them.

Retraction Watch is read from its mirror, and knows when a retraction was taken back: where it tells of a paper, it
decides. Where its file of today tells of it no more, OpenAlex does, which has a flag with each work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_key
from sources.services.agreement import described_by_row
from sources.services.retraction_watch import Notice, retraction_among, without_mark
from warehouse.mirrors.local import RetractionMirror
from warehouse.papers.lake_papers import KnownPapers
from warehouse.papers.paper_merge import RunPapers
from warehouse.tables.declarations import FindingRow, OpenalexWorkRow, RetractionRow

SOURCE = "retraction-watch"
CODE = "retracted-paper"  # the finding about a mention of a retracted paper
OPENALEX = "openalex"
_NAMES = {SOURCE: "Retraction Watch", OPENALEX: "OpenAlex"}
_SHOWN_REASONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Retractions:
    """What a run has to write about retractions."""

    rows: Sequence[RetractionRow]  # rows of `retractions`, new or changed
    findings: Sequence[FindingRow]  # rows of `findings`, all those of each mention in `reviewed`
    reviewed: Sequence[str]  # mentions without a new verdict whose findings change


def find_retractions(
    mentions: Mapping[str, str | None],
    weighed: Mapping[str, list[FindingRow]],
    *,
    run_papers: RunPapers,
    known: KnownPapers,
    mirror: RetractionMirror,
    now: datetime,
    works: Sequence[OpenalexWorkRow] = (),
) -> Retractions:
    """Returns what is new about retractions of the papers of a run, and puts it into their rows.

    Mentions of these papers in lists that the run did not read get the finding, too.

    To be called after all merges. `mentions` are the run's with their papers, `weighed` those with a new verdict with
    their findings, to which the one about a retraction is added here. Without a mirror what the lake knows stays.
    """
    papers = {paper_id for paper_id in mentions.values() if paper_id is not None}
    # paper -> source -> its row in the lake, or that of a paper which this run merged into it
    stored: defaultdict[str, dict[str, RetractionRow]] = defaultdict(dict)
    merged = {loser: winner for loser, winner in run_papers.merged().items() if winner in papers}
    for row in sorted(
        known.retractions({*papers, *merged}), key=lambda row: (row["paper_id"] in merged, row["paper_id"])
    ):
        paper_id = merged.get(row["paper_id"], row["paper_id"])
        stored[paper_id].setdefault(row["source"], {**row, "paper_id": paper_id})
    changed = []
    noticed = _rows(papers, stored, run_papers=run_papers, mirror=mirror, now=now)
    for row in (*noticed, *_flagged(works, stored, now)):
        if stored[row["paper_id"]].get(row["source"]) != row:
            stored[row["paper_id"]][row["source"]] = row
            changed.append(row)
    run_papers.read(paper_ids=stored)
    deciding: dict[str, RetractionRow] = {}
    for paper_id, by_source in stored.items():
        row = max(by_source.values(), key=lambda each: each["retracted"])
        own = by_source.get(SOURCE)
        if own is not None and (own["retracted"] or own["record"] is not None):
            row = own
        deciding[paper_id] = row
        run_papers.update(paper_id, {"retracted": row["retracted"]})
    sentences = {paper_id: _sentence(row) for paper_id, row in deciding.items() if row["retracted"]}
    elsewhere = known.standing_mentions(row["paper_id"] for row in changed)
    reviewed, findings = _findings({**elsewhere, **mentions}, weighed, sentences, known)
    return Retractions(rows=changed, findings=findings, reviewed=reviewed)


def _since(before: RetractionRow | None, now: datetime, *, retracted: bool) -> datetime:
    """Returns since when the lake has a retraction: where one that was taken back holds again, since now."""
    return before["first_seen_at"] if before and (before["retracted"] or not retracted) else now


def _rows(
    papers: Collection[str],
    stored: Mapping[str, Mapping[str, RetractionRow]],
    *,
    run_papers: RunPapers,
    mirror: RetractionMirror,
    now: datetime,
) -> list[RetractionRow]:
    """Returns the rows of `papers` for which the mirror has a retraction, or once had one."""
    release = mirror.release
    if release is None:
        return []
    run_papers.read(paper_ids=papers)
    identifiers = {paper_id: run_papers.identifiers(paper_id) for paper_id in papers}
    titles = {paper_id: without_mark(run_papers.rows[paper_id]["title"]) for paper_id in papers}
    claimed = [Identifier("doi", doi) for paper_id in papers if (doi := run_papers.rows[paper_id]["doi"])]
    by_doi: defaultdict[str | None, list[Notice]] = defaultdict(list)
    for notice in mirror.by_doi([*claimed, *(item for own in identifiers.values() for item in own)]):
        by_doi[notice.doi].append(notice)
    by_title: defaultdict[str, list[Notice]] = defaultdict(list)
    for notice in mirror.by_whole_titles(set(titles.values())):
        by_title[title_key(notice.title)].append(notice)
    rows: list[RetractionRow] = []
    for paper_id in sorted(papers):
        row, before = run_papers.rows[paper_id], stored.get(paper_id, {}).get(SOURCE)
        dois = {item.value for item in identifiers[paper_id] if item.scheme == "doi"}
        with_claimed = {*dois, *([row["doi"]] if row["doi"] else [])}
        by_dois = [notice for doi in sorted(with_claimed) for notice in by_doi.get(doi, ())]
        about = list(dict.fromkeys([*by_dois, *by_title.get(title_key(titles[paper_id]), ())]))
        paper = described_by_row(row)
        # A DOI that arXiv alone gives may be wrong: it is evidence for a notice, and not against one.
        found = retraction_among(about, paper, with_claimed) or retraction_among(about, paper, dois)
        if found is not None:
            rows.append(
                {
                    "paper_id": paper_id,
                    "source": SOURCE,
                    "retracted": not found.reinstated,
                    "retracted_on": found.notice.noticed_on,
                    "reasons": list(found.notice.reasons),
                    "notice_doi": found.notice.notice_doi,
                    "record": found.notice.record,
                    "matched_by": found.matched_by,
                    "first_seen_at": _since(before, now, retracted=not found.reinstated),
                }
            )
        elif before is not None and release.whole:
            rows.append({**before, "retracted": False, "record": None})
    return rows


def _flagged(
    works: Sequence[OpenalexWorkRow], stored: Mapping[str, Mapping[str, RetractionRow]], now: datetime
) -> list[RetractionRow]:
    """Returns the rows of papers that OpenAlex flags as retracted, or once flagged and does no more."""
    rows: list[RetractionRow] = []
    for work in works:
        before = stored.get(work["paper_id"], {}).get(OPENALEX)
        if work["retracted"] is None or (not work["retracted"] and before is None):
            continue
        rows.append(
            {
                "paper_id": work["paper_id"],
                "source": OPENALEX,
                "retracted": work["retracted"],
                "retracted_on": None,
                "reasons": [],
                "notice_doi": None,
                "record": work["openalex_id"],
                "matched_by": "its record",
                "first_seen_at": _since(before, now, retracted=work["retracted"]),
            }
        )
    return rows


def _sentence(row: RetractionRow) -> tuple[str, str | None]:
    when = f" on {row['retracted_on']:%Y-%m-%d}" if row["retracted_on"] else ""
    reasons = ", ".join(row["reasons"][:_SHOWN_REASONS])
    why = f": {reasons}" if reasons else ""
    return f"the paper was retracted{when}, says {_NAMES.get(row['source'], row['source'])}{why}", row["notice_doi"]


def _findings(
    mentions: Mapping[str, str | None],
    weighed: Mapping[str, list[FindingRow]],
    sentences: Mapping[str, tuple[str, str | None]],
    known: KnownPapers,
) -> tuple[list[str], list[FindingRow]]:
    """Returns the mentions without a new verdict whose findings change, and all findings that they have then."""
    for mention_id, rows in weighed.items():
        rows[:] = _with_finding(mention_id, rows, sentences.get(mentions.get(mention_id) or ""))
    others = {mention_id: paper_id for mention_id, paper_id in mentions.items() if mention_id not in weighed}
    stored: defaultdict[str, list[FindingRow]] = defaultdict(list)
    retracted = {mention_id for mention_id, paper_id in others.items() if paper_id in sentences}
    for row in known.findings(retracted | (known.mentions_with_finding(CODE) & others.keys())):
        stored[row["mention_id"]].append(row)
    reviewed, findings = [], []
    for mention_id in sorted(retracted | stored.keys()):
        rows = _with_finding(mention_id, stored[mention_id], sentences.get(others[mention_id] or ""))
        if rows != stored[mention_id]:
            reviewed.append(mention_id)
            findings += rows
    return reviewed, findings


def _with_finding(
    mention_id: str, rows: Sequence[FindingRow], sentence: tuple[str, str | None] | None
) -> list[FindingRow]:
    """Returns a mention's findings with the one about a retraction last, or without it."""
    own = [row for row in rows if row["code"] != CODE]
    if sentence is not None:
        ordinal = max((row["ordinal"] for row in own), default=-1) + 1
        message, value = sentence
        own.append({"mention_id": mention_id, "ordinal": ordinal, "code": CODE, "message": message, "value": value})
    return own

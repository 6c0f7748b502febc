"""Draft -> is it a mention? Evidence is added up, and every piece of it keeps its words for `--explain`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sources.reading_list.document import Block
from sources.reading_list.drafts import Draft

ENOUGH = 2.0
"""Evidence from which a draft is a mention."""

_LINK_WEIGHT = {"paper": 4.0, "pdf": 3.0, "page": 1.0, None: 1.5, "note": 0.3}
_SECTION_AGAINST = re.compile(
    r"\b(?:blogs?|courses?|lectures?|videos?|talks?|tools?|toolbox\w*|software|librar(?:y|ies)|packages|frameworks?|datasets?|books?|textbooks|people|researchers|contribut\w*|licen[cs]e|contents|"
    r"resources|tutorials?|implementations?|code|projects|slides|companies|conferences|workshops|community|news|acknowledge?ments?|cite|citation|star history|about|faq|links|websites?|benchmarks)\b|"
    r"课程|博客|视频|工具|数据集|书籍|代码|开源|目录|资源|贡献|講座|本\b|ライブラリ",
    re.IGNORECASE,
)
_SECTION_FOR = re.compile(
    r"\b(?:papers?|publications?|readings?|articles?|bibliography|references|literature|preprints|surveys?)\b|论文|文献|論文|논문",
    re.IGNORECASE,
)
_NOT_PAPER = re.compile(
    r"^(?:lecture|lec|lesson|week|day|chapter|chapters|section|part|homework|project|assignment|exercise|lab|slides?|notes?|video|talk|course|tutorial|blog|code|source|source code|download|install|license|contributing|table of contents|contents|back to top|readme|todo|"
    r"github|home ?page|website|documentation|official|dataset|demo|quiz|midterm|exam|figure|fig|update|updated|news)\b[\s:.#\d]*|"
    r"\b(?:source code|github|docs|documentation|homepage|blog|official site|website|playlist|newsletter|awesome[- ]\w+|implementation of|implementation in)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Verdict:
    """The evidence for and against one draft."""

    draft: Draft
    score: float = 0.0
    reasons: list[str] = field(default_factory=list)

    def add(self, weight: float, reason: str) -> None:
        """Counts `weight` and keeps `reason`."""
        if weight:
            self.score += weight
            self.reasons.append(f"{weight:+.1f} {reason}")


def judge(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[Verdict]:
    """Returns the drafts that are mentions, in order, each with its evidence."""
    verdicts: list[list[Verdict]] = []
    papers_below = _papers_below(blocks, drafts)
    for index, block in enumerate(blocks):
        found = [_weigh(block, draft) for draft in drafts[index]]
        above = verdicts[block.parent] if block.parent is not None else []
        under = any(verdict.score >= ENOUGH for verdict in above)
        for verdict in found:
            _weigh_place(verdict, block, under=under, papers_below=papers_below[index])
        verdicts.append(found)
    _weigh_siblings(blocks, verdicts)
    return [verdict for found in verdicts for verdict in found if verdict.score >= ENOUGH]


def _weigh(block: Block, draft: Draft) -> Verdict:
    verdict = Verdict(draft)
    citation, link = draft.citation, draft.title_link
    others = [other for other in draft.paper_links if other is not link]
    if link is not None:
        weight = _LINK_WEIGHT.get(link.kind, 0.0 if others else -3.0)
        verdict.add(weight, f"its title links to {link.url or 'nothing'} ({link.kind or 'an empty link'})")
    if others:
        verdict.add(
            3.5 if others[0].kind == "paper" else 3.0,
            f"the word {others[0].label!r} beside it links to {others[0].url}",
        )
    if citation.authors:
        verdict.add(2.0, f"authors: {', '.join(citation.authors[:3])}")
    if citation.venue:
        verdict.add(2.0, f"venue: {citation.venue}")
    if citation.year is not None:
        verdict.add(1.0, f"year: {citation.year}")
    if any(other.word == "notes" for other in draft.links):
        verdict.add(1.2, "notes on it are linked")
    if citation.label:
        verdict.add(1.5, f"it is introduced by {citation.label.strip()!r}")
    if draft.title:
        verdict.add(max(-2.0, min(draft.like, 3.0)) * 0.8, "how much its words read like a title")
        if _NOT_PAPER.search(draft.title):
            verdict.add(-2.5, "its words name something else than a paper")
    return verdict


def _weigh_place(verdict: Verdict, block: Block, *, under: bool, papers_below: int) -> None:
    draft = verdict.draft
    linked = bool(draft.paper_links)
    if block.kind == "heading":
        verdict.add(-1.0 if draft.title_link is not None else -2.5, "it is a heading")
    if linked:
        return
    if block.quoted:
        verdict.add(-4.0, "it stands in a quotation")
    if under:
        verdict.add(-2.5, "it stands below a paper, as a remark")
    if papers_below and not (draft.citation.venue or draft.citation.authors):
        verdict.add(-2.0, "papers stand below it, as under a topic")
    place = block.section[-1] if block.section else ""
    if _SECTION_FOR.search(place):
        verdict.add(0.3, f"it stands under {place!r}")
    elif _SECTION_AGAINST.search(place):
        verdict.add(-1.5, f"it stands under {place!r}")


def _papers_below(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[int]:
    """Returns for every block how many items right below it hold a draft with a title of its own."""
    below = [0] * len(blocks)
    for index, block in enumerate(blocks):
        if block.parent is not None and any(
            draft.title and (draft.paper_links or draft.like >= 2) for draft in drafts[index]
        ):
            below[block.parent] += 1
    return below


def _weigh_siblings(blocks: Sequence[Block], verdicts: list[list[Verdict]]) -> None:
    """Counts what the other entries of a list are: bare titles come in company."""
    groups: dict[int, list[Verdict]] = defaultdict(list)
    for block, found in zip(blocks, verdicts, strict=True):
        if block.kind in ("item", "row"):
            groups[block.group].extend(found)
    for found in groups.values():
        accepted = sum(verdict.score >= ENOUGH for verdict in found)
        if len(found) < 3:
            continue
        share = accepted / len(found)
        for verdict in found:
            if not verdict.draft.paper_links and verdict.draft.like > 0 and verdict.score > 0.5:
                if share >= 0.6:
                    verdict.add(0.8, "most entries beside it are papers")
                elif share <= 0.25:
                    verdict.add(-0.8, "few entries beside it are papers")

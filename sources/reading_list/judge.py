"""Draft -> is it a mention? Evidence is added up, and every piece of it keeps its words for `--explain`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sources.reading_list.document import Block
from sources.reading_list.drafts import Draft
from sources.reading_list.headings import leaning, names_no_paper, speaks_of_papers
from sources.reading_list.spans import Link

ENOUGH = 2.0
"""Evidence from which a draft is a mention."""

_LINK_WEIGHT = {"paper": 4.0, "pdf": 3.0, "page": -0.6, None: 2.0, "note": -1.0}
_OTHERS_WEIGHT = {"paper": 3.5, "pdf": 3.0, "page": 2.5}
_OTHER_KINDS = frozenset(("code", "video", "slides", "blog", "docs", "course", "page", "data", "social"))


@dataclass(slots=True)
class Verdict:
    """The evidence for and against one draft; `listed` says that it stands in a list and not in prose."""

    draft: Draft
    papers: list[Link]
    score: float = 0.0
    listed: bool = False
    evidence: list[tuple[float, str, object]] = field(default_factory=list)

    @property
    def told(self) -> bool:
        """Returns whether more than words speaks for the draft: authors, venue, year or any link."""
        draft = self.draft
        return bool(
            draft.citation.authors or draft.citation.venue or draft.citation.year is not None or draft.all_links
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Returns the evidence in words, each piece with its weight."""
        return tuple(f"{weight:+.1f} {reason.format(fact)}" for weight, reason, fact in self.evidence)

    def add(self, weight: float, reason: str, fact: object = None) -> None:
        """Counts `weight` and keeps `reason`, in which `{}` stands for `fact`."""
        if weight:
            self.score += weight
            self.evidence.append((weight, reason, fact))


def judge(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[Verdict]:
    """Returns the drafts that are mentions, in order, each with its evidence."""
    verdicts: list[list[Verdict]] = []
    papers_below = _papers_below(blocks, drafts)
    uniform = _uniform_groups(blocks, drafts)
    for index, block in enumerate(blocks):
        found = [_weigh(draft) for draft in drafts[index]]
        above = verdicts[block.parent] if block.parent is not None else []
        under = any(verdict.score >= ENOUGH for verdict in above)
        for verdict in found:
            _weigh_words(verdict)
            _weigh_place(verdict, block, under=under, papers_below=papers_below[index], uniform=block.group in uniform)
        verdicts.append(found)
    _weigh_siblings(blocks, verdicts)
    _weigh_company(blocks, verdicts)
    return [verdict for found in verdicts for verdict in found if verdict.score >= ENOUGH]


def _weigh(draft: Draft) -> Verdict:
    verdict = Verdict(draft, draft.paper_links)
    _weigh_links(verdict)
    citation = draft.citation
    if citation.authors:
        verdict.add(2.0, "authors: {}", ", ".join(citation.authors[:3]))
    if citation.venue:
        verdict.add(2.0, "venue: {}", citation.venue)
    if citation.year is not None:
        verdict.add(1.0, "year: {}", citation.year)
    if citation.label:
        verdict.add(1.5, "it is introduced by {}", citation.label.strip())
    if draft.title:
        lowest = -1.0 if verdict.papers else -2.0
        highest = 3.0 if draft.title_link is None or draft.title_link.kind in _LINK_WEIGHT else 2.0
        verdict.add(max(lowest, min(draft.like, highest)) * 0.8, "how much its words read like a title")
        if draft.citation.quoted:
            verdict.add(1.0, "its title stands in quotation marks")
    return verdict


def _weigh_words(verdict: Verdict) -> None:
    """Counts words that name something else than a paper, where the draft could be a mention without them."""
    title = verdict.draft.title
    if title and verdict.score > 0 and names_no_paper(title):
        verdict.add(-3.5, "its words name something else than a paper")


def _weigh_links(verdict: Verdict) -> None:
    draft = verdict.draft
    link = draft.title_link
    others = [other for other in verdict.papers if other is not link]
    if link is not None:
        weight = _LINK_WEIGHT.get(link.kind, 0.0 if others else -4.5)
        verdict.add(weight, "its title links to {}", f"{link.url} ({link.kind})" if link.url else "nothing")
    if others:
        verdict.add(
            _OTHERS_WEIGHT.get(others[0].kind or "", 2.2),
            "a word beside it links to {}",
            f"{others[0].url} ({others[0].label})",
        )
    if any(other.word == "notes" for other in draft.links):
        verdict.add(1.6, "notes on it are linked")
    if draft.links and link is None and not others and any(other.kind in _OTHER_KINDS for other in draft.links):
        verdict.add(-2.0, "the link beside it leads elsewhere: {}", draft.links[0].url)


def _weigh_place(verdict: Verdict, block: Block, *, under: bool, papers_below: int, uniform: bool) -> None:
    draft = verdict.draft
    verdict.listed = uniform or block.kind in ("item", "row")
    if block.kind == "heading":
        verdict.add(-1.0 if draft.title_link is not None else -2.5, "it is a heading")
    if verdict.papers:
        return
    if block.quoted:
        verdict.add(-4.0, "it stands in a quotation")
    if under:
        verdict.add(-2.5, "it stands below a paper, as a remark")
    if papers_below and not (draft.citation.venue or draft.citation.authors):
        verdict.add(-2.0, "papers stand below it, as under a topic")
    if draft.citation.scheduled:
        verdict.add(-3.0, "a day of a schedule stands before it")
    if block.kind == "paragraph" and not verdict.told and not uniform:
        verdict.add(-0.9, "it is a paragraph with nothing but words")
    elif block.kind == "paragraph" and draft.citation.how == "text" and not draft.citation.authors and _goes_on(draft):
        verdict.add(-2.0, "it is the beginning of a paragraph that goes on")
    place = block.section[-1] if block.section else ""
    verdict.add(leaning(place), "it stands under {}", place)


def _goes_on(draft: Draft) -> bool:
    """Returns whether more than a dozen words follow what was read as the title."""
    return len(draft.text.split()) > len((draft.title or "").split()) + 12


def _uniform_groups(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> set[int]:
    """Returns the runs of paragraphs nearly all of which read like titles: one title a line, with nothing beside it."""
    likes: dict[int, list[float]] = defaultdict(list)
    for block, found in zip(blocks, drafts, strict=True):
        if block.kind == "paragraph" and not block.quoted:
            likes[block.group].extend(draft.like for draft in found)
    return {
        group
        for group, values in likes.items()
        if len(values) >= 4 and sum(like >= 1.5 for like in values) >= 0.75 * len(values)
    }


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
        if block.kind != "heading" and not block.quoted:
            groups[block.group].extend(found)
    everywhere = _share([verdict for found in groups.values() for verdict in found if not verdict.papers])
    for found in groups.values():
        share = _share(found) if len(found) >= 3 else everywhere
        for verdict in found:
            if verdict.papers or verdict.draft.like < -0.5 or verdict.score < 0.5:
                continue
            if share >= 0.6 and (verdict.told or verdict.listed):
                verdict.add(1.2, "most entries beside it are papers")
            elif share <= 0.25:
                verdict.add(-0.8, "few entries beside it are papers")
            elif everywhere >= 0.7:
                verdict.add(0.8, "most entries of the list are papers")


def _weigh_company(blocks: Sequence[Block], verdicts: list[list[Verdict]]) -> None:
    """Counts against bare words in a list that nowhere has a paper's link, authors or venue, nor speaks of papers."""
    found = [verdict for some in verdicts for verdict in some]
    told = any(verdict.papers or verdict.draft.citation.authors or verdict.draft.citation.venue for verdict in found)
    if told:
        return
    if any(speaks_of_papers(heading) for block in blocks for heading in block.section):
        for verdict in found:
            if verdict.draft.like > 0 and blocks[verdict.draft.block].parent is None:
                verdict.add(1.5, "the list says that it is one of papers, and gives nothing but titles")
        return
    # A file of nothing but titles needs no word about papers.
    entries = sum(block.kind != "heading" for block in blocks)
    if 2 * sum(verdict.score >= ENOUGH for verdict in found) > entries:
        return
    for verdict in found:
        if not verdict.draft.title_link and verdict.draft.citation.year is None:
            verdict.add(-1.5, "nothing in the list says that it is one of papers")


def _share(verdicts: list[Verdict]) -> float:
    """Returns which part of `verdicts` are mentions already."""
    return sum(verdict.score >= ENOUGH for verdict in verdicts) / len(verdicts) if verdicts else 0.0

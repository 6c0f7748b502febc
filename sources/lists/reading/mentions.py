"""Makes mentions of a document: drafts are made, merged, judged, and become records."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sources.bibliography.titles import title_key
from sources.bibliography.years import full_year, is_year
from sources.lists.reading.accounting import SkippedLine, skipped_lines
from sources.lists.reading.addresses import OTHER_FIELD, carried_by_text
from sources.lists.reading.author_lists import NAME_WORD, SAME, SURE_NAMES, SURNAME, name_odds
from sources.lists.reading.decision import MentionVerdict, judge
from sources.lists.reading.document import Block, Document
from sources.lists.reading.drafts import Draft, draft_of_record, drafts_of, drafts_of_rows
from sources.lists.reading.entries import RECURS, labels_of_fields
from sources.lists.reading.merge_blocks import attach, items_that_are_fields
from sources.lists.reading.title_choice import choose_titles
from sources.lists.reading.title_model import FUNCTION_WORDS, title_odds
from sources.records import Finding, Mention

_FEWEST_BEFORE_SITE = 3  # words
# A site as browsers name it behind the title of a page.
_SITE = re.compile(
    r"(?<=\S) [-–—] (?:ScienceDirect|PubMed|PMC|NCBI|SpringerLink|Springer|JSTOR|Wiley Online Library|IEEE Xplore|"
    r"ACM Digital Library|Semantic Scholar|ResearchGate|Oxford Academic|SAGE Journals|Academia\.edu|arXiv(?:\.org)?|"
    r"bioRxiv|medRxiv|IOPscience|Frontiers|MDPI|Cambridge Core|De Gruyter|Project MUSE)$"
)
_RUNNING_NUMBER = re.compile(r"(\d{4})[.)] (\S.+)")
_MOSTLY = 3  # of so many titles of a form, one has an author in front
# A name of a word or two in front of a title.
_AUTHOR_IN_FRONT = re.compile(rf"({SURNAME.pattern}(?: {SURNAME.pattern})?)(?: et al\.?)?(?:: | [-–—] )(\S.+)")
_SECOND = "the entry names a second arXiv paper, {}; the one before it was taken"
_FEWEST_RECORDS = 3  # entries of BibTeX from which they are a part of the list


def mentions_of(
    document: Document,
) -> tuple[tuple[Mention, ...], tuple[Mention, ...], tuple[SkippedLine, ...], str | None]:
    """Returns the mentions of `document`, its possible titles, its other lines, and the form that most entries have."""
    if document.form is None:
        drafts, form = records_of(document.blocks)
    else:  # its records are whole, and nothing else in it names a paper
        nothing: frozenset[str] = frozenset()
        records = [block.kind == "record" for block in document.blocks]
        drafts = [_drafts(at, block, nothing, []) * records[at] for at, block in enumerate(document.blocks)]
        form = document.form
    verdicts, possible = judge(document.blocks, drafts)
    # BibTeX that repeats a paper of the list, or says how to cite the list itself, is no mention.
    keys = [title_key(item.draft.title or "") for item in verdicts]
    recorded = [document.blocks[item.draft.block].kind == "record" for item in verdicts]
    names = {key for key, is_record in zip(keys, recorded, strict=True) if not is_record}
    further = sum(is_record and key not in names for key, is_record in zip(keys, recorded, strict=True))
    if sum(recorded) < _FEWEST_RECORDS and further < len(verdicts) - sum(recorded):
        names.update(keys)
    read = zip(verdicts, keys, recorded, strict=True)
    verdicts = [item for item, key, is_record in read if not is_record or key not in names]
    mentions = without_copied_links([mention_of(document, verdict) for verdict in verdicts])
    # What may be titles, each once: no title of a mention, no name of something else that is linked.
    found: dict[str, Mention] = {}
    for verdict in possible:
        link = verdict.draft.title_link
        is_record = document.blocks[verdict.draft.block].kind == "record"
        if not is_record and (link is None or link in verdict.draft.paper_links):
            mention = mention_of(document, verdict)
            found.setdefault(title_key(mention.title or ""), mention)
    known = {"", *(title_key(mention.title or "") for mention in mentions)}
    maybe = tuple(mention for key, mention in found.items() if key not in known)
    return mentions, maybe, skipped_lines(document, verdicts, mentions, maybe), form


def records_of(blocks: Sequence[Block]) -> tuple[list[list[Draft]], str | None]:
    """Returns the drafts of every block, titles chosen by run and records put together; and the form of entries."""
    drafts = drafts_by_rule(blocks)
    form = choose_titles(blocks, drafts)
    _part_from_titles(blocks, drafts)
    return attach(blocks, drafts), form


def _part_from_titles(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> None:
    """Takes off titles what many of a list have in front: authors, "Couser: The value of ...", or running numbers.

    By itself such a word may be a nickname; where half of them are known as names, all of them are people.
    """
    forms: defaultdict[tuple[str, str], list[Draft]] = defaultdict(list)
    for block, some in zip(blocks, drafts, strict=True):
        for draft in some:
            forms[block.kind, draft.citation.how].append(draft)
    for same in forms.values():
        numbered = [(draft, match) for draft in same if (match := _RUNNING_NUMBER.match(draft.title or ""))]
        steps = [int(after[1][1]) - int(before[1][1]) for before, after in pairwise(numbered)]
        if steps and len(numbered) >= RECURS and steps.count(1) >= len(steps) / 2:
            for draft, match in numbered:
                draft.citation.title = match[2]
        untold = [draft for draft in same if draft.title and not draft.citation.authors]
        found = [(draft, match) for draft in untold if (match := _AUTHOR_IN_FRONT.match(draft.title or ""))]
        if len(found) >= RECURS and _MOSTLY * len(found) >= len(untold):
            odds = [name_odds(NAME_WORD.findall(match[1])) for _, match in found]
            if min(odds) >= 0 and 2 * sum(each >= SURE_NAMES for each in odds) >= len(found):
                for draft, match in found:
                    draft.citation.title, draft.citation.authors = match[2], (match[1],)


def drafts_by_rule(blocks: Sequence[Block]) -> list[list[Draft]]:
    """Returns the drafts of every block as its own words tell, before the other blocks are looked at."""
    fields = labels_of_fields(block.rich.text for block in blocks if "\n" in block.rich.text)
    tables: defaultdict[int, list[int]] = defaultdict(list)
    for index, block in enumerate(blocks):
        if block.kind == "row":
            tables[block.group].append(index)
    rows: dict[int, list[Draft]] = {}
    for places in tables.values():
        rows |= zip(places, drafts_of_rows([blocks[index] for index in places]), strict=True)
    drafts = [_drafts(index, block, fields, rows.get(index, [])) for index, block in enumerate(blocks)]
    for index in labelled_notes(blocks, drafts):
        drafts[index] = []
    above: tuple[str, ...] = ()
    for draft in (draft for some in drafts for draft in some):
        if draft.citation.authors == (SAME,):
            draft.citation.authors = above
        elif draft.title:
            above = draft.citation.authors
    return drafts


def labelled_notes(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> list[int]:
    """Returns the items that are notes on a paper which has a title: fields, two below it or more, that lead to none.

    "- Aim: ...", "- Data: ...". Labels with a known meaning, "Authors: ...", "Paper: ...", tell of the paper itself.
    """
    fields = items_that_are_fields(blocks)
    notes: defaultdict[int, list[int]] = defaultdict(list)  # paper's block -> the notes on it
    above: dict[int, int] = {}  # list -> the block before it
    for index, block in enumerate(blocks):
        if block.kind == "item":
            head = above.setdefault(block.group, index - 1) if block.parent is None else block.parent
            if index in fields and head >= 0 and any(draft.paper_links and draft.title for draft in drafts[head]):
                text = block.rich.text
                named = any(draft.paper_links or draft.citation.label for draft in drafts[index])
                if not (named or OTHER_FIELD.match(text) or carried_by_text(text).identifiers):
                    notes[head].append(index)
    return [index for below in notes.values() if len(below) > 1 for index in below]


def _drafts(index: int, block: Block, fields: frozenset[str], in_row: list[Draft]) -> list[Draft]:
    if block.kind == "record":
        drafts = [draft_of_record(block)]
    elif block.kind == "row":
        drafts = in_row
    else:
        drafts = drafts_of(block.rich, item=block.kind == "item", fields=fields)
    for draft in drafts:
        draft.block = index
        if block.kind in ("record", "row"):
            draft.first_line, draft.last_line = block.first_line, block.last_line
        if block.kind == "record":
            draft.text = block.rich.text
    return drafts


def mention_of(document: Document, verdict: MentionVerdict) -> Mention:
    """Returns the record of a draft."""
    draft, block = verdict.draft, document.blocks[verdict.draft.block]
    citation = draft.citation
    links = draft.paper_links
    title_link = draft.title_link
    addressed = [*links, title_link] if title_link is not None and title_link.kind == "page" else links
    stated = carried_by_text(draft.text)
    identified = [*(link.carried for link in links), stated]
    findings = [finding for carried in identified for finding in carried.findings]
    distinct = list(dict.fromkeys(identifier for carried in identified for identifier in carried.identifiers))
    own = next((item for item in distinct if item.scheme == "arxiv"), None)
    others = [item for item in distinct if item.scheme == "arxiv" and item != own]  # a paper has one of those
    identifiers = [item for item in distinct if item not in others]
    findings += [
        Finding(code="second-arxiv-id", message=_SECOND.format(identifier.value), value=identifier.value)
        for identifier in others
    ]
    first = {identifier.scheme: identifier.value for identifier in reversed(identifiers)}
    last_line = max(draft.line, draft.last_line)
    arxiv_id = first.get("arxiv")
    return Mention(
        line=draft.line,
        last_line=last_line,
        title=_without_site(citation.title) if links else citation.title,
        name=citation.name,
        authors=citation.authors,
        year=_year(citation.year, arxiv_id),
        venue=citation.venue if citation.venue != citation.title else None,
        url=next((link.url for link in addressed if link.url), None),
        arxiv_id=arxiv_id,
        arxiv_version=next((link.carried.version for link in links if link.carried.version), stated.version),
        doi=first.get("doi"),
        identifiers=tuple(identifiers),
        section=block.section,
        struck=draft.struck,
        notes=_notes(draft),
        text="\n".join(document.lines[(draft.first_line or draft.line) - 1 : last_line]),
        findings=tuple(findings),
        confidence=verdict.confidence,
        reasons=verdict.reasons,
    )


def _without_site(title: str | None) -> str | None:
    """Returns a title without what a browser shows of the place behind it: "Title | Journal", "Title - PubMed"."""
    title = _SITE.sub("", title or "") or title
    head, _, site = (title or "").partition(" | ")
    cut = site[:1].isupper() and len(head.split()) >= _FEWEST_BEFORE_SITE and title_odds(head) > title_odds(site)
    return head.rstrip() if cut else title


def _year(stated: int | None, arxiv_id: str | None) -> int | None:
    """Returns the year; "arXiv 2011" beside arXiv:2011.13526 repeats its number, which says November 2020."""
    if stated is not None and arxiv_id is not None and arxiv_id.startswith(f"{stated}."):
        return full_year(arxiv_id[:2])
    return stated if stated is not None and is_year(stated) else None


def _notes(draft: Draft) -> tuple[str, ...]:
    """Returns the links to the owner's notes; a title that links into the list's own pages links to notes."""
    own = [
        link for link in draft.all_links if link.word == "notes" or (link is draft.title_link and link.kind == "note")
    ]
    return tuple(dict.fromkeys(link.url for link in own if link.url))


_NEAR = 3  # how many mentions back an entry may have been copied from

_WORD = re.compile(r"[^\W_]+")


def without_copied_links(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Returns the mentions; where a link repeats that of another title close above, its identifiers are withheld."""
    remaining: list[Mention] = []
    for mention in mentions:
        original = next((other for other in reversed(remaining[-_NEAR:]) if _is_copied(mention, other)), None)
        if original is None:
            remaining.append(mention)
            continue
        finding = Finding(
            code="link-repeated-under-another-title",
            message=f"Line {original.line} has the same link under another title; one of the two links is wrong.",
            value=mention.url,
        )
        own = tuple(identifier for identifier in mention.identifiers if identifier not in original.identifiers)
        withheld = replace(
            mention,
            arxiv_id=None,
            arxiv_version=None,
            doi=next((identifier.value for identifier in own if identifier.scheme == "doi"), None),
            identifiers=own,
            findings=(*mention.findings, finding),
        )
        remaining.append(withheld)
    return tuple(remaining)


def _is_copied(mention: Mention, other: Mention) -> bool:
    if mention.arxiv_id is None or mention.arxiv_id != other.arxiv_id or mention.section != other.section:
        return False
    titles = mention.title or "", other.title or ""
    mine, theirs = ({*_WORD.findall(title.lower())} - FUNCTION_WORDS for title in titles)
    if min(len(mine), len(theirs)) < 3 or (mention.name and mention.name == other.name):
        return False
    return 4 * len(mine & theirs) < min(len(mine), len(theirs))

"""Document -> mentions: drafts are made, put together and judged, and what stands becomes a record.

The drafts of a table's row are read here from its cells. Heads tell what a column holds; without them the cells do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_key
from sources.bibliography.years import full_year, is_year, year_alone
from sources.reading_list.decision import Verdict, judge
from sources.reading_list.drafts import Draft, drafts_of
from sources.reading_list.entries import labels_of_fields
from sources.reading_list.fields.author_lists import read_authors
from sources.reading_list.fields.citation_parts import Citation, read_tail
from sources.reading_list.fields.imprints import imprint_of
from sources.reading_list.fields.titles import clean_title, likeness
from sources.reading_list.groups import PAPER_KINDS
from sources.reading_list.links.identifiers import carried_by_text
from sources.reading_list.links.link_finder import Link, links_of, without_copied_links
from sources.reading_list.links.link_kinds import Word, word_of
from sources.reading_list.markdown.document import Block, Document
from sources.reading_list.markdown.marked_text import Rich
from sources.reading_list.merge_blocks import attach
from sources.reading_list.template import TemplateModel, choose_titles
from sources.records import Finding, Mention

_LIKELY = 2.0
"""How much words in a cell read like a title that are one without anything else that says so."""
_FEWEST_RECORDS = 3
"""Entries of BibTeX from which they are a part of the list."""


def mentions_of(document: Document) -> tuple[tuple[Mention, ...], tuple[Mention, ...], str | None]:
    """Returns the mentions of `document` in file order, its possible titles, and the form that most entries have."""
    drafts, form = records_of(document.blocks)
    verdicts, possible = judge(document.blocks, drafts)
    verdicts = _without_own_citation(document, verdicts)
    mentions = without_copied_links([mention_of(document, verdict) for verdict in verdicts])
    return mentions, _possible_titles(document, possible, mentions), form


def _without_own_citation(document: Document, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Returns the verdicts without BibTeX that names no further paper of the list.

    It repeats a paper that the list names already, or it is an entry or two beside a list in another form, which say
    how to cite the list itself.
    """
    records = [verdict for verdict in verdicts if document.blocks[verdict.draft.block].kind == "record"]
    if not records:
        return list(verdicts)
    others = [item for item in verdicts if document.blocks[item.draft.block].kind != "record"]
    names = {title_key(other.draft.title or "") for other in others}
    further = [item for item in records if title_key(item.draft.title or "") not in names]
    if len(records) < _FEWEST_RECORDS and len(further) < len(others):
        further = []
    left_out = {id(record) for record in records} - {id(item) for item in further}
    return [item for item in verdicts if id(item) not in left_out]


def _possible_titles(
    document: Document, verdicts: Iterable[Verdict], mentions: Iterable[Mention]
) -> tuple[Mention, ...]:
    """Returns what may be titles, each once: no title of a mention, no name of something else that is linked."""
    found: dict[str, Mention] = {}
    for verdict in verdicts:
        link = verdict.draft.title_link
        is_record = document.blocks[verdict.draft.block].kind == "record"
        if not is_record and (link is None or link in verdict.draft.paper_links):
            mention = mention_of(document, verdict)
            found.setdefault(title_key(mention.title or ""), mention)
    known = {"", *(title_key(mention.title or "") for mention in mentions)}
    return tuple(mention for key, mention in found.items() if key not in known)


def records_of(blocks: Sequence[Block], model: TemplateModel | None = None) -> tuple[list[list[Draft]], str | None]:
    """Returns the drafts of every block, titles chosen by run and records put together; and the form of entries."""
    drafts = drafts_by_rule(blocks)
    form = choose_titles(blocks, drafts, model)
    return attach(blocks, drafts), form


def drafts_by_rule(blocks: Sequence[Block]) -> list[list[Draft]]:
    """Returns the drafts of every block as its own words tell, before the other blocks are looked at."""
    fields = labels_of_fields(block.rich.text for block in blocks if "\n" in block.rich.text)
    return [_drafts(index, block, fields) for index, block in enumerate(blocks)]


def _drafts(index: int, block: Block, fields: frozenset[str]) -> list[Draft]:
    if block.kind == "record":
        drafts = [_draft_of_record(block)]
    elif block.kind == "row":
        drafts = drafts_of_row(block)
    else:
        drafts = drafts_of(block.rich, item=block.kind == "item", fields=fields)
    for draft in drafts:
        draft.block = index
        if block.kind == "record":
            draft.first_line, draft.last_line = block.first_line, block.last_line
            draft.text = block.rich.text
    return drafts


def _draft_of_record(block: Block) -> Draft:
    """Returns the draft of an entry of BibTeX, which says what its title is."""
    title = clean_title(block.cells[0].text)
    draft = Draft(Citation(title=title, how="field"), line=block.cells[0].line, like=likeness(title))
    for cell, column in zip(block.cells[1:], block.columns[1:], strict=True):
        _add_cell(draft, cell, _role(column), column)
    return draft


def mention_of(document: Document, verdict: Verdict) -> Mention:
    """Returns the record of a draft."""
    draft, block = verdict.draft, document.blocks[verdict.draft.block]
    citation = draft.citation
    links = draft.paper_links
    stated = carried_by_text(draft.text)
    identified = [*(link.carried for link in links), stated]
    findings = [finding for carried in identified for finding in carried.findings]
    identifiers, others = _of_one_paper(identifier for carried in identified for identifier in carried.identifiers)
    findings += [_second(identifier) for identifier in others]
    first = {identifier.scheme: identifier.value for identifier in reversed(identifiers)}
    last_line = max(draft.line, draft.last_line)
    arxiv_id = first.get("arxiv")
    return Mention(
        line=draft.line,
        last_line=last_line,
        title=citation.title,
        name=citation.name,
        authors=citation.authors,
        year=_year(citation.year, arxiv_id),
        venue=citation.venue,
        url=_url(draft, links),
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


def _year(stated: int | None, arxiv_id: str | None) -> int | None:
    """Returns the year; "arXiv 2011" beside arXiv:2011.13526 repeats its number, which says November 2020."""
    if stated is not None and arxiv_id is not None and arxiv_id.startswith(f"{stated}."):
        return full_year(arxiv_id[:2])
    return stated if stated is not None and is_year(stated) else None


def _of_one_paper(identifiers: Iterable[Identifier]) -> tuple[list[Identifier], list[Identifier]]:
    """Returns the identifiers, and apart from them arXiv identifiers beside the first: a paper has one of those."""
    distinct = list(dict.fromkeys(identifiers))
    own = next((item for item in distinct if item.scheme == "arxiv"), None)
    others = [item for item in distinct if item.scheme == "arxiv" and item != own]
    return [item for item in distinct if item not in others], others


def _second(identifier: Identifier) -> Finding:
    message = f"the entry names a second arXiv paper, {identifier.value}; the one before it was taken"
    return Finding(code="second-arxiv-id", message=message, value=identifier.value)


def _notes(draft: Draft) -> tuple[str, ...]:
    """Returns the links to the owner's notes; a title that links into the list's own pages links to notes."""
    own = [
        link for link in draft.all_links if link.word == "notes" or (link is draft.title_link and link.kind == "note")
    ]
    return tuple(dict.fromkeys(link.url for link in own if link.url))


def _url(draft: Draft, papers: list[Link]) -> str | None:
    if address := next((link.url for link in papers if link.url), None):
        return address
    link = draft.title_link
    return link.url or None if link is not None and link.kind == "page" else None


_HEADS = {
    "title": """
        title paper papers paper-title name article work publication reference 论文 论文名 论文名称 论文标题
        标题 题目 题名 名称 論文 タイトル 제목 논문 título titel titre название статья
    """,
    "authors": """
        author authors 作者 著者 저자 autor autores auteur auteurs autoren авторы
    """,
    "venue": """
        venue conference journal pub pub. publisher published publication-venue where conf  会议 期刊
        会议/期刊 发表 出处 会議 학회 conferencia revista konferenz
    """,
    "year": """
        year date time published-date when 年份 时间 日期 年 年度 연도 año fecha jahr année год
    """,
}
_HEAD_OF = {word: role for role, words in _HEADS.items() for word in words.split()}


def drafts_of_row(block: Block) -> list[Draft]:
    """Returns the drafts of a table row: one, or one for each cell that is a paper of its own."""
    roles = [_role(column) for column in block.columns] + [""] * len(block.cells)
    read = [
        _drafts_of_cell(cell, block.first_line) if _may_hold_title(roles, index) else []
        for index, cell in enumerate(block.cells)
    ]
    whole = [
        index for index, drafts in enumerate(read) if any(draft.title_link and draft.paper_links for draft in drafts)
    ]
    if len(whole) > 1 and "title" not in roles:
        return [draft for index in whole for draft in read[index]]
    chosen = _title_cell(roles, read)
    if chosen is None:
        return next(([draft] for drafts in read for draft in drafts if draft.is_identified), [])
    if not ("title" in roles or read[chosen][0].like >= _LIKELY or _has_paper(block)):
        return []
    first, *others = read[chosen]
    for index, cell in enumerate(block.cells):
        if index != chosen:
            _add_cell(first, cell, roles[index], block.columns[index] if index < len(block.columns) else "")
    return [first, *(draft for draft in others if draft.paper_links or draft.like >= _LIKELY)]


def _drafts_of_cell(cell: Rich, line: int) -> list[Draft]:
    """Returns the drafts of a cell; in that of a Markdown table, titles may stand line by line."""
    if "\v" not in cell.text or "\n" in cell.text:
        return drafts_of(cell, item=True)
    drafts = drafts_of(cell._replace(text=cell.text.replace("\v", "\n")), item=False)
    for draft in drafts:
        draft.line = draft.first_line = draft.last_line = line
    return drafts


def _has_paper(block: Block) -> bool:
    return any(link.kind in PAPER_KINDS for cell in block.cells for link in links_of(cell))


def _may_hold_title(roles: list[str], index: int) -> bool:
    """Returns whether a cell can hold the title: it is in the title's column, or no column is said to be that one."""
    return roles[index] == "title" if "title" in roles else roles[index] == ""


def _role(column: str) -> str:
    words = column.lower().strip(" *_:|").split()
    if not words:
        return ""
    return _HEAD_OF.get("-".join(words)) or _HEAD_OF.get(words[0]) or _HEAD_OF.get(words[-1]) or ""


def _title_cell(roles: list[str], read: list[list[Draft]]) -> int | None:
    best, best_score = None, 0.0
    for index, drafts in enumerate(read):
        if not drafts or drafts[0].title is None:
            continue
        score = drafts[0].like + (3.0 if roles[index] == "title" else 0.0)
        score += 2.0 if drafts[0].title_link and drafts[0].paper_links else 0.0
        score -= 6.0 if roles[index] in ("authors", "venue", "year") else 0.0
        if score > best_score:
            best, best_score = index, score
    return best


def _add_cell(draft: Draft, cell: Rich, role: str, column: str) -> None:
    """Adds what another cell of the row tells to the draft of its title."""
    draft.links.extend(_in_column(link, word_of(column)) for link in links_of(cell))
    citation, text = draft.citation, cell.text.strip()
    if role == "authors":
        found = read_authors(text)
        citation.authors = citation.authors or (
            found.names if found else tuple(part.strip() for part in re.split(r"[,;]", text) if part.strip())
        )
    elif role == "year":
        citation.venue = citation.venue or (imprint.venue if (imprint := imprint_of(text)) else None)
        if citation.year is None or text.isdecimal():
            citation.year = year_alone(text) or citation.year
    elif imprint := imprint_of(text):
        citation.year = citation.year if citation.year is not None else imprint.year
        citation.venue = citation.venue or imprint.venue
    elif role == "venue":
        citation.venue = citation.venue or (text if len(text.split()) <= 7 and text[:1].isupper() else None)
    elif role == "":
        read_tail(text, cell.marks, 0, citation, limit=6)


def _in_column(link: Link, meaning: Word) -> Link:
    """Returns `link` as the head of its column calls it, where its own words do not say what it is."""
    if meaning not in ("other", "paper") and link.word in ("paper", "other"):
        return link._replace(word=meaning)
    if link.own and (meaning == "paper" or link.kind in ("paper", "pdf")):
        return link._replace(word="paper", own=False)
    return link

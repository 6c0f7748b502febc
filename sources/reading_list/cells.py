"""Drafts of what is made of cells: the rows of tables, and entries of BibTeX, whose fields are cells with heads.

Heads tell what a column holds; without them the cells do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sources.bibliography.years import year_alone
from sources.reading_list.drafts import Draft, drafts_of
from sources.reading_list.fields.after_title import read_tail
from sources.reading_list.fields.author_lists import author_year, read_authors
from sources.reading_list.fields.citation_parts import Citation
from sources.reading_list.fields.imprints import imprint_of
from sources.reading_list.fields.title_model import LIKELY, UNLIKELY, title_odds
from sources.reading_list.fields.titles import clean_title
from sources.reading_list.groups import PAPER_KINDS
from sources.reading_list.links.link_finder import Link, links_of
from sources.reading_list.links.link_kinds import Word, says_only_link, word_of
from sources.reading_list.markdown.document import Block
from sources.reading_list.markdown.marked_text import Rich

_LONGEST_NAME = 4
"""How many words a paper's short name has at most."""
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
    "name": """
        method methods model models algorithm algorithms approach approaches system nickname abbreviation acronym
        方法 模型 简称 手法 モデル 모델 방법
    """,
    "year": """
        year date time published-date when 年份 时间 日期 年 年度 연도 año fecha jahr année год
    """,
}
_HEAD_OF = {word: role for role, words in _HEADS.items() for word in words.split()}


def draft_of_record(block: Block) -> Draft:
    """Returns the draft of an entry of BibTeX, which says what its title is."""
    title = clean_title(block.cells[0].text)
    draft = Draft(Citation(title=title, how="field"), line=block.cells[0].line, odds=title_odds(title))
    for cell, column in zip(block.cells[1:], block.columns[1:], strict=True):
        _add_cell(draft, cell, _role(column), column)
    return draft


def drafts_of_rows(rows: Sequence[Block]) -> list[list[Draft]]:
    """Returns the drafts of the rows of one table, row by row.

    Where the heads name authors or venues but no titles, and most rows have theirs in the same column, so have all.
    """
    drafts = list(map(drafts_of_row, rows))
    roles = set(map(_role, rows[0].columns))
    if "title" in roles or not roles & {"authors", "venue"}:
        return drafts
    columns = Counter(found[0].column for found in drafts if found and not found[0].in_title_column)
    column, votes = columns.most_common(1)[0] if columns else (None, 0)
    if column is None or votes < 2 or 2 * votes < len(rows):
        return drafts
    return [found or drafts_of_row(row, title_column=column) for found, row in zip(drafts, rows, strict=True)]


def drafts_of_row(block: Block, *, title_column: int | None = None) -> list[Draft]:
    """Returns the drafts of a table row: one, or one for each cell that is a paper of its own.

    Args:
        block: The row.
        title_column: The column of the titles, where other rows tell it; None where nothing but the row itself does.
    """
    roles = _roles(block)
    read = [
        _drafts_of_cell(cell, block.first_line, undated="year" in roles) if _may_hold_title(roles, index) else []
        for index, cell in enumerate(block.cells)
    ]
    whole = [
        index for index, drafts in enumerate(read) if any(draft.title_link and draft.paper_links for draft in drafts)
    ]
    if len(whole) > 1 and "title" not in roles:
        return [draft for index in whole for draft in read[index]]
    chosen = _title_cell(roles, read) if title_column is None else _with_draft(read, title_column)
    if chosen is None:
        return next(([draft] for drafts in read for draft in drafts if draft.is_identified), [])
    if not (title_column is not None or "title" in roles or read[chosen][0].odds >= LIKELY or _has_paper(block)):
        return []
    first, *others = read[chosen]
    first.column = chosen
    first.in_title_column = roles[chosen] == "title"
    for index, cell in enumerate(block.cells):
        if index != chosen:
            _add_cell(first, cell, roles[index], block.columns[index] if index < len(block.columns) else "")
    return [first, *(draft for draft in others if draft.paper_links or draft.odds >= LIKELY)]


def _roles(block: Block) -> list[str]:
    """Returns what each cell of a row holds; where the title's has only links or nothing, the name stands for it."""
    roles = [_role(column) for column in block.columns] + [""] * len(block.cells)
    for index, cell in enumerate(block.cells):
        if roles[index] == "title" and (not _has_words(cell) or says_only_link(cell.text.strip("*_"))):
            roles[index] = "links"
    named = next((at for at, cell in enumerate(block.cells) if roles[at] == "name" and _has_words(cell)), None)
    if "links" in roles and "title" not in roles and named is not None:
        roles[named] = "title"
    return roles


def _has_words(cell: Rich) -> bool:
    return any(map(str.isalnum, cell.text))


def _drafts_of_cell(cell: Rich, line: int, *, undated: bool) -> list[Draft]:
    """Returns the drafts of a cell; in that of a Markdown table, titles may stand line by line.

    Where another column tells the years, it is `undated`.
    """
    if "\v" not in cell.text or "\n" in cell.text:
        return drafts_of(cell, item=True, undated=undated)
    drafts = drafts_of(cell._replace(text=cell.text.replace("\v", "\n")), item=False, undated=undated)
    for draft in drafts:
        draft.line = draft.first_line = draft.last_line = line
    return drafts


def _has_paper(block: Block) -> bool:
    return any(link.kind in PAPER_KINDS for cell in block.cells for link in links_of(cell))


def _may_hold_title(roles: list[str], index: int) -> bool:
    """Returns whether a cell can hold the title: it is in the title's column, or no column is said to be that one."""
    return roles[index] == "title" if "title" in roles else roles[index] in ("", "name")


def _role(column: str) -> str:
    words = column.lower().strip(" *_:|").split()
    if not words:
        return ""
    return _HEAD_OF.get("-".join(words)) or _HEAD_OF.get(words[0]) or _HEAD_OF.get(words[-1]) or ""


def _with_draft(read: list[list[Draft]], column: int) -> int | None:
    """Returns `column` where its cell holds what may be a title."""
    drafts = read[column] if column < len(read) else []
    return column if drafts and drafts[0].title is not None else None


def _title_cell(roles: list[str], read: list[list[Draft]]) -> int | None:
    best, best_score = None, UNLIKELY
    for index, drafts in enumerate(read):
        if not drafts or drafts[0].title is None:
            continue
        score = drafts[0].odds + (6.0 if roles[index] == "title" else 0.0)
        score += 4.0 if drafts[0].title_link and drafts[0].paper_links else 0.0
        score -= 12.0 if roles[index] in ("authors", "venue", "year") else 0.0
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
    elif role in ("", "name", "year") and not citation.authors and (key := author_year(text)) and not _is_place(text):
        citation.authors, citation.year = key[0], key[1] if citation.year is None else citation.year
    elif role == "year":
        citation.venue = citation.venue or (imprint.venue if (imprint := imprint_of(text)) else None)
        if citation.year is None or text.isdecimal():
            citation.year = year_alone(text) or citation.year
    elif imprint := imprint_of(text):
        citation.year = citation.year if citation.year is not None else imprint.year
        citation.venue = citation.venue or imprint.venue
    elif role == "venue":
        citation.venue = citation.venue or (text if len(text.split()) <= 7 and text[:1].isupper() else None)
    elif role == "name" and text and len(text.split()) <= _LONGEST_NAME:
        citation.name = citation.name or clean_title(text) or None
    elif role in ("", "name"):
        read_tail(text, cell.marks, 0, citation, limit=6)


def _is_place(text: str) -> bool:
    """Returns whether a cell tells where a paper came out, and not by whom."""
    imprint = imprint_of(text)
    return imprint is not None and imprint.venue is not None


def _in_column(link: Link, meaning: Word) -> Link:
    """Returns `link` as the head of its column calls it, where its own words do not say what it is."""
    if meaning not in ("other", "paper") and link.word in ("paper", "other"):
        return link._replace(word=meaning)
    if link.own and (meaning == "paper" or link.kind in ("paper", "pdf")):
        return link._replace(word="paper", own=False)
    return link

"""Makes drafts of the papers of an entry or table row: what each is called and what stands beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from sources.bibliography.names import is_organisation
from sources.bibliography.years import YEAR_DIGITS, year_alone
from sources.lists.reading.addresses import OTHER_FIELD, Word, says_only_link, word_of, words_of_data
from sources.lists.reading.author_lists import (
    NAME_WORD,
    author_year,
    is_author_key,
    name_odds,
    only_authors,
    read_authors,
)
from sources.lists.reading.before_title import read_lead, read_tail
from sources.lists.reading.citation import read_citation
from sources.lists.reading.citation_parts import (
    GAP,
    Citation,
    Imprint,
    atoms,
    dated_name,
    imprint_of,
    is_journal_name,
    is_venue,
    skip_marks,
)
from sources.lists.reading.document import Block
from sources.lists.reading.entries import PAPER_KINDS, EntryText, Group, entries_of, groups_of, is_paper_link
from sources.lists.reading.links import Link, links_of
from sources.lists.reading.marked_text import Mark, Rich
from sources.lists.reading.title_model import (
    EVEN,
    FUNCTION_WORDS,
    LIKELY,
    QUOTES,
    UNLIKELY,
    WORDLESS,
    clean_title,
    is_foreign_prose,
    title_odds,
)

# Drafts of what is made of cells: the rows of tables, and entries of BibTeX, whose fields are cells with heads.
# Heads tell what a column holds; without them the cells do.

_LONGEST_NAME = 4  # how many words a paper's short name has at most
_NUMBER = re.compile(r"\s*\d+\.\d+\s*")  # a result, 1706.0376, unless the head says that it is an identifier
_OF_IDENTIFIERS = re.compile(r"arxiv|\bids?\b|identifier|paper|preprint|link|论文", re.IGNORECASE)
_HEAD_OF = words_of_data("column_heads.txt")


def draft_of_record(block: Block) -> Draft:
    """Returns the draft of an entry of BibTeX or the like, which says what its title is."""
    title = clean_title(block.cells[0].text) or None
    draft = Draft(Citation(title=title, how="field"), line=block.cells[0].line, recorded=block.listed)
    draft.odds = title_odds(title) if title else WORDLESS
    for cell, column in zip(block.cells[1:], block.columns[1:], strict=True):
        _add_cell(draft, cell, _role(column), column)
    if block.listed:  # whatever its venue is called, it is one
        draft.citation.fill(block.cells[2].text or None)
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
    may_hold_title = {"title"} if "title" in roles else {"", "name"}
    columns = [*block.columns, *[""] * len(block.cells)]
    read = [
        _drafts_of_cell(cell, undated="year" in roles)
        if role in may_hold_title and (_OF_IDENTIFIERS.search(column) or not _NUMBER.fullmatch(cell.text))
        else []
        for role, column, cell in zip(roles, columns, block.cells, strict=False)
    ]
    whole = [found for found in read if any(draft.title_link and draft.paper_links for draft in found)]
    if len(whole) > 1 and "title" not in roles:
        return [draft for found in whole for draft in found]
    chosen = _index_of_title_cell(roles, read, title_column)
    if chosen is None:
        return next(([draft] for drafts in read for draft in drafts if draft.is_identified), [])
    best = max(draft.odds for draft in read[chosen])
    cited = any(draft.citation.whole for draft in read[chosen])
    sure = title_column is not None or "title" in roles or best >= LIKELY or cited
    if not sure and not any(link.kind in PAPER_KINDS for cell in block.cells for link in links_of(cell)):
        return []
    first, *others = read[chosen]
    first.column = chosen
    first.in_title_column = roles[chosen] == "title"
    for index, cell in enumerate(block.cells):
        if index != chosen:
            _add_cell(first, cell, roles[index], columns[index])
    least = UNLIKELY if "\v" in block.cells[chosen].text else LIKELY  # of several lines each may be a paper
    return [first, *(draft for draft in others if draft.paper_links or draft.odds >= least)]


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


def _drafts_of_cell(cell: Rich, *, undated: bool) -> list[Draft]:
    """Returns the drafts of a cell; in that of a Markdown table, titles may stand line by line.

    Where another column tells the years, it is `undated`.
    """
    if "\v" not in cell.text or "\n" in cell.text:
        return drafts_of(cell, item=True, undated=undated)
    drafts = drafts_of(cell._replace(text=cell.text.replace("\v", "\n")), item=False, undated=undated)
    for draft in drafts:
        draft.line = draft.first_line = draft.last_line = cell.line
    return drafts


def _role(column: str) -> str:
    words = column.lower().strip(" *_:|").split()
    return next((_HEAD_OF[key] for key in ("-".join(words), *words[:1], *words[-1:]) if key in _HEAD_OF), "")


def _index_of_title_cell(roles: list[str], read: list[list[Draft]], column: int | None) -> int | None:
    best, best_score = None, UNLIKELY
    for index, drafts in enumerate(read):
        if not drafts or drafts[0].title is None:
            continue
        if index == column:
            return column
        score = max(draft.odds for draft in drafts) + (6.0 if roles[index] == "title" else 0.0)
        linked = drafts[0].title_link and drafts[0].paper_links and not drafts[0].title.islower()
        score += 4.0 if linked or drafts[0].citation.whole else 0.0
        score -= 12.0 if roles[index] in ("authors", "venue", "year") else 0.0
        if score > best_score and column is None:
            best, best_score = index, score
    return best


def _add_cell(draft: Draft, cell: Rich, role: str, column: str) -> None:
    draft.links.extend(_in_column(link, word_of(column)) for link in links_of(cell))
    citation, text = draft.citation, cell.text.strip()
    imprint = imprint_of(text)
    venue = imprint.venue if imprint else None
    if role == "authors":
        text, _, dated = text.rpartition(",") if _YEAR_LAST.search(text) else (text, "", "")
        citation.fill(year=year_alone(dated) if dated else None)
        found = read_authors(text)
        names = found.names if found else tuple(part.strip() for part in re.split(r"[,;]", text) if part.strip())
        citation.fill(authors=names)
    elif role in ("", "name", "year") and not citation.authors and (key := author_year(text)) and not venue:
        citation.fill(None, key[1], key[0])
    elif role == "year":
        citation.fill(venue)
        if citation.year is None or text.isdecimal():
            citation.year = year_alone(text) or citation.year
    elif imprint:
        citation.fill(*imprint)
    elif role == "venue":
        citation.fill(text if len(text.split()) <= 7 and text[:1].isupper() else None)
    elif role == "name" and text and len(text.split()) <= _LONGEST_NAME:
        citation.name = citation.name or clean_title(text) or None
    elif role in ("", "name"):
        read_tail(text, cell.marks, 0, citation, limit=6)


def _in_column(link: Link, meaning: Word) -> Link:
    """Returns `link` as the head of its column calls it, where its own words do not say what it is."""
    leads_to_paper = link.kind == "paper" or bool(link.carried.identifiers)
    if meaning not in ("other", "paper") and link.word in ("paper", "other") and not leads_to_paper:
        return link._replace(word=meaning)
    if link.own and (meaning == "paper" or link.kind in ("paper", "pdf")):
        return link._replace(word="paper", own=False)
    return link


_YEAR_LAST = re.compile(rf",\s?{YEAR_DIGITS}\s*$")  # behind the authors in their column: "Ada Lovelace,1843"
_BARE = " .,:;*_\n" + GAP
_FILE_REMARK = re.compile(r"(?:\s*[-(]\s*(?:(?:19|20)\d\d|[\w ]{1,20}\)))+\s*$")
# The end of words that run on into a link.
_LEADS_ON = re.compile(r"\b(?:at|from|of|see|by|to|in|with|is|are)[\s\x1d(]*$", re.IGNORECASE)
# The name of a file that is no paper: README.md.
_OTHER_FILE = re.compile(r"\S+\.(?:md|txt|html?|ipynb|py|pptx?|docx?|csv|zip|png|jpe?g|mp4)", re.IGNORECASE)
# The line of the title in a record that begins with another field.
_TITLE_LINE = re.compile(
    r"\n[ \t*_-]*(?:title|título|titre|titel|titolo|标题|題目|题目|タイトル|제목|название)"
    r"[*_]*\s*[:：][ *_]*(\S[^\n]+)",
    re.IGNORECASE,
)
_PAGE_NEXT = re.compile(r"\d, ((?:19|20)\d\d) $")  # behind a volume, before the bracket of the year: "41, 1998 (2002)"
_INITIAL = re.compile(r"(?<![^\W\d_])[^\W\d_]\.")
# What stands between authors and the title in APA style: ", et al. (2012). ".
_YEAR_BETWEEN = re.compile(rf"[\s.,:]*(?:et al)?[\s.,:]*(?:{GAP}{{6,8}}|\(?{YEAR_DIGITS}[a-z]?\)?)[\s.,:]*")
_SEVERAL = re.compile(r"\w\W+\w|[\u2e80-\uffff]{4}")  # two words or, where nothing parts them, some signs
_LINE_END = re.compile(r"[\n\v]")
_AFTER_LINK = re.compile(r"\s*(?:[:：]|[-–—]\s|=>|->|→)")


@dataclass(slots=True)
class Draft:
    """A paper that an entry may mention."""

    citation: Citation  # what the words tell
    title_link: Link | None = None  # the link on the title's own words
    links: list[Link] = field(default_factory=list)  # the other links of the entry that belong to it
    line: int = 0  # 1-based line of the title or, lacking one, of the first link
    first_line: int = 0  # 1-based line where the stretch begins; a venue or a date may stand above the title
    last_line: int = 0  # 1-based last line
    odds: float = WORDLESS  # logarithm of the odds that the words of the title are one
    in_title_column: bool = False  # whether it stands in a column whose head says that it holds titles
    column: int | None = None  # the column of a table that it stands in, from 0; None outside of tables
    struck: bool = False  # whether the title is struck out
    block: int = 0  # index of the block
    text: str = ""  # the stretch as it stands
    recorded: bool = False  # whether an entry of BibTeX repeats its title, or it is one of a whole list of entries
    source: tuple[EntryText, Group] | None = None  # the entry and the stretch of it that the draft was read from

    @property
    def title(self) -> str | None:
        """Returns the title as read, None where the entry gives only links."""
        return self.citation.title

    @property
    def all_links(self) -> list[Link]:
        """Returns the links of the draft, that on its title first."""
        return [self.title_link, *self.links] if self.title_link is not None else self.links

    @property
    def paper_links(self) -> list[Link]:
        """Returns the links that lead to a paper or to a file that may be one."""
        return [link for link in self.all_links if is_paper_link(link)]

    @property
    def is_identified(self) -> bool:
        """Returns whether a link to a paper carries an identifier."""
        return any(link.carried.identifiers for link in self.paper_links)

    @property
    def is_keyed(self) -> bool:
        """Returns whether people and year are the words of a paper's link, so that it is an entry of its own."""
        return any(is_author_key(link.label) for link in self.paper_links)

    @property
    def authors_end(self) -> int:
        """Returns where the authors end in what has the form of a reference, 0 in what has another form.

        It has names with initials, or with the surname in front, or in Asian letters, then the title, and the year.
        """
        citation = self.citation
        cited = citation.authors and citation.year is not None and _SEVERAL.search(self.title or "")
        if self.source is None or not cited:
            return 0
        entry, (start, _, _, _) = self.source
        at = skip_marks(entry.text, start)
        before, first = entry.text[at : citation.start], citation.authors[0]
        if before[-1:] == "\n" or not before.startswith(first.split()[0]):
            return 0
        last = citation.authors[-1].split()[-1]
        named = self.is_formal or ", " in first
        return at + before.rfind(last) + len(last) if named and last in before else 0

    @property
    def is_formal(self) -> bool:
        """Returns whether the first author is named by initials, as references do, or in Asian letters."""
        first = self.citation.authors[0] if self.citation.authors else ""
        return first > "\u2e7f" or _INITIAL.search(first) is not None

    @property
    def follows_year(self) -> bool:
        """Returns whether the title stands right behind authors and the year: what is behind it is the place."""
        end = self.authors_end
        between = self.source[0].text[end : self.citation.start] if self.source and end else ""
        return _YEAR_BETWEEN.fullmatch(between) is not None


def drafts_of(rich: Rich, *, item: bool, fields: frozenset[str] = frozenset(), undated: bool = False) -> list[Draft]:
    """Returns the drafts of one block's text, in order.

    Args:
        rich: The text.
        item: Whether it is an item of a list.
        fields: The labels of lines that begin no entry.
        undated: Whether a year before a title would be out of place, so that such a number begins the title.
    """
    drafts: list[Draft] = []
    bare = not rich.marks and "://" not in rich.text
    for entry in entries_of(rich, item=item, fields=fields, undated=undated):
        remark = bare and len(entry.raw) > 80 and is_foreign_prose(_LINE_END.split(entry.raw, maxsplit=1)[0])
        remark = remark or (entry.cited is False and not entry.links)
        if not remark or read_authors(entry.text, skip_marks(entry.text, 0)) is not None:
            drafts += [_draft(entry, group) for group in groups_of(entry)]
    return drafts


def _draft(entry: EntryText, group: Group) -> Draft:
    start, end, title_link, links = group
    text, marks = entry.text[:end], entry.marks
    if title_link is not None and GAP * len("(2001)") in text[start : title_link.start]:
        cited = read_citation(text, marks, start)
        if cited.whole and cited.end <= title_link.start and not text[cited.end : title_link.start].strip(_BARE):
            # The words of the link are the journal: "Kell, A. (2001). Title. [Nature 3](...)".
            links = sorted([title_link, *links])
            title_link = None
    if title_link is not None:
        citation = _linked(text, marks, start, title_link, entry.numbers)
    else:
        citation = _field(text[start:end], marks) or read_citation(text, marks, start, entry.numbers)
        if not links and (names := _people_alone(text[start:end], citation)):
            citation.title, citation.authors = None, names
        if citation.title is not None and not _stands(text, citation, links):
            citation.title = None
        if citation.title is None and (file := _named_file(links)):
            citation.title, citation.start, citation.how = file, links[0].start, "file"
        _take_linked_venue(entry, citation, links)
        titled = citation.title is not None
        around = (link for link in links if link.own and titled and link.start <= citation.start < link.end)
        title_link = next(around, None)
        links = [link for link in links if link is not title_link]
    first_bracket = _from_brackets(entry, start, end, citation)
    at = citation.start if citation.title is not None else (links[0].start if links else start)
    at = entry.words_at(title_link.start if title_link is not None else at)
    return Draft(
        citation=citation,
        title_link=title_link,
        links=links,
        line=entry.line_at(at),
        first_line=min(map(entry.line_at, (at, first_bracket, end - len(entry.text[start:end].lstrip())))),
        last_line=entry.line_at(max(start, end - 1)),
        odds=title_odds(citation.title) if citation.title else WORDLESS,
        struck=any(mark.kind == "struck" and mark.start <= at < mark.end for mark in marks),
        text=entry.raw[start:end],
        source=(entry, group),
    )


def _people_alone(text: str, citation: Citation) -> tuple[str, ...]:
    """Returns the people that `text` consists of; of several surnames in a row the first is no title."""
    if not citation.authors:
        return only_authors(text)
    people = read_authors(text, skip_marks(text, 0), surnames=True)
    if people is None or not people.sure or text[people.end :].strip(_BARE):
        return ()
    return people.names if people.others or " " not in (citation.title or " ") else ()


def _field(text: str, marks: tuple[Mark, ...]) -> Citation | None:
    """Returns what a line such as "Authors: ..." tells about the paper above it; None where it is no such line.

    A record of several such lines may have the title in one of them.
    """
    ahead = text[:40]
    if not (":" in ahead or "：" in ahead) or not OTHER_FIELD.match(text):
        return None
    citation = Citation()
    read_tail(text, marks, 0, citation, limit=4)
    if (line := _TITLE_LINE.search(text)) and (title := clean_title(line[1])):
        citation.title, citation.start, citation.end, citation.how = title, line.start(1), line.end(1), "field"
        read_tail(text, marks, line.end(1), citation, limit=4)
    return citation


def _named_file(links: list[Link]) -> str | None:
    """Returns the title that the name of a file tells, for an address that stands alone; None where it tells none."""
    papers = [link for link in links if is_paper_link(link)]
    if not papers or not papers[0].bare or papers[0].kind != "pdf":
        return None
    name = clean_title(unquote(papers[0].url.rsplit("/", 1)[-1]).replace("+", " "))
    name = clean_title(_FILE_REMARK.sub("", name))
    return name if len(name.split()) >= 4 and title_odds(name) >= LIKELY else None


def _stands(text: str, citation: Citation, links: list[Link]) -> bool:
    """Returns whether words name a paper: not an organisation or a file, nor are a remark behind an address."""
    title = citation.title or ""
    if (
        is_organisation(title)
        or (links and word_of(title) != "other")
        or not any(character.isalpha() for character in title)
        or _OTHER_FILE.fullmatch(title)
    ):
        return False
    if links and all(word.lower() in FUNCTION_WORDS or (word.islower() and len(title) < 12) for word in title.split()):
        return False
    papers = [link for link in links if is_paper_link(link)]
    if papers and citation.how == "text" and not citation.authors:
        start = papers[0].start
        between = clean_title(text[citation.end : start])
        apart = len(between.split()) > 3 and not citation.venue and title_odds(title) < EVEN
        if apart or _LEADS_ON.search(text, citation.start, max(start, citation.start)):
            return False  # the words before the link are a sentence that goes on in it, and not the title beside it
    if papers and citation.start > papers[0].start and (papers[0].bare or not papers[0].url):
        return title_odds(title) >= EVEN
    if papers and citation.start > papers[0].start and not imprint_of(papers[0].label):
        return title_odds(title) >= UNLIKELY or citation.how in ("bold", "quoted")
    return True


def _linked(text: str, marks: tuple[Mark, ...], start: int, link: Link, numbers: frozenset[int]) -> Citation:
    """Returns the citation whose title is the words of `link`."""
    outer = Citation(numbers=numbers)
    if start < link.start:
        position = read_lead(text[: link.start], marks, start, outer)
        rest = text[position : link.start].strip(" \t\n:：*_,.-–—|(\x1d")
        if (
            rest
            and outer.name is None
            and len(rest.split()) <= 5
            and text[: link.start].rstrip(" *_\x1d").endswith((":", "：", "–", "—", " -"))
        ):
            outer.name = rest
        elif rest:
            read_before(text[position : link.start].strip().rsplit("\n", maxsplit=1)[-1], outer)
    inner = read_citation(text[: link.end], marks, link.start, numbers)
    inner.how = "link"
    closing = QUOTES.get(text[max(link.start - 1, 0) : link.start], "")
    inner.quoted = inner.quoted or any(text.startswith(mark, link.end) for mark in closing)
    label = clean_title(text[link.start : link.end])
    is_cited = inner.authors or inner.venue or inner.year
    if outer.authors and not is_cited:  # of whatever sentences, as authors stand before it, unless one is a journal
        further = label.removeprefix(inner.title or "").strip(" .")
        placed = any(map(str.isdigit, further)) or is_journal_name(further) or is_venue(further)
        if " " in further and not placed:
            inner.title, inner.whole = label, True
    if inner.title is None:
        inner.title = clean_title(link.label.replace("\x1d", " ")) or None
    if not any(map(str.isalpha, inner.title or "")):
        inner.title = None  # the number of a note: [1](https://...)
    inner.start, inner.end = link.start, link.end
    inner.name, inner.label = inner.name or outer.name, outer.label
    inner.fill(outer.venue, outer.year, outer.authors)
    after = _AFTER_LINK.match(text, link.outer_end)
    if after is None or after[0].strip() in ("-", "–", "—"):
        read_tail(text, marks, link.outer_end, inner, limit=8)
    return inner


_EDGES_OF_NAMES = " .,:;-–—"


def read_before(text: str, found: Citation) -> None:
    """Reads authors, venue and year that stand before a title; other words there are nobody's."""
    people = None if found.authors else read_authors(text, skip_marks(text, 0), surnames=True)
    if people is not None and people.sure:
        behind = [text[start:end].strip(" .,:;()[]*_") for start, end in atoms(text, people.end, 4)]
        if all(not words or imprint_of(words) for words in behind):
            found.authors = people.names
    elif people is not None and people.end >= len(text.rstrip(_EDGES_OF_NAMES)) and not found.authors:
        found.authors = people.names if name_odds(NAME_WORD.findall(text)) >= 0 else ()
    for start, end in atoms(text, 0, 4):
        stretch = text[start:end]
        found.fill(*(imprint_of(stretch) or dated_name(stretch) or Imprint()), only_authors(stretch))


def _take_linked_venue(entry: EntryText, citation: Citation, links: Sequence[Link]) -> None:
    """Takes the words of a link behind the year for the place: "Title. 2025. [Annals of the Society](...)"."""
    following = [link for link in links if link.own and link.start >= citation.end]
    if citation.venue or citation.year is None or len(following) != 1:
        return
    link, before = following[0], entry.text[citation.end : following[0].start]
    if _YEAR_BETWEEN.fullmatch(before) and not entry.text[link.end :].strip(_BARE):
        citation.venue = link.label


def _from_brackets(entry: EntryText, start: int, end: int, citation: Citation) -> int:
    """Takes name, venue, year and authors from the brackets of the stretch, nearest behind the title first.

    Returns where the first bracket stands that may have told something, `end` where none has.
    """
    inside = [bracket for bracket in entry.brackets if start <= bracket.start < end]
    inside.sort(key=lambda bracket: (bracket.start < citation.start, bracket.start))
    near = [
        bracket
        for bracket in inside
        if bracket.start <= citation.end + 160
        or (bracket.imprint and bracket.imprint.year and not entry.text[bracket.end : end].strip(_BARE))
    ]
    between = [bracket for bracket in inside if bracket.end <= citation.start and bracket.imprint and citation.authors]
    if (
        between
        and (year := between[-1].imprint)
        and year.year
        and not entry.text[between[-1].end : citation.start].strip(_BARE)
    ):
        citation.year = year.year  # behind the authors, as in APA style: no later number is the year
    for bracket in near:
        page = _PAGE_NEXT.search(entry.text, max(bracket.start - 9, 0), bracket.start)
        if page and bracket.imprint and bracket.imprint.year and citation.year == int(page[1]):
            citation.year = bracket.imprint.year
        if bracket.is_name and citation.name is None:
            citation.name = bracket.text
        citation.fill(*(bracket.imprint or Imprint()), bracket.authors)
    own = citation.title is None or citation.scheduled
    for link in entry.links:
        if start <= link.start < end and not link.bare and (key := author_year(link.label)):
            if (own and is_author_key(link.label)) or link.start <= citation.start < link.end:
                citation.year = key[1]  # not the day of a meeting, nor the year of what is named behind it
            citation.fill(None, key[1], key[0])
            own = False
        if start <= link.start < end and word_of(link.label) == "other":
            citation.fill(*(imprint_of(link.label) or Imprint()))
    telling = (bracket.start for bracket in near if bracket.is_name or bracket.imprint or bracket.authors)
    return min(telling, default=end)

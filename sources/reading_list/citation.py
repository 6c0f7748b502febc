"""One citation -> title, authors, venue, year. The orders of the parts are many; what a part is, is told by itself.

The text comes with resource links and the like already blanked by `GAP`; positions stay those of the entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sources.reading_list.dates import DATE, last_year, year_in
from sources.reading_list.people import Authors, is_organisation, only_authors, read_authors
from sources.reading_list.rich import Mark
from sources.reading_list.titles import clean_title, is_foreign_prose, likeness
from sources.reading_list.venues import imprint_of, is_numbers, is_venue

GAP = "\x1d"
"""Stands where something was taken out of the text: a resource link, a bracket with year and venue."""


@dataclass(slots=True)
class Citation:
    """What a stretch of text tells about one paper.

    `how` names how the title was told from the rest: link, quoted, bold, italic, text.
    """

    title: str | None = None
    start: int = 0
    end: int = 0
    how: str = ""
    name: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    label: str | None = None
    organisation: bool = False
    scheduled: bool = False


_LEAD = re.compile(
    r"(?::[a-z0-9_+-]{2,30}:|[\s\x1d*_•·▪▶►◆●○■□★☆✓✔✅❌⭐\-–—+>|#.,;:→]|[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f]|"
    r"\[[ xX]?\]|[\[(]\d{1,4}[\])]|\(?\d{1,3}[.)、](?=\s|[^\d\s.])|[①-⑳]|\[\^?[\w.:-]{1,20}\]:?(?=\s*[A-Z]))+"
)
_LABEL = re.compile(
    r"(?:(?:optional |required |recommended |further |suggested |related |additional |background |primary |main |see also|original |extended |key |seminal |classic )*"
    r"(?:research )?(?:papers?|readings?|articles?|references?|ref|title|see(?: also)?|survey|preprint|publication|source|based on|from|cite|citation|optional|related|original|"
    r"lectura|artículo|lecture suggérée|literatur)(?:\s*\d+)?|论文|论文标题|论文题目|题目|标题|原文|参考|文章|論文|参考文献|タイトル|논문|제목|статья)\s*[:：]\s*",
    re.IGNORECASE,
)
_DATE_LEAD = re.compile(
    r"[\[(]?(?:" + DATE.pattern + r"|\d{1,2}[./-]\d{1,2}(?=[\])]?\s*[-–—:,]?\s)|"
    r"\d{1,2}(?:st|nd|rd|th)?\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?)"
    r"(?:\s*[-–/]\s*\d{1,2})?[\])]?\s*(?:[,:：|–—-]|\s-)?\s+",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"([^\s:：.,](?:[^:：.,\n\v\x1d]|,(?=\s)|\.(?=\S)){0,40}?)([:：]|[.,](?=\s))\s*")
_TOPIC = re.compile(r"([^\n\v\x1d.,]{3,50}?)(?:\s[-–—]\s|[:：]\s)")
_QUOTES = {
    '"': '"”“',
    "“": '”"',
    "”": "”",
    "„": "“”",
    "«": "»",
    "「": "」",
    "『": "』",
    "《": "》",
    "‘": "’",
    "`": "'`",
    "〈": "〉",
}
_BOUNDARY = re.compile(
    r"[\x1d\v]+|(?<=[^\s.])\.(?=\s|$)|(?<=[?!])\s|[。；;|]|，\s?|,\s+|\s[-–—~/]+\s|\s*—\s*|\n|\s(?=[iI]n:?\s)|\s(?=by\s+[A-Z])|\s·\s|：|(?<=[a-z]):\s(?=[A-Z]\w+ et al)|\s(?=(?:arXiv|doi|PMID)\s?:)|\s//\s"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(.])(?:[A-ZÀ-Þ]|vs|et|al|e\.g|i\.e|cf|no|vol|st|dr|mr|jr|fig|approx|resp|incl|ver|v\d+|[a-z])$",
    re.IGNORECASE,
)
_TAIL_YEAR = re.compile(r"(?<![\w-])((?:19|20)\d\d)$")
_TAIL_VENUE = re.compile(r"\s((?:[A-Z][\w&/-]*\s){0,2}[A-Za-z][\w&/-]*[\s-]?['’]?\d{2,4})$")
_PREPOSITION = re.compile(r"[\s.,;:()\[\]*_|–—\x1d\v-]*(?:(?:in:?|by|at|from|de|von|par|par:)\s+)?", re.IGNORECASE)
_AFTER_NAME = re.compile(r"\s*[,.(]\s*([^,.;()\n\x1d]{2,40})")
_YEAR_ENDS = re.compile(r"(?:19|20)\d\d\s?年?$")
_LONG_QUOTE = re.compile(r"[“«„「『《\"]([^“”«»„「」『』《》\"\x1d\n]{12,250})[”»“」』》\"]")
_NAME_LABEL = re.compile(r"\s*(?:[:：]|\s[-–—]\s|\s—|\s*\|)\s*")


def read_citation(text: str, marks: tuple[Mark, ...], start: int = 0) -> Citation:
    """Returns what `text` tells from `start` on; `title` is None where no stretch of it can be one."""
    found = Citation()
    position = read_lead(text, marks, start, found)
    position = _skip(text, position)
    if not (_quoted(text, position, found) or _marked(text, marks, position, found)):
        _plain(text, marks, position, found)
    if found.title is not None:
        read_tail(text, marks, found.end, found)
        if found.year is None and found.authors and found.start > start:
            found.year = last_year(text[found.end : found.end + 300])
    return found


def read_lead(text: str, marks: tuple[Mark, ...], start: int, found: Citation) -> int:
    """Reads what stands before a title (numbers, dates, labels, nickname, authors) and returns where it ends."""
    position = _skip(text, start)
    for _ in range(4):
        before = position
        if match := _LABEL.match(text, position):
            found.label, position = match[0], match.end()
        elif (match := _DATE_LEAD.match(text, position)) and text[match.end() :].strip():
            found.year = found.year or year_in(match[0])
            found.scheduled = found.scheduled or (found.year is None and not match[0].strip(" ([")[:1].isdigit())
            position = match.end()
        else:
            position = _name_or_organisation(text, marks, position, found)
        position = _skip(text, position)
        if position == before:
            break
    return _authors_before(text, position, found)


def read_tail(text: str, marks: tuple[Mark, ...], start: int, found: Citation, limit: int = 14) -> None:
    """Reads authors, venue and year from what follows a title, up to the first stretch that is none of them."""
    strangers, done = 0, start
    for atom_start, atom_end in _atoms(text, marks, start, limit):
        if atom_start < done:
            continue
        atom_start = _behind_preposition(text, atom_start)
        if not found.authors and (authors := _signing(text, atom_start)):
            found.authors, done = authors.names, authors.end
            continue
        atom = text[atom_start:atom_end].strip(" \t\n.,;:*_()[]|-–—")
        if found.venue is None and (name := _italic(text, marks, atom_start)):
            found.venue = name
            done = atom_start + len(name)
            continue
        if atom and not _take(atom, found):
            strangers += 1
            if strangers > 2 or len(atom.split()) > 12:
                return


def _signing(text: str, position: int) -> Authors | None:
    """Returns the authors named at `position` behind a title."""
    authors = read_authors(text, position, surnames=True)
    return authors if authors is not None and (authors.sure or _is_signed(text, authors.end)) else None


def _italic(text: str, marks: tuple[Mark, ...], position: int) -> str | None:
    """Returns the stretch in italics at `position`, which behind a title is where it appeared; None without one."""
    mark = next((mark for mark in marks if mark.kind == "italic" and mark.start <= position < mark.end), None)
    if mark is None:
        return None
    name = text[mark.start : mark.end].split(GAP)[0].strip(" \n.,;:")
    if imprint_of(name) or only_authors(name) or is_numbers(name) or not 3 <= len(name) <= 80 or not name[0].isupper():
        return None
    return name


def _behind_preposition(text: str, start: int) -> int:
    match = _PREPOSITION.match(text, start)
    return match.end() if match else start


def _take(atom: str, found: Citation) -> bool:
    """Puts `atom` where it belongs in `found`; returns False where it is neither authors, venue nor year."""
    if imprint := imprint_of(atom):
        found.year = found.year if found.year is not None else imprint.year
        found.venue = found.venue or imprint.venue
        return True
    if not found.authors and (names := only_authors(atom)):
        found.authors = names
        return True
    if is_numbers(atom) or (len(atom) <= 40 and len(atom.split()) <= 4 and _YEAR_ENDS.search(atom)):
        found.year = found.year if found.year is not None else year_in(atom)
        return True
    return False


def _skip(text: str, position: int) -> int:
    match = _LEAD.match(text, position)
    if match is None:
        return position
    return match.end()


def _name_or_organisation(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> int:
    """Reads a nickname in bold or an organisation in front of the title; returns where the rest starts."""
    mark = next((mark for mark in marks if mark.kind == "bold" and mark.start <= position < mark.end), None)
    if mark is not None and mark.start >= position - 2:
        stretch = text[position : mark.end].strip()
        after = _NAME_LABEL.match(text, mark.end)
        if stretch.endswith((":", "：")) or after:
            end = after.end() if after else mark.end
            if (
                len(stretch.split()) <= 4
                and likeness(text[end : end + 200].split(GAP)[0]) > -1.5
                and text[end:].strip(GAP + " \n.,")
            ):
                found.name = stretch.strip(" :：*")
                return end
    if (match := _PREFIX.match(text, position)) and is_organisation(match[1]):
        found.organisation = True
        return match.end()
    return _behind_topic(text, position)


def _behind_topic(text: str, position: int) -> int:
    """Returns where a citation starts behind the topic in front of it, as in "Policy search - J. Peters, ..."."""
    match = _TOPIC.match(text, position)
    if match is None or len(match[1].split()) > 5:
        return position
    authors = read_authors(text, match.end())
    if authors is None or not authors.sure:
        return position
    title = text[authors.end : authors.end + 160].strip(GAP + " .,;:-–—\n")
    return match.end() if imprint_of(title[:40]) is None and likeness(re.split(_BOUNDARY, title, maxsplit=1)[0]) > 0 else position


def _authors_before(text: str, position: int, found: Citation) -> int:
    authors = read_authors(text, position)
    if authors is None:
        return position
    end = authors.end
    after = text[end : end + 3]
    rest = text[end:].lstrip(" .,:;" + GAP + "(")
    if not rest.strip(GAP + " \n\v)]"):
        return position
    if authors.sure or (after[:1] in ".(" and _follows_name(rest)):
        if not authors.others and after[:1] == ":" and len(authors.names) == 1:
            return position
        found.authors = authors.names
        return _after_authors(text, end, found)
    return position


def _follows_name(rest: str) -> bool:
    """Returns whether `rest`, behind a full stop, is a title, so that what stands before it is somebody's name."""
    title, _, tail = rest.partition(". ")
    if len(title.split()) >= 3 and likeness(title) > 0:
        return True
    return bool(tail) and len(title.split()) >= 2 and _foreign(tail, (), 0)


def _after_authors(text: str, position: int, found: Citation) -> int:
    """Returns where the title starts behind authors that end at `position`; takes a year that stands between."""
    match = re.compile(r"[\s.,:;\x1d|–—-]*").match(text, position)
    position = match.end() if match else position
    if match := re.compile(r"\(?((?:19|20)\d\d)[a-z]?\)?[\s.,:;]+").match(text, position):
        found.year = found.year if found.year is not None else int(match[1])
        position = match.end()
    return position


def _quoted(text: str, position: int, found: Citation) -> bool:
    if position >= len(text) or text[position] not in _QUOTES:
        return False
    opening = position
    while text[position + 1 : position + 2] and text[position + 1] in "`'\"" and text[position] in "`'\"":
        position += 1
    closing = _QUOTES[text[opening]]
    end = min((at for mark in closing if (at := text.find(mark, position + 2, position + 400)) > 0), default=-1)
    if end < 0:
        return False
    inner = text[position + 1 : end]
    after = text[end + 1 : end + 2]
    goes_on = (
        after == " "
        and text[end + 2 : end + 3].islower()
        and not text[end + 2 :].startswith(("in ", "by ", "de ", "von "))
    )
    if len(inner) < 4 or after.isalnum() or (goes_on and inner[-1] not in ",.!?" and len(inner.split()) < 4):
        return False
    found.title, found.start, found.end, found.how = clean_title(inner), position + 1, end + 1, "quoted"
    return True


def _marked(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> bool:
    """Takes a stretch in bold or italic that starts at `position` as the title."""
    for mark in marks:
        if mark.kind not in ("bold", "italic", "struck") or not mark.start <= position + 1 or mark.end <= position:
            continue
        if mark.start < position - 3:
            continue
        stretch = text[position : mark.end]
        title = clean_title(stretch.split(GAP)[0])
        if len(title.split()) < 2 or (is_venue(title) and len(title.split()) < 4) or only_authors(title):
            continue
        rest = text[mark.end :].lstrip()
        if rest[:1].islower() or len(title.split()) < 3 and likeness(rest.split(GAP)[0]) > 0.5:
            continue
        found.title, found.start, found.end, found.how = title, position, mark.end, mark.kind
        _strip_imprint(found)
        return True
    return False


def _plain(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> None:
    """Takes the text from `position` to the first boundary behind which venue, authors or nothing of a title follow."""
    end = _title_end(text, marks, position)
    if (quote := _LONG_QUOTE.search(text, position, end)) and len(quote[1].split()) >= 4 and likeness(quote[1]) >= 1.5:
        found.title, found.start, found.end, found.how = clean_title(quote[1]), quote.start(1), quote.end(), "quoted"
        return
    title = clean_title(text[position:end])
    if GAP in text[end : end + 1] and (not title or likeness(title) <= -0.5):
        further = _skip(text, end)
        further_end = _title_end(text, marks, further)
        candidate = clean_title(text[further:further_end])
        if likeness(candidate) >= 2.0:
            position, end, title = further, further_end, candidate
    if not title or is_foreign_prose(title):
        return
    found.title, found.start, found.end, found.how = title, position, end, "text"
    _strip_imprint(found)


def _strip_imprint(found: Citation) -> bool:
    """Takes a venue and year off the end of a title: "Gist: Efficient data encoding 2018"."""
    title = found.title or ""
    if not title[-1:].isdigit():
        return False
    match = _TAIL_VENUE.search(title)
    if match and len(title) - len(match[1]) > 12 and (imprint := imprint_of(match[1])) and imprint.venue:
        found.venue, found.year = found.venue or imprint.venue, found.year or imprint.year
        found.title = clean_title(title[: match.start()])
        return True
    match = _TAIL_YEAR.search(title)
    if (
        match
        and len(title.split()) > 2
        and title[: match.start()].split()[-1].lower() not in ("in", "of", "since", "the", "from", "for", "vision")
    ):
        found.year = found.year or int(match[1])
        found.title = clean_title(title[: match.start()])
        return True
    return False


def _title_end(text: str, marks: tuple[Mark, ...], position: int) -> int:
    italics = [mark.start for mark in marks if mark.kind in ("italic", "bold") and mark.start > position + 8]
    limit = min(len(text), position + 600)
    for match in _BOUNDARY.finditer(text, position, limit):
        boundary, at = match[0], match.start()
        if at <= position:
            continue
        italic = next((start for start in italics if start <= at), None)
        if italic is not None and is_venue(text[italic:at]):
            return italic
        if GAP in boundary or "\v" in boundary or boundary == "。":
            return at
        if boundary == "." and not _ABBREVIATION.search(text[max(position, at - 8) : at]):
            return at
        if boundary != "." and (_foreign(text, marks, match.end()) or _is_aside(text, boundary, match.end())):
            return at
    italic = next((start for start in italics if is_venue(text[start : start + 120].split(GAP)[0])), None)
    return italic if italic is not None else limit


def _is_aside(text: str, boundary: str, position: int) -> bool:
    """Returns whether a remark in small letters follows a dash."""
    if boundary.strip() not in ("-", "–", "—", "--") or not text[position : position + 1].islower():
        return False
    return likeness(text[position : position + 160].split(GAP)[0]) < 0.5


def _foreign(text: str, marks: tuple[Mark, ...], position: int) -> bool:
    """Returns whether what starts at `position` is authors, venue or year, and so not the title's own words."""
    atom = next(((start, end) for start, end in _atoms(text, marks, position, 1)), None)
    if atom is None:
        return True
    stretch = text[atom[0] : atom[1]].strip()
    if stretch.lower().startswith(("in ", "in: ")) and is_venue(stretch[3:]):
        return True
    if stretch.startswith("by ") and read_authors(stretch, 3):
        return True
    if imprint_of(stretch) is not None or is_numbers(stretch) or is_organisation(stretch):
        return True
    authors = read_authors(text, position, surnames=True)
    return authors is not None and (authors.sure or _is_signed(text, authors.end))


def _is_signed(text: str, position: int) -> bool:
    """Returns whether year or venue follow at `position`, so that two capitalised words before it are somebody's name."""
    match = _AFTER_NAME.match(text, position)
    return match is not None and imprint_of(match[1]) is not None


def _atoms(text: str, marks: tuple[Mark, ...], start: int, limit: int) -> list[tuple[int, int]]:
    """Returns the stretches between boundaries from `start` on, at most `limit` of them."""
    atoms: list[tuple[int, int]] = []
    position = start
    for match in _BOUNDARY.finditer(text, start, min(len(text), start + 900)):
        if match[0] == "." and _ABBREVIATION.search(text[max(position, match.start() - 8) : match.start()]):
            continue
        if text[position : match.start()].strip():
            atoms.append((position, match.start()))
            if len(atoms) >= limit:
                return atoms
        position = match.end()
    end = min(len(text), start + 900)
    if text[position:end].strip():
        atoms.append((position, end))
    return atoms

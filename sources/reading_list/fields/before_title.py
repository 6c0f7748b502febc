"""What stands before a title: numbers, dates, labels, a nickname, an organisation, authors."""

from __future__ import annotations

import re

from sources.bibliography.names import is_organisation
from sources.bibliography.years import DATE, full_year, year_in
from sources.reading_list.fields.author_lists import (
    SURE_NAMES,
    author_year,
    read_authors,
)
from sources.reading_list.fields.authors_in_front import (
    MARKS,
    YEAR,
    authors_in_front,
    first_part,
    is_dated_name,
    starts_mark,
)
from sources.reading_list.fields.citation_parts import BOUNDARY, GAP, Citation, atoms, is_imprint_ahead, skip_marks
from sources.reading_list.fields.imprints import dated_acronym, imprint_of, is_venue
from sources.reading_list.fields.name_model import name_odds
from sources.reading_list.fields.title_model import EVEN, NO_TITLE, UNLIKELY, title_odds
from sources.reading_list.links.link_finder import is_author_key
from sources.reading_list.markdown.marked_text import Mark

_LABEL = re.compile(
    r"(?:(?:optional |required |recommended |further |suggested |related |additional |background |primary |"
    r"main |see also|original |extended |key |seminal |classic )*"
    r"(?:research )?(?:papers?|readings?|articles?|references?|ref|title|see(?: also)?|survey|preprint|"
    r"publication|source|based on|from|cite|citation|optional|related|original|"
    r"lectura|artículo|lecture suggérée|literatur)(?:\s*\d+)?|论文|论文标题|论文题目|题目|标题|原文|参考|文章|"
    r"論文|参考文献|タイトル|논문|제목|статья)\s*[:：]\s*",
    re.IGNORECASE,
)
_REFERRING = re.compile(
    r"(?:see(?: also)?|cf\.?|compare|vgl\.?|siehe(?: auch)?|voir(?: aussi)?|véase|ver):?\s+", re.IGNORECASE
)
_DAY = re.compile(r"(?:19|20)\d\d[-./]\d{1,2}[-./]\d{1,2}")
_DATE_LEAD = re.compile(
    r"[\[(]?(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s(?=\d|[jfmasond]))?(?:"
    + DATE.pattern
    + r"|\d{1,2}[./-]\d{1,2}(?=[\])]?\s*[-–—:,]?\s)|"
    r"\d{1,2}(?:st|nd|rd|th)?\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?)"
    r"(?:\s*[-–/]\s*\d{1,2})?[\])]?\s*(?:[.,:：|–—-]|\s-)?\s+",
    re.IGNORECASE,
)
_KEYED = re.compile(r"((?:19|20)?\d\d)[-_]([A-Z][\w&]{1,14})[-_:]\s?(?=\S)")
_IMPRINT_LEAD = re.compile(
    r"([A-Za-z][^\n\v\x1d,:]{1,40}?(?:,\s(?:19|20)\d\d(?=,))?)(\s(?:--+|[-–—])\s|[,:]\s)\s*"
    r"(?:(?:oral|spotlight|poster|highlight|best (?:student )?paper(?: award)?)[.,:]\s+)?",
    re.IGNORECASE,
)
"""What may be venue and year in front of a title, with the praise it got there."""
_PREFIX = re.compile(r"([^\s:：.,](?:[^:：.,\n\v\x1d]|,(?=\s)|\.(?=\S)){0,40}?)([:：]|[.,](?=\s))\s*")
_DIGIT = re.compile(r"\d")
_TOPIC_ENDS = (" - ", ": ", " – ", " — ", "：")
_TOPIC = re.compile(r"([^\n\v\x1d.,]{3,50}?)(?:\s[-–—]\s|[:：]\s)")
_IN_COLLECTION = re.compile(r"\s*[Ii]n(?::\s|\s[«“„\"])")
"""What stands between a title and the journal or the book that it is in, whatever language the title is in."""
_WITH_INITIAL = re.compile(r"[^\W\d_]{2,}[^.]*\.|[^\W\d_]\..*[^\W\d_]{2,}$")
"""A name with a surname and an initial, which no system has: "Coase, R.", "R. Coase"."""
_COLLECTED = re.compile(r",\s[Ii]n:\s")
"""What follows the title where citations give the collection behind "in:", and begin with their authors."""
_MOST_PARTS = 5
"""How many stretches between commas and the like a title may have and still be looked through for what follows it."""
_NAME_LABEL = re.compile(r"\s*(?:[:：]|\s[-–—]\s|\s—|\s*\|)\s*")


def read_lead(text: str, marks: tuple[Mark, ...], start: int, found: Citation) -> int:
    """Reads what stands before a title (numbers, dates, labels, nickname, authors) and returns where it ends."""
    position = skip_marks(text, start)
    for _ in range(4):
        before = position
        ahead = text[position : position + 40]
        if (":" in ahead or "：" in ahead) and (match := _LABEL.match(text, position)):
            found.label, position = match[0], match.end()
        elif (match := _REFERRING.match(ahead)) and _begins_with_authors(text, position + match.end()):
            position += match.end()
        elif (end := _imprint_in_front(text, position, found)) > position:
            position = end
        elif position in found.numbers:
            break
        elif _has_digit(ahead) and (match := _date_in_front(text, position)):
            found.year = found.year or year_in(match[0])
            of_week = found.year is None and not match[0].strip(" ([")[:1].isdigit()
            found.scheduled = found.scheduled or of_week or _DAY.search(match[0]) is not None
            position = match.end()
        else:
            position = _name_or_organisation(text, marks, position, found)
        position = skip_marks(text, position)
        if position == before:
            break
    return _authors_before(text, marks, position, found)


def _begins_with_authors(text: str, position: int) -> bool:
    """Returns whether a citation begins at `position` with names that are surely authors."""
    authors = read_authors(text, position)
    return authors is not None and authors.sure


def _date_in_front(text: str, position: int) -> re.Match[str] | None:
    """Returns the match of a date in front of something. "May" alone may start a title, "Jan" a name."""
    match = _DATE_LEAD.match(text, position)
    return match if match and _has_digit(match[0]) and text[match.end() : match.end() + 80].strip() else None


def _imprint_in_front(text: str, position: int, found: Citation) -> int:
    """Reads venue and year in front of a title, "OSDI '16 -- ..." or "16-OSDI-..."; returns where they end."""
    if match := _KEYED.match(text, position):
        if not (is_venue(match[2]) or (match[2].isupper() and text[match.end(1)] == text[match.end(2)] == "_")):
            return position
        found.venue, found.year = found.venue or match[2], found.year or _year_of(match[1])
        return match.end()
    ahead = text[position : position + 46]
    dashed = "-" in ahead or "–" in ahead or "—" in ahead
    match = _IMPRINT_LEAD.match(text, position) if dashed or _has_digit(ahead) else None
    if match is None or not text[match.end() :].strip(GAP + " \n.,"):
        return position
    imprint = imprint_of(match[1]) or dated_acronym(match[1])
    if imprint is None or imprint.venue is None or (imprint.year is None and match[2].strip() in (",", ":")):
        return position
    found.venue, found.year = found.venue or imprint.venue, found.year or imprint.year
    return match.end()


def _year_of(digits: str) -> int:
    return int(digits) if len(digits) == 4 else full_year(digits)


def _has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


def _name_or_organisation(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> int:
    """Reads a nickname in bold or an organisation in front of the title; returns where the rest starts."""
    bold = [mark for mark in marks if mark.kind == "bold" and mark.start <= position < mark.end]
    if bold and (mark := bold[0]).start >= position - 2:
        stretch = text[position : mark.end].strip()
        if (key := _key_in_front(stretch)) and text[mark.end :].strip(GAP + " \n.,"):
            found.authors, found.year = key
            return mark.end
        after = _NAME_LABEL.match(text, mark.end)
        if stretch.endswith((":", "：")) or after:
            end = after.end() if after else mark.end
            if (
                len(stretch.split()) <= 4
                and title_odds(first_part(text, end)) > NO_TITLE
                and text[end:].strip(GAP + " \n.,")
            ):
                found.name = stretch.strip(" :：*")
                return end
    if (match := _PREFIX.match(text, position)) and match[2] in ":：" and starts_mark(text, marks, match.end()):
        return match.end() if read_authors(text, position) is None else position
    if match and is_organisation(match[1]):
        return match.end()
    return _behind_topic(text, position)


def _key_in_front(words: str) -> tuple[tuple[str, ...], int] | None:
    """Returns authors and year where `words` cite by them: "Gray et al. (1975)"; one name may be a system's."""
    key = author_year(words)
    return key if key is not None and (is_author_key(words) or name_odds(key[0]) >= SURE_NAMES) else None


def _behind_topic(text: str, position: int) -> int:
    """Returns where a citation starts behind the topic in front of it, as in "Policy search - J. Peters, ..."."""
    ahead = text[position : position + 56]
    if not any(map(ahead.__contains__, _TOPIC_ENDS)):
        return position
    match = _TOPIC.match(text, position)
    if match is None or len(match[1].split()) > 5:
        return position
    authors = read_authors(text, match.end())
    if authors is None or not (authors.sure or _is_name_in_front(text, match.end(), authors.end)):
        return position
    title = first_part(text, authors.end)
    cited = imprint_of(title) is None and any(character.isalpha() for character in title)
    return match.end() if cited and title_odds(match[1]) < max(EVEN, title_odds(title)) else position


def _authors_before(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> int:
    authors = authors_in_front(text, marks, position)
    if authors is not None and not authors.sure and is_dated_name(text, marks, authors.end):
        authors = authors._replace(sure=True)
    if authors is None:
        return position
    end = authors.end
    after = text[end : end + 3]
    rest = text[end:].lstrip(" .,:;" + GAP + "(")
    first = BOUNDARY.split(rest, maxsplit=1)[0].strip(" \n\v)],.;")
    more = rest[len(first) :].lstrip(" .,").split(GAP, maxsplit=1)[0]
    if not rest.strip(GAP + " \n\v)]") or (first and imprint_of(first) and not any(map(str.isalpha, more))):
        return position
    alone = not authors.others and len(authors.names) == 1
    collected = alone and after[:2] == ": " and _COLLECTED.search(rest) is not None
    if alone and after[:1] == ":" and not collected and not _WITH_INITIAL.match(authors.names[0]):
        return position
    named = authors.sure or collected or (after[:1] in ".(" and _follows_name(rest))
    if named or _is_name_in_front(text, position, end):
        found.authors = authors.names
        return _after_authors(text, end, found)
    return position


def _is_name_in_front(text: str, start: int, end: int) -> bool:
    """Returns whether a comma, a title, and then venue or year follow the two capitalised words at `start:end`."""
    if text[end : end + 2] != ", " or text[start : start + 2] in ("A ", "I "):
        return False
    stretches = atoms(text, end + 2, _MOST_PARTS)
    if len(stretches) < 2 or is_imprint_ahead(text, end + 2):
        return False
    behind = next((at for at in range(1, len(stretches)) if is_imprint_ahead(text, stretches[at][0])), 0)
    title = text[stretches[0][0] : stretches[behind - 1][1]]
    if behind == 0 or len(title.split()) < 2:
        return False
    return title_odds(title) > UNLIKELY or _IN_COLLECTION.match(text, stretches[behind][0]) is not None


def _follows_name(rest: str) -> bool:
    """Returns whether `rest`, behind a full stop, is a title, so that what stands before it is somebody's name."""
    title, _, tail = rest.partition(". ")
    if len(title.split()) >= 3 and title_odds(title) > UNLIKELY:
        return True
    return bool(tail) and len(title.split()) >= 2 and is_imprint_ahead(tail, 0)


def _after_authors(text: str, position: int, found: Citation) -> int:
    """Returns where the title starts behind authors that end at `position`; takes a year that stands between."""
    match = MARKS.match(text, position)
    position = match.end() if match else position
    if position not in found.numbers and (match := YEAR.match(text, position)):
        found.year = found.year if found.year is not None else int(match[1])
        position = match.end()
    return _imprint_in_front(text, position, found)

"""Reads what stands around a title: numbers, dates, labels, nicknames and authors before it, notes behind it."""

from __future__ import annotations

import re
from functools import lru_cache

from sources.bibliography.names import is_organisation
from sources.bibliography.years import DATE, SHORT_MONTHS, YEAR_DIGITS, full_year, last_year, year_in
from sources.lists.reading.addresses import FIELD
from sources.lists.reading.author_lists import (
    LAST_INITIAL,
    SAME,
    SAME_AUTHORS,
    SURE_NAMES,
    SURELY_NAME,
    SURNAME,
    UPPER,
    YEAR_IN_BRACKETS,
    Authors,
    author_year,
    inverted_name,
    is_author_key,
    is_family_name,
    is_given_name,
    is_surname,
    name_odds,
    names_of_line,
    only_authors,
    read_authors,
)
from sources.lists.reading.citation_parts import (
    BOUNDARY,
    GAP,
    Citation,
    Imprint,
    abbreviated_journal,
    atoms,
    dated_acronym,
    dated_place,
    has_pages,
    imprint_of,
    is_imprint_ahead,
    is_journal_name,
    is_numbers,
    is_signed,
    is_venue,
    journal_ahead,
    one_surname,
    skip_marks,
)
from sources.lists.reading.marked_text import Mark
from sources.lists.reading.title_end import CLEARLY_NAME, end_before_book, end_before_italics
from sources.lists.reading.title_model import EVEN, NO_TITLE, QUOTES, UNLIKELY, title_odds

# What follows a title: authors, the journal or the book that it is in, the year.

_JOURNAL_WITH_VOLUME = re.compile(
    r"([^\W\d_][^\d,;()\n\x1d\v]{2,80}?),?\s(?:(?:Jg|Bd|[Vv]ol|[Vv]|[Tt]|[Tt]om|köt|roč|[Тт])\.\s|[Vv]olume\s)?"
    r"\d{1,4}(?=[\s,.:(\x1d/])"
)
_PREPOSITION = re.compile(
    r"[\s.,;:()\[\]*_|–—\x1d\v\U0001f000-\U0001faff\u2600-\u27bf\ufe0f-]*(?:(?:(?:in|dans)(?:\s?:)?|by|at|from|de|von|par|par:)\s+|"
    + FIELD
    + r")?",
    re.IGNORECASE,
)
_INTO_BOOK = frozenset(("in:", "in :", "dans", "dans :"))  # what introduces the place
# What stands behind two strokes in references of the Russian standard, up to the dash: "// Journal. — 1938".
_BEHIND_STROKES = re.compile(r"([^\W\d_][^\n\v\x1d]{3,90}?)(?=\.? [—–-] |[.,;]\s|\x1d|$)")
# A journal, and year and volume as medicine writes them: "N Engl J Med. 2014;370".
_MEDICAL = re.compile(
    r"\s*([A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*){0,7})(?=\. (?:19|20)\d\d(?: [A-Z][a-z]{2}(?: \d\d?)?)?;\s?\d)"
)
# A journal by its first letters, and its volume: "QJE 118(4)".
_ACRONYM_BEFORE_VOLUME = re.compile(
    r"\s*([A-Z][A-Za-z]{0,6}[A-Z][a-z]{0,4}) (?!(?:19|20)\d\d)(?:\d{3,4}(?!\d)|\d{1,2}(?=\())(?=[(\s.,;:\x1d]|$)"
)
_EDGES = " \t\n.,;:*_()[]|-–—"
# An acronym, or a name with capitals in it: before a year, a venue that nobody has told us of.
_PLACE = re.compile(r"[A-Z][A-Z&]{1,7}|(?=.*[A-Z].*[A-Z])[A-Z][A-Za-z]{2,11}")
_YEAR_ENDS = re.compile(r"(?:19|20)\d\d\s?年?$")


def _take_day_at_end(rest: str, found: Citation) -> None:
    """Reads the year of a citation that ends with the day of a meeting, whatever stands in front of it."""
    last = re.split("[,，、]", rest.rstrip(_EDGES))[-1].strip(_EDGES)
    imprint = imprint_of(last)
    if found.year is None and "," in rest and imprint is not None and imprint.venue is None:
        found.year = imprint.year


def read_tail(text: str, marks: tuple[Mark, ...], start: int, found: Citation, limit: int = 14) -> None:
    """Reads authors, venue and year from what follows a title, up to the first stretch that is none of them."""
    strangers, position, unknown = 0, start, ""
    for _ in range(limit):
        stretch = next(iter(atoms(text, position, 1)), None)
        if stretch is None:
            return
        end = stretch[1]
        begin = match.end() if (match := _PREPOSITION.match(text, stretch[0])) else stretch[0]
        position = _introduced_place(text, stretch[0], begin, found) if found.venue is None else begin
        if position > begin:
            continue
        position = _place_at_end(text, begin, found) or _people_or_journal(text, marks, begin, found)
        if position > begin:
            continue
        position = end
        atom = text[begin:end].strip(_EDGES)
        if atom and not _take_known_part(atom, found):
            strangers += 1
            unknown = atom
            if strangers > 2 or len(atom.split()) > 12:
                _take_day_at_end(text[end:], found)
                return
        elif atom:
            if found.venue is None and _PLACE.fullmatch(unknown) and is_numbers(atom):
                found.venue = unknown
            unknown = ""


def _introduced_place(text: str, start: int, begin: int, found: Citation) -> int:
    """Reads what "In:" or strokes introduce between `start` and `begin`; returns where it ends, `begin` where in doubt.

    Editors who stand behind "In:" are no authors.
    """
    if text[start:begin].strip().lower() in _INTO_BOOK:
        match = _JOURNAL_WITH_VOLUME.match(text, begin)
        found.fill(match[1] if match else None, last_year(_line_ahead(text, begin)))
        found.placed = True
        editors = None if found.authors else read_authors(text, begin)
        return editors.end if editors is not None and editors.sure else begin
    if (match := _BEHIND_STROKES.match(text, begin)) and text[begin - 3 : begin] == "// ":
        found.fill(match[1], last_year(_line_ahead(text, match.end())))
        return match.end()
    return begin


def _line_ahead(text: str, position: int) -> str:
    return text[position : position + 300].split("\n", maxsplit=1)[0]


def _place_at_end(text: str, begin: int, found: Citation) -> int:
    """Reads the journal or the publisher that ends a reference with its year; returns where that ends, 0 without it."""
    place = dated_place(text, begin) if found.authors and found.venue is None and found.year is None else None
    if place is None:
        return 0
    found.venue, found.year = place
    end = text.find("\n", begin)
    return end if end > 0 else len(text)


def _people_or_journal(text: str, marks: tuple[Mark, ...], begin: int, found: Citation) -> int:
    """Reads authors, editors or the name of a journal at `begin`; returns where they end, `begin` where none is."""
    if journal_match := abbreviated_journal(text, begin) or _MEDICAL.match(text, begin):
        found.fill(" ".join(journal_match[1].split()))
        return journal_match.end()
    authors = read_authors(text, begin, surnames=True)
    if authors is None:
        authors = one_surname(text, begin)
    elif not (authors.sure or is_signed(text, authors.end)):
        authors = None
    if authors:
        if authors.sure or not found.authors:
            found.fill(authors=authors.names)
            return authors.end
        return begin
    if (italic := _italic(text, marks, begin)) is not None:
        name, end = italic
        head, _, tail = name.rpartition(", ")
        date = imprint_of(tail) if head else None
        dated = Imprint(head, date.year) if date and date.venue is None and date.year else None
        found.fill(*(imprint_of(name) or dated or Imprint(name)))
        return end
    if (
        found.venue is None
        and found.authors
        and (journal := journal_ahead(text, begin) or journal_before_volume(text, begin))
    ):
        found.venue = text[journal[0] : journal[1]].strip(_EDGES)
        return journal[1]
    return begin


def journal_before_volume(text: str, position: int) -> tuple[int, int] | None:
    """Returns where a journal stands at `position` before the number of a volume, which cannot be a year."""
    match = _JOURNAL_WITH_VOLUME.match(text, position)
    if match is None or not is_journal_name(match[1]):
        match = _ACRONYM_BEFORE_VOLUME.match(text, position)
    return match.span(1) if match else None


def _italic(text: str, marks: tuple[Mark, ...], position: int) -> tuple[str, int] | None:
    """Returns the words in italics at `position`, which behind a title are where it appeared, and where they end."""
    mark = next((mark for mark in marks if mark.kind == "italic" and mark.start <= position < mark.end), None)
    if mark is None:
        return None
    name = text[position : mark.end].split(GAP, maxsplit=1)[0].strip(" \n.,;:")
    long = [word for word in name.split() if len(word) > 3]
    capitals = 5 * sum(word[0].isupper() for word in long) >= 3 * len(long)
    fitting = 3 <= len(name) <= 90 and name[0].isupper() and capitals and not is_numbers(name)
    return (name, mark.end) if fitting and not only_authors(name) else None


def italic_journal(text: str, marks: tuple[Mark, ...], position: int) -> bool:
    """Returns whether a journal in italics stands at `position`, before the number of its volume."""
    mark = next((mark for mark in marks if mark.kind == "italic" and mark.start <= position < mark.end), None)
    if mark is None or _NUMBERS_BEHIND.match(text, mark.end) is None:
        return False
    behind = text[mark.end : mark.end + _LONGEST_BEHIND_JOURNAL]
    return _italic(text, marks, position) is not None or (
        text[position : position + 1].isupper() and has_pages(behind) and last_year(behind) is not None
    )


def _take_known_part(atom: str, found: Citation) -> bool:
    if imprint := imprint_of(atom):
        found.fill(*imprint)
        return True
    if not found.authors and (names := only_authors(atom)):
        found.authors = names
        return True
    if is_numbers(atom) or (len(atom) <= 40 and len(atom.split()) <= 4 and _YEAR_ENDS.search(atom)):
        found.fill(year=year_in(atom))
        return True
    return False


@lru_cache(maxsize=4096)
def is_credit(text: str) -> bool:
    """Returns whether `text` is authors and where or when they published, and nothing else."""
    authors = read_authors(text, surnames=True) if _YEAR_ENDS.search(text.rstrip(_EDGES)) else None
    if authors is None or not authors.sure:
        return False
    rest = text[authors.end :].strip(_EDGES)
    journal = abbreviated_journal(rest, 0) if rest[:1].isupper() else None
    return bool(rest) and (imprint_of(rest) or imprint_of(rest[journal.end() :] if journal else "")) is not None


# The authors in front of a title, in the many ways of naming them: in full, by surname, inverted, as a body.

_BODY = (
    r"(?:Collaborations?|Consortium|Investigators|"
    r"(?:Research|Study|Working|Trials?|Collaborative|Task) (?:Group|Force|Team)|"
    r"Committee|Council|Organi[sz]ation|Association|Society|Commission|Federation)"
)
# A body of people whose name ends as such names do, before the title of what it wrote, or before people's names.
_GROUP_IN_FRONT = re.compile(
    rf"((?:The )?(?:[{UPPER}][\w’'-]* (?:(?:of|the|for|and|on|&) )*){{1,9}}{_BODY}(?: of [{UPPER}]\w+)?)"
    rf"(?:(?=(\.\s+[{UPPER}\d][^\s.]*(?:\s+[^\s.]+){{2}}|,?\s\(?{YEAR_DIGITS}|\s?\x1d))|(?=[,;]\s[{UPPER}]))"
)
# Two surnames before a year and a title, or before a dash.
_PAIR = re.compile(
    rf"({SURNAME.pattern}) (?:and|&) ({SURNAME.pattern})"
    rf"(?:,? {YEAR_DIGITS}[a-z]? (?=[{UPPER}])|(?=,? ?\(?{YEAR_DIGITS}\)?: | [-–—] ))"
)
# A surname and a year, or the gap that one in brackets left; or a surname, the words of a title after the second group,
# and the gap that a bracket with place or year left: "Serre, Faisceaux ... (1955)"; or a surname and a quotation.
_ONE_SURNAME = re.compile(
    rf"({SURNAME.pattern})(?:(?:,? {YEAR_DIGITS}[a-z]?| {GAP}{{6,8}})(?:[:.,] | [-–—]+ | )|"
    rf"(, )(?=[^\s,]+(?: [^\s\x1d]+){{2,20}}? ?{GAP}{{6}})|[,:] (?=[\"“„«])|( ?: |[.;] )(?=[{UPPER}]))"
)
# A volume before the year in brackets, or pages behind one: "ZThK 58 (1961)", "225(2): 254-277".
_PLACED_LATER = re.compile(rf"\d ?{GAP}{{6}}|\d\)?: ?\d{{1,4}}[-–]\d|\bS\. ?\d|\bpp?\. ?\d")
_OPENING_QUOTES = ('"', "“", "„", "«", "「", "『", "《")
_MARKS = re.compile(r"[\s.,:;。，：；、\x1d|–—-]*")
_COLON_BEHIND = re.compile(rf"(?: ?{GAP}{{6,8}})?: ")  # behind names, or the year in a bracket that they have
_BEHIND_YEAR = re.compile(rf" ?{YEAR_IN_BRACKETS}[.,:]? ")
_GAPS_OF_YEAR = (len("(2001)"), len("(2001a)"))  # how many gaps a year in brackets leaves
_BEHIND_BRACKET = re.compile(rf" ?{GAP}+[:.,]? ")
_YEAR = re.compile(rf"\(?({YEAR_DIGITS})[a-z]?\)?[\s.,:;]+")
_LONGEST_BEHIND_JOURNAL = 60  # signs in which the year and pages of a journal stand behind it
_SHORTEST_IN_ITALICS = 4  # how many signs a title in italics has behind a name
# A volume, an issue or a month and year behind a journal: ", n. 218", ", May 1984", "(2007) 17".
_NUMBERS_BEHIND = re.compile(
    rf"[,.]?\s*(?:\(?\d|\x1d+\s?\d|(?:nn?|nr|no|vol|t|bd)\.?\s?\d|(?:{SHORT_MONTHS})\w*\.?\s(?:19|20)\d\d)",
    re.IGNORECASE,
)
# The year in front of what somebody lists of their own: "2019d: Title. In: ...".
YEAR_OF_OWN = re.compile(rf"({YEAR_DIGITS})[a-z]?: ")
_BETWEEN = GAP + " -–—:0123456789,.;()\n"  # what stands between names and the title behind them


def _starts_mark(text: str, marks: tuple[Mark, ...], position: int, *, shortest: int = 20) -> bool:
    """Returns whether a title in italics or quotation marks starts at `position`, behind a label."""
    return text[position : position + 1] in _OPENING_QUOTES or any(
        mark.kind == "italic" and abs(mark.start - position) <= 1 and mark.end - mark.start > shortest for mark in marks
    )


def _before_italic_title(text: str, marks: tuple[Mark, ...], authors: Authors) -> bool:
    """Returns whether a title in italics, and no journal, stands behind one who may be an author, and a comma."""
    start = authors.end + 2
    if text[authors.end : start] != ", " or name_odds(" ".join(authors.names).split()) < 0:
        return False
    titled = _starts_mark(text, marks, start, shortest=_SHORTEST_IN_ITALICS) and not italic_journal(text, marks, start)
    return titled and text[start : start + 1] not in _OPENING_QUOTES


def _first_part(text: str, position: int) -> str:
    """Returns what may be the title behind `position`: what stands there up to where a part of a citation may end."""
    return BOUNDARY.split(text[position : position + 200].lstrip(_BETWEEN), maxsplit=1)[0].split(GAP, maxsplit=1)[0]


def _body_and_people_in_front(text: str, position: int) -> Authors | None:
    match = _GROUP_IN_FRONT.match(text, position)
    if match is None:
        return None
    if match[2] is None and (people := read_authors(text, match.end() + 2)) and people.sure:
        return people._replace(names=(match[1], *people.names))
    named = match[2] is not None or match[1].endswith("Collaboration")
    return Authors((match[1],), match.end()) if named else None


def _surnames_before(text: str, marks: tuple[Mark, ...], position: int) -> Authors | None:
    """Returns surnames alone before the bracket of a year, a colon, or a title in bold or italics."""
    ahead = text[position : position + 80]
    if (pair := _PAIR.match(text, position)) and all(map(is_surname, pair.groups())):
        title = _first_part(text, pair.end())
        titled = title_odds(title) > UNLIKELY and not is_venue(title) and name_odds(pair.groups()) > 0
        return Authors(pair.groups(), pair.end(2)) if titled else None
    marked = any(mark.kind in ("bold", "italic") and position < mark.start < position + 80 for mark in marks)
    if not (marked or GAP in ahead or "(" in ahead or ": " in ahead):
        return None
    authors = read_authors(text, position, surnames=True)
    if authors is None:
        return None
    after = len(text) - len(text[authors.end :].lstrip(" .,:"))
    starts = any(mark.kind in ("bold", "italic") and abs(mark.start - after) <= 1 for mark in marks)
    behind = text[authors.end :].lstrip(" ")[:1]
    within = any(mark.start <= position and authors.end < mark.end for mark in marks)
    cited = behind == ":" and not within and (GAP in text[authors.end :] or year_in(text[authors.end :]) is not None)
    titled = cited and title_odds(_first_part(text, authors.end + 1)) > UNLIKELY
    return authors if starts or titled or behind in (GAP, "(") else None


def _surname_before(text: str, marks: tuple[Mark, ...], position: int) -> Authors | None:
    """Returns one surname before a year, or the gap of one, and a title, which is marked where the name is rare."""
    match = _ONE_SURNAME.match(text, position)
    if match is None or not is_surname(match[1]):
        return None
    odds, title = name_odds([match[1]]), _first_part(text, match.end())
    is_title = title_odds(title) > UNLIKELY
    if match[2]:
        is_author = is_title and odds >= (SURE_NAMES if is_family_name(match[1]) else SURELY_NAME)
    elif match[3]:  # no system has pages or the volume of a journal
        is_author = is_title and odds >= 0 and _PLACED_LATER.search(text, match.end()) is not None
    else:
        dashed = match[0].endswith(("- ", "– ", "— ")) and GAP in match[0]  # "Pearl (1995) - Causal diagrams for ..."
        is_author = odds >= SURELY_NAME or (dashed and odds >= SURE_NAMES and title_odds(title) >= EVEN)
        begins = is_title and text[match.end() : match.end() + 1].isupper() and not is_venue(title)
        is_author = is_author or (odds >= 0 and (begins or _starts_mark(text, marks, match.end())))
    return Authors((match[1],), match.end(1)) if is_author else None


def _inverted_name_before_title(text: str, marks: tuple[Mark, ...], position: int) -> Authors | None:
    authors = inverted_name(text, position) if ", " in text[position : position + 40] else None
    if authors is None:
        return None
    after = _MARKS.match(text, authors.end)
    start = after.end() if after else authors.end
    start = dated.end() if (dated := _YEAR.match(text, start)) else start
    colon = _COLON_BEHIND.match(text, authors.end) is not None
    dated = dated or _BEHIND_YEAR.match(text, authors.end)
    sure = dated or authors.names[0].partition(",")[0].isupper()
    closed = colon and end_before_book(text, marks, start) is not None
    before_title = (colon or sure) and title_odds(_first_part(text, start)) > (NO_TITLE if sure else UNLIKELY)
    known = dated is not None and is_given_name(authors.names[0].rpartition(", ")[2])
    titled = _starts_mark(text, marks, start, shortest=_SHORTEST_IN_ITALICS) and not italic_journal(text, marks, start)
    return authors if before_title or closed or known or titled else None


_LABEL = re.compile(
    r"(?:(?:optional |required |recommended |further |suggested |related |additional |background |primary |"
    r"main |see also|original |extended |key |seminal |classic )*"
    r"(?:research |paper )?(?:papers?|readings?|articles?|references?|ref|title|see(?: also)?|survey|preprint|"
    r"publication|source|based on|from|cite|citation|optional|related|original|read|revisit|"
    r"lectura|artículo|lecture suggérée|literatur)(?:\s*\d+)?|论文|论文标题|论文题目|题目|标题|原文|参考|文章|"
    r"論文|参考文献|タイトル|논문|제목|статья|"
    r"(?:week|wk|day|lecture|lec|session|class|meeting|unit|semana|woche|aula|sesión|séance|semaine|лекция|неделя)"
    r"[ -]?\d{1,2})\s*[:：]\s*",
    re.IGNORECASE,
)
_REFERRING = re.compile(
    r"(?:see(?: also)?|cf\.?|compare|vgl\.?|siehe(?: auch)?|voir(?: aussi)?|véase|ver|with|avec|mit|met|con|com):?\s+",
    re.IGNORECASE,
)
_DAY = re.compile(r"(?:19|20)\d\d[-./]\d{1,2}[-./]\d{1,2}")
_DATE_LEAD = re.compile(
    r"[\[(]?(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s(?=\d|[jfmasond]))?(?:"
    + DATE.pattern
    + r"|\d{1,2}[./-]\d{1,2}(?=[\])]?\s*[-–—:,]?\s)|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s(?:{SHORT_MONTHS})[a-z]*\.?)"
    r"(?:\s*[-–/]\s*\d{1,2})?[\])]?\s*(?:[.,:：|–—-]|\s-)?\s+",
    re.IGNORECASE,
)
_KEYED = re.compile(r"((?:19|20)?\d\d)[-_]((?:[A-Z]|arXiv)[\w&]{0,14})[-_:]\s?(?=\S)")
# What may be venue and year in front of a title, with the praise it got there.
_IMPRINT_LEAD = re.compile(
    r"([A-Za-z][^\n\v\x1d,:]{1,40}?(?:,\s(?:19|20)\d\d(?=,))?)(\s(?:--+|[-–—])\s|[,:]\s)\s*"
    r"(?:(?:oral|spotlight|poster|highlight|best (?:student )?paper(?: award)?)[.,:]\s+)?",
    re.IGNORECASE,
)
# Volume and page behind a journal, and the dash before the title: "Phys. Rev. E 103, 012415 (2021) - ...".
_VOLUME_AND_DASH = re.compile(r"[\d\s,;()\x1d]{1,40}\s[-–—]\s+")
_PREFIX = re.compile(r"([^\s:：.,](?:[^:：.,\n\v\x1d]|,(?=\s)|\.(?=\S)){0,40}?)([:：]|[.,](?=\s))\s*")
_DIGIT = re.compile(r"\d")
_DATED_ANYONE = re.compile(rf"([{UPPER}][^\n\v\x1d.:;]{{2,60}}?)\.? \x1d{{6,8}}[.,:]? ")
_BETWEEN_NAMES = re.compile(r"(?:[,;&·]|\b[^\W\d_]{1,3})\s*$")
_TOPIC = re.compile(r"([^\n\v\x1d.,]{3,50}?)(?:\s[-–—]\s|[:：]\s)")
# What stands between a title and the journal or the book that it is in, whatever language the title is in.
_IN_COLLECTION = re.compile(r"\s*[Ii]n(?::\s|\s[«“„\"])")
# A name with a surname and an initial, which no system has: "Coase, R.", "R. Coase".
_WITH_INITIAL = re.compile(r"[^\W\d_]{2,}[^.]*\.|[^\W\d_]\..*[^\W\d_]{2,}$")
# What follows the title where citations give the collection behind "in:", and begin with their authors.
_COLLECTED = re.compile(r",\s[Ii]n:\s")
# How many stretches between commas and the like a title may have and still be looked through for what follows it.
_MOST_PARTS = 5
_LONGEST_TOPIC = 4  # words in bold in front of a citation
_NAME_LABEL = re.compile(r"\s*(?:[:：]|\s[-–—]\s|\s—|\s*\|)\s*")


def read_lead(text: str, marks: tuple[Mark, ...], start: int, found: Citation) -> int:
    """Reads what stands before a title (numbers, dates, labels, nickname, authors) and returns where it ends."""
    position = skip_marks(text, start)
    if same := SAME_AUTHORS.search(text, start, position) or SAME_AUTHORS.match(text, position):
        found.authors = (SAME,)
        return max(skip_marks(text, same.end()), position)
    if (own := YEAR_OF_OWN.match(text, position)) and end_before_book(text, marks, own.end()):
        found.year = int(own[1])
        return own.end()
    for _ in range(4):
        before = position
        ahead = text[position : position + 40]
        if (":" in ahead or "：" in ahead) and (match := _LABEL.match(text, position)):
            found.label, position = match[0], match.end()
        elif (
            (match := _REFERRING.match(ahead))
            and (authors := read_authors(text, position + match.end()))
            and authors.sure
        ):
            position += match.end()
        elif (end := _imprint_in_front(text, position, found)) > position:
            position = end
        elif position in found.numbers:
            break
        elif (
            (match := _DATE_LEAD.match(text, position) if _DIGIT.search(ahead) else None)
            and _DIGIT.search(match[0])  # "May" alone may start a title, "Jan" a name
            and text[match.end() : match.end() + 80].strip()
        ):
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


def _imprint_in_front(text: str, position: int, found: Citation) -> int:
    """Reads venue and year in front of a title, "OSDI '16 -- ..." or "16-OSDI-..."; returns where they end."""
    if match := _KEYED.match(text, position):
        if not (is_venue(match[2]) or (match[2].isupper() and text[match.end(1)] == text[match.end(2)] == "_")):
            return position
        found.fill(match[2], int(match[1]) if len(match[1]) == 4 else full_year(match[1]))
        return match.end()
    journal = abbreviated_journal(text, position)
    if journal and (dash := _VOLUME_AND_DASH.match(text, journal.end())):
        found.fill(" ".join(journal[1].split()))
        return dash.end()
    ahead = text[position : position + 46]
    dashed = "-" in ahead or "–" in ahead or "—" in ahead
    match = _IMPRINT_LEAD.match(text, position) if dashed or _DIGIT.search(ahead) else None
    if match is None or not text[match.end() :].strip(GAP + " \n.,"):
        return position
    imprint = imprint_of(match[1]) or dated_acronym(match[1])
    if imprint is None or imprint.venue is None or (imprint.year is None and match[2].strip() in (",", ":")):
        return position
    titled = len(atoms(match[1].partition(",")[0], 0, 2)) > 1  # a title, and the journal behind it
    found.fill(*(imprint if not titled else ()))
    return position if titled else match.end()


def _name_or_organisation(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> int:
    """Reads a nickname in bold or an organisation in front of the title; returns where the rest starts."""
    bold = [mark for mark in marks if mark.kind == "bold" and mark.start <= position < mark.end]
    if bold and (mark := bold[0]).start >= position - 2:
        stretch = text[position : mark.end].strip()
        key = author_year(stretch)
        cited = key is not None and (is_author_key(stretch) or name_odds(key[0]) >= SURE_NAMES)
        if key is not None and cited and text[mark.end :].strip(GAP + " \n.,"):
            found.authors, found.year = key
            return mark.end
        topical = stretch.endswith(".") and len(stretch.split()) <= _LONGEST_TOPIC
        if topical and not (" " in stretch and names_of_line(stretch)):
            people = read_authors(text, skip_marks(text, mark.end))
            cited = people is not None and (people.sure or text.startswith(", ", people.end))
            title = _first_part(text, people.end) if people is not None and cited else ""
            if title and not imprint_of(title) and title_odds(title) > title_odds(stretch):
                return mark.end  # a topic, and the citation behind it
        after = _NAME_LABEL.match(text, mark.end)
        if stretch.endswith((":", "：")) or after:
            end = after.end() if after else mark.end
            if (
                len(stretch.split()) <= 4
                and title_odds(_first_part(text, end)) > NO_TITLE
                and text[end:].strip(GAP + " \n.,")
            ):
                found.name = stretch.strip(" :：*")
                return end
    if (match := _PREFIX.match(text, position)) and match[2] in ":：" and _starts_mark(text, marks, match.end()):
        return match.end() if read_authors(text, position) is None else position
    if match and is_organisation(match[1]):
        return match.end()
    return _behind_topic(text, position)


def _behind_topic(text: str, position: int) -> int:
    """Returns where a citation starts behind the topic in front of it, as in "Policy search - J. Peters, ..."."""
    match = _TOPIC.match(text, position)
    if match is None or len(match[1].split()) > 5:
        return position
    authors = read_authors(text, match.end())
    if authors is None or not (authors.sure or _is_name_in_front(text, match.end(), authors.end)):
        return position
    title = _first_part(text, authors.end)
    cited = imprint_of(title) is None and any(character.isalpha() for character in title)
    return match.end() if cited and title_odds(match[1]) < max(EVEN, title_odds(title)) else position


def _names_before(text: str, marks: tuple[Mark, ...], position: int) -> Authors | None:
    """Returns the names at `position`: none goes on into italics or bold, which are a name by themselves or no name."""
    people = read_authors(text, position)
    for mark in marks:
        if mark.kind == "bold" and mark.start <= position < mark.end and ", " in text[position : mark.end]:
            names = names_of_line(text[position : mark.end])
            if names and people is not None and people.end > mark.end and people.sure:
                return people  # one of several is in bold
            if names and text[mark.end :].strip(GAP + " \n.,"):
                stop = "." if LAST_INITIAL.search(names[-1]) and text[mark.end - 1] == "." else ""
                return Authors((*names[:-1], names[-1] + stop), mark.end)
    if people is None:
        return None
    for mark in marks:
        if position < mark.start < people.end <= mark.end:
            whole = people.end == mark.end and _BETWEEN_NAMES.search(text, position, mark.start)
            return people if whole else read_authors(text[: mark.start], position)
    return people


def _authors_before(text: str, marks: tuple[Mark, ...], position: int, found: Citation) -> int:
    names = _names_before(text, marks, position)
    if names is not None and not names.sure and text[names.end : names.end + 2] == ", ":
        names = _inverted_name_before_title(text, marks, position) or names  # two surnames are no given and family name
    authors = (
        names
        or _surnames_before(text, marks, position)
        or _inverted_name_before_title(text, marks, position)
        or _body_and_people_in_front(text, position)
        or _surname_before(text, marks, position)
    )
    if authors is None:
        # Whoever it is, before a year and a title with a journal or a publisher behind it.
        anyone = _DATED_ANYONE.match(text, position)
        body = anyone is not None and (anyone[1].isupper() or is_organisation(anyone[1])) and not is_venue(anyone[1])
        titled = anyone is not None and title_odds(_first_part(text, anyone.end())) > UNLIKELY
        if anyone is None or not ((body and titled) or end_before_italics(text, marks, anyone.end())):
            return position
        authors = Authors((anyone[1],), anyone.end(1))
    if not authors.sure and (match := _BEHIND_BRACKET.match(text, authors.end)):
        title = _first_part(text, match.end())
        dated = match[0].count(GAP) in _GAPS_OF_YEAR and name_odds(authors.names[0].split()) > 0
        titled = dated and title[:1].isupper() and " " in title and not is_venue(title)
        authors = authors._replace(sure=titled or _starts_mark(text, marks, match.end()))
    end = authors.end
    after = text[end : end + 3]
    are_words = not any("." in name or ", " in name for name in authors.names)
    are_words = are_words and (len(authors.names) == 1 or not any(" " in name for name in authors.names))
    if are_words and after[:2] == ", " and italic_journal(text, marks, end + 2):
        return position  # a title of two words, and its journal
    rest = text[end:].lstrip(" .,:;" + GAP + "(")
    first = BOUNDARY.split(rest, maxsplit=1)[0].strip(" \n\v)],.;")
    more = rest[len(first) :].lstrip(" .,").split(GAP, maxsplit=1)[0]
    if not rest.strip(GAP + " \n\v)]") or (first and imprint_of(first) and not any(map(str.isalpha, more))):
        return position
    alone = not authors.others and len(authors.names) == 1
    collected = alone and after[:2] == ": " and _COLLECTED.search(rest) is not None
    clear = ", " in text[position:end] or name_odds(authors.names[0].split()) >= CLEARLY_NAME
    clear = collected or text[position] > "\u2e7f" or (clear and " " in authors.names[0])
    if alone and after[:1] == ":" and not (clear or _WITH_INITIAL.match(authors.names[0])):
        return position
    named = authors.sure or (alone and clear and after[:1] == ":") or (after[:1] in ".(" and _title_follows(rest))
    if named or _is_name_in_front(text, position, end) or _before_italic_title(text, marks, authors):
        found.authors = authors.names
        return _after_authors(text, end, found)
    return position


def _is_name_in_front(text: str, start: int, end: int) -> bool:
    """Returns whether a comma, a title, and then venue or year follow the two capitalised words at `start:end`."""
    if text[end : end + 2] != ", " or text[start : start + 2] in ("A ", "I "):
        return False
    if text[end + 2 : end + 3] in (*QUOTES, "'"):
        return name_odds(text[start:end].split()) > 0
    stretches = atoms(text, end + 2, _MOST_PARTS)
    if len(stretches) < 2 or is_imprint_ahead(text, end + 2):
        return False
    behind = next((at for at in range(1, len(stretches)) if is_imprint_ahead(text, stretches[at][0])), 0)
    title = text[stretches[0][0] : stretches[behind - 1][1]]
    if behind == 0 or len(title.split()) < 2:
        return False
    return title_odds(title) > UNLIKELY or _IN_COLLECTION.match(text, stretches[behind][0]) is not None


def _title_follows(rest: str) -> bool:
    title, _, tail = rest.partition(". ")
    if len(title.split()) >= 3 and title_odds(title) > UNLIKELY:
        return True
    return bool(tail) and len(title.split()) >= 2 and is_imprint_ahead(tail, 0)


def _after_authors(text: str, position: int, found: Citation) -> int:
    """Returns where the title starts behind authors that end at `position`; takes a year that stands between."""
    match = _MARKS.match(text, position)
    dated = match is not None and GAP * 6 in match[0]  # what the year in brackets left
    position = match.end() if match else position
    if position not in found.numbers and (match := _YEAR.match(text, position)):
        found.fill(year=int(match[1]))
        position, dated = match.end(), True
    return position if dated else _imprint_in_front(text, position, found)

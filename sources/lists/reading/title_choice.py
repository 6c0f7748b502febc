"""Gives every draft the title that the tagger finds in its entry, where it is another than that read by rule."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from sources.bibliography.titles import ends_with_part
from sources.lists.reading.author_lists import (
    LAST_INITIAL,
    SURE_NAMES,
    names_of_line,
    only_authors,
    signature,
    word_odds,
)
from sources.lists.reading.before_title import read_tail
from sources.lists.reading.citation_parts import GAP, Citation, Imprint
from sources.lists.reading.document import Block
from sources.lists.reading.drafts import Draft, read_before
from sources.lists.reading.entries import EntryText
from sources.lists.reading.tagger import Found, Mark, Tokens, find_titles, tokens_of
from sources.lists.reading.title_model import (
    FUNCTION_WORDS,
    LIKELY,
    NO_TITLE,
    QUOTES,
    clean_title,
    outermost_quotations,
    title_odds,
)
from sources.text import counted

_GIVEN = r"(?:[A-ZÀ-ÖØ-Þ][^\W\d_]++(?:-[^\W\d_]++)?+|(?:[A-Z]\.[ -]?)+)"
_SURNAME = r"(?:(?:van|von|de|der|den|da|di|la|al|el) ){0,2}[A-ZÀ-ÖØ-Þ][^\W\d_]++(?:[-’'][^\W\d_]++)?+"
_NAME = rf"{_GIVEN} (?:[A-Z]\.? )?{_SURNAME}"
# Where full names begin behind a title with nothing between: "... of Networks Nicholas Carlini, David Wagner".
_UNPARTED = re.compile(
    rf"\s(?<=[\w)?!’']\s)(?=({_NAME}(?:(?:,? (?:and|&) |, ){_NAME}){{0,30}}(?:,? et\.? al\b\.?)?)"
    rf"\s*(?:$|[;.(\[|{GAP}\v\n]))"
)
_LONGEST = 900  # characters of an entry in which its title is looked for
_SHORTEST_QUOTATION = 8  # characters
_LONG = 8  # how many words, less one, are a stretch of prose and no short name
_LIKELIER_THAN_NOT = 0.5
_EDGE = 1.0  # by how much, in natural logarithms of the odds, another title must be better than the one read by rule
_OF_ODDS, _LEAST_ODDS, _MOST_ODDS = 0.5, -6.0, 4.0  # how much it counts how words read, and between which odds
_QUOTES = (("«", "»"), ("《", "》"), ("「", "」"))
_OTHER_YEAR = re.compile(r"\d{4}\b(?:.{0,30}: |:? )")  # words in front of which the year is not the paper's
_OPENING, _CLOSED = re.compile(rf"([{''.join(QUOTES)}])\s?$"), re.compile(r"\s?[.,?!]?([\"“”»’」』》〉'`])")
_INITIALS_IN_BRACKETS = re.compile(r" \(([A-Z]\.(?:[ -]?[A-Z]\.)*)\)")  # as French writes them: "BOURDIEU (P.)"
_SIGNS, _CLOSING = GAP + " .,;:", "\"”»“’'"
# What parts a title from what belongs to it, an arrow, a rating or the sign of a note.
_ARROW = re.compile(r"\s(?:(?:[-=]+>|[→⇒])\s|[※★☆⭐])")
_NEAR = 80  # within how many characters a bracket that is open closes
_WITHIN_WORD = re.compile(r"\d\.\d|\w[\[(]\w[^\])]")
_FILE = re.compile(r"\S+\.(?:pdf|ps|djvu|epub)(?=\s|$)", re.IGNORECASE)  # the name of a document's file


def choose_titles(blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]]) -> str | None:
    """Gives every draft its title; returns the form that most titles have, in words."""
    for draft in (draft for some in drafts for draft in some):
        if _is_prose(draft):
            draft.citation.title = None
        _part_from_names(draft)
    taken = [(draft, *words) for some in drafts for draft in some if (words := tokens_of_draft(draft)) is not None]
    found = find_titles(
        [tokens for _, tokens, _ in taken],
        [blocks[draft.block].run for draft, _, _ in taken],
        [_is_sure(draft, tokens) for draft, tokens, _ in taken],
    )
    forms: Counter[str] = Counter()
    for (draft, _, start), title in zip(taken, found, strict=True):
        if (file := _named_file(draft)) is not None:
            read_title(draft, clean_title(file), draft.citation.start, draft.citation.start + len(file))
        elif title:
            _choose(draft, [each._replace(start=start + each.start, end=start + each.end) for each in title])
        _with_own_brackets(draft)
        if draft.title:
            forms[draft.citation.how] += 1
    if not forms:
        return None
    ((how, count),) = forms.most_common(1)
    return f"titles as {how} ({count} of {counted(forms.total(), 'entry')})"


def _part_from_names(draft: Draft) -> None:
    """Ends a title as read by rule before full names that nothing parts from it."""
    if draft.title is None or draft.source is None or draft.citation.whole:
        return
    text, start = draft.source[0].text, draft.citation.start
    for match in _UNPARTED.finditer(text, start, draft.citation.end):
        title = clean_title(text[start : match.start()])
        if title and title.rpartition(" ")[2].lower() not in FUNCTION_WORDS and only_authors(match[1]):
            read_title(draft, title, start, match.start())
            draft.citation.whole = True
            return


def tokens_of_draft(draft: Draft) -> tuple[Tokens, int] | None:
    """Returns the words of a draft's entry and where they begin in it; None where it has no title of its own words."""
    if draft.source is None or draft.citation.how in ("file", "field"):
        return None
    entry, (start, end, _, _) = draft.source
    end = min(end, start + _LONGEST)
    text, citation = entry.text[start:end], draft.citation
    read = None
    if citation.title is not None:
        first, last = citation.start - start, citation.end - start
        if (at := text.find(citation.title, first, last)) >= 0:  # a link may hold more than the title
            first, last = at, at + len(citation.title)
        read = citation.how, first, last
    return tokens_of(text, _marks_of(entry, start, end), read), start


def _marks_of(entry: EntryText, start: int, end: int) -> list[Mark]:
    """Returns the mark-up of an entry between two places; it begins and ends so far behind the first."""
    marks = [
        (mark.start - start, mark.end - start, mark.kind)
        for mark in entry.marks
        if mark.kind in ("bold", "italic", "struck") and start <= mark.start and mark.end <= end
    ]
    marks += [
        (link.start - start, link.end - start, "link") for link in entry.links if link.own and start <= link.start < end
    ]
    if '"' in entry.text or not entry.text.isascii():
        quoted = outermost_quotations(entry.text, start, end)
        marks += [(a - start, b - start, "quoted") for a, b in quoted if b - a >= _SHORTEST_QUOTATION]
    return marks


def _is_prose(draft: Draft) -> bool:
    """Returns whether a draft is an identifier in prose that holds nothing like a title."""
    title = draft.title or ""
    is_long = draft.citation.how == "text" and title.count(" ") >= _LONG and not draft.citation.whole
    return is_long and draft.is_identified and title_odds(title) < NO_TITLE


def _named_file(draft: Draft) -> str | None:
    """Returns the name of a document's file that begins a title as read by rule; None where none does."""
    if draft.title is None or draft.source is None:
        return None
    match = _FILE.match(draft.source[0].text, draft.citation.start, draft.citation.end)
    return match[0] if match else None


def _is_sure(draft: Draft, tokens: Tokens) -> bool:
    """Returns whether a title as read by rule leaves no doubt: mark-up around it, a paper's link, and words of one."""
    if tokens.read is None:
        return False
    first, last = tokens.read
    marked = set(tokens.opened[first]) & set(tokens.closed[last])
    return bool(marked and (draft.paper_links or "l" in marked)) and title_odds(draft.title or "") >= LIKELY


def _choose(draft: Draft, found: Sequence[Found]) -> None:
    """Makes those of the words found the title that fit best, by their places and by how they read, if they can be."""
    if draft.source is None:
        return
    words = draft.source[0].text
    found = [each for each in found if each.is_read or not _is_cut_wrong(words, each.start, each.end)]
    if not found:
        return
    texts = [clean_title(words[each.start : each.end]) for each in found]
    odds = [title_odds(text) for text in texts]
    values = [
        each.score + _OF_ODDS * max(_LEAST_ODDS, min(own, _MOST_ODDS)) + _EDGE * each.is_read
        for each, own in zip(found, odds, strict=True)
    ]
    at = values.index(max(values))
    title, read = texts[at], draft.title or ""
    if found[at].is_read or not title or title == read or draft.citation.whole or only_authors(title):
        return
    signed = signature(words, found[at].start, found[at].end)
    if (ends_with_part(read) and read.startswith(title)) or (
        signed and clean_title(words[found[at].start : signed[0]]) == read
    ):
        return
    if read.endswith(title) and draft.citation.year is not None and _OTHER_YEAR.fullmatch(read.removesuffix(title)):
        return  # a year in front that is not the paper's
    share = 1 / sum(math.exp(value - values[at]) for value in values)
    if draft.title is None and (share < _LIKELIER_THAN_NOT or odds[at] < LIKELY):
        return
    read_title(draft, title, found[at].start, found[at].end)


def _with_own_brackets(draft: Draft) -> None:
    """Puts round brackets that were taken out of a title back: "Origins (TeO2): a survey", "Theory of Mind (ToM)"."""
    if draft.title is None or draft.source is None:
        return
    entry, start = draft.source[0], draft.citation.start
    words = entry.text[start : draft.citation.end]
    quoted = clean_title(words) != draft.title
    if quoted and clean_title(words.rstrip(_CLOSING)) != draft.title:
        return
    year, venue = draft.citation.year, draft.citation.venue
    for bracket in entry.brackets:
        imprint, own = bracket.imprint or Imprint(), entry.raw[bracket.start : bracket.end]
        is_known = (imprint.year and imprint.year == year) or (imprint.venue and imprint.venue == venue)
        before, behind = words[: max(bracket.start - start, 0)], words[bracket.end - start :]
        within = before.strip(_SIGNS) and behind.strip(_SIGNS)
        next_to_it = bracket.start <= draft.citation.end + 1 and _abbreviates(bracket.text, before)
        if own[:1] in "(（" and not is_known and (within or next_to_it):
            words = before + own + behind
    draft.citation.title = clean_title(words.rstrip(_CLOSING) if quoted else words)


def _abbreviates(name: str, words: str) -> bool:
    """Returns whether `name` is made of the first letters of the last of `words`."""
    last = re.split(r"[\s-]+", words.strip(_SIGNS).casefold())[-len(name) :]
    return len(name) > 1 and name.casefold() == "".join(word[:1] for word in last)


def _is_cut_wrong(text: str, start: int, end: int) -> bool:
    """Returns whether a stretch goes on behind an arrow, or begins or ends within a quotation, a bracket or a word."""
    title, before = text[start:end], text[:start].rstrip()
    if _WITHIN_WORD.match(text, end - 1) or _ARROW.search(title) or _cuts_quotation(title):
        return True
    if title.count("(") > title.count(")") and ")" in text[end : end + _NEAR]:
        return True
    return any(before.count(a) > before.count(b) and not before.endswith(a) for a, b in (*_QUOTES, ("“", "”")))


def _cuts_quotation(text: str) -> bool:
    return text.count('"') % 2 == 1 or any(text.count(opening) != text.count(closing) for opening, closing in _QUOTES)


def _people_in_front(text: str) -> tuple[str, ...]:
    """Returns the people that `text` consists of, which stands before a title; one name is enough."""
    names = _INITIALS_IN_BRACKETS.sub(r", \1", text.strip(_SIGNS + "*_|>-–—"))
    is_one = GAP not in names and (" " in names or word_odds(names) >= SURE_NAMES)
    found = names_of_line(names) if is_one else ()
    return (*found[:-1], found[-1] + ".") if found and LAST_INITIAL.search(found[-1]) else found


def _with_quotation_marks(text: str, first: int, last: int) -> tuple[int, int]:
    """Returns the stretch with the quotation marks around it, where both are."""
    opened, closed = _OPENING.search(text, 0, first), _CLOSED.match(text, last)
    return (opened.start(), closed.end()) if opened and closed and closed[1] in QUOTES[opened[1]] else (first, last)


def read_title(draft: Draft, title: str, first: int, last: int) -> None:
    """Makes the words from `first` to `last` the title of `draft`, and reads what is before and behind them afresh."""
    if draft.source is None:
        return
    entry, (start, end, _, _) = draft.source
    first, last = _with_quotation_marks(entry.text, first, last)
    before = entry.text[start:first]
    old = draft.citation
    found = Citation(title=title, start=first, end=last, label=old.label)
    kinds = [kind for a, b, kind in _marks_of(entry, 0, end) if abs(a - first) <= 1 and abs(b - last) <= 1]
    found.how = kinds[0] if kinds else "text"
    found.quoted, found.scheduled = found.how == "quoted", old.scheduled
    if before.strip(GAP + " \n"):
        read_before(before, found)
    words = title.lower()
    if not any(name.lower() in words for name in old.authors):
        found.fill(authors=old.authors)
    found.fill(authors=_people_in_front(before))
    found.fill(old.venue if old.venue and old.venue.lower() not in words else None, old.year)
    found.name = old.name if old.name and old.name.lower() not in words else None
    draft.citation = found
    read_tail(entry.text[:end], entry.marks, last, draft.citation)
    links = draft.all_links
    draft.title_link = next((link for link in links if link.own and link.start <= first < link.end), None)
    draft.links = [link for link in links if link is not draft.title_link]
    draft.line = entry.line_at(entry.words_at(first))
    draft.first_line = min(draft.first_line, draft.line)
    draft.odds = title_odds(title)

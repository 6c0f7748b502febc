"""Collects the evidence for a candidate: titles, authors, years, venues, and other words of the entry."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Literal
from urllib.parse import unquote, urlsplit

from sources.bibliography.identifiers import IDENTIFYING, ArxivId, normal_identifier
from sources.bibliography.lexicon import is_word
from sources.bibliography.names import AuthorEvidence, compare_authors, parse_name
from sources.bibliography.titles import TitleWords, fold, part_in, parts_behind, title_words
from sources.bibliography.venues import same_venue
from sources.bibliography.years import days_in, years_in
from sources.matching.candidates import Candidate, all_identifiers
from sources.matching.relation import TitleEvidence, compare_titles
from sources.matching.word_match import NUMBERED, are_numerals, compare_words, is_familiar, looks_coined
from sources.records import Mention
from sources.text import counted

# same: the year. close: one apart. off: two apart, as a preprint and its journal can be. conflict: more.
YearEvidence = Literal["same", "close", "off", "conflict", "unknown"]

_YEARS = {
    "same": "same year",
    "close": "a year apart",
    "off": "two years apart",
    "conflict": "years too far apart",
    "unknown": "",
}

Sign = Literal["agree", "conflict", "unknown"]

# distinct: the title has the name as one of its parts, in letters that no common word has, or spells it with the first
# letters of at least four words. weak: the same of a common word, or of three words.
NameSign = Literal["distinct", "weak"]

_IDLE = frozenset(
    "arxiv preprint paper papers pdf oral spotlight best award winner et al in proc proceedings conference journal v1 "
    "pp abs link".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What supports and what contradicts a candidate."""

    title: TitleEvidence  # how the titles compare
    authors: AuthorEvidence  # whether the persons named are its authors
    year: YearEvidence  # how far the years are apart
    venue: bool  # whether the venues agree
    name: Sign  # whether the system's name beside the mention is the one in the candidate's title
    link: Sign  # whether the mention's identifiers are the candidate's
    day: bool = False  # whether the entry names the day on which the candidate came out
    owner: bool = False  # whether what the entry links is owned by one of its authors
    known_as: NameSign | None = None  # how the candidate bears the name that the mention has for a title
    cited_by: int = 0  # papers of the mention's list that cite the candidate

    @property
    def reasons(self) -> tuple[str, ...]:
        """Returns what was found, a short phrase each."""
        found = (
            (self.authors.agreement != "unknown", f"{self.authors.matched} of {self.authors.named} authors agree"),
            (self.year != "unknown", _YEARS[self.year]),
            (self.venue, "same venue"),
            (self.day, "came out on the day named"),
            (self.owner, "an author owns what is linked"),
            (self.name == "agree", "same system name"),
            (self.name == "conflict", "another system name"),
            (self.known_as, f"known by that name, cited by {counted(self.cited_by, 'paper')} of the list"),
            (self.link == "agree", "same identifier"),
            (self.link == "conflict", "the link names another paper"),
        )
        return (*self.title.reasons, *(text for is_so, text in found if is_so))


def gather(mention: Mention, candidate: Candidate, known: frozenset[str] = frozenset()) -> Evidence:
    """Returns what the mention and the candidate say about each other.

    `known` are words that other titles have, and that are therefore no typing errors.
    """
    true, published = title_words(candidate.title), candidate.published_on
    return Evidence(
        title=_compare_titles(mention, candidate, true, known),
        authors=compare_authors(mention.authors, candidate.authors),
        year=compare_years(mention, candidate),
        venue=same_venue(mention.venue, candidate.venue),
        name=_compare_names(mention, title_words(mention.title or ""), true),
        link=_compare_links(mention, candidate),
        # time zones may shift the day on which a paper came out by one
        day=published is not None
        and any(abs(day - published) <= timedelta(days=1) for day in days_in(mention.text[:_LONGEST_TEXT])),
        owner=owned_by(mention, candidate.authors),
        known_as=known_as(mention.title or "", candidate.title)
        if candidate.cited_by and is_nickname(mention)
        else None,
        cited_by=candidate.cited_by,
    )


def _compare_titles(mention: Mention, candidate: Candidate, true: TitleWords, known: frozenset[str]) -> TitleEvidence:
    """Returns how the titles compare: the mention's alone, with the system's name, or as its link spells it.

    A part that the entry names behind the title belongs to it, wherever reading ended the title.
    """
    words = set(_IDLE)
    words |= {str(year) for year in (mention.year, candidate.year) if year}
    words |= set(title_words(mention.venue or "").words)
    for author in candidate.authors:
        if name := parse_name(author):
            words |= name.surname | set(name.given)
    idle = frozenset(word for word in words if word not in NUMBERED and not are_numerals(word, word))
    title, (start, end, own) = mention.title, part_in(candidate.title)
    if title and own and own in _parts_behind(title, mention, candidate):
        title += candidate.title[start:end]
    best = compare_titles(title_words(title or mention.name or ""), true, idle=idle, known=known)
    spelt_out = title_in_link(mention) if is_nickname(mention) else None
    named = f"{mention.name}: {title}" if title and mention.name else None
    for other in filter(None, (named, spelt_out)):
        if best.relation == "same":
            break
        comparison = compare_titles(title_words(other), true, idle=idle, known=known)
        best = comparison if comparison.relation == "same" or comparison.agreement > best.agreement else best
    if best.relation in ("different", "near", "lookalike"):
        return best
    written = mention.title or ""
    parts = _parts_behind(candidate.title[:start], mention, candidate) or _parts_behind(
        written[: part_in(written)[0]], mention, candidate
    )
    if own in parts or not any(parts):
        return best
    return replace(best, relation="lookalike", reasons=(f"the list names part {' '.join(max(parts))}",))


def _parts_behind(title: str, mention: Mention, candidate: Candidate) -> list[tuple[str, ...]]:
    """Returns what the names of parts count that stand behind `title` wherever the mention's entry has it."""
    entry, found = (mention.text or mention.title or "")[:_LONGEST_TEXT], []
    # Only letters and digits are compared, and whole words.
    letters, places = _letters_in(entry)
    wanted, _ = _letters_in(title)
    at = letters.find(wanted) if wanted else -1
    while at >= 0:
        start, end = places[at], places[at + len(wanted) - 1] + 1
        if not (start and entry[start - 1].isalnum()) and not entry[end : end + 1].isalnum():
            parts = parts_behind(entry, end)
            if parts and _is_initial(entry, parts[-1][1], mention, candidate):
                parts.pop()
            found.append(tuple(part for part, _ in parts))
        at = letters.find(wanted, at + 1)
    return found


def _is_initial(entry: str, end: int, mention: Mention, candidate: Candidate) -> bool:
    """Returns whether what may be a part that ends at `end` is an author's initial: "Title. V. Vapnik".

    That is the candidate's author, or the mention's where the candidate's are not known.
    """
    letter = entry[end - 1]
    if not letter.isupper() or entry[end - 2 : end - 1].isalnum():
        return False
    if not candidate.authors:
        return any(author.startswith(letter) for author in mention.authors)
    word = _SURNAME_BEHIND_INITIALS.match(entry, end)
    names = [name for author in candidate.authors if (name := parse_name(author))]
    return word is not None and any(
        fold(word[1]) in name.surname and any(given[:1] == letter.lower() for given in name.given) for name in names
    )


@lru_cache(maxsize=1024)
def _letters_in(text: str) -> tuple[str, tuple[int, ...]]:
    """Returns the letters and digits of `text`, folded, and the place of each."""
    found = [(letter, at) for at, sign in enumerate(text) for letter in fold(sign) if letter.isalnum()]
    return "".join(letter for letter, _ in found), tuple(at for _, at in found)


def compare_years(mention: Mention, candidate: Candidate) -> YearEvidence:
    """Returns how far the list's year is from the candidate's, or from one that its venue or arXiv identifier names."""
    own = [candidate.year, ArxivId(candidate.arxiv_id).year if candidate.arxiv_id else None]
    years = years_in(candidate.venue) | {year for year in own if year}
    if mention.year is None or not years:
        return "unknown"
    apart = min(abs(mention.year - year) for year in years)
    steps: tuple[YearEvidence, ...] = ("same", "close", "off")
    return steps[apart] if apart < len(steps) else "conflict"


def _compare_names(mention: Mention, written: TitleWords, true: TitleWords) -> Sign:
    """Returns whether the name beside the title is the candidate's; only an unusual name can contradict it."""
    name = title_words(mention.name or "").words
    if not name or not written.words:
        return "unknown"
    if _holds(true.words, name):
        return "agree"
    theirs = true.words[: true.head]
    rival = 0 < len(theirs) <= 3 and not all(map(is_familiar, theirs)) and not _holds(written.words, theirs)
    return "conflict" if rival and not all(map(is_familiar, name)) else "unknown"


def _holds(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    joined = "".join(name)
    return any(
        compare_words(joined, "".join(words[start:end])) not in (None, "rival")
        for start in range(len(words))
        for end in range(start + 1, min(start + 4, len(words)) + 1)
    )


def _compare_links(mention: Mention, candidate: Candidate) -> Sign:
    mine = {normal_identifier(identifier) for identifier in mention.identifiers}
    theirs = all_identifiers(candidate)
    if mine & theirs:
        return "agree"
    schemes = {identifier.scheme for identifier in theirs} & IDENTIFYING
    return "conflict" if any(identifier.scheme in schemes for identifier in mine) else "unknown"


_LONGEST_TEXT = 4_000
_SURNAME_BEHIND_INITIALS = re.compile(r"[.\s-]*(?:[^\W\d_]\.[\s-]*)*([^\W\d_]+)")
_OWNER = re.compile(
    r"(?:github|gitlab)\.com/([A-Za-z][A-Za-z0-9-]{5,38})(?=[/\s\"')\]>?#]|$)|//([A-Za-z][A-Za-z0-9-]{5,38})\.github\.io"
)
_FILE_ENDING = re.compile(r"\.(?:pdf|html?|php|aspx?)$", re.IGNORECASE)
_SLUG_WORD = re.compile(r"[a-z]+(?:\d+[a-z]*)?|\d{1,2}[a-z]*", re.IGNORECASE)
_FEWEST_SLUG_WORDS = 5
_LONGEST_NICKNAME = 2
_NOT_ALNUM = re.compile(r"[^a-z]+")


def is_nickname(mention: Mention) -> bool:
    """Returns whether a mention has no title but a word or two, such as a system's name."""
    return len(title_words(mention.title or mention.name or "").words) <= _LONGEST_NICKNAME


def has_hint(mention: Mention) -> bool:
    """Returns whether the entry names a day, or links what belongs to somebody by name."""
    return bool(days_in(mention.text[:_LONGEST_TEXT]) or _owners(mention))


def title_in_link(mention: Mention) -> str | None:
    """Returns the title that the path of the mention's link spells out, None where it spells none.

    It must have at least five words, joined by hyphens or underscores, with the mention's name among them: a shorter
    path may be the site's structure, and one without the name another page.
    """
    path = ""
    with suppress(ValueError):
        path = unquote(urlsplit(mention.url or "").path)
    last = _FILE_ENDING.sub("", path.rstrip("/").rpartition("/")[2])
    words = re.split(r"[-_]", last)
    while words and words[0].isdigit():
        words = words[1:]
    if len(words) < _FEWEST_SLUG_WORDS or not all(map(_SLUG_WORD.fullmatch, words)):
        return None
    name = _letters(mention.title or mention.name or "")
    return " ".join(words) if name in _letters("".join(words)) else None


def owned_by(mention: Mention, authors: tuple[str, ...]) -> bool:
    """Returns whether a repository or home page that the entry links has the full name of one of `authors`."""
    owners = _owners(mention)
    for name in map(parse_name, authors if owners else ()):
        if name is None or not name.given or len(name.given[0]) < 2:
            continue
        # Accounts are called by given and family name run together, in either order.
        given = "".join(name.given), name.given[0]
        accounts = {each for surname in name.surname for first in given for each in (first + surname, surname + first)}
        if owners & accounts:
            return True
    return False


def _owners(mention: Mention) -> set[str]:
    text = f"{mention.url or ''} {mention.text[:_LONGEST_TEXT]}"
    return {_letters(owner or page) for owner, page in _OWNER.findall(text)}


def _letters(text: str) -> str:
    return _NOT_ALNUM.sub("", fold(text))


_FEWEST_INITIALS, _DISTINCT_INITIALS = 3, 4


def known_as(name: str, title: str) -> NameSign | None:
    """Returns how a work with that title bears a name, None where its title does not have it.

    A name proves nothing by itself: other works have it too. So a work is taken for it only where the papers of the
    same list cite the work; the others are candidates for a person to choose from.
    """
    written, whole = title_words(name), title_words(title)
    length = len(written.words)
    for start, end in pairwise((0, *sorted(whole.cuts), len(whole.words))):
        if length and end - start == length < len(whole.words) and whole.words[start:end] == written.words:
            as_written = _plain(whole.raw[start:end]) == _plain(written.raw) or not all(map(is_word, written.words))
            return "distinct" if as_written and any(map(looks_coined, whole.raw[start:end])) else "weak"
    letters, first_part = fold(name), whole.words[: whole.head or None]
    if length != 1 or len(letters) < _FEWEST_INITIALS or letters != "".join(word[0] for word in first_part):
        return None
    return "distinct" if name.isupper() and len(letters) >= _DISTINCT_INITIALS else "weak"


def _plain(words: Iterable[str]) -> list[str]:
    """Returns words without punctuation; capitals stay."""
    return ["".join(filter(str.isalnum, word)) for word in words]

"""All that a mention and a candidate say about each other, gathered before anything is decided. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sources.bibliography.names import AuthorEvidence, compare_authors, parse_name
from sources.bibliography.titles import TitleWords, title_words
from sources.bibliography.venues import same_venue
from sources.bibliography.years import years_in
from sources.identifiers import IDENTIFYING, normal_identifier
from sources.matching.candidates import Candidate, all_identifiers
from sources.matching.hints import is_nickname, names_day, owned_by, title_in_link
from sources.matching.relation import TitleEvidence, compare_titles
from sources.matching.wording import compare_words, is_familiar
from sources.records import Mention

YearEvidence = Literal["same", "close", "off", "conflict", "unknown"]
"""same: the year. close: one apart. off: two apart, as a preprint and its journal can be. conflict: more."""

Sign = Literal["agree", "conflict", "unknown"]

_IDLE = frozenset(
    "arxiv preprint paper papers pdf oral spotlight best award winner et al in proc proceedings conference journal v1 "
    "pp abs link".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What speaks for and against a candidate.

    Attributes:
        title: How the titles stand to each other.
        authors: Whether the persons named are its authors.
        year: How far the years are apart.
        venue: Whether the venues agree.
        name: Whether the system's name beside the mention is the one in the candidate's title.
        link: Whether the mention's identifiers are the candidate's.
        day: Whether the entry names the day on which the candidate came out.
        owner: Whether what the entry links is owned by one of its authors.
    """

    title: TitleEvidence
    authors: AuthorEvidence
    year: YearEvidence
    venue: bool
    name: Sign
    link: Sign
    day: bool = False
    owner: bool = False

    @property
    def reasons(self) -> tuple[str, ...]:
        """Returns what was found, a short phrase each."""
        found = [*self.title.reasons]
        if self.authors.agreement != "unknown":
            found.append(f"{self.authors.matched} of {self.authors.named} authors agree")
        if self.year != "unknown":
            found.append(
                {"same": "same year", "close": "a year apart", "off": "two years apart"}.get(
                    self.year, "years too far apart"
                )
            )
        if self.venue:
            found.append("same venue")
        if self.day:
            found.append("came out on the day named")
        if self.owner:
            found.append("an author owns what is linked")
        if self.name != "unknown":
            found.append("same system name" if self.name == "agree" else "another system name")
        if self.link != "unknown":
            found.append("same identifier" if self.link == "agree" else "the link names another paper")
        return tuple(found)


def gather(mention: Mention, candidate: Candidate, known: frozenset[str] = frozenset()) -> Evidence:
    """Returns what the mention and the candidate say about each other.

    Args:
        mention: The mention.
        candidate: The candidate.
        known: Words that stand in other titles, and so are no slips of the pen.
    """
    true = title_words(candidate.title)
    return Evidence(
        title=_compare_titles(mention, candidate, true, known),
        authors=compare_authors(mention.authors, candidate.authors),
        year=compare_years(mention, candidate),
        venue=same_venue(mention.venue, candidate.venue),
        name=_compare_names(mention, title_words(mention.title or ""), true),
        link=_compare_links(mention, candidate),
        day=names_day(mention, candidate.published_on),
        owner=owned_by(mention, candidate.authors),
    )


def _compare_titles(mention: Mention, candidate: Candidate, true: TitleWords, known: frozenset[str]) -> TitleEvidence:
    """Returns how the titles stand: the mention's alone, with the system's name beside it, or as its link spells it."""
    idle = _idle_words(mention, candidate)
    best = compare_titles(title_words(mention.title or mention.name or ""), true, idle=idle, known=known)
    spelt_out = title_in_link(mention) if is_nickname(mention) else None
    named = f"{mention.name}: {mention.title}" if mention.title and mention.name else None
    for other in filter(None, (named, spelt_out)):
        if best.relation == "same":
            break
        told = compare_titles(title_words(other), true, idle=idle, known=known)
        best = told if told.relation == "same" or told.agreement > best.agreement else best
    return best


def compare_years(mention: Mention, candidate: Candidate) -> YearEvidence:
    """Returns how far the list's year is from the candidate's, or from one that its venue names."""
    years = years_in(candidate.venue) | ({candidate.year} if candidate.year else set())
    if mention.year is None or not years:
        return "unknown"
    apart = min(abs(mention.year - year) for year in years)
    steps: tuple[YearEvidence, ...] = ("same", "close", "off")
    return steps[apart] if apart < len(steps) else "conflict"


def _idle_words(mention: Mention, candidate: Candidate) -> frozenset[str]:
    words = set(_IDLE)
    words |= {str(year) for year in (mention.year, candidate.year) if year}
    words |= set(title_words(mention.venue or "").words)
    for author in candidate.authors:
        if name := parse_name(author):
            words |= name.surname | set(name.given)
    return frozenset(words)


def _compare_names(mention: Mention, written: TitleWords, true: TitleWords) -> Sign:
    """Returns whether the name beside the title is the candidate's; only an unusual one can speak against it."""
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

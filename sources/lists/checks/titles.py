"""Checks titles, people, identifiers, links, years and venues against what is known of the papers. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap
from urllib.parse import urlsplit

from rapidfuzz.distance import OSA

from sources.bibliography.identifiers import ArxivId
from sources.bibliography.lexicon import is_word
from sources.bibliography.names import Person, compare_authors, parse_name, same_person
from sources.bibliography.titles import title_key, title_words
from sources.bibliography.venues import Kind, kind_of, known_venues, same_venue
from sources.bibliography.years import years_in
from sources.lists.checks.findings import CheckedEntry, Edit, Level, ListFinding, PaperFacts, Publication, finding
from sources.lists.checks.list_text import ADDRESS, ListText
from sources.matching.relation import compare_titles
from sources.matching.word_match import NEGATIONS, SEQUELS, compare_words
from sources.records import SERVICE_NAMES, Mention

_SECOND = "second-arxiv-id"
_BY_PARSER = frozenset({"malformed-arxiv-id", "malformed-doi", "unregistered-doi", _SECOND})
_COPIED = "link-repeated-under-another-title"
# Where the entry says itself that its paper was retracted or withdrawn.
_SAID = re.compile(r"\b(?:retract(?:ed|ion)|withdrawn|withdrew)\b|撤稿", re.IGNORECASE)
_SHORT = 2  # words of a title that may be no title, but a name beside the paper
_LABEL = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+)\)")
_ALIKE = 0.3  # titles that have this share in common may be those of two versions of a paper


def check_identifiers(entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about identifiers that cannot be, that nobody has, or that are another paper's."""
    for entry in entries:
        mention = entry.mention
        for each in mention.findings:
            if each.code in _BY_PARSER and (each.code != _SECOND or _is_named_otherwise(mention, each.value)):
                yield finding(each.code, mention, _sentence(each.message), *filter(None, (each.value,)))
            elif each.code == _COPIED:
                original = re.search(r"\d+", each.message)
                others = (int(original[0]),) if original else ()
                level: Level | None = None if len((mention.title or "").split()) > _SHORT else "note"
                values = filter(None, (each.value,))
                yield finding(each.code, mention, each.message, *values, others=others, level=level)
        for identifier in entry.unknown:
            service = SERVICE_NAMES.get(identifier.scheme, identifier.scheme)
            message = f"{service} has no paper {identifier.value}."
            yield finding("identifier-unknown", mention, message, f"{service} answered that there is none")
        yield from _other_paper(entry)
        paper = entry.paper
        if paper is None or _SAID.search(mention.text):
            continue
        if paper.retraction:
            yield finding("retracted-paper", mention, "The paper was retracted.", paper.retraction)
        elif paper.withdrawn:
            evidence = f"arXiv says so of arXiv:{paper.arxiv_id}"
            yield finding("withdrawn-paper", mention, "The paper was withdrawn from arXiv.", evidence)


def _is_named_otherwise(mention: Mention, arxiv_id: str | None) -> bool:
    """Returns whether an entry with two arXiv papers has one in its words alone, or behind its one link to arXiv.

    Where others are linked, they are parts or versions, or papers that the entry compares with.
    """
    linked = " ".join(ADDRESS.findall(mention.text))
    if not arxiv_id or (arxiv_id in linked) != ((mention.arxiv_id or "") in linked):
        return True
    labels = [(match[1].lower(), match[2]) for match in _LABEL.finditer(mention.text)]
    of_arxiv = [address for label, address in labels if label in ("arxiv", "preprint")]
    return len(of_arxiv) == 1 and arxiv_id in of_arxiv[0]


def _sentence(message: str) -> str:
    text = message[0].upper() + message[1:]
    return text if text.endswith(".") else f"{text}."


def _other_paper(entry: CheckedEntry) -> Iterator[ListFinding]:
    """Yields a finding where the link leads to another paper than the title names.

    It is an error where the paper with that title is known as well, by other people. Else the title may be one that the
    paper had before or has by now, or its owner's own words: of 22 that were judged, none was a fault. Then only one
    that has little in common with the paper's is worth a note. A heading may be a topic's.
    """
    mention, linked, titled = entry.mention, entry.linked, entry.titled
    if linked is None:
        return
    by_its_people = compare_authors(mention.authors, linked.authors).agreement == "agree"
    if by_its_people and not (titled and _has_name_of(mention, linked)):
        return
    url = (mention.url or "").lower()  # the first link, which may be to another of several papers
    if url and not any(name.lower() in url for name in (linked.arxiv_id, linked.doi) if name):
        return
    message = f"The link leads to “{linked.title}”, the title is “{mention.title}”."
    if titled is not None:
        evidence = (f"linked: {_described_paper(linked)}", f"titled: {_described_paper(titled)}")
        is_version = compare_authors(titled.authors, linked.authors).agreement == "agree"
        level: Level = "note" if is_version else "error"
        yield finding("link-title-disagree", mention, message, *evidence, level=level)
    elif not (_may_be_title(mention, linked) or _are_own_words(mention, linked) or mention.text.lstrip()[:1] == "#"):
        yield finding("link-title-disagree", mention, message, f"linked: {_described_paper(linked)}", level="note")


def _are_own_words(mention: Mention, linked: PaperFacts) -> bool:
    """Returns whether what was read as a title is about another page, or words around the link to the paper."""
    addresses = ADDRESS.findall(mention.text)
    known = [name.lower() for name in (linked.arxiv_id, linked.doi) if name]
    if addresses and not any(name in addresses[0].lower() for name in known):
        return True
    labels = (match[1] for match in _LABEL.finditer(mention.text) if any(name in match[2].lower() for name in known))
    title = mention.title or ""
    return any(label != title and label in title for label in labels)


def _has_name_of(mention: Mention, paper: PaperFacts) -> bool:
    """Returns whether a mention has the name in front of a paper's title, beside its own title or in front of it."""
    true, written, name = (title_words(text or "").words for text in (paper.title, mention.title, mention.name))
    own = true[: title_words(paper.title).head]
    return bool(own) and own in (name, written[: len(own)])


def _may_be_title(mention: Mention, paper: PaperFacts) -> bool:
    """Returns whether a mention's title may be an old one, a cut one, a nickname or a translation of the paper's."""
    written = title_words(mention.title or "")
    if not (mention.title or "").isascii() or sum(len(word) > 3 for word in written.words) < 3:
        return True
    key = title_key(mention.title or "")
    titles = (paper.title, *paper.other_titles)
    return any(
        title_key(title) == key or compare_titles(written, title_words(title)).agreement >= _ALIKE for title in titles
    )


def _described_paper(paper: PaperFacts) -> str:
    identifier = f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else f"doi:{paper.doi}" if paper.doi else paper.title
    first = f"{paper.authors[0]}{' et al.' if len(paper.authors) > 1 else ''}" if paper.authors else ""
    return ", ".join(filter(None, (identifier, first, str(paper.year or ""))))


# Links of entries: missing among entries with links, and leading to a paywall where a free copy is known. Pure.
_LINK = re.compile(r"https?://|www\.|\]\(|\]\[|<a\s|\bhref\b|\bdoi:|\barxiv\s*:", re.IGNORECASE)
_FEWEST_ENTRIES = 5
_LINKED_SHARE = 0.8  # share of a list's entries with a link from which one without looks forgotten
# Hosts of publishers that ask for money for most papers; of one given away, the free copy is there as well.
_PAYWALLS = frozenset(
    "ieeexplore.ieee.org computer.org sciencedirect.com link.springer.com springer.com onlinelibrary.wiley.com "
    "nature.com science.org sciencemag.org tandfonline.com jstor.org journals.sagepub.com academic.oup.com cell.com "
    "linkinghub.elsevier.com epubs.siam.org worldscientific.com emerald.com degruyter.com".split()
)


def check_links(entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about links that are missing, and about links to paywalls."""
    linked = sum(bool(entry.mention.url or entry.mention.identifiers) for entry in entries)
    most_have = len(entries) >= _FEWEST_ENTRIES and linked >= _LINKED_SHARE * len(entries)
    names = Counter(entry.mention.line for entry in entries)
    for entry in entries:
        paper = entry.paper
        if paper is None:
            continue
        mention = entry.mention
        has_link = mention.url or _LINK.search(mention.text)
        if most_have and names[mention.line] == 1 and not has_link and not mention.struck:
            if address := address_of(paper):
                message = "The entry has no link, as nearly all others have."
                yield finding("missing-link", mention, message, f"the paper is at {address}")
            continue
        hosts = [_host(address) for address in (mention.url or "", *ADDRESS.findall(mention.text))]
        if not mention.url or any(host not in _PAYWALLS for host in hosts):
            continue  # it has another link than one to a publisher's paywall
        copy = f"https://arxiv.org/abs/{paper.arxiv_id}" if paper.arxiv_id else paper.free_copy
        given_away = paper.free_copy is not None and _host(paper.free_copy) in (_host(mention.url), "doi.org")
        if copy is not None and not given_away and not mention.arxiv_id:
            message = "The link leads to a paywall; the paper can be read elsewhere for nothing."
            yield finding("paywalled-link", mention, message, f"free copy: {copy}")


def address_of(paper: PaperFacts) -> str | None:
    """Returns the address of a paper: arXiv's page, else its DOI's, else a free copy's; None where none is known."""
    if paper.arxiv_id:
        return f"https://arxiv.org/abs/{paper.arxiv_id}"
    return f"https://doi.org/{paper.doi}" if paper.doi else paper.free_copy


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


# Years and venues of entries against those of the paper's versions, and preprints that have been published. Pure.


# So far apart may be the years of a meeting and of its proceedings, or of a preprint and its first version.
_NEAR_YEARS = 1
# So many years after all versions that are known another may come out, such as a journal's; before them, a preprint.
_LATE_YEARS = 3
# Of a list of which so many years are those of no version, the years mean something else, such as when it was read.
_ODD_SHARE = 0.2
_NAMING_SHARE = 0.1  # share of entries with a venue below which a list names none, so that a preprint needs none
# Characters of an entry in which a venue is looked for, and of them those that are looked at together.
_LONGEST_ENTRY, _PIECE = 6_000, 200
# Words of a venue that is beside a conference, held with one (IAAI with AAAI), or only hoped for.
_SPECIAL = (
    *"workshop findings tutorial demo poster abstract companion extended track -w iaai ilsvrc submission".split(),
    *("submitted", "under review", " ws"),
)
# ICLR's workshop papers go by its own name, and IJCAI prints the best papers of other conferences once more.
_HAVE_OTHERS = frozenset({"iclr", "ijcai"})


def check_publication(entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about years and venues that no version of the paper has, and about preprints now published."""
    dated = [entry for entry in entries if entry.paper is not None and entry.mention.year is not None]
    odd = {id(entry): years for entry in dated if (years := _years_against(entry))}
    if len(odd) <= max(2, _ODD_SHARE * len(dated)):
        for entry in dated:
            # It may be of the year of a preprint, where none is known of its paper.
            is_earlier = id(entry) in odd and 0 < min(odd[id(entry)]) - (entry.mention.year or 0) <= _LATE_YEARS
            may_be_preprint = is_earlier and not (entry.paper and entry.paper.arxiv_id)
            if id(entry) in odd and not may_be_preprint:
                words = " and ".join(map(str, sorted(odd[id(entry)])))
                message = f"The year is {entry.mention.year}; the paper is of {words}."
                yield finding("year-at-odds", entry.mention, message, *_versions_of(entry.paper))
    naming = sum(kind_of(entry.mention.venue) is not Kind.PREPRINT for entry in entries)
    names_venues = len(entries) < _FEWEST_ENTRIES or naming >= _NAMING_SHARE * len(entries)
    for entry in entries:
        if entry.paper is not None:
            yield from _venue_finding(entry, entry.paper)
            yield from _published(entry, entry.paper) if names_venues else ()


def known_years(paper: PaperFacts) -> frozenset[int]:
    """Returns the years of all versions that are known of a paper."""
    years: list[int | None] = [paper.year, *(version.year for version in paper.publications)]
    if paper.arxiv_id:
        years.append(ArxivId(paper.arxiv_id).year)
    named = (years_in(venue) for venue in (paper.venue, *(version.venue for version in paper.publications)))
    return frozenset(year for year in years if year).union(*named)


def _years_against(entry: CheckedEntry) -> frozenset[int]:
    """Returns the years of the paper's versions, where the entry's year is that of none; else none.

    Where only arXiv has a paper, it may have come out years before it was brought there; and years later than the
    preprint where no publication is known, or the entry names another venue.
    """
    paper, year = entry.paper, entry.mention.year
    if paper is None or year is None or not _is_title_of(entry, paper):
        return frozenset()
    own = {ArxivId(entry.mention.arxiv_id).year} if entry.mention.arxiv_id else set()
    years = known_years(paper) | own
    if not years or min(abs(year - known) for known in years) <= _NEAR_YEARS:
        return frozenset()
    if min(years) < year < max(years):
        return frozenset()
    if year < min(years):
        return years if paper.publications or set(paper.sources) - {"arxiv"} else frozenset()
    venue = entry.mention.venue
    if not venue:
        is_known = bool(paper.publications)
    elif kind_of(venue) is Kind.PREPRINT:
        is_known = paper.arxiv_id is not None
    else:
        is_known = any(same_venue(venue, version.venue) for version in paper.publications)
    return years if is_known and year > max(years) + _LATE_YEARS else frozenset()


def _versions_of(paper: PaperFacts | None) -> Iterator[str]:
    if paper is None:
        return
    if paper.arxiv_id:
        yield f"arXiv:{paper.arxiv_id} of {ArxivId(paper.arxiv_id).year}"
    yield from map(_described_version, paper.publications)
    if not paper.publications and (paper.venue or paper.year):
        yield " ".join(filter(None, (paper.venue, str(paper.year or ""))))


def _described_version(version: Publication) -> str:
    venue = version.venue or ""
    year = str(version.year) if version.year and str(version.year) not in venue else ""
    doi = f"doi:{version.doi}" if version.doi else ""
    place = " ".join(filter(None, (venue, year)))
    return f"{', '.join(filter(None, (place, doi)))} ({SERVICE_NAMES.get(version.source, version.source)})"


def _is_title_of(entry: CheckedEntry, paper: PaperFacts) -> bool:
    """Returns whether an entry has the paper's whole title, so that it is about no other paper of its authors."""
    written = title_words(entry.mention.title or "")
    evidence = compare_titles(written, title_words(paper.title))
    return evidence.relation in ("same", "named") and not evidence.rivals and evidence.words >= 3


def _venue_finding(entry: CheckedEntry, paper: PaperFacts) -> Iterator[ListFinding]:
    """Yields a finding where the entry names a conference, and the paper came out at another, or so of a journal.

    A journal beside a conference is nothing: many papers come out in both, and not all versions are known. It is a note
    where another version may have come out: before those that are known, or beside one that is hardly a version.
    """
    written, year = entry.mention.venue, entry.mention.year
    if not written or not _is_title_of(entry, paper) or any(word in written.lower() for word in _SPECIAL):
        return
    if written in paper.authors:
        return
    venues = [version.venue for version in paper.publications] or [paper.venue]
    published = [venue for venue in venues if venue and kind_of(venue) is not Kind.PREPRINT]
    kind, mine = kind_of(written), known_venues(written)
    if not mine or not published or kind not in (Kind.CONFERENCE, Kind.JOURNAL):
        return
    theirs = [known_venues(venue) for venue in published]
    if not all(theirs) or any(kind_of(venue) is not kind for venue in published):
        return
    is_one = any(mine & names or names <= _HAVE_OTHERS for names in theirs)
    if is_one or any(same_venue(written, venue) for venue in published):
        return
    if any(word in venue.lower() for venue in published for word in _SPECIAL):
        return
    message = f"The venue is “{written}”; the paper came out in {published[0]}."
    is_early = year is not None and year < min(known_years(paper), default=year)
    may_be_other = is_early or mine <= _HAVE_OTHERS
    yield finding("venue-at-odds", entry.mention, message, *_versions_of(paper), level="note" if may_be_other else None)


def _published(entry: CheckedEntry, paper: PaperFacts) -> Iterator[ListFinding]:
    mention = entry.mention
    if not mention.arxiv_id or mention.arxiv_id != paper.arxiv_id or not paper.publications:
        return
    own = [item for item in mention.identifiers if item.scheme != "arxiv" and not item.value.startswith("10.48550/")]
    if own or (mention.venue and kind_of(mention.venue) is not Kind.PREPRINT):
        return
    words = ADDRESS.sub(" ", mention.text)[:_LONGEST_ENTRY]
    named = frozenset[str]().union(*map(known_venues, wrap(words, _PIECE)))
    if any(known_venues(version.venue or "") & named for version in paper.publications):
        return
    first = paper.publications[0]
    place = " ".join(filter(None, (first.venue or f"doi:{first.doi}", str(first.year or ""))))
    message = f"The preprint has been published: {place}."
    yield finding("published-version", mention, message, *map(_described_version, paper.publications))


_LONGEST_TITLE = 60  # words of a title that are compared one by one
_MARKS = ".,:;!?()[]{}\"'“”‘’*_`"  # that may be around a word
_FEWEST_LETTERS = 4  # shorter words that are none may be symbols or names
_RENAMED = frozenset({"renamed", "near", "different", "lookalike"})
# Share of a former title and the present one that is in both; with less, an entry may be in its owner's words.
_LEAST_COMMON = 0.3


def check_titles(text: ListText, entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about typing errors in titles, and about titles that the paper had before."""
    for entry in entries:
        mention, paper = entry.mention, entry.paper
        if paper is None or not mention.title:
            continue
        known_titles = (paper.title, *paper.other_titles)
        if any(key(mention.title) in map(key, known_titles) for key in (title_key, _letters)):
            continue  # some source has it as written, but for marks
        slips = misspelt_words(mention.title, paper.title)
        for written, true in slips:
            edit = _edit(text, mention, written, true)
            message = f"“{written}” in the title is misspelt: the paper has “{true}”."
            evidence = (f"title: {paper.title}", *_told_by(paper))
            yield finding("title-misspelt", mention, message, *evidence, edits=(edit,) if edit else ())
        if not slips and _has_new_title(mention, paper):
            message = f"The paper's title is “{paper.title}” now."
            yield finding("title-changed", mention, message, *_told_by(paper))


def _letters(title: str) -> str:
    return re.sub(r"[\W_]+", "", title).casefold()


def _told_by(paper: PaperFacts) -> tuple[str, ...]:
    names = ", ".join(SERVICE_NAMES.get(source, source) for source in paper.sources)
    return (f"told by {names}",) if names else ()


def misspelt_words(title: str, true_title: str) -> list[tuple[str, str]]:
    """Returns the misspelt words of a title, as written, each with the word that the paper has in its place.

    Both titles must be the same but for these words, no two of them side by side. What is written must be no word of a
    language, and what the paper has must be one: a name that only looks misspelt may be another name.
    """
    mine, theirs = title_words(title), title_words(true_title)
    if len(mine.words) != len(theirs.words) or len(mine.words) > _LONGEST_TITLE:
        return []
    pairs = enumerate(zip(mine.words, theirs.words, strict=True))
    changed = [at for at, (written, true) in pairs if written != true]
    if len(changed) > max(1, len(theirs.words) // 4):
        return []
    found = []
    for at in changed:
        written, true = mine.words[at], theirs.words[at]
        if min(len(written), len(true)) < _FEWEST_LETTERS or is_word(written) or not is_word(true):
            return []
        if not (written.isalpha() and true.isalpha() and compare_words(written, true) == "typo"):
            return []
        found.append((mine.raw[at].strip(_MARKS), theirs.raw[at].strip(_MARKS)))
    return [(written, _in_case(written, true)) for written, true in found if written and true]


def _in_case(written: str, true: str) -> str:
    """Returns the true word in small letters or capitals, as the written one has them."""
    if written.isupper():
        return true.upper()
    if written[0].isupper():
        return true[0].upper() + true[1:]
    return true.lower() if written.islower() and true[1:].islower() else true


def _edit(text: ListText, mention: Mention, written: str, true: str) -> Edit | None:
    """Returns the edit of the word in the list, None where it is there several times, or only in an address."""
    start, end = text.stretch(mention.line, mention.last_line)
    places = list(re.finditer(rf"(?<![\w/.-]){re.escape(written)}(?![\w/-])", text.text[start:end]))
    if len(places) != 1:
        return None
    return Edit(start=start + places[0].start(), end=start + places[0].end(), replacement=true)


def _has_new_title(mention: Mention, paper: PaperFacts) -> bool:
    """Returns whether the entry has the paper's identifier, and a title of several words that is no part of its own."""
    own = {paper.arxiv_id, paper.doi} - {None}
    if not {mention.arxiv_id, mention.doi} & own:
        return False
    title = mention.title or ""
    written, letters = title_words(title), {letter for letter in title if letter.isalpha() and not letter.isascii()}
    # In letters of a script that the paper's title has not, it may be a translation.
    is_foreign = any(not unicodedata.name(letter, "").startswith("LATIN ") for letter in letters - {*paper.title})
    if len(written.words) < 4 or is_foreign:
        return False
    if _letters(paper.title) in _letters(mention.text):
        return False
    true = title_words(paper.title)
    evidence = compare_titles(written, true)
    # Of two titles one has these words because it is the sequel of the other, or an answer to it.
    telling = (word in NEGATIONS or word in SEQUELS or word.isdecimal() for word in {*written.words} ^ {*true.words})
    if evidence.turned or any(telling):
        return False
    return evidence.relation in _RENAMED and evidence.agreement >= _LEAST_COMMON


_FEWEST_IN_FAMILY = 5  # letters of a family name without a given name in full; shorter ones may be two people's
_FEWEST_IN_FULL = 3  # letters of a given name in full, and of the family name behind it
_FEWEST_NAMED = 2  # people who are named, and are not the paper's, from which they look like those of another
_TELLING_TITLE = 5  # words of a title that other papers hardly have as well
_SHOWN = 6  # authors of a paper that are shown


def check_authors(entries: Sequence[CheckedEntry]) -> Iterator[ListFinding]:
    """Yields findings about authors whose names are misspelt, and about those of another paper."""
    for entry in entries:
        mention, paper = entry.mention, entry.paper
        if paper is None or not mention.authors or not paper.authors or not _is_title_of(entry, paper):
            continue
        others = " and others" if len(paper.authors) > _SHOWN else ""
        evidence = (f"authors: {', '.join(paper.authors[:_SHOWN])}{others}", *_told_by(paper))
        for written, true, level in _misspelt_people(mention, paper.authors):
            message = f"“{written}” is misspelt: the paper is by “{true}”."
            yield finding("authors-at-odds", mention, message, *evidence, level=level)
        if len(title_words(paper.title).words) >= _TELLING_TITLE and _are_of_another(mention, paper.authors):
            message = f"The paper is by others than “{', '.join(mention.authors[:_SHOWN])}”."
            yield finding("authors-at-odds", mention, message, *evidence, level="note")


def _misspelt_people(mention: Mention, authors: Sequence[str]) -> Iterator[tuple[str, str, Level]]:
    """Yields names that are those of the authors in their places but for a letter, these, and how sure that is."""
    named, known = [parse_name(name) for name in mention.authors], [parse_name(name) for name in authors]
    for at, (person, author) in enumerate(zip(named, known, strict=False)):
        if person is None or author is None:
            continue
        is_known = any(same_person(person, other) for other in filter(None, known))
        is_named = any(same_person(author, other) for other in filter(None, named))
        # Of a name that is cut off in reading the list, the rest follows there.
        is_whole = re.search(rf"(?<!\w){re.escape(mention.authors[at])}(?!\w)", mention.text) is not None
        level = None if is_known or is_named or not is_whole else _slip_of(person, author)
        if level is not None:
            yield mention.authors[at], authors[at], level


def _slip_of(person: Person, author: Person) -> Level | None:
    """Returns how sure it is that a name is another's but for one letter of the family name; None of others.

    It is where a given name in full agrees. With an initial alone, or none, it may be another's.
    """
    if not author.surname.isdisjoint(person.given) or not person.surname.isdisjoint(author.given):
        return None
    pairs = ((mine, theirs) for mine in person.surname for theirs in author.surname)
    shortest = max((min(map(len, pair)) for pair in pairs if OSA.distance(*pair) == 1), default=0)
    if any(len(name) >= _FEWEST_IN_FULL for name in {*person.given} & {*author.given}):
        return "warning" if shortest >= _FEWEST_IN_FULL else None
    initials = {name[0] for name in person.given}
    may_agree = not initials or not author.given or not initials.isdisjoint(name[0] for name in author.given)
    is_told = any(len(name) > 1 for name in person.given)  # in full, and not the author's
    return "note" if shortest >= _FEWEST_IN_FAMILY and may_agree and not is_told else None


def _are_of_another(mention: Mention, authors: Sequence[str]) -> bool:
    """Returns whether an entry names several people, all in full, and no name of them is one of the authors'."""
    named = [name for text in mention.authors if (name := parse_name(text))]
    known = [name for text in authors if (name := parse_name(text))]
    theirs = {word for name in known for word in (*name.surname, *name.given) if len(word) > 1}
    in_full = all(any(len(word) > 1 for word in name.given) for name in named)
    return (
        len(named) >= _FEWEST_NAMED
        and in_full
        and bool(known)
        and theirs.isdisjoint(word for name in named for word in (*name.surname, *name.given))
    )

"""Finds the links of an entry, and blanks them and its brackets, so that its own words remain."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from sources.bibliography.identifiers import Identifier, Scheme
from sources.bibliography.names import is_organisation
from sources.bibliography.titles import BRACKETED
from sources.bibliography.years import DATE, YEAR_DIGITS, YEARS, last_year, year_in
from sources.lists.reading.addresses import (
    Carried,
    Kind,
    Word,
    carried_by,
    kind_of,
    says_only_link,
    split_address,
    stated_identifiers,
    word_of,
)
from sources.lists.reading.author_lists import Authors, is_author_key, only_authors, read_authors
from sources.lists.reading.citation_parts import BOUNDARY, GAP, Imprint, dated_acronym, imprint_of, odds_of_parts
from sources.lists.reading.marked_text import BREAK, Mark, Rich
from sources.lists.reading.title_model import LIKELY, UNLIKELY, title_odds


class Link(NamedTuple):
    """A link in a text: where its words stand, the words, the address and what is known about both.

    `start:end` covers the words only; `outer_start:outer_end` also the brackets that belong to a sloppy link.
    `kind` is None for a link to nothing, `[Title]()`. `bare` is an address that stands in the text itself.
    `own` says that the words are the entry's own, not the name of a resource.
    """

    start: int
    end: int
    outer_start: int
    outer_end: int
    label: str
    url: str
    kind: Kind | None
    word: Word
    bare: bool
    own: bool
    carried: Carried


_SLOPPY = re.compile(
    r"\[([^\[\]\n]{1,300})(?:\][ ]?\(\s*((?:[^()\n]|\([^()\n]{0,200}\)){0,500}?)\)|"
    r"\]\s?(https?://[^\s\]]+)(?=\])|\]\(\s?(https?://[^\s)]+)(?=\s|$))"
)
# A sign of an address in a text, or angle brackets between numbers, as old DOIs have them.
_ADDRESS_SIGN = r"[^\s<>\"`{}|\\^，。；、（）【】「」《》]|(?<=\d)<[\w:.-]{1,40}>(?=\d)"
_URL = re.compile(
    rf"(?:https?|ftp)://(?:{_ADDRESS_SIGN})+|"
    r"(?<![\w./@-])(?:www\.[\w-]+\.|arxiv\.org/|doi\.org/|dx\.doi\.org/|openreview\.net/|github\.com/|"
    r"aclanthology\.org/|huggingface\.co/)"
    rf"(?:{_ADDRESS_SIGN})+",
    re.IGNORECASE,
)
_GLUED = re.compile(r"(?<=[)\]])(?=https?://)", re.IGNORECASE)  # where an address goes over into another
_ADDRESS_SIGNS = ("://", "www.", ".org/", ".net/", ".com/", ".co/")
_LABEL_EDGES = " \t\n*_"
_NOTE_WORD = re.compile(r"\b(?:notes?|summary|review)\b|笔记|筆記|ノート|メモ", re.IGNORECASE)
_RESOURCE_WORD = re.compile(r"\b(?:paper|pdf|version|link|extended|journal|conference)\b", re.IGNORECASE)
# An identifier as the words of a link, which name no title.
IDENTIFIER = re.compile(
    r"[\[(]?(?:(?:paper|preprint|pdf|link|see)[:\s]\s?)?(?:arxiv:?\s?|doi:?\s?)?(?:\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]{4,10}(?:\.[a-z]{2})?/\d{7}(?:v\d+)?|10\.\d{4,9}/\S+)[\])]?",
    re.IGNORECASE,
)

# One or two words in brackets: what a program is written in, "[PyTorch-Lightning]".
_BRACKETED = re.compile(r"[(\[]\s*[^\s()\[\]]+(?:\s[^\s()\[\]]+)?\s*[)\]]")

# On what day somebody looked a page up, which is not when it came out.
_LOOKED_UP = re.compile(
    r"\bWeb\.\s\d{1,2}\s\w{3,9}\.?\s(?:19|20)\d\d|"
    r"[(\[]?\b(?:(?:last\s)?(?:accessed|retrieved|visited|viewed)|abgerufen|zugriff|zuletzt|consult(?:é|ado|ed)|"
    r"recuperado|acesso|acessado|дата обращения|最后访问|閲覧)\b[^.;\n\x1d()\[\]\d]{0,30}"
    r"(?:\d{1,4}(?:st|nd|rd|th)?\.?[-/.,年月\s]{0,2}(?:\w{3,10}\.?,?\s)?){0,2}(?:19|20)\d\d(?:[-/年]\d{1,2}[-/月]\d{1,2}日?)?[)\]]?",
    re.IGNORECASE,
)
_SHORTCODE = re.compile(r":[a-z][a-z0-9_+-]{1,30}:")
_TRAILING = ".,;:!?'\"*_~-…"
_PAIRS = {")": "(", "]": "["}


def links_of(rich: Rich) -> list[Link]:
    """Returns the links of `rich` in order; images are none, but a link around an image is one."""
    text = rich.text
    pictures = {(mark.start, mark.end) for mark in rich.marks if mark.kind == "image"}
    found = []
    for mark in rich.marks:
        if mark.kind == "link":
            link = _link(text, (mark.start, mark.end), (mark.start, mark.end), mark.url)
            words = text[mark.start : mark.end]
            stripped = mark.end - len(words.lstrip()), mark.start + len(words.rstrip())
            of_picture = stripped in pictures and link.kind not in ("paper", "pdf")
            found.append(link._replace(own=False) if of_picture else link)
    if "[" in text:
        sloppy = []
        for match in _SLOPPY.finditer(text):
            target = (match[2] or match[3] or match[4] or "").strip()
            leads = split_address(target).is_web or target.startswith(("./", "../", "/", "#"))
            if leads or ("/" in target and " " not in target) or (not target and match[0].endswith("()")):
                sloppy.append(_link(text, match.span(1), match.span(), target))
        found = _merged(found, sloppy)
    return _merged(found, addresses_in(text))


def identifiers_of(links: Iterable[Link], scheme: Scheme | None = None) -> set[Identifier]:
    """Returns the identifiers that the links carry, of one scheme or of all."""
    found = (identifier for link in links for identifier in link.carried.identifiers)
    return {identifier for identifier in found if scheme in (None, identifier.scheme)}


def addresses_in(text: str) -> list[Link]:
    """Returns the addresses and identifiers that stand in `text`, in order, whatever Markdown makes of them."""
    found, position = [], 0
    has_sign = any(map(text.__contains__, _ADDRESS_SIGNS))
    while has_sign and (match := _URL.search(text, position)):
        url = _without_trailing_marks(_GLUED.split(match[0], maxsplit=1)[0])
        position = max(match.start() + len(url), match.start() + 1)
        found.append(_link(text, (match.start(), position), (match.start(), position), url))
    stated = [
        Link(a, b, a, b, text[a:b], "", "paper", "paper", bare=False, own=False, carried=Carried((identifier,)))
        for a, b, identifier in stated_identifiers(text)
    ]
    return _merged(found, stated)


def _merged(first: list[Link], second: list[Link]) -> list[Link]:
    """Returns both in order, without those of `second` that touch one of `first`."""
    starts = [link.outer_start for link in first]
    free = []
    for link in second:
        at = bisect_right(starts, link.outer_start)
        before_ends = at == 0 or first[at - 1].outer_end <= link.outer_start
        if before_ends and (at == len(first) or link.outer_end <= first[at].outer_start):
            free.append(link)
    return sorted([*first, *free], key=lambda link: (link.start, link.end)) if free else first


def _link(text: str, words: tuple[int, int], outer: tuple[int, int], url: str) -> Link:
    label = text[words[0] : words[1]].strip(_LABEL_EDGES)
    url = url.strip()
    address = split_address(url)
    bare = bool(label) and (label == url or (" " not in label and "/" in label and split_address(label).is_web))
    kind = kind_of(address) if url and url != "#" else None
    carried = carried_by(address)
    kind = "paper" if kind == "page" and carried.identifiers else kind
    word: Word = "paper" if bare else word_of(label)
    if word == "paper" and kind == "note" and url.startswith("#"):
        word = "other"
    if word == "other" and kind == "note" and (label.endswith(".md") or _NOTE_WORD.search(label)):
        word = "notes"
    if word == "other" and kind in ("paper", "pdf", "page", None) and _cites(label):
        word = "paper"
    if word == "other" and any(map(str.isalpha, label)) and says_only_link(label):
        word = "paper" if kind in ("paper", "pdf") else "page"
    if word == "other" and kind == "code" and _BRACKETED.fullmatch(label):
        word = "code"
    wordless = not any(map(str.isalnum, _SHORTCODE.sub("", label) if ":" in label else label))
    if wordless and kind == "note":
        word = "notes"
    own = word == "other" and not bare and not wordless and kind != "image"
    return Link(*words, *outer, label, url, kind, word, bare, own, carried)


def _cites(label: str) -> bool:
    """Returns whether a label is an identifier, venue and year, "CVPR 2020 paper", or people and year, and no title."""
    if IDENTIFIER.fullmatch(label) or is_author_key(label):
        return True
    return odds_of_parts(DATE.sub(" ", label)) < UNLIKELY and imprint_of(_RESOURCE_WORD.sub(" ", label)) is not None


def _without_trailing_marks(url: str) -> str:
    for end in (url.find("]("), url.find(")http")):  # a link's words end, or its address, and another begins
        url = url[:end] if end > 0 else url
    while url and (url[-1] in _TRAILING or (url[-1] in _PAIRS and url.count(url[-1]) > url.count(_PAIRS[url[-1]]))):
        url = url[:-1]
    return url


_BRACKETS = re.compile(r"[(\[（【{]([^()\[\]（）【】{}\x1d]{1,160})[)\]）】}]")
_LINE_ENDS = re.compile(r"[\s`\x1d]*(?:$|\n|\[)")
_OPENING = re.compile(r"[(\[（【{]")
# Brackets with nothing in them; those of a function's name, open(), are no such brackets.
_EMPTY_BRACKETS = re.compile(r"[(\[（【{](?!(?<=\w\()\))[\s\x1d,;/|&·]*[)\]）】}]")
_WHOLE = re.compile(r"\W*\[([^\[\]]{30,})\]\s*")  # a reference that stands in brackets, which lead nowhere
_WIKI = re.compile(r"\[\[([^\[\]\n|]{4,300})\]\]")
_HASHTAG = re.compile(r"(?<=\s)#[^\W\d_][\w/-]{1,40}(?=\s|$)")
# What parts title and place in Chinese references: [C]//, [J]. (GB/T 7714).
_TYPE_MARK = re.compile(r"\s?\[(?:[CJDMRPSNA]|EB|DB|CP)(?:/OL)?\](?:\s*//|\s*[.．])?")
_LEADING = re.compile(
    r"[\s\x1d\v*_#>.,:|\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f-]*(?:\d{1,3}[.)])?[\s\x1d]*"
)
_ACRONYM = re.compile(r"[A-Z][\w.+-]*[A-Z0-9][\w.+-]*")
_AND = re.compile(r"\s(?:and|und|et|y|e)\s|&")
_DATED = re.compile(r"([^\d]{2,80}?)[,\s]+((?:19|20)\d\d)[a-z]?")
_YEARS_NEXT = re.compile(r",\s(?:1[5-9]|20)\d\ds?\s?[-–—]")  # what a title is about goes on: "(Bolivia), 1880-1920"
# What is no remark: the years that a title is about, the initials of a name: "(1948-1953)", "BOURDIEU (P.)".
_OF_WORDS = re.compile(rf"{YEARS.pattern}|\((?:[A-ZÀ-Þ]\.[ -]?){{1,3}}\)")
_YEAR_ALONE = re.compile(YEAR_DIGITS)
_WORD_BEHIND = re.compile(r"\s([^\W\d_A-Z]+)\b")
_BEFORE_PLACE = frozenset("in by at von par dans en em et and y und".split())  # what leads from a title to its place
_TO_PEOPLE = _BEFORE_PLACE - frozenset("and y und et en".split())
_REST_OF_ENTRY, _FEWEST_BLANKS = 300, 2
_REMARK = re.compile(r"[,;，；]|\s[-–]\s")

# What is raised behind a name: the numbers of the author's institutions.
_AFFILIATION = re.compile(r"(?<=[^\W\d_]{3})[\d,*∗†‡§¶# ]{1,12}(?=[\s,;.\v]|$)")


_PICTOGRAPH = r"(?:[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff]\ufe0f?|:[a-z][a-z0-9_+-]{1,29}:)"
# Stars and other pictographs at the end of a line, which rate what stands before them.
_RATING = re.compile(rf"{_PICTOGRAPH}(?:[ \x1d]{{0,9}}{_PICTOGRAPH}){{0,19}}(?=[ \x1d]{{0,99}}(?:[\n\v]|$))")


_CLOSING_QUOTES = ('"', "”", "»", "」", "』")


class Bracket(NamedTuple):
    """A bracket that was taken out of the text, with what it told."""

    start: int
    end: int
    text: str
    imprint: Imprint | None = None
    authors: tuple[str, ...] = ()
    is_name: bool = False


def without_resources(rich: Rich, links: list[Link]) -> str:
    """Returns the text with resource links, images and telling code spans blanked, with the brackets around them."""
    text = rich.text
    for start, end, *_ in (mark for mark in rich.marks if mark.kind == "struck"):
        words, before = rich.text[start:end], text[max(0, start - 2) : start].rstrip(" ")[-1:]
        within = before.isalpha() and text[end : end + 2].lstrip(" ")[:1].isalpha()
        # Others replace a few struck words in their midst.
        if within and 0 < len(words.split()) <= 4 and title_odds(words) < LIKELY:
            text = text[:start] + " " * (end - start) + text[end:]
    stretches = [(link.outer_start, link.start if link.own else link.outer_end) for link in links]
    stretches += [(link.end, link.outer_end) for link in links if link.own]
    stretches += [
        (mark.start, mark.end)
        for mark in rich.marks
        if mark.kind == "image"
        or _is_tag(mark, text)
        or (mark.kind == "raised" and _AFFILIATION.match(text, mark.start))
    ]
    begins = len(text) - len(text.lstrip())
    stretches += [match.span() for match in _RATING.finditer(text) if match.start() > begins]
    if "20" in text:
        stretches += [match.span() for match in _LOOKED_UP.finditer(text)]
    parts, done = [], 0
    for start, end in sorted(stretches):
        if start < done or start == end:
            continue
        parts += [text[done:start], _blank(text[start:end])]
        done = end
    return _drop_empty("".join([*parts, text[done:]])) if parts else text


def _drop_empty(text: str) -> str:
    for _ in range(3):
        shorter = _EMPTY_BRACKETS.sub(lambda match: _blank(match[0]), text)
        if shorter == text:
            break
        text = shorter
    return text


def _is_tag(mark: Mark, text: str) -> bool:
    """Returns whether `mark` is a code span that holds a rating, a venue or the name of a resource."""
    if mark.kind != "code":
        return False
    words = text[mark.start : mark.end].strip()
    if " " not in words and _LINE_ENDS.match(text, mark.end) and text[: mark.start].strip():
        return True
    return (
        not any(character.isalpha() for character in words)
        or imprint_of(words) is not None
        or word_of(words) != "other"
    )


def dated_tags(rich: Rich) -> list[Bracket]:
    """Returns the code spans of the text that tell a venue, as brackets; a year alone may be that of a blog."""
    spans = [(mark, rich.text[mark.start : mark.end]) for mark in rich.marks if mark.kind == "code"]
    found = [Bracket(mark.start, mark.end, words.strip(), imprint_of(words)) for mark, words in spans]
    return [tag for tag in found if tag.imprint and tag.imprint.venue]


def _blank(text: str) -> str:
    return "".join("\n" if character == "\n" else GAP for character in text)


def without_brackets(text: str) -> tuple[str, list[Bracket]]:
    """Returns the text without brackets that hold venue, year, authors, a resource or a remark; and those brackets."""
    brackets: list[Bracket] = []
    if "[[" in text:
        text = _WIKI.sub(lambda match: GAP * 2 + match[1] + GAP * 2, text)
    if whole := _WHOLE.fullmatch(text):
        text = f"{' ' * whole.start(1)}{whole[1]}{' ' * (len(text) - whole.end(1))}"
    if " #" in text:
        text = _HASHTAG.sub(lambda match: _blank(match[0]), text)
    if not _OPENING.search(text):
        return text, brackets
    if "[" in text:
        text = _TYPE_MARK.sub(lambda match: "." + " " * (len(match[0]) - 1), text)
    for _ in range(2):
        shorter = _without_inner_brackets(text, brackets)
        if shorter == text:
            break
        text = shorter
    brackets.sort(key=lambda bracket: bracket.start)
    return _drop_empty(text), brackets


def _without_inner_brackets(text: str, brackets: list[Bracket]) -> str:
    parts: list[str] = []
    done = 0
    for match in _BRACKETS.finditer(text):
        quoted = text[match.end() : match.end() + 1] in _CLOSING_QUOTES and not match[1].rstrip()[-1:].isdigit()
        inner = match[1].strip()
        is_part = BRACKETED.fullmatch(inner) is not None and not _is_in_front(text, match.start())
        if is_part and inner[0] in "Vv":  # it may be the volume of what is named before it
            is_part = imprint_of(BOUNDARY.split(text[: match.start()])[-1].strip()) is None
        is_words = quoted or is_part or _is_year_of_title(text, match) or _OF_WORDS.fullmatch(match[0]) is not None
        bracket = None if is_words else _read_bracket(text, match)
        if bracket is not None:
            brackets.append(bracket)
            parts += [text[done : match.start()], _blank(match[0])]
            done = match.end()
    return "".join(parts) + text[done:]


def _people_in_front(inner: str) -> Authors | None:
    """Returns the authors that a bracket begins with; a row of single words, "Blog, Feb", is none."""
    people = read_authors(inner, surnames=True)
    if people is None or not people.sure:
        return None
    is_clear = people.others or _AND.search(inner, 0, people.end) or any(" " in name for name in people.names)
    return people if is_clear else None


def _read_bracket(text: str, match: re.Match[str]) -> Bracket | None:
    """Returns what a bracket holds that is not part of the words around it; None where it is part of them."""
    inner = match[1].strip()
    start, end = match.span()
    behind = match[0][0] in "(（" and not _is_in_front(text, start)
    people = _people_in_front(inner)
    signed = imprint_of(inner[people.end :]) if people else None
    names = people.names if people and signed else ()
    early = Imprint(None, year) if inner.isdecimal() and (year := year_in(match[0])) else None
    acronym = dated_acronym(inner) if behind else None
    # The words around it go on as one title: "bats (Artibeus) in cities".
    goes_on = match[0][0] == "(" and _following(text, end)[:1].islower()
    imprint = signed or imprint_of(inner) or _imprint_before_remark(inner) or early or acronym
    if imprint and (imprint.year is not None or not goes_on or "," not in inner):
        return Bracket(start, end, inner, imprint, names)
    if dated := _DATED.fullmatch(inner):
        words, people_alone = dated[1].split(), only_authors(dated[1])
        capitals = all(word[0].isupper() or word in ("of", "on", "the", "and", "in") for word in words)
        is_journal = capitals and len(words) <= 7 and not people_alone and not is_organisation(dated[1])
        return Bracket(start, end, inner, Imprint(dated[1] if is_journal else None, int(dated[2])), people_alone)
    others = text[end : end + 6].lstrip().startswith("et al")
    named = word_of(inner) != "other" or is_organisation(inner)
    if others or inner[:1] == "@" or (named and not _goes_on_as_title(text, match)):
        return Bracket(start, end, inner)
    glued = start > 0 and text[start - 1].isalnum()
    if not glued and not goes_on and (names := only_authors(inner)):
        return Bracket(start, end, inner, None, names)
    if title_odds(inner) >= LIKELY and match[0][0] not in "(（" and not _is_topic_before_title(text, match):
        return None
    apart = _is_tag_in_front(text, match) if _is_in_front(text, start) else not glued and _is_remark(text, match)
    return Bracket(start, end, inner, is_name=_ACRONYM.fullmatch(inner) is not None) if apart else None


def _is_year_of_title(text: str, match: re.Match[str]) -> bool:
    """Returns whether a title goes on behind a year: "The Station (1956) from Novel to Screen. Film Notes, 1998"."""
    following = _WORD_BEHIND.match(text, match.end()) if match[0][0] == "(" else None
    if following is None or following[1] in _BEFORE_PLACE or not _YEAR_ALONE.fullmatch(match[1]):
        return False
    before = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - 200) : match.start()]
    later = last_year(text[match.end() : match.end() + _REST_OF_ENTRY].split("\n", 1)[0])
    titled = before.count(" ") > _FEWEST_BLANKS and not only_authors(before)
    return titled and later is not None and later >= int(match[1])


def _goes_on_as_title(text: str, match: re.Match[str]) -> bool:
    """Returns whether a small word that leads to no place stands behind a round bracket: "Programs (apps) and care"."""
    following = _WORD_BEHIND.match(text, match.end()) if match[0][0] == "(" else None
    return following is not None and following[1] not in _TO_PEOPLE


def _is_in_front(text: str, start: int) -> bool:
    line = max(text.rfind("\n", 0, start) + 1, start - 40)
    return _LEADING.fullmatch(text, line, start) is not None


def _is_topic_before_title(text: str, match: re.Match[str]) -> bool:
    if not _is_in_front(text, match.start()) or len(match[1].split()) > 3:
        return False
    after = text[match.end() : match.end() + 160].lstrip(" *_" + GAP).split(GAP, maxsplit=1)[0].split("\n")[0]
    return len(after.split()) > 4 and title_odds(after) > max(title_odds(match[1]), 0.0)


def _is_tag_in_front(text: str, match: re.Match[str]) -> bool:
    """Returns whether a bracket before a title is a tag or nickname; "(Almost) Free ..." is the title's own word."""
    inner = match[1].strip()
    if match[0][0] == "{" and not text[match.end() : match.end() + 1].isspace():
        return False
    tag = len(inner.split()) <= 5 and (match[0][0] not in "(（" or _ACRONYM.fullmatch(inner) is not None)
    return tag or not _following(text, match.end())


def _is_remark(text: str, match: re.Match[str]) -> bool:
    """Returns whether a bracket closes what it stands behind; one that a title goes on after is the title's own."""
    following, end = _following(text, match.end()), match.end()
    if _YEARS_NEXT.match(text, end):
        return False
    if match[0][0] == "(" and text[end : end + 1] in (".", ":") and text[end + 1 :].lstrip(" " + GAP)[:1].isalpha():
        return False
    return not (following[:1].isalnum() or following[:1] == "-")


def _following(text: str, end: int) -> str:
    return text[end : end + 2].strip(" .,;" + GAP + BREAK)


def _imprint_before_remark(inner: str) -> Imprint | None:
    parts = _REMARK.split(inner, maxsplit=3)
    if len(parts) < 2:
        words = inner.split()
        first = imprint_of(words[0]) if 1 < len(words) <= 6 else None
        return first if first is not None and first.year is not None else None
    found = [imprint for part in parts if (imprint := imprint_of(part))]
    venues, years = [imprint.venue for imprint in found], [imprint.year for imprint in found]
    return Imprint(next(filter(None, venues), None), next(filter(None, years), None)) if found else None

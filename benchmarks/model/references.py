"""Reading lists of references that others have cut into fields, with the title of every entry known.

AnyStyle (BSD-2-Clause) and GROBID (Apache-2.0) keep references of all sciences and many languages with their fields
marked. Each list here is a few of them in a row, as a reading list may write them: in bullets, with mark-up and links,
whole, or as one of many short forms. Nothing of them is kept but what is learnt.
"""

from __future__ import annotations

import html
import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from benchmarks.model.lists import POSITIVE, SourceList

TITLE, AUTHORS, DATE, VENUE, NUMBER, REST = "title", "authors", "date", "venue", "number", "rest"

Reference = list[tuple[str, str]]  # the fields in order, with their words and signs

_ANYSTYLE = {
    "author": AUTHORS,
    "title": TITLE,
    "container-title": VENUE,
    "journal": VENUE,
    "collection-title": VENUE,
    "date": DATE,
    "citation-number": NUMBER,
}
_BIBL = re.compile(r"<bibl\b[^>]*>(.*?)</bibl>", re.DOTALL)
_FIELD = re.compile(r"<(\w+)([^>]*)>(.*?)</\1>|([^<]+)|<[^>]*>", re.DOTALL)
_LEVEL = re.compile(r'level="(\w)"')
_TAG, _BLANKS, _MARKUP = re.compile(r"<[^>]+>"), re.compile(r"\s+"), re.compile(r"[*_\[\]`<>|\\]")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_QUOTED = re.compile('["“«„”»]')
_EDGES = ' .,;:"”“»«„'

# Jottings: a title with a date {D}, a label {L}, a word that points to it {W}, a remark {R}, or one by whom {B} {S} it
# is; in prose the title has mark-up {M}.
_JOTTINGS = (
    """
{D} {T}§{D}: {T}§{D} - {T}§{D} – {T} ({S}, {Y})§[{D}] {T}§({D}) {T}§{T} ({D})§{T} {D}§{D} {S} - {T}§{D} | {T}
{L}: {T}§{L}: {T} ({S}, {Y})§{L} – {T}§**{L}**: {T}§**{L}:** {T}, {S} ({Y})§*{L}* {T}§[{L}] {T}§{L}: {S}, {T}
{L}: {S} ({Y}), {T}§{L}: {T} {R}§{L}: {T}. {R}§({L}) {T}§{L} | {T}§{W} {T}§{W} {T} ({S}, {Y})§{W} {T}, {S} ({Y})
{W} {S}, {T}, {Y}§{W} {S}: {T}§{W} {T} {B} {S} ({Y})§{W} {T}: {R}§{T}: {R}§{T} ({S}, {Y}): {R}§{T} — {R}
{T} – {R}§{T} - {R}§{T} -- {R}§{T}; {R}§{T} ({R})§{T}, {R}§{T}. {R}§{T} ({S} {Y}). {R}§{T}, {S} ({Y}): {R}
{T} — *{R}*§{T} *{R}*§{T} {B} {S}§{T}, {B} {S}§{T} {B} {S} ({Y})§{T}, {B} {S}, {Y}§{T} {B} {S}: {R}§{T}, {B} {S}. {R}
{T}, {S}§{T} – {S}§{T} ({S})§{T} / {S}§{S}: {T}§{S}, {T}§{S} - {T}§{S} ({Y}): {T}. {R}§{T} | {S} | {Y}§{T} [{S} {Y}]
{S} {Y} - {T}§{S} {Y} {T}§{S}, {Y}, {T}§{S}. {T} – {R}§{W} {M} ({S}, {Y})§{R}, {W} {M} ({S}, {Y})
{W} {M} {B} {S} ({Y}), {R}§{R}: {M} ({S}, {Y}). {R}§{R}. {W} {M}. {R}
{R}; {W} {M}, {R}§{L}: {M}, {R}§{W} {S}, {M}, {Y}. {R}§{S} {R}, {W} {M}§{R}, {M} {B} {S}, {R}§{W} {S}: {M}, {Y}
{R}: {T}§{T}, {Y} – {R}§{T} ({Y}), {R}§{T} {R}
""".strip()
    .replace("\n", "§")
    .split("§")
)
_JOTTED = 0.35  # which share of lists of short forms are jottings
_REMARKED = 0.6  # which share of the entries of such a list has the remark
_DATES = (
    "{y}-{m:02}-{d:02}",
    "{y}/{m:02}/{d:02}",
    "{y}{m:02}{d:02}",
    "{d}.{m}.{y}",
    "{d:02}/{m:02}/{y}",
    "{y}-{m:02}",
    "{m:02}/{d:02}",
)
# Which shares of titles have a second part, brackets, years, or words in italics, each with those before; and of what.
_PARTED, _BRACKETED, _DATED, _SLANTED, _LONGEST_PART = 0.1, 0.15, 0.18, 0.24, 80
_BETWEEN = (". ", ". ", ". ", "? ", "! ", ": ", " – ", " - ", "; ")
_IN_BRACKETS = tuple(
    "Italy|Central Europe|CH|Iran|Chile, 1973|II|3|Part 2|with examples|México|siglos XVI-XVII|1914-1918|Hrsg. Text|"
    "Coleoptera: Carabidae|and why it matters|extended version|Nord-Est|Северный Кавказ|ab 1900|revised|CNNs|GPT".split(
        "|"
    )
)
_REMARK = re.compile(r"[ ,;:.–—-]*[(*]*\{R\}[)*]*(?:: )?")
_SCRIPTS = {
    "zh": re.compile("[\u3400-\u9fff]"),
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
}
_SURNAME = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]+)?")

# Short forms of a title with its authors, venue and year.
_FORMS = (
    """
{A}: {T}§{A} - {T}§{A} – {T}§{T} - {A}§{T} – {A}, {Y}§{T} by {A}§{T} ({A}, {Y})§{A} ({Y}) {T}§{A} ({Y}): {T}
{A} {T}, {V}§{T}. {A}. {V} ({Y})§{A}, {T}, {V}, {Y}§{Y}: {A}: {T}§{Y} - {T}§{Y}. {T}. {V}§{T} // {V}. – {Y}
{T}, {V} {Y}§{T}, {V}§{A} {T} // {V}. — {Y}. — С. 1–7.§{T} [{V}]§{V} {Y}: {T}§{T} ({Y})§{T} ({V} {Y})§{A}. {T}
{A}. {T} / {A} // {V}, {Y}§{A}, {T}, in: {V}, {Y}§{T}, in {V}§{A}, {T}, {V}§{A} – {T} ({Y})§{A}. {Y}. {T}. {V}
{A} {Y}, {T}, {V}§{T}; {A}; {V}§{A}; {T}; {V}§{Y}a: {T}. In: {V}§{T}: {A}§{T}  {A}§{A}, {T}, w: {V}, {Y}
{A}. {T}. In: {A} (Hg.): {V}. S. 1–7.§{A} ({Y}). {T}. En {A} (Ed.), {V} (pp. 2-9)§{A}. {T}. Dans {V}, {Y}
{T}, em {V}§{A}. {T} // В кн.: {V}. {Y}§{A}: {T}, {V} {Y}, 12-34§{T}, {V}, 12, {Y}, 1-20.
{A}, {T}, «{V}», {Y}, n. 3, pp. 1-9§{A} {T} {V} {Y}§{T} {V}§{Y}0801 {V} {T}§{Y}-08 {V} {T}§{V}-19 {T}
[{V} {Y}] {T}§[{Y}] {T}§[{V}] {T}§({V} {Y}) {T}§{Y}: {T}§{T}. {V}, {Y}§{T} - {V} {Y}§{T}. {A}. {V}§{V} {Y} - {T}
{N} - {T}§{N} - {T} ({C})§{N} – {T}§{C} {T}§{Y}0801 {C} {T}§{C} - {T}§[{C}] {T}§({C}) {T}§{T} ({C})§{T}, {C}
{T} [{C}]§{Y} {C} {T}§{C}-{T}§{T} {A}§{T}. {A}. {C}§{T} by {A}, {C}§{Y}-{C}-{T}§{C}: {T}§{T} {Y}§{Y} {T}
{T}, {A}§{T}, {A}, {Y}§{T}. {A}§{A} ({Y}), {T}, {V}, vol. 3, p. 3-9§{A} & {A}: {T}. {V}§{Y} | {V} | {T}
{T} | {A} | {V} | {Y}§{A} | {T} | {V}§{V} | {T}§{Y} | {V} | {A} | {T}§{T} | {A}§{N} | {T} | {C}
{Y} | {C} | {N} | {T}
""".strip()
    .replace("\n", "§")
    .split("§")
)
_LINES = ("{T}  \n  {A}  \n  {V}, {Y}", "{A}  \n  {T}  \n  {V}")
_JOURNALS = ("Nature", "Journal of Physics", "Annals of History", "Revista de Historia", "Вестник МГУ")
_QUOTES = ('""', "“”", "«»", "„“", "‘’", "「」")
_MEETINGS = ("CVPR", "ICLR", "NeurIPS", "ACL", "KDD", "SIGMOD", "arXiv", "OSDI", "EMNLP", "CHI", "ICRA", "AAAI", "NIPS")
_YEARS = ("", " {}", "'{}", "-{}", "{}", " '{}")
_BULLETS = ("- ", "* ", "{n}. ", "", "- [ ] ", "{n}) ")
_SIZES = (3, 5, 8, 8, 10)


class _Dress(NamedTuple):
    """How the entries of one list are written."""

    form: str | None  # a short form; None where the references stay as they are
    language: str  # of what is jotted down beside the title
    marks: dict[str, str | None]  # field -> its mark-up, or the quotation marks around it
    short: bool  # whether nothing but venue and date stands behind the title
    translated: bool  # whether a title in another language stands behind it in brackets
    linked: bool  # whether the whole entry is a link
    tail: str | None  # the link behind it
    bullet: str
    parted: bool  # whether a blank line parts the entries


def reference_lists(folder: Path, titles: Sequence[str], seeds: Sequence[int]) -> Iterator[SourceList]:
    """Yields made-up lists of the references in `folder`, which holds clones of AnyStyle and of GROBID.

    Args:
        folder: Their parent folder.
        titles: Titles of labelled lists, which stand in some short forms: they are of more languages.
        seeds: What the lot begins with; all references are written once for each.
    """
    titles = [_plain(title).strip(_EDGES) for title in titles if len(title) > len("A title")]
    titles += [title for title in titles if not title.isascii()] * 3
    references = [*_of_anystyle(folder / "anystyle"), *_of_grobid(folder / "grobid")]
    for seed in seeds:
        lot = random.Random(seed)
        at, count = 0, 0
        while at < len(references):
            size = lot.choice(_SIZES)
            some, at, count = references[at : at + size], at + size, count + 1
            yield _list(f"references {count}", some, _dress(lot), titles, lot)


def _of_anystyle(folder: Path) -> Iterator[Reference]:
    for path in (folder / f"res/parser/{name}.xml" for name in ("core", "gold", "good", "ugly")):
        for sequence in ET.parse(path).getroot():
            fields = [(_ANYSTYLE.get(each.tag, REST), f"{_plain(each.text or '')} ") for each in sequence]
            if (found := _with_one_title(fields)) is not None:
                yield found


def _of_grobid(folder: Path) -> Iterator[Reference]:
    for path in sorted((folder / "grobid-trainer/resources/dataset/citation/corpus").glob("*.xml")):
        for match in _BIBL.finditer(path.read_text("utf-8", errors="replace")):
            levels = [level[1] for level in _LEVEL.finditer(match[1])]
            main = "a" if "a" in levels else "m"
            fields = []
            for field in _FIELD.finditer(match[1]):
                level = _LEVEL.search(field[2] or "")
                kind = {"author": AUTHORS, "date": DATE}.get(field[1], REST)
                if field[1] == "title":
                    kind = TITLE if level and level[1] == main else VENUE
                text = html.unescape(_TAG.sub("", field[3] or "") or field[4] or "")
                fields.append((kind, _MARKUP.sub("", _BLANKS.sub(" ", text))))
            if (found := _with_one_title(fields)) is not None:
                yield found


def _with_one_title(fields: Reference) -> Reference | None:
    """Returns the fields with those of a title in one; None where it has none, or several that others part."""
    places = [at for at, (kind, _) in enumerate(fields) if kind == TITLE]
    if not places:
        venues = [at for at, (kind, _) in enumerate(fields) if kind == VENUE]
        if len(venues) != 1:
            return None
        places = venues  # a book
    first, last = places[0], places[-1] + 1
    if places != list(range(first, last)):
        return None
    return [*fields[:first], (TITLE, "".join(text for _, text in fields[first:last])), *fields[last:]]


def _dress(lot: random.Random) -> _Dress:
    quotes = lot.choice(_QUOTES)
    title = lot.choice([None] * 6 + ["link", "link", "bold", "italic", "italic", quotes])
    return _Dress(
        form=lot.choice(_JOTTINGS if lot.random() < _JOTTED else [*_FORMS, *_LINES]) if lot.random() < 0.5 else None,
        language=lot.choice(("en", *jotted())),
        marks={
            TITLE: title,
            VENUE: lot.choice([None, None, None, "italic", "italic", quotes]),
            AUTHORS: lot.choice([None] * 7 + ["bold"]),
        },
        short=lot.random() < 0.25,
        translated=lot.random() < 0.06,
        linked=lot.random() < 0.12 and title != "link",
        tail=lot.choice([None] * 5 + [" [pdf]({}.pdf)", " https://doi.org/10.1234/{}", " <{}>"]),
        bullet=lot.choice(_BULLETS),
        parted=lot.random() < 0.2,
    )


def _list(
    name: str, references: Sequence[Reference], dress: _Dress, titles: Sequence[str], lot: random.Random
) -> SourceList:
    lines, known = ["# References", ""], {}
    for number, fields in enumerate(references, 1):
        written = _short(fields, dress, titles, lot) if dress.form else _whole(fields, dress, titles, lot)
        if written is None:
            continue
        entry, title = written
        if dress.linked:
            entry = f"[{' '.join(entry.split())}]({_address(lot)})"
        if dress.tail:
            entry += dress.tail.format(_address(lot) if "doi" not in dress.tail else lot.randint(1, 10**7))
        for line in (dress.bullet.format(n=number) + entry).split("\n"):
            lines.append(line)
            if title in line:
                known[len(lines)] = [[title]]
        lines += [""] * (dress.parted or not dress.bullet)
    return SourceList(name=name, kind=POSITIVE, text="\n".join(lines) + "\n", titles=known)


def _whole(fields: Reference, dress: _Dress, titles: Sequence[str], lot: random.Random) -> tuple[str, str] | None:
    """Returns a reference as it is, with mark-up, and its title."""
    written, title = "", ""
    for kind, text in fields:
        if kind == NUMBER or (dress.short and title and kind == REST):
            continue
        words = text.strip(_EDGES)
        before, words, behind = text.partition(words) if words else (text, "", "")
        quoted = _QUOTED.search(before + behind) is not None
        mark = dress.marks.get(kind)
        if kind == TITLE and titles:
            words = _varied(words, titles, lot)
        written += before + _marked(words, None if quoted and mark in _QUOTES else mark, lot) + behind
        title = words if kind == TITLE else title
    return (written.strip(), title) if title else None


def _short(fields: Reference, dress: _Dress, titles: Sequence[str], lot: random.Random) -> tuple[str, str] | None:
    """Returns a short form of a reference, and its title; None where it has no authors."""
    told = {kind: text.strip(_EDGES) for kind, text in reversed(fields)}
    form, words = dress.form, jotted()[dress.language]
    if not told.get(AUTHORS) or not told.get(TITLE) or not form:
        return None
    script = _SCRIPTS.get(dress.language) if form in _JOTTINGS else None
    own = [title for title in titles if script.search(title)] if script else titles
    title = lot.choice(own) if own and (script or lot.random() < 0.4) else told[TITLE]
    title = _varied(title, titles, lot) if titles else title
    year = _YEAR.search(told.get(DATE, ""))
    shown = _marked(title, dress.marks[TITLE], lot)
    in_prose = _marked(title, dress.marks[TITLE] or lot.choice(("link", "italic", "bold", *_QUOTES)), lot)
    if dress.translated and titles:
        shown += f" [{lot.choice(titles)}]"
    if "{R}" in form and lot.random() > _REMARKED:
        form = _REMARK.sub("", form)
    label, remark = lot.choice(words["label"]), lot.choice(words["remark"])
    return form.format(
        B=lot.choice(words["by"]),
        D=lot.choice(_DATES).format(y=lot.randint(1990, 2025), m=lot.randint(1, 12), d=lot.randint(1, 28)),
        L=label,
        M=in_prose,
        R=lot.choice((remark, remark[:1].upper() + remark[1:])) + lot.choice(("", "", ".")),
        S=lot.choice(words["people"]) if script else _surnames(told[AUTHORS], lot),
        W=lot.choice(words["see"]),
        A=_marked(told[AUTHORS], dress.marks[AUTHORS], lot),
        T=shown,
        C=lot.choice(_MEETINGS) + lot.choice(_YEARS).format(lot.choice((lot.randint(10, 25), lot.randint(2010, 2025)))),
        N=_nickname(title, lot),
        V=_marked(told.get(VENUE) or lot.choice(_JOURNALS), dress.marks[VENUE], lot),
        Y=year[0] if year else lot.randint(1970, 2024),
    ), title


@cache
def jotted() -> dict[str, dict[str, list[str]]]:
    """Returns what is jotted down beside titles, by language and kind."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in Path(__file__).with_name("jottings.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            head, _, words = line.partition(": ")
            language, kind = head.split()
            found.setdefault(language, {})[kind] = words.split("|")
    return found


def _surnames(authors: str, lot: random.Random) -> str:
    """Returns surnames alone, one to three, as one jots them down."""
    names = [name for name in _SURNAME.findall(authors) if name[0].isupper()] or ["Smith"]
    some = names[: lot.choice((1, 1, 2, 2, 3))]
    if len(some) == 1:
        return some[0] + lot.choice(("", "", " et al.", " et al"))
    return ", ".join(some[:-1]) + lot.choice((" & ", " and ", ", ", "/", " + ")) + some[-1]


def _varied(title: str, titles: Sequence[str], lot: random.Random) -> str:
    """Returns a title, now and then with what else titles have: a second part, brackets, years, words in italics."""
    part = lot.choice(titles)
    words = title.split()
    match lot.random():
        case chance if chance < _PARTED and len(part) <= _LONGEST_PART and title[-1] not in ".?!":
            return title + lot.choice(_BETWEEN) + part
        case chance if chance < _BRACKETED:
            return f"{title} ({lot.choice(_IN_BRACKETS)})"
        case chance if chance < _DATED:
            first = lot.randint(1500, 1990)
            return title + lot.choice((", {}-{}", ", {}–{}", " ({}-{})", " {}-{}")).format(
                first, first + lot.randint(2, 90)
            )
        case chance if chance < _SLANTED and len(words) > 4:
            at = lot.randint(1, len(words) - 2)
            return " ".join(
                (
                    *words[:at],
                    lot.choice(("*{}*", '"{}"', "“{}”", "({})", "[{}]", "[{}]")).format(words[at]),
                    *words[at + 1 :],
                )
            )
    return title


def _nickname(title: str, lot: random.Random) -> str:
    """Returns a name that a method may have in a list: the initials of the title, or a made-up word."""
    words = [word for word in title.split() if word[0].isalpha()] or ["Model"]
    initials = "".join(word[0] for word in words[:5]).upper()
    ending = lot.choice(("Net", "GAN", "-GAN", "former", "DB", ""))
    return lot.choice((initials, f"{words[0][:4].title()}{ending}", f"{words[-1][:1].lower()}-{initials[:3]}"))


def _marked(words: str, mark: str | None, lot: random.Random) -> str:
    if not words or mark is None:
        return words
    if mark in _QUOTES:
        return f"{mark[0]}{words}{mark[1]}"
    return f"[{words}]({_address(lot)})" if mark == "link" else f"*{words}*" if mark == "italic" else f"**{words}**"


def _address(lot: random.Random) -> str:
    return f"https://example.org/{lot.randint(1, 10**6)}"


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", _MARKUP.sub("", text)).strip()

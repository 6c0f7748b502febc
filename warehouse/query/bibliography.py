"""Writes papers as BibTeX, CSL-JSON and RIS, and as a reading list in Markdown.

BibTeX is written by bibtexparser: https://www.bibtex.org/Format/ , with eprint fields as arXiv asks for them:
https://info.arxiv.org/help/hypertex/bibstyles/index.html . CSL-JSON is what Zotero, pandoc and citeproc read; types and
names of fields are those of https://resource.citationstyles.org/schema/v1.0/input/json/csl-data.json . RIS is what
EndNote and Mendeley read: https://web.archive.org/web/20120526103719/http://refman.com/support/risformat_intro.asp .
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, cast

from bibtexparser.entrypoint import write_string
from bibtexparser.library import Library
from bibtexparser.middlewares import AddEnclosingMiddleware
from bibtexparser.model import Entry, Field
from pylatexenc.latexencode import RULE_DICT, UnicodeToLatexConversionRule, UnicodeToLatexEncoder

from sources.bibliography.names import Name, split_name, without_others
from sources.bibliography.venues import Kind, kind_of, same_venue
from sources.bibliography.years import SHORT_MONTHS, years_in
from warehouse.papers.citation_keys import key_of, link
from warehouse.tables.declarations import PaperRow, PublishedVersionRow


class _Form(NamedTuple):
    """How a kind of publication is written: BibTeX's type, its field for the venue, CSL's type and RIS's."""

    bibtex: str
    venue: str
    csl: str
    ris: str


# By the type that DBLP gives.
_FORMS = {
    "article": _Form("article", "journal", "article-journal", "JOUR"),
    "inproceedings": _Form("inproceedings", "booktitle", "paper-conference", "CPAPER"),
    "incollection": _Form("incollection", "booktitle", "chapter", "CHAP"),
    "book": _Form("book", "publisher", "book", "BOOK"),
    "phdthesis": _Form("phdthesis", "school", "thesis", "THES"),
    "mastersthesis": _Form("mastersthesis", "school", "thesis", "THES"),
    "preprint": _Form("misc", "howpublished", "article", "UNPB"),
}
_OF_VERSIONS = {"journal": "article", "conference": "inproceedings", "collection": "incollection"}
_BY_VENUE = {Kind.JOURNAL: "article", Kind.CONFERENCE: "inproceedings", Kind.PREPRINT: "preprint"}
_ALONE = frozenset({"book", "phdthesis", "mastersthesis"})  # what is what it is also where no venue is known
_YEAR_OF_VENUE = re.compile(r"^(?:19|20)\d\d\b[\s,]*|[\s,]*\b(?:19|20)\d\d$")
UNBRACED = frozenset({"month"})  # fields that are words of BibTeX's own
_MONTHS = SHORT_MONTHS.split("|")  # BibTeX's own words
_WORD = re.compile(r"\w+")
_PAGES = re.compile(r"(?<=\w)[-–](?=\w)")
_MATH = re.compile(r"\$(?=\S)[^$\\{}]*(?:\{[^${}]*\}[^${}]*)*(?<=\S)\$(?!\d)")
# What LaTeX takes as it is; most text is that, and looking it up letter by letter takes most of the time.
_PLAIN = re.compile(r"[A-Za-z0-9 .,:;()/+=!?*'\"`@\[\]-]*")
_VERBATIM = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"})
_AS_IT_IS = UnicodeToLatexConversionRule(
    RULE_DICT, {ord(mark): mark for mark in "\"'`"}, replacement_latex_protection="none"
)
# BibTeX counts a brace also where LaTeX would not.
_BRACES = UnicodeToLatexConversionRule(RULE_DICT, {ord("{"): r"\textbraceleft", ord("}"): r"\textbraceright"})
_LATEX = UnicodeToLatexEncoder(
    conversion_rules=[_AS_IT_IS, _BRACES, "defaults"],
    replacement_latex_protection="braces-all",
    unknown_char_policy="keep",
    unknown_char_warning=False,
)


# Papers of the lake with `publications`, their published versions that a source has now.
CITED = """
SELECT *, (
    SELECT list({source: v.source, kind: v.kind, venue: v.venue, year: v.year, doi: v.doi} ORDER BY v.source, v.record)
    FROM published_versions AS v WHERE v.paper_id = papers.paper_id AND v.gone_at IS NULL
) AS publications
FROM papers
"""


def bibtex(papers: Iterable[PaperRow]) -> str:
    """Returns `papers`, rows of `papers` with their citation keys, as the text of a .bib file.

    Text is LaTeX: what LaTeX would take for a command is escaped, accents are commands, formulas stay; letters that
    LaTeX has no command for stay as they are, in UTF-8. Addresses and DOIs are verbatim.
    """
    library = Library()
    for paper in papers:
        kind, fields = bibtex_fields(paper)
        library.add(Entry(kind, key_of(paper), [_field(name, value) for name, value in fields.items()]))
    if library.failed_blocks:
        raise ValueError(f"two papers have the citation key {library.failed_blocks[0].raw}")
    enclosing = AddEnclosingMiddleware(reuse_previous_enclosing=False, enclose_integers=True, default_enclosing="{")
    return str(write_string(library, unparse_stack=[enclosing]))


def _field(name: str, value: str) -> Field:
    field = Field(name, value)
    field.enclosing = "no-enclosing" if name in UNBRACED else None
    return field


def bibtex_fields(paper: PaperRow) -> tuple[str, dict[str, str]]:
    """Returns BibTeX's type of `paper`, a row of `papers`, and its fields, without enclosing braces.

    The month is a word of BibTeX's own, which no braces may enclose.
    """
    paper = _of_one_publication(paper)
    form = _form(paper)
    day = paper["published_on"]
    fields = {
        "title": _spared(plain_text(paper["title"]), _protected),
        "author": " and ".join([name for author in paper["authors"] for name in _bibtex_names(author)]),
        "year": str(paper["year"] or ""),
        "month": _MONTHS[day.month - 1] if day and day.year == paper["year"] else "",
        form.venue: _text(paper["venue"]),
        "pages": _PAGES.sub("--", _text(_pages(paper))),
        "doi": _verbatim(paper["doi"]),
        "eprint": _verbatim(paper["arxiv_id"]),
        "archivePrefix": "arXiv" if paper["arxiv_id"] else "",
        "primaryClass": _verbatim(paper["primary_category"]) if paper["arxiv_id"] else "",
        "url": _verbatim(link(paper)),
        "abstract": _text(paper["abstract"]),
        "note": _text(_note(paper)),
    }
    return form.bibtex, {name: value for name, value in fields.items() if value}


def _of_one_publication(paper: PaperRow) -> PaperRow:
    """Returns `paper` with venue, year, day and DOI of one publication, and the venue without its year.

    Of the published versions, the row's `publications`, it is the one with the paper's DOI, else the one at the
    paper's venue, else the first; DBLP's before others, the authors' own last. A paper without one has the year that
    its venue names, if it names one: a preprint's year is another.
    """
    versions = cast("list[PublishedVersionRow]", paper.get("publications") or [])
    complete = [each for each in versions if each["venue"] and each["year"]]
    if complete:
        tellers = ("dblp", "openalex", "s2", "arxiv")
        nearest = min(
            complete,
            key=lambda each: (
                paper["doi"] is None or each["doi"] != paper["doi"],
                not same_venue(paper["venue"], each["venue"]),
                tellers.index(each["source"]),
                each["year"],
            ),
        )
        paper = _published(paper, nearest)
    years = years_in(paper["venue"])
    if len(years) == 1:
        venue = _YEAR_OF_VENUE.sub("", paper["venue"] or "").strip()
        paper = {**paper, "year": next(iter(years)), "venue": venue or paper["venue"]}
    is_published = _form(paper).bibtex != "misc"
    return {**paper, "published_on": None} if paper["arxiv_id"] and is_published else paper  # the day is the preprint's


def _published(paper: PaperRow, version: PublishedVersionRow) -> PaperRow:
    """Returns `paper` as `version` came out; pages of a record of another type are those of another publication."""
    kind, by_dblp = _OF_VERSIONS.get(version["kind"] or ""), paper.get("publication_type")
    own_doi = paper["doi"] if paper["venue"] is None or same_venue(paper["venue"], version["venue"]) else None
    of_version: PaperRow = {"venue": version["venue"], "year": version["year"], "doi": version["doi"] or own_doi}
    if kind is not None and kind != by_dblp:
        of_version |= {"publication_type": kind, "pages": None}
    return {**paper, **of_version}


def _form(paper: PaperRow) -> _Form:
    """Returns how a paper is written: by the type that DBLP gives, unless the venue shown is that of a preprint."""
    by_venue, by_dblp = _types(paper)
    is_preprint = by_venue == "preprint" and (paper["venue"] or by_dblp not in _ALONE)
    return _FORMS[by_venue if is_preprint or by_dblp == "preprint" else by_dblp]


def _types(paper: PaperRow) -> tuple[str, str]:
    """Returns a paper's type by its venue, and by DBLP; "preprint" where DBLP does not have it."""
    return _BY_VENUE[kind_of(paper["venue"])], paper.get("publication_type") or "preprint"


def _pages(paper: PaperRow) -> str:
    """Returns the pages that DBLP gives, unless they may be those of another version than the venue shown."""
    by_venue, by_dblp = _types(paper)
    is_of_venue = by_dblp in _ALONE or (by_dblp in (by_venue, "incollection") and paper["venue"])
    return paper.get("pages") or "" if is_of_venue else ""


def _protected(text: str) -> str:
    """Returns `text` as LaTeX, its capitals protected from styles that put titles into lower case."""
    parts, end = [], 0
    for match in _WORD.finditer(text):
        word = match[0]
        if any(map(str.isupper, word[1:])) or (len(word) == 1 and word.isupper() and word != "A"):
            parts += [_encoded(text[end : match.start()]), "{", _encoded(word), "}"]
            end = match.end()
    return "".join([*parts, _encoded(text[end:])])


def _text(text: str | None) -> str:
    return _spared(plain_text(text), _encoded) if text else ""


def _encoded(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else str(_LATEX.unicode_to_latex(text))


def _spared(text: str, encode: Callable[[str], str]) -> str:
    """Returns `text` with all but its formulas encoded."""
    if "$" not in text:
        return encode(text)
    parts, end = [], 0
    for match in _MATH.finditer(text):
        parts += [encode(text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, encode(text[end:])])


@lru_cache(maxsize=65536)
def _bibtex_names(author: str) -> tuple[str, ...]:
    """Returns the names; a group's stays in one piece, for BibTeX would take its last word for a surname."""
    written = []
    for parts in names([author]):
        if parts.literal == "others":
            written.append(parts.literal)  # BibTeX's own word for authors left out
        elif parts.literal:
            written.append("{" + _encoded(parts.literal) + "}")
        else:
            family = " ".join(part for part in (parts.particle, parts.family) if part)
            written.append(", ".join(_encoded(part) for part in (family, parts.suffix, parts.given) if part))
    return tuple(written)


def _note(paper: PaperRow) -> str:
    return str(paper.get("note") or "")


def _verbatim(text: str | None) -> str:
    return plain_text(text).translate(_VERBATIM) if text else ""


_GENRES = {"misc": "preprint", "phdthesis": "PhD thesis", "mastersthesis": "Master's thesis"}


def csl_json(papers: Iterable[PaperRow]) -> str:
    """Returns `papers`, rows of `papers` with their citation keys, as a JSON array of CSL items."""
    return json.dumps([_item(paper) for paper in papers], ensure_ascii=False, indent=1) + "\n"


def _item(paper: PaperRow) -> dict[str, Any]:
    paper = _of_one_publication(paper)
    form = _form(paper)
    venue = plain_text(paper["venue"] or "")
    part_of = form.venue in ("journal", "booktitle")
    day, year = paper["published_on"], paper["year"]
    whole = [day.year, day.month, day.day] if day else []
    date = whole if year is None or (day and day.year == year) else [year]  # a preprint's day is not its journal's
    values = {
        "id": paper["citation_key"],
        "citation-key": paper["citation_key"],
        "type": form.csl,
        "title": plain_text(paper["title"]),
        "author": [_csl_name(name) for name in names(paper["authors"])],
        "issued": {"date-parts": [date]} if date else {},
        "container-title": venue if part_of else "",
        "page": plain_text(_pages(paper)),
        "publisher": "" if part_of else "arXiv" if form.bibtex == "misc" and paper["arxiv_id"] else venue,
        "genre": _GENRES.get(form.bibtex, ""),
        "number": f"arXiv:{paper['arxiv_id']}" if paper["arxiv_id"] else "",
        "DOI": plain_text(paper["doi"] or ""),
        "URL": link(paper) or "",
        "abstract": plain_text(paper["abstract"] or ""),
        "note": _note(paper),
    }
    return {name: value for name, value in values.items() if value}


def _csl_name(name: Name) -> dict[str, str]:
    if name.literal:
        return {"literal": name.literal}
    parts = {
        "family": name.family,
        "given": name.given,
        "non-dropping-particle": name.particle,
        "suffix": name.suffix,
    }
    return {part: text for part, text in parts.items() if text}


def ris(papers: Iterable[PaperRow]) -> str:
    """Returns `papers`, rows of `papers` with their citation keys, as the text of a .ris file."""
    lines = []
    for paper in map(_of_one_publication, papers):
        form = _form(paper)
        first, _, last = re.sub(r"\s*[-–]+\s*", "-", plain_text(_pages(paper))).partition("-")
        people = []
        for name in names(paper["authors"]):
            family = " ".join(part for part in (name.particle, name.family) if part)
            people.append(name.literal or ", ".join(part for part in (family, name.given, name.suffix) if part))
        fields = (
            ("TY", form.ris),
            ("ID", key_of(paper)),
            ("TI", plain_text(paper["title"])),
            *(("AU", person) for person in people),
            ("PY", str(paper["year"] or "")),
            ("T2" if form.venue in ("journal", "booktitle") else "PB", plain_text(paper["venue"] or "")),
            ("SP", first),
            ("EP", last),
            ("DO", plain_text(paper["doi"] or "")),
            ("AN", f"arXiv:{paper['arxiv_id']}" if paper["arxiv_id"] else ""),
            ("UR", link(paper) or ""),
            ("AB", plain_text(paper["abstract"] or "")),
            ("N1", _note(paper)),
        )
        lines += [f"{tag}  - {value}\n" for tag, value in fields if value]
        lines.append("ER  - \n")
    return "".join(lines)


_MARKS = re.compile(r"([\\`*_\[\]<>])")
_SHOWN_AUTHORS = 3


def markdown(papers: Iterable[PaperRow]) -> str:
    """Returns `papers`, rows of `papers`, as a reading list in Markdown: an entry a line, with a link to the paper."""
    return "# Papers\n\n" + "".join(f"- {_entry(paper)}\n" for paper in papers)


def _entry(paper: PaperRow) -> str:
    paper = _of_one_publication(paper)
    title, venue = (_MARKS.sub(r"\\\1", plain_text(text or "")) for text in (paper["title"], paper["venue"]))
    people = [_MARKS.sub(r"\\\1", plain_text(name)) for name in paper["authors"]]
    authors = ", ".join(people[:_SHOWN_AUTHORS]) + (" et al." if len(people) > _SHOWN_AUTHORS else "")
    where = " ".join(str(part) for part in (venue, paper["year"]) if part)
    address = link(paper)
    linked = f"[{title}](<{address}>)" if address and re.search(r"[()\s]", address) else f"[{title}]({address})"
    note = f"({_note(paper)})" if _note(paper) else ""
    return ". ".join(part.removesuffix(".") for part in (linked if address else title, authors, where, note) if part)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]+")


def names(authors: Iterable[str]) -> Iterator[Name]:
    """Yields the parts of each name, passing over empty ones; an "et al." becomes BibTeX's `others`."""
    for author in authors:
        text = plain_text(author)
        own = without_others(text)
        if own:
            yield split_name(own)
        if own != text:
            yield Name(literal="others")


def plain_text(text: str) -> str:
    """Returns `text` on one line, without control characters and runs of blanks."""
    return " ".join((text if text.isprintable() else _CONTROL.sub(" ", text)).split())


# Form of a bibliography -> what writes it.
FORMS: dict[str, Callable[[Iterable[PaperRow]], str]] = {
    "bibtex": bibtex,
    "csl-json": csl_json,
    "ris": ris,
    "markdown": markdown,
}

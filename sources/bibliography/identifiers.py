"""Identifiers of papers and the one table of their schemes: parse, normalise, rank. Pure.

The arXiv forms are those of https://info.arxiv.org/help/arxiv_identifier.html; the DOI form follows
https://www.crossref.org/blog/dois-and-matching-regular-expressions/ .
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import unquote

from sources.bibliography.years import full_year
from sources.errors import IdentifierError

Scheme = Literal["arxiv", "doi", "s2", "corpus", "openreview", "acl", "pmid", "pmcid", "mag", "dblp", "openalex"]

# Archives that old-style identifiers (before April 2007) can name.
OLD_ARCHIVES = frozenset(
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas cond-mat cs dg-ga "
    "funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics plasm-ph "
    "q-alg q-bio quant-ph solv-int supr-con".split()
)

_VERSION = r"(?:v(?P<version>[1-9]\d{0,2}))?"
_NEW_STYLE = re.compile(r"(?P<year>\d{2})(?P<month>\d{2})\.(?P<number>\d{4,5})" + _VERSION, re.ASCII)
_OLD_STYLE = re.compile(
    r"(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?/(?P<number>\d{2}(?:0[1-9]|1[0-2])\d{3})" + _VERSION,
    re.ASCII | re.IGNORECASE,
)
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+", re.ASCII)
_MOST_CODES = 3  # how often a DOI may have been encoded
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(?P<id>.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ArxivId:
    """An arXiv identifier; two versions of a paper share `base`."""

    base: str  # `YYMM.NNNN` (0704 to 1412), `YYMM.NNNNN` (from 1501) or `archive/YYMMNNN`, without subject class
    version: int | None = None  # 1, 2, ...; None means the latest, which changes

    @classmethod
    def parse(cls, text: str) -> ArxivId:
        """Returns the identifier written in `text`, which may start with `arXiv:`.

        Raises:
            IdentifierError: Another form, an impossible month, or a number of the wrong length for its time.
        """
        bare = re.sub(r"^\s*arxiv\s*[:/]?\s*", "", text, flags=re.IGNORECASE).strip()
        if match := _NEW_STYLE.fullmatch(bare):
            year, month, number = int(match["year"]), int(match["month"]), match["number"]
            if not 1 <= month <= 12 or (year, month) < (7, 4):
                raise IdentifierError(f"no such month in arXiv identifier: {text!r}", scheme="arxiv", value=text)
            if len(number) != (5 if year >= 15 else 4):
                raise IdentifierError(f"arXiv number of the wrong length: {text!r}", scheme="arxiv", value=text)
            return cls(f"{match['year']}{match['month']}.{number}", _number(match["version"]))
        match = _OLD_STYLE.fullmatch(bare)
        if match and match["archive"].lower() in OLD_ARCHIVES:
            return cls(f"{match['archive'].lower()}/{match['number']}", _number(match["version"]))
        raise IdentifierError(f"not an arXiv identifier: {text!r}", scheme="arxiv", value=text)

    def __str__(self) -> str:
        return self.base if self.version is None else f"{self.base}v{self.version}"

    @property
    def year(self) -> int:
        """Returns the year in which the paper was first submitted, as the identifier tells it."""
        first = 1991 if "/" in self.base else 2007
        return full_year(self.base.rpartition("/")[2][:2], last=first + 99)

    @property
    def month(self) -> int | None:
        """Returns the month in which the identifier was given, None for old-style ones, of which some came later."""
        return None if "/" in self.base else int(self.base[2:4])


@dataclass(frozen=True, slots=True)
class Doi:
    """A DOI in lower case, without `https://doi.org/` and `doi:`, and not encoded. DOIs are case-insensitive."""

    value: str

    @classmethod
    def parse(cls, text: str) -> Doi:
        """Returns the DOI written in `text`, which may be a doi.org address.

        Raises:
            IdentifierError: The text has no DOI form.
        """
        bare = re.sub(r"^\s*(?:(?:https?://)?(?:dx\.)?doi\.org/|doi\s*[:/]?\s*)", "", text, flags=re.IGNORECASE).strip()
        bare = _without_trailing_marks(_decoded(bare))
        if not _DOI.fullmatch(bare):
            raise IdentifierError(f"not a DOI: {text!r}", scheme="doi", value=text)
        return cls(bare.lower())

    @classmethod
    def first_in(cls, text: str) -> str | None:
        """Returns the first DOI in what authors gave arXiv as theirs: some gave two, some gave none."""
        found = (identifier_in("doi", word) for word in text.replace(",", " ").split())
        return next((doi.value for doi in found if doi), None)

    @property
    def arxiv_id(self) -> ArxivId | None:
        """Returns the arXiv identifier inside arXiv's own DOIs (10.48550/arXiv.*), None for a publisher's DOI."""
        match = _ARXIV_DOI.fullmatch(self.value)
        try:
            return ArxivId.parse(match["id"]) if match else None
        except IdentifierError:
            return None

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True, order=True)
class Identifier:
    """An identifier with the scheme that gives it meaning; the value is in the scheme's normal form."""

    scheme: Scheme
    value: str

    def __str__(self) -> str:
        return f"{self.scheme}:{self.value}"


class SchemeRule(NamedTuple):
    """What is known of one scheme."""

    form: str  # values in normal form match it as a whole, here and in SQL (RE2)
    # text -> normal form, as far as the text has the form; may raise `IdentifierError`
    normal: Callable[[str], str] = str
    # what stands before a value where Semantic Scholar is asked for it; None where it cannot be asked so
    s2_prefix: str | None = None
    s2_key: str | None = None  # the scheme's name in Semantic Scholar's `externalIds`; None where it has none
    # whether two papers never share a value, and one paper seldom has two. The numbers of a source's own records are
    # not so: a paper can have two records there.
    identifying: bool = False
    aliases: tuple[str, ...] = ()  # other names of the scheme, in lower case, that people write before a colon


_ARXIV_FORM = (
    r"(07(0[4-9]|1[0-2])|(0[89]|1[0-4])(0[1-9]|1[0-2]))\.[0-9]{4}|(1[5-9]|[2-9][0-9])(0[1-9]|1[0-2])\.[0-9]{5}|"
    rf"({'|'.join(sorted(OLD_ARCHIVES))})/[0-9]{{2}}(0[1-9]|1[0-2])[0-9]{{3}}"
)
_NUMBER = "[0-9]{1,18}"
# The schemes, those that tell most of a paper first.
SCHEMES: dict[Scheme, SchemeRule] = {
    "arxiv": SchemeRule(
        form=_ARXIV_FORM,
        normal=lambda text: ArxivId.parse(text).base,
        s2_prefix="ARXIV:",
        s2_key="ArXiv",
        identifying=True,
    ),
    "doi": SchemeRule(
        form=r"10\.[0-9]{4,9}(\.[0-9]+)*/\S+",
        normal=lambda text: Doi.parse(text).value,
        s2_prefix="DOI:",
        s2_key="DOI",
        identifying=True,
    ),
    "s2": SchemeRule(form="[0-9a-f]{40}", normal=str.lower, s2_prefix=""),
    "corpus": SchemeRule(form=_NUMBER, s2_prefix="CorpusId:", s2_key="CorpusId", aliases=("corpusid",)),
    "acl": SchemeRule(form=r"[A-Za-z0-9][A-Za-z0-9_.\-]{2,39}", s2_prefix="ACL:", s2_key="ACL", identifying=True),
    "openreview": SchemeRule(form="[A-Za-z0-9_-]{6,24}"),
    "pmid": SchemeRule(form=_NUMBER, s2_prefix="PMID:", s2_key="PubMed", identifying=True, aliases=("pubmed",)),
    "pmcid": SchemeRule(
        form=_NUMBER,
        normal=lambda text: text.upper().removeprefix("PMC"),
        s2_prefix="PMCID:",
        s2_key="PubMedCentral",
        identifying=True,
        aliases=("pmc",),
    ),
    "mag": SchemeRule(form=_NUMBER, s2_prefix="MAG:", s2_key="MAG"),
    "dblp": SchemeRule(form=r"[!-~]{3,200}", s2_key="DBLP"),
    "openalex": SchemeRule(form="W[1-9][0-9]{0,17}", normal=str.upper),
}

IDENTIFYING = frozenset(scheme for scheme, rule in SCHEMES.items() if rule.identifying)
# Schemes that Semantic Scholar can be asked in.
S2_SCHEMES = frozenset(scheme for scheme, rule in SCHEMES.items() if rule.s2_prefix is not None)


def written_for_s2(identifier: Identifier) -> str:
    """Returns an identifier as Semantic Scholar reads it."""
    return f"{SCHEMES[identifier.scheme].s2_prefix}{identifier.value}"


_RANKS = {scheme: rank for rank, scheme in enumerate(SCHEMES)}
_NAMES = {name: scheme for scheme, rule in SCHEMES.items() for name in (scheme, *rule.aliases)}


def is_scheme(name: str) -> bool:
    """Returns whether `name` is one of the names of a scheme of identifiers."""
    return name.lower() in _NAMES


def parse_identifier(scheme: str, text: str) -> Identifier:
    """Returns the identifier that `text` is in a scheme, which may go by another of its names.

    Raises:
        IdentifierError: There is no such scheme, or the text is not in its form.
    """
    known = _NAMES.get(scheme.lower())
    if known is None:
        raise IdentifierError(f"no such scheme of identifiers: {scheme!r}", scheme=scheme, value=text)
    value = SCHEMES[known].normal(text.strip())
    if not re.fullmatch(SCHEMES[known].form, value, re.ASCII):
        raise IdentifierError(f"not a {known} identifier: {text!r}", scheme=known, value=text)
    return Identifier(known, value)


def identifier_in(scheme: str, text: str) -> Identifier | None:
    """Returns the identifier that `text` is in a scheme, as `parse_identifier` does; None where it is none."""
    try:
        return parse_identifier(scheme, text)
    except IdentifierError:
        return None


def normal_identifier(identifier: Identifier) -> Identifier:
    """Returns the identifier, as `arxiv` where it is a DOI that arXiv gave, DOIs in lower case."""
    if identifier.scheme != "doi":
        return identifier
    found = identifier_in("doi", identifier.value)
    if found is None:
        return Identifier("doi", identifier.value.lower())
    doi = Doi(found.value)
    return Identifier("arxiv", doi.arxiv_id.base) if doi.arxiv_id else Identifier("doi", doi.value)


def named_identifiers(arxiv_id: str | None, doi: str | None, s2_paper_id: str | None = None) -> tuple[Identifier, ...]:
    """Returns the identifiers that a record or a row names in columns of their own, but for those it lacks."""
    named: tuple[tuple[Scheme, str | None], ...] = (("arxiv", arxiv_id), ("doi", doi), ("s2", s2_paper_id))
    return tuple(Identifier(scheme, value) for scheme, value in named if value)


def rank(identifier: Identifier) -> tuple[int, str]:
    """Returns a sort key that puts what tells most of a paper first."""
    return _RANKS[identifier.scheme], identifier.value


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _decoded(text: str) -> str:
    """Returns a DOI without what addresses and HTML put for its signs: `%3C`, `%253C` and `&lt;` are `<`.

    Where that gives what no DOI holds, such as blanks, the text stays as it is.
    """
    plain = text
    for _ in range(_MOST_CODES if "%" in text or "&" in text else 0):
        plain = unquote(plain).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    is_doi = plain.isprintable() and " " not in plain and "\ufffd" not in plain
    return plain if is_doi and unquote(plain) == plain else text


def _without_trailing_marks(text: str) -> str:
    """Returns `text` without the sentence marks that follow a DOI in prose; brackets that the DOI opens stay."""
    opening = {")": "(", "]": "[", "}": "{", ">": "<"}
    while text and (
        text[-1] in ".,;:'\"!?" or (text[-1] in opening and text.count(text[-1]) > text.count(opening[text[-1]]))
    ):
        text = text[:-1]
    return text

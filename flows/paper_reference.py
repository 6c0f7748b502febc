"""What a person writes to name a paper -> its identifier: `arxiv:1706.03762`, a DOI, an address, ..."""

from __future__ import annotations

import re
from typing import cast

from sources.errors import IdentifierError
from sources.identifiers import ArxivId, Doi, Identifier, Scheme
from sources.reading_list.addresses import carried_by, split_address

HOW = "write arxiv:1706.03762, doi:10.1109/5.726791, s2:PAPER-ID, corpus:13756489, or the paper's address"

_SCHEME_NAMES = {"corpusid": "corpus", "pubmed": "pmid"}
_FORMS: dict[str, re.Pattern[str]] = {
    "s2": re.compile(r"[0-9a-f]{40}"),
    "corpus": re.compile(r"\d{1,12}"),
    "acl": re.compile(r"[A-Z]\d{2}-\d{4}|\d{4}\.[A-Za-z0-9_]+-[A-Za-z0-9_]+\.\d+"),
    "pmid": re.compile(r"\d{1,9}"),
    "pmcid": re.compile(r"\d{1,9}"),
    "mag": re.compile(r"\d{4,12}"),
}
"""Schemes beside arXiv identifiers and DOIs in which Semantic Scholar can be asked for a paper:
https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data ."""
_PREFIX = re.compile(r"([A-Za-z0-9]+):(?!//)\s*(.+)")
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


def parse_paper(text: str) -> Identifier:
    """Returns the identifier that `text` names, in its scheme's normal form; arXiv's own DOIs become `arxiv`.

    Raises:
        IdentifierError: It names none, or one by which no source can be asked.
    """
    bare = text.strip()
    if _ADDRESS.fullmatch(bare):
        return _from_address(bare)
    prefixed = _PREFIX.fullmatch(bare)
    if prefixed is None:
        return _bare(bare)
    scheme = prefixed[1].lower()
    return _of_scheme(_SCHEME_NAMES.get(scheme, scheme), prefixed[2].strip())


def _from_address(url: str) -> Identifier:
    carried = carried_by(split_address(url))
    asked = [one for one in carried.identifiers if one.scheme in ("arxiv", "doi", *_FORMS)]
    if not asked:
        raise IdentifierError(f"the address {url} names no paper that a source can be asked for; {HOW}", value=url)
    return _of_scheme(asked[0].scheme, asked[0].value)


def _bare(text: str) -> Identifier:
    for scheme in ("arxiv", "doi"):
        try:
            return _of_scheme(scheme, text)
        except IdentifierError:
            continue
    raise IdentifierError(f"{text!r} names no paper; {HOW}", value=text)


def _of_scheme(scheme: str, value: str) -> Identifier:
    if scheme == "arxiv":
        return Identifier("arxiv", ArxivId.parse(value).base)
    if scheme == "doi":
        doi = Doi.parse(value)
        return Identifier("arxiv", doi.arxiv_id.base) if doi.arxiv_id else Identifier("doi", doi.value)
    form = _FORMS.get(scheme)
    if form is None:
        known = ", ".join(("arxiv", "doi", *_FORMS))
        raise IdentifierError(f"no source can be asked by {scheme!r} identifiers, only by {known}", scheme=scheme)
    normal = re.sub("^PMC", "", value, flags=re.IGNORECASE) if scheme == "pmcid" else value
    normal = normal.lower() if scheme == "s2" else normal
    if not form.fullmatch(normal):
        raise IdentifierError(f"not a {scheme} identifier: {value!r}", scheme=scheme, value=value)
    return Identifier(cast("Scheme", scheme), normal)

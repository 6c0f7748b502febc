"""What a person writes to name a paper -> its identifier: `arxiv:1706.03762`, a DOI, an address, ..."""

from __future__ import annotations

import re

from sources.bibliography.identifiers import S2_SCHEMES, SCHEMES, Identifier, normal_identifier, parse_identifier
from sources.errors import IdentifierError

HOW = "write arxiv:1706.03762, doi:10.1109/5.726791, s2:PAPER-ID, corpus:13756489, or the paper's address"

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
    return _of_scheme(prefixed[1], prefixed[2]) if prefixed else _bare(bare)


def _from_address(url: str) -> Identifier:
    from sources.reading_list.links.url_identifiers import carried_by, split_address  # noqa: PLC0415 - takes 0.2 s

    carried = carried_by(split_address(url))
    sound = [identifier for identifier in carried.identifiers if identifier.scheme in S2_SCHEMES]
    if not sound:
        raise IdentifierError(f"the address {url} names no paper that a source can be asked for; {HOW}", value=url)
    return normal_identifier(sound[0])


def _bare(text: str) -> Identifier:
    for scheme in ("arxiv", "doi"):
        try:
            return _of_scheme(scheme, text)
        except IdentifierError:
            continue
    raise IdentifierError(f"{text!r} names no paper; {HOW}", value=text)


def _of_scheme(scheme: str, text: str) -> Identifier:
    identifier = normal_identifier(parse_identifier(scheme, text))
    if identifier.scheme in S2_SCHEMES:
        return identifier
    known = ", ".join(item for item in SCHEMES if item in S2_SCHEMES)
    raise IdentifierError(f"no source can be asked by {scheme!r} identifiers, only by {known}", scheme=scheme)

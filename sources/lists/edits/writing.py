"""Escapes words and addresses for an entry's own language, Markdown or HTML. Pure.

What a service, a server or a user names is nothing but words or an address there: it makes no link, no element, no
mark-up, and does not end the place in which it is put.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal
from urllib.parse import quote

from sources.errors import UsageError

# html: inside of an HTML block, in which a backslash is a backslash. There are numeric references in its place.
Language = Literal["markdown", "html"]

_WEB = re.compile(r"(https?)://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_DOI = re.compile(r"(doi):()(10\..*)", re.IGNORECASE | re.DOTALL)
_HOST = re.compile(r"(?:[\w.-]*\w\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.IGNORECASE)
# What ends an address somewhere in Markdown or HTML, or is taken for mark-up there.
_ENDING = re.compile(r"%(?![0-9A-Fa-f]{2})|[^\w%:/?#@!$&'()+,;=~.-]|~(?=~)|(?<=~)~|(?<![^\W_])_|(?<=&)#|[.,;:!?'_~-]$")
_REFERENCE = re.compile(r"(&#?\w+);")
_PAIRED = re.compile(r"(?:[^()]|\([^()]*\))*")

# Signs that turn the direction of what follows them, beyond the title's end.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Signs that are mark-up of Markdown, or of what extends it, where they are written so.
_SIGN = re.compile(
    r"[\\`*\[\]<>|~^]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|(?<!\w)#|:(?=//)|(?<=www)\.|%(?=%)|(?<=%)%|=(?==)|(?<==)="
    r"|\{(?=[{%.#:])|(?<=\{)\{|^[-+](?=\s|$)"
)
_OF_HTML = re.compile(rf"{_SIGN.pattern}|&")
_NAMED = {"&": "amp", "<": "lt", ">": "gt"}
_NUMBERED = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))")


def markdown_address(address: str) -> str:
    """Returns an address as written in a Markdown link or in a text, what would end it there percent-encoded.

    Raises:
        UsageError: It is no address of the web and no DOI.
    """
    text = address.strip()
    match = _WEB.fullmatch(text) or _DOI.fullmatch(text)
    if match is None or not (_HOST.fullmatch(match[2]) if match[2] else match[1].lower() == "doi"):
        raise UsageError(
            f"cannot write {text[:200]!r} into a list as an address: it has to be http://, https:// or doi:, with a"
            " host and no user name; give another one"
        )
    scheme, host, rest = match.groups()
    rest = _ENDING.sub(lambda sign: _encoded(sign[0]), _REFERENCE.sub(r"\1%3B", rest))
    if not _PAIRED.fullmatch(rest):
        rest = rest.replace("(", "%28").replace(")", "%29")
    return f"{scheme}:{rest}" if scheme.lower() == "doi" else f"{scheme}://{host}{rest}"


def address_for(language: Language, address: str) -> str:
    """Returns an address as an entry in `language` has it; in HTML, that is in an attribute, or in a text there.

    Raises:
        UsageError: It is no address of the web and no DOI.
    """
    written = markdown_address(address)
    return written.replace("&", "&amp;").replace("'", "%27") if language == "html" else written


def doi_address(doi: str) -> str:
    """Returns the address of a DOI; those of old forms have signs that mean something else in an address."""
    return f"https://doi.org/{quote(doi, safe='/:;().,-_!$+@=')}"


def written_words(text: str, language: Language) -> str:
    """Returns words on one line, as they are read: what would be mark-up is escaped."""
    unseen = {sign for sign in text if sign in _TURNING or unicodedata.category(sign) in ("Cc", "Cs")}
    words = " ".join("".join(sign for sign in text if sign.isspace() or sign not in unseen).split())
    if language == "markdown":
        return _NUMBERED.sub(r"\1\\", _SIGN.sub(r"\\\g<0>", words))
    return _OF_HTML.sub(lambda sign: f"&{_NAMED.get(sign[0], f'#{ord(sign[0])}')};", words)


def _encoded(sign: str) -> str:
    """Returns a sign percent-encoded, also one that no address has to encode."""
    return "".join(f"%{byte:02X}" for byte in sign.encode(errors="replace"))

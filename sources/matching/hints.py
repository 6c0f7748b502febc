"""What a mention tells beside its title: a day, the title in its link, who owns what is linked. Pure.

A list often gives no more than a system's name, and then a link to `.../zero-memory-optimization-towards-...`, to
`github.com/yangyanli/PointCNN`, or the day on which the preprint came out.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from urllib.parse import unquote, urlsplit

from sources.bibliography.names import parse_name
from sources.bibliography.titles import fold, title_words
from sources.bibliography.years import days_in
from sources.records import Mention

_LONGEST_TEXT = 4_000
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


def names_day(mention: Mention, published: date | None) -> bool:
    """Returns whether the entry names the day on which a paper came out; time zones may shift it by one."""
    if published is None:
        return False
    return any(abs(day - published) <= timedelta(days=1) for day in days_in(mention.text[:_LONGEST_TEXT]))


def title_in_link(mention: Mention) -> str | None:
    """Returns the title that the path of the mention's link spells out, None where it spells none.

    Five words at least, joined by hyphens or underscores, and the mention's own name among them: a shorter path is a
    site's own order, and one without the name may be another page's.
    """
    path = unquote(urlsplit(mention.url).path) if mention.url and _is_sound(mention.url) else ""
    last = _FILE_ENDING.sub("", path.rstrip("/").rpartition("/")[2])
    words = re.split(r"[-_]", last)
    while words and words[0].isdigit():
        words = words[1:]
    if len(words) < _FEWEST_SLUG_WORDS or not all(map(_SLUG_WORD.fullmatch, words)):
        return None
    name = _letters(mention.title or mention.name or "")
    return " ".join(words) if name in _letters("".join(words)) else None


def owned_by(mention: Mention, authors: tuple[str, ...]) -> bool:
    """Returns whether a repository or home page that the entry links bears the full name of one of `authors`."""
    owners = _owners(mention)
    return bool(owners) and any(owners & _full_names(author) for author in authors)


def _owners(mention: Mention) -> set[str]:
    text = f"{mention.url or ''} {mention.text[:_LONGEST_TEXT]}"
    return {_letters(owner or page) for owner, page in _OWNER.findall(text)}


def _full_names(author: str) -> set[str]:
    """Returns a name as accounts are called: given and family name run together, in either order."""
    name = parse_name(author)
    if name is None or not name.given or len(name.given[0]) < 2:
        return set()
    given = "".join(name.given), name.given[0]
    return {one for surname in name.surname for first in given for one in (first + surname, surname + first)}


def _letters(text: str) -> str:
    return _NOT_ALNUM.sub("", fold(text))


def _is_sound(url: str) -> bool:
    try:
        urlsplit(url)
    except ValueError:
        return False
    return True

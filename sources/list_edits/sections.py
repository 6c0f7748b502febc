"""Which section of a list is meant. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sources.errors import UsageError
from sources.records import Mention

Section = tuple[str, ...]
"""The headings above, outermost first."""


def section_named(mentions: Iterable[Mention], name: str | None, year: int | None = None) -> Section:
    """Returns the section that is named, or the only one; without a name, that of `year` where sections are years.

    A name is a heading, part of one, or headings from the outermost joined by " > ".

    Raises:
        UsageError: There is none, or there are several.
    """
    sections = list(dict.fromkeys(mention.section for mention in mentions))
    found = sections if len(sections) == 1 else [item for item in sections if _is_year(item, year)]
    if name is not None:
        wanted = name.casefold().strip("# ")
        exact = [item for item in sections if wanted in (shown_section(item).casefold(), _last(item))]
        found = exact or [item for item in sections if wanted and wanted in _last(item)]
    if len(found) == 1:
        return found[0]
    known = "; ".join(map(shown_section, (found or sections)[:12])) or "none with entries"
    is_unknown = name is not None and not found
    wrong = f"no section with entries is named {name!r}" if is_unknown else "which section is meant is not clear"
    raise UsageError(f"{wrong}: name one with --section, of {known}")


def shown_section(section: Section) -> str:
    """Returns a section's headings in one line."""
    return " > ".join(section) or "the part without a heading"


def _last(section: Section) -> str:
    return section[-1].casefold() if section else ""


def _is_year(section: Section, year: int | None) -> bool:
    return year is not None and re.fullmatch(rf"\W*{year}\W*", _last(section)) is not None

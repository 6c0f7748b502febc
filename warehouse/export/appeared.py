"""Where a paper appeared: in a journal, at a conference, or as a preprint alone; what each bibliography calls it."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any

from sources.bibliography.titles import fold
from sources.bibliography.venues import ACRONYMS, JOURNALS, VOLUMES

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREPRINT = re.compile(r"\b(arxiv(\.org)?|corr|biorxiv|medrxiv|chemrxiv|ssrn|openreview|preprint|hal)\b")
_MEETING = re.compile(
    r"\b(conference|conf|proceedings|proc|workshops?|symposium|colloquium|congress|annual meeting|meeting of the|"
    r"chapter of the|summit)\b|^neural information processing systems$|^computer vision and pattern recognition$|"
    r"^knowledge discovery and data mining$|^the web conference$|^operating systems design and implementation$|"
    r"^interspeech|^usenix |^iclr|^icml|^neurips|^advances in neural information processing systems"
)
_SERIES = re.compile(r"\b(journal|transactions|letters|annals|review|reviews|magazine|acta|bulletin|archives?)\b")
_ACRONYM = re.compile(r"[a-z0-9&-]+")


class Appeared(Enum):
    """How a paper came out."""

    JOURNAL = "journal"
    CONFERENCE = "conference"
    PREPRINT = "preprint"


def appeared(paper: Mapping[str, Any]) -> Appeared:
    """Returns how `paper`, a row of `papers`, came out, as far as its venue tells; without one it is a preprint."""
    venue = fold(paper["venue"] or "").strip()
    if not venue or (_PREPRINT.search(venue) and not _MEETING.search(venue)):
        return Appeared.PREPRINT
    if _SERIES.search(venue) or venue in JOURNALS:
        return Appeared.JOURNAL
    if _MEETING.search(venue) or _is_acronym_of_a_meeting(venue):
        return Appeared.CONFERENCE
    return Appeared.JOURNAL


def _is_acronym_of_a_meeting(venue: str) -> bool:
    """Returns whether the venue is short for a conference, as in "ACL 2020": a long name would say so in words."""
    words = _ACRONYM.findall(re.sub(r"\b(19|20)\d\d\b|'\d\d", " ", venue))
    return len(words) <= 2 and bool(words) and words[0] in ACRONYMS - VOLUMES

"""Works: candidates of several sources that are one paper, grouped before anything is decided. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sources.identifiers import Identifier
from sources.matching.candidates import Candidate, all_identifiers
from sources.matching.people import compare_authors
from sources.matching.titles import title_key

_IDENTIFYING = frozenset({"arxiv", "doi", "acl", "pmid", "pmcid"})
"""Schemes in which two papers never share and one paper seldom has two values. A source's own record numbers (s2,
corpus, mag, dblp, openreview) are not among them: one paper can have two records there."""

_SURE_WITHOUT_AUTHORS = 30
_ORDER = {"mirror": 0, "arxiv": 1, "lake": 2, "s2": 3}


def same_work(one: Candidate, other: Candidate) -> bool:
    """Returns whether two candidates are one paper.

    Every scheme that both have must agree; an identifier in common then settles it. Only where none is shared are
    title, authors and year (within two) compared.
    """
    mine, theirs = all_identifiers(one), all_identifiers(other)
    if _disagree(mine, theirs):
        return False
    return bool(mine & theirs) or _alike(one, other)


def group_works(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Returns one candidate a work, with the identifiers of all its records; the order of `candidates` is of no effect.

    A record joins a group only where it agrees with every member, so that no chain of likenesses joins two papers.
    """
    ordered = sorted(candidates, key=_richness)
    groups: list[list[Candidate]] = []
    for candidate in ordered:
        home = next((group for group in groups if all(same_work(candidate, member) for member in group)), None)
        if home is None:
            groups.append([candidate])
        else:
            home.append(candidate)
    return [_merged(group) for group in groups]


def _disagree(mine: frozenset[Identifier], theirs: frozenset[Identifier]) -> bool:
    for scheme in _IDENTIFYING:
        ours = {identifier.value for identifier in mine if identifier.scheme == scheme}
        others = {identifier.value for identifier in theirs if identifier.scheme == scheme}
        if ours and others and ours.isdisjoint(others):
            return True
    return False


def _alike(one: Candidate, other: Candidate) -> bool:
    key = title_key(one.title)
    if not key or key != title_key(other.title):
        return False
    if one.year and other.year and abs(one.year - other.year) > 2:
        return False
    agreement = compare_authors(one.authors, other.authors).agreement
    return agreement == "agree" or (agreement == "unknown" and len(key) >= _SURE_WITHOUT_AUTHORS)


def _richness(candidate: Candidate) -> tuple[bool, int, int, str, str]:
    """Returns a sort key that puts the record which says most first, and is the same in whatever order they came."""
    return (
        candidate.arxiv_id is None,
        _ORDER[candidate.source],
        -len(candidate.identifiers),
        candidate.title,
        repr((candidate.arxiv_id, candidate.doi, candidate.s2_paper_id, candidate.year, candidate.authors)),
    )


def _merged(group: Sequence[Candidate]) -> Candidate:
    first = group[0]
    if len(group) == 1:
        return first
    years = [member.year for member in group if member.year]
    return replace(
        first,
        authors=max((member.authors for member in group), key=len),
        year=min(years, default=None),
        venue="; ".join(dict.fromkeys(member.venue for member in group if member.venue)) or None,
        arxiv_id=next((member.arxiv_id for member in group if member.arxiv_id), None),
        doi=next((member.doi for member in group if member.doi), None),
        s2_paper_id=next((member.s2_paper_id for member in group if member.s2_paper_id), None),
        paper_id=next((member.paper_id for member in group if member.paper_id), None),
        identifiers=tuple(sorted(set().union(*map(all_identifiers, group)))),
    )

"""The first stage: mentions whose own identifier leads to a paper. Pure but for what it is given to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from sources.bibliography.identifiers import Identifier, rank
from sources.errors import SourceError
from sources.matching.candidates import Candidate, Known, Mirror, PaperSource, candidate_of
from sources.matching.judge import is_disputed, judge_identified
from sources.matching.resolution import Open, Resolution, Stage, is_barred, resolution_of
from sources.records import Finding, Mention

_NAMES = {"arxiv": "arXiv", "s2": "Semantic Scholar"}


def by_identifier(
    items: Sequence[Open],
    *,
    known: Known | None = None,
    mirror: Mirror | None = None,
    sources: Sequence[PaperSource] = (),
    by_title_too: bool = False,
) -> Stage:
    """Settles the mentions whose own identifier leads to a paper: in the lake, the mirror, or at a service.

    Args:
        items: The open mentions.
        known: The papers that the lake knows.
        mirror: The local mirror.
        sources: Services that give papers by identifier.
        by_title_too: Whether a mention whose title may be another paper's stays open, with the paper that its
            identifier leads to as `linked`, so that the stages to come look its title up.
    """
    resolved: list[Resolution] = []
    left = list(items)
    lookups: list[Callable[[list[Open]], list[Open | Resolution]]] = []
    if known is not None:
        lookups.append(lambda open_items: _identified(open_items, known.by_identifiers(_own(open_items))))
    if mirror is not None:
        lookups.append(lambda open_items: _identified(open_items, _mirrored(open_items, mirror)))
    lookups += [lambda open_items, source=source: _fetched(open_items, source) for source in sources]  # type: ignore[misc]
    for look_up in lookups:
        outcome = look_up(left)
        resolved += [each for each in outcome if isinstance(each, Resolution)]
        left = [each for each in outcome if isinstance(each, Open)]
    if not by_title_too:
        return Stage(resolved=tuple(resolved), still_open=tuple(left))
    first = {item.position: item for item in items}
    disputed = {
        each.position: replace(first[each.position], linked=each.chosen, method="identifier")
        for each in resolved
        if each.chosen and is_disputed(each.mention, each.chosen)
    }
    return Stage(
        resolved=tuple(each for each in resolved if each.position not in disputed),
        still_open=tuple(sorted((*left, *disputed.values()), key=lambda item: item.position)),
    )


def _own(items: Iterable[Open]) -> set[Identifier]:
    return {identifier for item in items for identifier in item.mention.identifiers}


def _preferred(mention: Mention) -> list[Identifier]:
    return sorted(mention.identifiers, key=rank)


def _mirrored(items: Iterable[Open], mirror: Mirror) -> dict[Identifier, Candidate]:
    found = mirror.by_identifiers(_own(items))
    return {identifier: candidate_of(paper, "mirror") for identifier, paper in found.items()}


def _identified(items: Iterable[Open], found: Mapping[Identifier, Candidate]) -> list[Open | Resolution]:
    return [_taken(item, found) or item for item in items]


def _taken(item: Open, found: Mapping[Identifier, Candidate]) -> Resolution | None:
    for identifier in _preferred(item.mention):
        if identifier in found and not is_barred(item, found[identifier]):
            return resolution_of(item, judge_identified(item.mention, found[identifier]), "identifier")
    return None


def _fetched(items: list[Open], source: PaperSource) -> list[Open | Resolution]:
    wanted = sorted(identifier for identifier in _own(items) if identifier.scheme in source.schemes)
    if not wanted:
        return [*items]
    answer = source.fetch_papers(wanted)
    found = {identifier: candidate_of(paper, source.name) for identifier, paper in answer.found.items()}
    return [_taken(item, found) or _unfound(item, answer.not_found, answer.failed, source) for item in items]


def _unfound(
    item: Open, not_found: frozenset[Identifier], failed: Mapping[Identifier, SourceError], source: PaperSource
) -> Open:
    own = set(item.mention.identifiers)
    dead = frozenset(identifier for identifier in own & not_found if identifier.scheme == source.name)
    findings = tuple(
        Finding(
            code="identifier-unknown",
            message=f"{_NAMES.get(source.name, source.name)} has no paper {identifier.value}",
            value=str(identifier),
        )
        for identifier in sorted(dead)
    )
    errors = tuple(failed[identifier] for identifier in sorted(own & failed.keys()))
    return replace(
        item,
        verdict=None,
        dead=item.dead | dead,
        unknown=item.unknown | (own & not_found),
        was_searched=item.was_searched or not own.isdisjoint(not_found | failed.keys()),
        unasked=item.unasked or bool(errors),
        errors=item.errors + errors,
        findings=item.findings + findings,
    )

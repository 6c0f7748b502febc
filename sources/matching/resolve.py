"""Resolution at least cost: each stage takes what is still open, settles what it can, and hands on the rest.

The order is that of what asking costs: the mention's own identifier, the papers the lake knows, the local mirror, a
batched title search at one service and then, for what that left open, at the next, and one request a title for the
last. Candidates are kept from stage to stage, and each verdict is given over all of them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sources.errors import SourceError
from sources.identifiers import Identifier
from sources.matching.candidates import Candidate, candidate_of
from sources.matching.judge import Verdict, judge, judge_identified
from sources.matching.protocols import BestMatchSource, Known, Mirror, PaperSource, TitleSource
from sources.matching.queries import search_titles_for
from sources.matching.shelf import Shelf
from sources.matching.titles import title_key, title_keys
from sources.records import Finding, Mention, Status

Method = Literal["identifier", "known", "mirror", "title-search", "best-match", "none"]

_PREFERENCE = ("arxiv", "doi", "acl", "s2", "corpus", "pmid", "pmcid", "openreview", "mag", "dblp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What became of a mention.

    Attributes:
        position: The mention's place among those given.
        mention: The mention.
        status: `resolved`, `ambiguous`, `not_found` (everyone asked answered, none has it) or `failed` (somebody who
            had to be asked could not be).
        chosen: The paper; None unless resolved.
        method: The stage that settled it; `none` where none did.
        verdict: The evidence; None where there was none to weigh.
        error: Why it failed; None unless failed.
        findings: What the list's owner would want to know.
    """

    position: int
    mention: Mention
    status: Status
    chosen: Candidate | None
    method: Method
    verdict: Verdict | None
    error: SourceError | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A mention that is not settled yet.

    Attributes:
        position: The mention's place among those given.
        mention: The mention.
        candidates: What the stages so far have found.
        dead: Identifiers of its own that their owner does not have; they prove nothing.
        method: The last stage whose candidates would have settled it, were no other source left to ask.
        unasked: Whether its own identifier could not be asked; then only a paper that has it can be accepted.
        errors: Why sources could not be asked about it.
        findings: What the list's owner would want to know.
    """

    position: int
    mention: Mention
    candidates: tuple[Candidate, ...] = ()
    dead: frozenset[Identifier] = frozenset()
    method: Method = "none"
    unasked: bool = False
    errors: tuple[SourceError, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a stage settled, and what it left."""

    resolved: tuple[Resolution, ...] = ()
    still_open: tuple[Open, ...] = ()


def open_mentions(mentions: Iterable[Mention]) -> tuple[Open, ...]:
    """Returns the mentions as open ones, numbered in the order given."""
    return tuple(Open(position=position, mention=mention) for position, mention in enumerate(mentions))


def batches(items: Sequence[Open], size: int) -> Iterator[tuple[Open, ...]]:
    """Yields `items` in batches of about `size`; mentions of one title are never parted, so none is asked for twice."""
    by_key: dict[str, list[Open]] = {}
    for item in items:
        by_key.setdefault(title_key(item.mention.title or item.mention.name or ""), []).append(item)
    batch: list[Open] = []
    for group in by_key.values():
        if batch and len(batch) + len(group) > size:
            yield tuple(batch)
            batch = []
        batch += group
    if batch:
        yield tuple(batch)


def by_identifier(
    items: Sequence[Open],
    *,
    known: Known | None = None,
    mirror: Mirror | None = None,
    sources: Sequence[PaperSource] = (),
) -> Stage:
    """Settles the mentions whose own identifier leads to a paper: in the lake, the mirror, or at a service."""
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
    return Stage(resolved=tuple(resolved), still_open=tuple(left))


def by_known(items: Sequence[Open], known: Known) -> Stage:
    """Settles the mentions whose title is that of a paper the lake knows."""
    return _by_keys(items, known.by_title_keys(_keys(items)), "known")


def by_mirror(items: Sequence[Open], mirror: Mirror) -> Stage:
    """Settles the mentions whose title is that of a paper in the mirror."""
    found = mirror.by_title_keys(_keys(items))
    pool = {key: [candidate_of(paper, "mirror") for paper in papers] for key, papers in found.items()}
    return _by_keys(items, pool, "mirror")


def by_search(items: Sequence[Open], source: TitleSource) -> Stage:
    """Settles what a batched title search finds; each different title is asked for once."""
    wanted = {item.position: search_titles_for(item.mention) for item in items}
    titles = {title_key(title): title for each in wanted.values() for title in each}
    if not titles:
        return Stage(still_open=tuple(items))
    reply = source.search_titles(tuple(titles.values()))
    shelf = Shelf(candidate_of(paper, source.name) for paper in reply.papers)
    searched = []
    for item in items:
        asked = [titles[title_key(title)] for title in wanted[item.position]]
        searched.append(_with(item, shelf.near(item.mention), _errors_of(asked, reply.answered, reply.failed, source)))
    return _settled(searched, "title-search")


def by_best_match(items: Sequence[Open], source: BestMatchSource) -> Stage:
    """Settles what a service's single best match finds: one request for each different title that is left."""
    answers: dict[str, tuple[list[Candidate], list[SourceError]]] = {}
    matched = []
    for item in items:
        title = next(iter(search_titles_for(item.mention)), None)
        if title is None or _tied(item):
            matched.append(item)
            continue
        key = title_key(title)
        if key not in answers:
            answers[key] = _best_match(title, source)
        matched.append(_with(item, *answers[key]))
    return _settled(matched, "best-match")


def close(items: Iterable[Open]) -> tuple[Resolution, ...]:
    """Returns what becomes of the mentions that no stage settled: ambiguous, not found, or failed."""
    return tuple(_closed(item) for item in items)


def resolve(
    mentions: Iterable[Mention],
    *,
    known: Known | None = None,
    mirror: Mirror | None = None,
    papers: Sequence[PaperSource] = (),
    searches: Sequence[TitleSource] = (),
    best_match: BestMatchSource | None = None,
) -> tuple[Resolution, ...]:
    """Returns one resolution a mention, in the order given, asking no more than is left open."""
    stages: list[Callable[[Sequence[Open]], Stage]] = [
        lambda items: by_identifier(items, known=known, mirror=mirror, sources=papers)
    ]
    if known is not None:
        stages.append(lambda items: by_known(items, known))
    if mirror is not None:
        stages.append(lambda items: by_mirror(items, mirror))
    stages += [lambda items, source=source: by_search(items, source) for source in searches]  # type: ignore[misc]
    if best_match is not None:
        stages.append(lambda items: by_best_match(items, best_match))
    done: list[Resolution] = []
    left: Sequence[Open] = open_mentions(mentions)
    for stage in stages:
        outcome = stage(left)
        done += outcome.resolved
        left = outcome.still_open
    return tuple(sorted((*done, *close(left)), key=lambda resolution: resolution.position))


def _own(items: Iterable[Open]) -> set[Identifier]:
    return {identifier for item in items for identifier in item.mention.identifiers}


def _preferred(mention: Mention) -> list[Identifier]:
    return sorted(mention.identifiers, key=lambda identifier: _PREFERENCE.index(identifier.scheme))


def _mirrored(items: Iterable[Open], mirror: Mirror) -> dict[Identifier, Candidate]:
    wanted = {identifier.value for identifier in _own(items) if identifier.scheme == "arxiv"}
    found = mirror.by_arxiv_ids(wanted) if wanted else {}
    return {Identifier("arxiv", base): candidate_of(paper, "mirror") for base, paper in found.items()}


def _identified(items: Iterable[Open], found: Mapping[Identifier, Candidate]) -> list[Open | Resolution]:
    return [_taken(item, found) or item for item in items]


def _taken(item: Open, found: Mapping[Identifier, Candidate]) -> Resolution | None:
    for identifier in _preferred(item.mention):
        if identifier in found:
            return _resolution(item, judge_identified(item.mention, found[identifier]), "identifier")
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
            code="identifier-unknown", message=f"{source.name} has no paper {identifier.value}", value=str(identifier)
        )
        for identifier in sorted(dead)
    )
    errors = tuple(failed[identifier] for identifier in sorted(own & failed.keys()))
    return replace(
        item,
        dead=item.dead | dead,
        unasked=item.unasked or bool(errors),
        errors=item.errors + errors,
        findings=item.findings + findings,
    )


def _keys(items: Iterable[Open]) -> set[str]:
    return {key for item in items for key in title_keys(item.mention.title or "")}


def _by_keys(items: Sequence[Open], pool: Mapping[str, Sequence[Candidate]], method: Method) -> Stage:
    met = []
    for item in items:
        keys = title_keys(item.mention.title or "")
        met.append(_with(item, [candidate for key in keys for candidate in pool.get(key, ())]))
    return _settled(met, method, certain_only=True)


def _best_match(title: str, source: BestMatchSource) -> tuple[list[Candidate], list[SourceError]]:
    try:
        paper = source.match_title(title)
    except SourceError as error:
        return [], [error]
    return ([candidate_of(paper, source.name)] if paper else []), []


def _errors_of(
    asked: Sequence[str], answered: Iterable[str], failed: Mapping[str, SourceError], source: TitleSource
) -> list[SourceError]:
    """Returns why titles got no answer; one that is in neither part of the reply was not answered."""
    complete = set(answered)
    return [
        failed.get(title) or SourceError("the title search left the title out of its answer", source=source.name)
        for title in asked
        if title not in complete
    ]


def _tied(item: Open) -> bool:
    """Returns whether two papers are equally likely already, which no third can mend."""
    return sum(scored.decision == "accept" for scored in _judged(item).ranked) > 1


def _with(item: Open, candidates: Sequence[Candidate], errors: Sequence[SourceError] = ()) -> Open:
    merged = tuple(dict.fromkeys((*item.candidates, *candidates)))
    return replace(item, candidates=merged, errors=(*item.errors, *errors))


def _settled(items: Iterable[Open], method: Method, *, certain_only: bool = False) -> Stage:
    """Returns the items parted into those that the evidence settles and the rest.

    Args:
        items: The open mentions, with all that was found so far.
        method: The stage's name.
        certain_only: Whether to settle only what no further source could change: a title cut short may be another
            paper's whole title, which the next source has.
    """
    resolved: list[Resolution] = []
    left: list[Open] = []
    for item in items:
        verdict = _judged(item) if item.candidates else None
        settled = verdict is not None and verdict.status == "resolved" and _trusted(item, verdict)
        if verdict is not None and settled and (verdict.certain or not certain_only):
            resolved.append(_resolution(item, verdict, method))
        else:
            left.append(replace(item, method=method) if settled else item)
    return Stage(resolved=tuple(resolved), still_open=tuple(left))


def _judged(item: Open) -> Verdict:
    alive = tuple(identifier for identifier in item.mention.identifiers if identifier not in item.dead)
    return judge(replace(item.mention, identifiers=alive), item.candidates)


def _trusted(item: Open, verdict: Verdict) -> bool:
    """Returns whether a verdict may stand though the mention's own identifier could not be asked."""
    return not item.unasked or "same identifier" in verdict.reasons


def _resolution(item: Open, verdict: Verdict, method: Method) -> Resolution:
    return Resolution(
        position=item.position,
        mention=item.mention,
        status="resolved",
        chosen=verdict.chosen,
        method=method,
        verdict=verdict,
        findings=item.findings + verdict.findings,
    )


def _closed(item: Open) -> Resolution:
    verdict = _judged(item)
    if verdict.status == "resolved" and _trusted(item, verdict):
        return _resolution(item, verdict, item.method)
    return Resolution(
        position=item.position,
        mention=item.mention,
        status="failed" if item.errors else verdict.status,
        chosen=None,
        method="none",
        verdict=verdict,
        error=item.errors[0] if item.errors else None,
        findings=item.findings,
    )

"""The review queue: the mentions in the lake, with the decisions in the files beside the lists."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, TypeVar

from flows.list_names import lists_named
from flows.review.decision_files import DecisionFiles
from flows.review.decisions import MentionKey, assign, identifiers_of_row
from sources.bibliography.identifiers import normal_identifier
from sources.errors import UsageError
from sources.text import counted
from warehouse.lake.session import open_lake
from warehouse.tables.rows import CandidateRow, FindingRow, MentionRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.review.decisions import Decision
    from warehouse.lake.place import LakePlace

_OfMention = TypeVar("_OfMention", CandidateRow, FindingRow)

SHORTEST = 6
"""The fewest characters of a mention's identifier that a person must type."""

_MENTIONS = """
SELECT m.*, l.location, p.title AS paper_title, p.authors AS paper_authors, p.year AS paper_year,
    p.arxiv_id AS paper_arxiv_id, p.doi AS paper_doi, p.s2_paper_id AS paper_s2_paper_id
FROM mentions AS m
JOIN reading_lists AS l ON l.list_id = m.list_id
LEFT JOIN papers AS p ON p.paper_id = m.paper_id
WHERE m.removed_at IS NULL
ORDER BY l.location, m.line, m.mention_id
"""


class ReviewRow(MentionRow):
    """A row of `mentions`, with the `location` of its list and what the lake knows of its paper: `paper_*`."""

    location: str
    paper_title: str | None
    paper_authors: list[str] | None
    paper_year: int | None
    paper_arxiv_id: str | None
    paper_doi: str | None
    paper_s2_paper_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A mention in a list, with everything that a person needs to judge it.

    Attributes:
        row: Its row of `mentions`, the list's `location`, and `paper_*` of the paper behind it.
        handle: The shortest unique beginning of its identifier.
        candidates: Rows of `candidates`, best first.
        findings: Rows of `findings`.
        decision: The decision in the file now.
        index: Its position among the mentions of its list.
    """

    row: ReviewRow
    handle: str
    candidates: tuple[CandidateRow, ...]
    findings: tuple[FindingRow, ...]
    decision: Decision | None
    index: int

    @property
    def ruling(self) -> str | None:
        """Returns the decision in words, None where there is none."""
        return self.decision.ruling if self.decision else None

    @property
    def is_pending(self) -> bool:
        """Returns whether the next refresh resolves it again, because file and lake differ about its decision."""
        return self.ruling != self.row.get("decision")

    def is_rejected(self, candidate: CandidateRow) -> bool:
        """Returns whether a person has decided that it is not this candidate."""
        refused = self.decision.refused if self.decision else ()
        return not identifiers_of_row(candidate).isdisjoint(map(normal_identifier, refused))

    @property
    def choices(self) -> tuple[CandidateRow, ...]:
        """Returns the candidates, those that a person has rejected last."""
        return tuple(sorted(self.candidates, key=self.is_rejected))

    @property
    def needs_a_person(self) -> bool:
        """Returns whether it is undecided, and unresolved or resolved although its link and title disagree."""
        if self.is_pending or self.ruling == "no paper":
            return False
        if self.row["status"] == "resolved":
            return self.ruling is None and any(finding["code"] == "link-title-disagree" for finding in self.findings)
        return self.row["status"] in ("ambiguous", "not_found")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueue:
    """All mentions in the lake's lists, and the decisions that are about none of them.

    Attributes:
        mentions: By list and line.
        mention_keys: Location of a list -> the keys of its mentions, in order.
        idle: Decisions about mentions that are in no list.
    """

    mentions: tuple[Reviewed, ...]
    mention_keys: dict[str, list[MentionKey]]
    idle: tuple[Decision, ...]

    def of_lists(self, lists: Sequence[str]) -> list[Reviewed]:
        """Returns the mentions of the lists named, of all lists where none is named.

        Raises:
            UsageError: The lake knows no such list.
        """
        wanted = {location for name in lists for location in lists_named(name, self.mention_keys)}
        return [mention for mention in self.mentions if not lists or mention.row["location"] in wanted]

    def find(self, reference: str) -> Reviewed:
        """Returns the mention that `reference` names: the beginning of its identifier, or list:line.

        Raises:
            UsageError: It names no mention, or several.
        """
        name, _, line = reference.rpartition(":")
        if name and line.isdecimal() and len(line) < 10:
            places = set(lists_named(name, self.mention_keys))
            found = [
                mention
                for mention in self.mentions
                if mention.row["location"] in places and mention.row["line"] == int(line)
            ]
            return _only(found, reference, "no mention is on that line, as the lake knows the list;")
        if len(reference) < SHORTEST:
            raise UsageError(f"{reference!r} is too short for a mention: at least {SHORTEST} characters, or list:line")
        found = [item for item in self.mentions if item.row["mention_id"].startswith(reference)]
        return _only(found, reference, "no mention in a list has such an identifier;")


def read_queue(place: LakePlace) -> ReviewQueue:
    """Returns the mentions in the lake with their decisions; uses no network.

    Raises:
        UsageError: There is no lake, or a decisions file is broken.
        WarehouseError: The lake cannot be read.
    """
    connection = open_lake(place)
    try:
        mentions: list[ReviewRow] = connection.execute(_MENTIONS).to_arrow_table().to_pylist()
        candidates: list[CandidateRow] = (
            connection.execute('FROM candidates ORDER BY "rank"').to_arrow_table().to_pylist()
        )
        findings: list[FindingRow] = connection.execute("FROM findings ORDER BY ordinal").to_arrow_table().to_pylist()
    finally:
        connection.close()
    handles = _handles([row["mention_id"] for row in mentions])
    mention_keys: defaultdict[str, list[MentionKey]] = defaultdict(list)
    for row in mentions:
        mention_keys[row["location"]].append(_spot(row))
    decided, idle = _decided(mention_keys, DecisionFiles(place.folder))
    weighed, found = _by_mention(candidates), _by_mention(findings)
    count: Counter[str] = Counter()
    waiting = []
    for row in mentions:
        index = count[row["location"]]
        count[row["location"]] += 1
        waiting.append(
            Reviewed(
                row=row,
                handle=handles[row["mention_id"]],
                candidates=tuple(weighed[row["mention_id"]]),
                findings=tuple(found[row["mention_id"]]),
                decision=decided[row["location"]].get(index),
                index=index,
            )
        )
    return ReviewQueue(mentions=tuple(waiting), mention_keys=dict(mention_keys), idle=tuple(idle))


def _decided(
    mention_keys: dict[str, list[MentionKey]], files: DecisionFiles
) -> tuple[dict[str, dict[int, Decision]], list[Decision]]:
    decided: dict[str, dict[int, Decision]] = {}
    busy: set[str] = set()
    for location, here in mention_keys.items():
        decisions = files.of(location)
        decided[location], idle = assign(decisions, here)
        busy |= {decision.where for decision in decisions if decision not in idle}
    every = [item for read in files.read.values() for item in read]
    return decided, [item for item in every if item.where not in busy]


def _spot(row: ReviewRow) -> MentionKey:
    return MentionKey(title=row["title"], url=row["url"], text=row["text"], section=tuple(row["section"]))


def _by_mention(rows: Sequence[_OfMention]) -> defaultdict[str, list[_OfMention]]:
    found: defaultdict[str, list[_OfMention]] = defaultdict(list)
    for row in rows:
        found[row["mention_id"]].append(row)
    return found


def _handles(ids: Sequence[str]) -> dict[str, str]:
    """Returns identifier -> its shortest unique beginning."""
    ordered = ["", *sorted(ids), ""]
    shared = [sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(*pair))) for pair in pairwise(ordered)]  # noqa: B905
    return {
        item: item[: max(SHORTEST, before + 1, after + 1)]
        for item, before, after in zip(ordered[1:-1], shared, shared[1:], strict=False)
    }


def _only(found: Sequence[Reviewed], reference: str, none: str) -> Reviewed:
    if not found:
        raise UsageError(f"{reference}: {none} `paperlake review` shows those that need a person")
    if len(found) > 1:
        several = ", ".join(
            f"{item.handle} ({item.row['title'] or item.row['url'] or 'untitled'})" for item in found[:5]
        )
        raise UsageError(f"{reference} names {counted(len(found), 'mention')}: say which, {several}")
    return found[0]

"""Finds the paper behind every mention that has none yet, and writes the verdict into its row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import cast

from flows.refresh.harvest import CheckedSource
from flows.refresh.mention_history import is_due, is_open
from flows.refresh.mirror_answers import PossibleTitles, barred, questions
from flows.refresh.revisions import MentionState
from flows.refresh.run_rows import (
    NO_PAPER,
    RunParts,
    candidate_rows,
    decided,
    failed_alike,
    finding_rows,
    with_chosen,
)
from flows.refresh.services import WorksAsPapers
from sources.bibliography.identifiers import Identifier
from sources.errors import DisputedRecord, SourceError
from sources.matching.candidates import Candidate
from sources.matching.evidence import is_nickname
from sources.matching.lookup import Known, Open, PaperSource, Resolution, by_identifier, open_mentions
from sources.matching.resolve import reconsider, resolve
from sources.records import DblpPaper, PaperRecord, SourceName
from sources.services.agreement import Description, described_by_mention, shared_doi
from warehouse.mirrors import Mirrors
from warehouse.papers.lake_papers import candidate_from, without_its_doi
from warehouse.papers.paper_merge import KnownByNow
from warehouse.tables.declarations import CandidateRow, MentionColumns, MentionRow


class Resolver:
    """Finds papers for the open mentions of one run, and adds them to the papers of the run."""

    def __init__(self, run: RunParts) -> None:
        self._known, self._papers, self._mirrors, self._now = run.known, run.papers, run.mirrors, run.now
        self._max_age = run.settings.max_age  # a mention that was not found waits so long before it is asked about
        self._arxiv, self._s2 = run.services.arxiv, run.services.s2
        openalex = run.services.openalex
        self._openalex = openalex if openalex.sends else None
        self._services = run.services if self._openalex else run.services[:2]
        self._stored_candidates: dict[str, list[CandidateRow]] = {}
        self._before: dict[str, MentionRow] = {}
        self._possible = PossibleTitles(())

    def settle(self, entries: Sequence[MentionState], possible: Iterable[MentionState] = ()) -> None:
        """Gives every open entry a verdict; one that is not due is looked up in the lake and the mirrors only.

        A person's decision comes first and is final. Of the `possible` titles, those that are the whole title of
        exactly one paper get a verdict too. The services are asked about mentions alone.
        """
        self._possible = PossibleTitles(entry for entry in possible if is_open(entry.row))
        self._possible.look_up(self._known, self._mirrors)
        self._stored_candidates = self._known.candidates(entry.row["mention_id"] for entry in entries if entry.decision)
        self._rule([entry for entry in entries if is_open(entry.row) and entry.is_ruled])
        self._weigh([entry for entry in entries if is_open(entry.row) and not entry.is_ruled])
        self._settle_possible()

    def look_again(self, entries: Iterable[MentionState]) -> None:
        """Compares what is open also with the papers of this run's `entries`, as the next run would."""
        entries = list(entries)
        known = KnownByNow(self._known, self._papers, [entry.row for entry in entries])
        self._possible.note(known.named.values())
        self._settle_possible()
        self._reconsider([entry for entry in entries if is_open(entry.row) and not entry.is_ruled], known)

    def _settle_possible(self) -> None:
        entries = self._possible.entries
        settled = self._possible.settled(barred(entries))
        self._read_owners(settled)
        for resolution in settled:
            if is_open(entries[resolution.position].row):
                self._write(entries[resolution.position], resolution)

    def _weigh(self, open_entries: Sequence[MentionState]) -> None:
        due, waiting = self._split_by_due(open_entries)
        cited = self._known.cited_in({entry.row["list_id"] for entry in due if is_nickname(entry.mention)})
        asking = [entry.mention for entry in due]
        searches, best_match = questions(asking, self._mirrors, arxiv=self._arxiv, s2=self._s2)
        by_lists: dict[Identifier, list[Description]] = {}  # records are compared with it
        for entry in due:
            for identifier in entry.mention.identifiers:
                by_lists.setdefault(identifier, []).append(described_by_mention(entry.mention))
        failed = [entry.row for entry in due if entry.row["status"] == "failed"]
        before = {row["reason"] for row in failed if row["reason"] is not None}
        resolved = resolve(
            asking,
            known=self._known,
            cited={position: cited.get(entry.row["list_id"], ()) for position, entry in enumerate(due)},
            mirror=self._mirrors,
            papers=(
                CheckedSource(self._arxiv, self._s2, by_lists, before),
                CheckedSource(self._s2, self._arxiv, by_lists, before),
            ),
            standby=WorksAsPapers(self._openalex) if self._openalex else None,
            searches=searches,
            pieces=best_match,
            best_match=best_match,
            last=self._openalex,
            barred=barred(due),
        )
        self._read_owners(resolved)
        for resolution in sorted(resolved, key=lambda item: item.method != "identifier"):
            self._write(due[resolution.position], resolution)
        self._reconsider(waiting, self._known, self._mirrors)

    def _reconsider(self, entries: Sequence[MentionState], known: Known, mirror: Mirrors | None = None) -> None:
        """Gives a paper to those open entries that the lake or the mirrors settle, beside the candidates of earlier.

        What was not found is ambiguous where they have a paper that may be it, as if it were asked about after that.
        """
        stored = self._known.candidates(entry.row["mention_id"] for entry in entries if entry.candidates is None)
        items = []
        for item, entry in zip(
            open_mentions((each.mention for each in entries), barred(entries)), entries, strict=True
        ):
            rows = stored.get(entry.row["mention_id"], []) if entry.candidates is None else entry.candidates
            before = tuple(candidate_from(row, cast("SourceName", row["source"]), doi=row["doi"]) for row in rows)
            unasked = entry.row["status"] == "failed" and bool(entry.mention.identifiers)
            items.append(replace(item, candidates=before, unasked=unasked))
        resolved = reconsider(items, known=known, mirror=mirror)
        self._read_owners(resolved)
        for resolution in resolved:
            row = entries[resolution.position].row
            asked_at, tries = row["asked_at"], row["tries"]
            if resolution.status == "resolved" or row["status"] == "not_found":
                self._write(entries[resolution.position], resolution)
            if resolution.status == "ambiguous":
                row |= {"asked_at": asked_at, "tries": tries}

    def failed_before(self, entries: Iterable[MentionState]) -> dict[str, set[str]]:
        """Returns paper -> why its mentions failed in the last run, for mentions that this run has resolved."""
        reasons: dict[str, set[str]] = {}
        for entry in entries:
            paper_id, before = entry.row["paper_id"], self._before.get(entry.row["mention_id"])
            if paper_id is not None and before is not None and before["status"] == "failed" and before["reason"]:
                reasons.setdefault(paper_id, set()).add(before["reason"])
        return reasons

    def fail_withdrawn(self, entries: Iterable[MentionState], withdrawn: Mapping[str, SourceError]) -> None:
        """Gives the mentions of withdrawn papers the verdict `failed`."""
        for entry in entries:
            paper_id = entry.row["paper_id"]
            if paper_id is not None and paper_id in withdrawn:
                self._fail(entry, withdrawn[paper_id])

    def _fail(self, entry: MentionState, error: SourceError) -> None:
        before = self._before.get(entry.row["mention_id"], entry.row)
        if failed_alike(before, error):
            entry.row |= before  # the same failure again changes nothing
            return
        entry.row |= {"status": "failed", "paper_id": None, "method": None, "score": None, "reason": str(error)}
        entry.row |= {"asked_at": self._now, "tries": before["tries"]}
        entry.findings = finding_rows(entry.row["mention_id"], entry.mention.findings)

    def _rule(self, entries: Sequence[MentionState]) -> None:
        """Writes the results of the decisions on `entries`, except for entries that do not change.

        The papers that decisions name are looked for in the lake and the mirrors, then, where that is due, at the
        services.
        """
        services: list[PaperSource] = [self._arxiv, self._s2]
        services += [WorksAsPapers(self._openalex)] if self._openalex else []
        for group, is_asked in zip(self._split_by_due(entries), (True, False), strict=True):
            papers: list[tuple[MentionState, Identifier]] = []
            for entry in group:
                if entry.decision is None or entry.decision.paper is None:
                    self._write_ruling(entry, decided("not_found", NO_PAPER))
                else:
                    papers.append((entry, entry.decision.paper))
            opened = [
                Open(position=position, mention=replace(entry.mention, identifiers=(paper,)))
                for position, (entry, paper) in enumerate(papers)
            ]
            sources = services if is_asked else ()
            stage = by_identifier(opened, known=self._known, mirror=self._mirrors, sources=sources)
            for resolution in stage.resolved:
                entry, paper = papers[resolution.position]
                columns = decided("resolved", f"a person decided that it is {paper}")
                self._write_ruling(entry, columns | {"asked_at": self._now}, resolution.chosen)
            for item in stage.still_open if is_asked else ():
                entry, paper = papers[item.position]
                reason, tries = f"a person decided that it is {paper}", entry.row["tries"]
                if item.errors:
                    columns = decided("failed", f"{reason}, which could not be asked for: {item.errors[0]}")
                    columns |= {"asked_at": self._now, "tries": tries, "method": None}
                else:
                    columns = decided("not_found", f"{reason}, which no source has")
                    columns |= {"asked_at": self._now, "tries": tries + 1}
                if entry.row["status"] != "failed" or entry.row["reason"] != columns["reason"]:
                    self._write_ruling(entry, columns)

    def _write_ruling(self, entry: MentionState, columns: MentionColumns, chosen: Candidate | None = None) -> None:
        mention_id = entry.row["mention_id"]
        with self._failing_if_disputed(entry):
            entry.row |= columns | {"paper_id": self._enter(chosen)}
            entry.candidates = with_chosen(mention_id, chosen, self._stored_candidates.get(mention_id, []))
            entry.findings = finding_rows(mention_id, entry.mention.findings)

    @contextmanager
    def _failing_if_disputed(self, entry: MentionState) -> Iterator[None]:
        """Makes the mention fail where the record that it is to be given is disputed."""
        self._before[entry.row["mention_id"]] = entry.row.copy()
        try:
            yield
        except DisputedRecord as error:
            for service in (service for service in self._services if service.name == error.source):
                service.blame(error)
            self._fail(entry, error)

    def _split_by_due(self, entries: Iterable[MentionState]) -> tuple[list[MentionState], list[MentionState]]:
        due: list[MentionState] = []
        waiting: list[MentionState] = []
        for entry in entries:
            (due if is_due(entry.row, max_age=self._max_age, now=self._now) else waiting).append(entry)
        return due, waiting

    def _read_owners(self, resolutions: Sequence[Resolution]) -> None:
        """Reads all chosen papers from the lake in a few queries, instead of one for each paper."""
        chosen = [resolution.chosen for resolution in resolutions if resolution.chosen is not None]
        self._papers.read(
            records=[item.record for item in chosen if item.record is not None],
            identifiers=[identifier for item in chosen for identifier in item.identifiers],
            paper_ids=[item.paper_id for item in chosen if item.record is None and item.paper_id is not None],
        )

    def _write(self, entry: MentionState, resolution: Resolution) -> None:
        verdict = resolution.verdict
        reason = str(resolution.error) if resolution.error else "; ".join(verdict.reasons if verdict else ()) or None
        if resolution.status == "failed" == entry.row["status"] and entry.row["reason"] == reason:
            return  # the same failure again changes nothing
        mention_id, is_resolved = entry.row["mention_id"], resolution.status == "resolved"
        with self._failing_if_disputed(entry):
            paper_id = self._enter(resolution.chosen, titled=None if resolution.method == "identifier" else entry.row)
            entry.row |= {
                "status": resolution.status,
                "paper_id": paper_id,
                "method": resolution.method if is_resolved else None,
                "score": verdict.score if verdict and is_resolved else None,
                "reason": reason,
                "asked_at": self._now,
                "tries": entry.row["tries"] + (resolution.status in ("ambiguous", "not_found")),
            }
            refused = entry.decision.refused if entry.decision else ()
            stored = self._stored_candidates.get(mention_id, [])
            entry.candidates = candidate_rows(mention_id, resolution, stored, refused)
            entry.findings = finding_rows(mention_id, (*entry.mention.findings, *resolution.findings))

    def _enter(self, chosen: Candidate | None, *, titled: MentionRow | None = None) -> str | None:
        """Returns the paper chosen, added to the papers of the run if the lake does not have it.

        A record that a title led to is accepted although it disagrees if the same dispute made the mention, with the
        row `titled`, fail in the last run; where it still disagrees with the paper that has its DOI, it is added
        without the DOI.

        Raises:
            DisputedRecord: Its record disagrees with what is known of the paper with its identifiers.
        """
        if chosen is None:
            return None
        if chosen.record is None:
            assert chosen.paper_id is not None, "what has no record is a paper of the lake"  # noqa: S101
            self._papers.read(paper_ids=[chosen.paper_id])
            return self._papers.current(chosen.paper_id)
        fetched_at = self._received_at(chosen.record)
        add = partial(self._papers.add, chosen.record, fetched_at=fetched_at, also=chosen.identifiers)
        if titled is None:
            return add()
        try:
            if (shared := shared_doi(chosen.record)) is not None and not failed_alike(titled, shared):
                raise shared
            return add(by_title=True)
        except DisputedRecord as error:
            if not failed_alike(titled, error):
                raise
        with suppress(DisputedRecord):
            return add()
        return self._enter(without_its_doi(chosen))

    def _received_at(self, record: PaperRecord) -> datetime:
        for service in self._services:
            if not isinstance(record, DblpPaper) and service.has_sent(record):
                return service.fetched_at(record)
        read_at = self._mirrors.told_at(record.SOURCE)
        assert read_at is not None, "a record that no service sent comes from a mirror"  # noqa: S101
        return read_at

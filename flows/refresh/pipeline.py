"""A refresh from lists to a committed snapshot, in plain functions; `flows.prefect.flow` makes a flow of it."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, nullcontext
from datetime import UTC, datetime
from functools import partial
from typing import Any

from duckdb import DuckDBPyConnection

from flows.progress import TITLES_STAGE, Reporter, Stopwatch
from flows.refresh.harvest import Harvester
from flows.refresh.mirror_answers import harvest_mirrors
from flows.refresh.openalex_harvest import GraphHarvester, WorkHarvester
from flows.refresh.reading import Reading, store_parsed
from flows.refresh.resolve import Resolver
from flows.refresh.revisions import Revisions, announce, compare
from flows.refresh.run_rows import HarvestRows, RunParts, reply_row, with_origin
from flows.refresh.services import (
    MakeClient,
    MakePace,
    RunBatch,
    connected_client,
    folder_pace,
    services_of,
)
from flows.refresh.summary import RunSummary, with_dashboard
from flows.settings import Settings
from sources.records import Mention
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load
from warehouse.loading.reply_spool import ReplySpool
from warehouse.maintenance.lake_check import check_written
from warehouse.mirrors import Mirrors
from warehouse.papers.citation_graph import CitationGraph
from warehouse.papers.citation_keys import give_keys
from warehouse.papers.lake_papers import KnownPapers
from warehouse.papers.paper_merge import RunPapers
from warehouse.papers.published_versions import version_rows
from warehouse.papers.retractions import Retractions, find_retractions
from warehouse.tables.declarations import PublishedVersionRow


def refresh_lake(
    reading: Reading,
    settings: Settings,
    *,
    run_batch: RunBatch,
    report: Reporter,
    clock: Stopwatch,
    make_pace: MakePace = folder_pace,
    force: bool = False,
    into: DuckDBPyConnection | None = None,
) -> RunSummary:
    """Resolves, harvests and loads the lists read, publishes the dashboard, and returns what was done.

    Replies are stored as soon as they arrive; everything else is committed at the end, at once or not at all.

    In a flow, `run_batch` runs one batch of requests as a task. `clock` may have earlier stages. With `force` a run is
    committed also if it removes much from the lake. `into` is a lake in memory, written instead of the settings' lake.

    Raises:
        WarehouseError: The lake cannot be written, or a check refused the run.
    """
    now, place = datetime.now(UTC), settings.place
    with (
        nullcontext(into) if into is not None else writing(place, on_wait=report.say) as connection,
        closing(
            Run(
                connection,
                settings,
                ReplySpool(place.folder / "replies", settings.max_age),
                now=now,
                make_client=lambda source, replies: connected_client(source, settings, replies, make_pace),
                run_batch=run_batch,
                report=report,
            )
        ) as run,
    ):
        with clock.stage("compare"):
            revisions = compare(reading, run.parts.known, now=now, force=force)
        announce(revisions, place, report)
        with clock.stage("resolve"):
            run.resolver.settle(revisions.entries, revisions.possible)
        with clock.stage("harvest"):
            named = revisions.settled(now=now)
            run.harvest(named)
            run.resolver.look_again(named.entries)
            run.harvest_works(named)
            revisions = revisions.settled(now=now)
        with clock.stage("load"):
            written = report.stage("Writing the lake", 1)
            summary = run.commit(revisions, clock.seconds, force=force)
            if into is None:
                store_parsed(reading, place)
            written(1)
    if settings.dashboard is not None:
        with clock.stage("publish"):
            summary = with_dashboard(summary, settings, settings.dashboard)
    return summary.model_copy(update={"seconds": dict(clock.seconds)})


class Run:
    """One run: its parts, and what it does with the lists; for the arguments see `refresh_lake`."""

    def __init__(
        self,
        connection: DuckDBPyConnection,
        settings: Settings,
        spool: ReplySpool,
        *,
        now: datetime,
        make_client: MakeClient,
        run_batch: RunBatch,
        report: Reporter,
    ) -> None:
        self._connection, self._spool = connection, spool
        known = KnownPapers(connection)
        mirrors = Mirrors(settings.place.mirror_folder, progress=partial(report.stage, TITLES_STAGE, unit="titles"))
        parts = self.parts = RunParts(
            settings=settings,
            now=now,
            known=known,
            papers=RunPapers(known, now=now),
            notes=HarvestRows(now),
            mirrors=mirrors,
            services=services_of(settings, make_client, mirrors, replies=spool, run_batch=run_batch, report=report),
        )
        self._graph_rows: dict[str, Any] = {}
        self.resolver, self.harvester, self.works = Resolver(parts), Harvester(parts), WorkHarvester(parts)

    def harvest(self, revisions: Revisions) -> None:
        """Looks up the lists' papers in the mirrors, then asks the services, unless the run is offline."""
        papers = revisions.paper_ids
        harvest_mirrors(papers, self.parts)
        if not self.parts.settings.offline:
            mentions: dict[str, list[Mention]] = {}
            for entry in revisions.entries:
                if (paper_id := entry.row["paper_id"]) is not None:
                    mentions.setdefault(paper_id, []).append(entry.mention)
            failed_before = self.resolver.failed_before(revisions.entries)
            self.harvester.harvest(papers, mentions, failed_before)
            self.resolver.fail_withdrawn(revisions.entries, self.harvester.withdrawn)

    def harvest_works(self, revisions: Revisions) -> None:
        """Asks OpenAlex about the lists' papers and about the works around them, where it is to be asked."""
        openalex = self.parts.services.openalex
        if openalex.answers:
            self.works.harvest(revisions.paper_ids)
            graph = self.graph(revisions)
            GraphHarvester(graph, most_requests=self.parts.settings.graph_requests).harvest(openalex)
            self._graph_rows = {table: list(rows.values()) for table, rows in graph.rows.items()}

    def graph(self, revisions: Revisions) -> CitationGraph:
        """Returns the citation graph of the lists' papers, as far as it is known."""
        listed = [(entry.row["list_id"], entry.row["paper_id"]) for entry in revisions.entries]
        told_at = self.parts.services.openalex.told_at
        return CitationGraph(
            self._connection, listed=listed, works=self.works.rows, now=self.parts.now, told_at=told_at
        )

    def close(self) -> None:
        """Closes the services and the mirrors."""
        for service in self.parts.services:
            service.close()
        self.parts.mirrors.close()

    def commit(self, revisions: Revisions, seconds: dict[str, float], *, force: bool) -> RunSummary:
        """Writes everything as one snapshot and returns the summary."""
        run = self.parts
        for entry in revisions.entries:
            if (paper_id := entry.row["paper_id"]) is not None:
                entry.row["paper_id"] = run.papers.current(paper_id)
        retractions = find_retractions(
            {entry.row["mention_id"]: entry.row["paper_id"] for entry in revisions.entries},
            {entry.row["mention_id"]: entry.findings for entry in revisions.entries if entry.candidates is not None},
            run_papers=run.papers,
            known=run.known,
            mirror=run.mirrors.retractions,
            now=run.now,
            works=self.works.rows.openalex_works,
        )
        absent = run.notes.absent("dblp") if run.mirrors.dblp.whole_release else ()
        versions = version_rows(run.papers, known=run.known, now=run.now, absent=absent, works=self.works.works)
        summary = self._summary(revisions, seconds, news=len(retractions.rows) + len(versions))
        files = self._spool.files()
        rows = self._rows(revisions, retractions, versions)
        snapshot = load(self._connection, rows, summary.row(datetime.now(UTC)), force=force)
        self._spool.drop(files)
        faults = tuple(str(fault) for fault in check_written(self._connection, snapshot))
        status = "completed_with_failures" if faults else summary.status
        changes = {"snapshot_id": snapshot, "status": status, "problems": (*summary.problems, *faults)}
        standing = [entry.row["mention_id"] for entry in revisions.entries]
        return summary.model_copy(update=changes | {"findings": run.known.finding_counts(standing)})

    def _rows(self, revisions: Revisions, retractions: Retractions, versions: Sequence[PublishedVersionRow]) -> Harvest:
        run, entries = self.parts, revisions.entries
        weighed = [entry for entry in entries if entry.candidates is not None]
        origin = partial(with_origin, papers=run.papers.rows, arxiv=run.services.arxiv, s2=run.services.s2)
        return Harvest(
            reading_lists=revisions.lists,
            mentions=revisions.changed,
            weighed=[entry.row["mention_id"] for entry in weighed],
            candidates=[row for entry in weighed for row in entry.candidates or ()],
            reviewed=retractions.reviewed,
            findings=[*(row for entry in weighed for row in entry.findings), *retractions.findings],
            retractions=retractions.rows,
            published_versions=versions,
            papers=give_keys(run.papers.paper_rows(), run.known.citation_keys),
            paper_identifiers=run.papers.identifier_rows(),
            citation_counts=[
                *(origin(row, row["observed_at"]) for row in run.papers.counts),
                *self.works.rows.counts,
            ],
            **self.works.rows.of_works,
            **self._graph_rows,
            harvests=[origin(row, row["asked_at"]) for row in run.notes.rows.values()],
            replies=[reply_row(reply) for reply in self._spool.replies()],
            merged=run.papers.merged(),
            renamed_lists=revisions.renamed,
            retired=sorted(run.papers.retired),
        )

    def _summary(self, revisions: Revisions, seconds: dict[str, float], *, news: int) -> RunSummary:
        """Returns the run's summary; `news` are facts from mirrors that no harvest counts, such as retractions."""
        run, rows = self.parts, [entry.row for entry in revisions.entries]
        statuses = Counter(row["status"] for row in rows)
        problems = [
            f"{sentence} ({count} affected)" for service in run.services for sentence, count in service.problems.items()
        ]
        problems += run.papers.parted
        dead = [f"{item.where} names {item.paper}, which no source has" for item in revisions.unfound]
        ((papers,),) = self._connection.execute("SELECT count(*) FROM papers WHERE merged_into IS NULL").fetchall()
        failed = (
            dead
            or revisions.problems
            or statuses["failed"]
            or any(service.blamed for service in run.services)
            # A paper that has failed alike before is requested rarely; `harvests` says so.
            or any(row["status"] == "failed" and not row["tries"] for row in run.notes.rows.values())
        )
        return RunSummary(
            run_id=uuid.uuid4().hex[:16],
            status="completed_with_failures" if failed else "completed",
            started_at=run.now,
            lists=revisions.read,
            mentions=len(rows),
            resolved=statuses["resolved"],
            ambiguous=statuses["ambiguous"],
            not_found=statuses["not_found"],
            failed=statuses["failed"],
            papers=papers + len(run.papers.new) - len(run.papers.merged()),
            papers_new=len(run.papers.new),
            counts_written=len(run.papers.counts) + len(self.works.rows.counts),
            harvested=len(run.notes.rows) + news,
            requests={
                service.name: service.requests_sent
                for service in run.services
                if not service.source.is_optional or service.answers
            },
            credits=run.services.openalex.credits,
            seconds=dict(seconds),
            snapshot_id=0,
            offline=run.settings.offline,
            mentions_new=sum(row["first_seen_at"] == run.now for row in rows),
            mentions_removed=sum(row["removed_at"] == run.now for row in revisions.gone),
            methods=dict(Counter(row["method"] or "" for row in rows if row["status"] == "resolved")),
            lines_not_read=sum(row["lines_not_read"] or 0 for row in revisions.lists if row["fault"] is None),
            problems=(*revisions.problems, *problems, *dead),
        )

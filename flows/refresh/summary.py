"""The summary of a run: its figures, and how they are printed."""

from __future__ import annotations

import html
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from flows.list_names import not_read
from sources.errors import PaperlakeError
from sources.records import Credits, SourceName
from sources.services.registry import SOURCES, Source
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from flows.settings import Settings
    from warehouse.tables.declarations import RunRow


class RunSummary(BaseModel):
    """The figures of one refresh. Always: mentions = resolved + ambiguous + not_found + failed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    status: Literal["completed", "completed_with_failures"]
    started_at: datetime
    lists: int  # lists read
    mentions: int  # mentions standing in them
    resolved: int
    ambiguous: int
    not_found: int
    failed: int
    papers: int  # papers in the lake afterwards
    papers_new: int  # papers added by this run
    counts_written: int  # citation counts observed
    requests: dict[SourceName, int]  # service -> requests sent to it; one that was not to be asked is left out
    credits: Credits = Credits()  # what the requests to OpenAlex have cost; a limit of 0 where it has not said
    seconds: dict[str, float]  # stage -> its duration in seconds
    snapshot_id: int  # the lake's snapshot that this run committed
    mentions_new: int = 0  # those of them that the lake did not know
    mentions_removed: int = 0  # mentions that have left them since they were last read
    lines_not_read: int = 0  # lines of the lists that look like entries, and no mention was made of them
    harvested: int = 0  # papers with new facts from a service or a mirror, counted once for each source
    offline: bool = False
    methods: dict[str, int] = Field(default_factory=dict)  # how the mentions were resolved -> how many
    problems: tuple[str, ...] = ()  # one sentence for each failure
    # kind of finding in the lists read -> how many, such as links at odds with their titles
    findings: dict[str, int] = Field(default_factory=dict)
    dashboard: str | None = None  # the page that the run wrote; None where it wrote none

    @model_validator(mode="after")
    def _sum_is_kept(self) -> Self:
        parts = self.resolved + self.ambiguous + self.not_found + self.failed
        if parts != self.mentions:
            raise ValueError(f"{counted(self.mentions, 'mention')}, but {counted(parts, 'verdict')}")
        return self

    @property
    def news(self) -> bool:
        """Returns whether the run may have changed mentions, papers or counts."""
        changed = self.harvested or self.counts_written or any(self.requests.values())
        return bool(changed or self.mentions_new or self.mentions_removed or self.papers_new)

    def row(self, finished_at: datetime) -> RunRow:
        """Returns the summary as a row of the table `runs`."""
        figures = "run_id started_at status lists mentions resolved ambiguous not_found failed papers papers_new"
        row = {name: getattr(self, name) for name in (*figures.split(), "counts_written", "offline")} | {
            "finished_at": finished_at,
            "seconds_total": round(sum(self.seconds.values()), 3),
            "problems": list(self.problems),
            **{f"requests_{name}": self.requests.get(name) for name in SOURCES},
        }
        return cast("RunRow", row)


_ACTIVE = re.compile(r"([\\`*_\[\]|!#~])")
_HOW = {
    "identifier": "by an identifier in the list",
    "known": "by title, known to the lake",
    "citations": "by name, of a work that the list's papers cite",
    "mirror": "by title, in the local mirror",
    "title-search": "by title search",
    "piece-search": "by search for pieces of the title",
    "best-match": "by single best match",
    "possible-title": "by words that proved to be a paper's whole title",
    "review": "by a person's decision",
}


# Kind of change -> its heading.
CHANGES = {
    "papers_new": "New papers",
    "mentions_new": "New mentions",
    "mentions_removed": "Mentions that left their list",
    "jumped": "Papers whose citations jumped",
    "withdrawn": "Papers withdrawn from arXiv",
    "retracted": "Papers retracted",
    "published": "Preprints with a published version",
    "missing": "Works that lists miss",
    "merged": "Records that were merged",
}
_MOST_ROWS = 20


_MENTION = "  (a mention is an entry that names a paper; resolved: it is known which)"
OPENALEX_OFF = "OpenAlex: off, so no citation links; PAPERLAKE_OPENALEX=true turns it on"


def summary_lines(summary: RunSummary) -> list[str]:
    """Returns the summary as lines to read after a run."""
    named = f"{counted(summary.mentions, 'mention')} in {counted(summary.lists, 'list')}"
    left = f"{summary.ambiguous} ambiguous, {summary.not_found} not found, {summary.failed} failed"
    lines = [f"{named}: {summary.resolved} resolved, {left}", _MENTION]
    for method, count in sorted(summary.methods.items(), key=lambda pair: -pair[1]):
        lines.append(f"  {count:>6} {_HOW.get(method, method)}")
    if summary.lines_not_read:
        lines.append(not_read(summary.lines_not_read, "LIST"))
    new = f"{summary.papers_new} new" if summary.papers_new else "none new"
    counts = f"{counted(summary.counts_written, 'citation count')} asked for"
    lines.append(f"{counted(summary.papers, 'paper')} in the lake, {new}; {counts}")
    requests = ", ".join(f"{summary.requests[source.name]} to {source.label}" for source in always_asked())
    lines.append(f"requests: {requests}; {sum(summary.seconds.values()):.1f} s")
    if not summary.offline and "openalex" not in summary.requests:
        lines.append(OPENALEX_OFF)
    if openalex := summary.requests.get("openalex"):
        of = f" of {summary.credits.limit:,}" if summary.credits.limit else ""
        lines.append(f"OpenAlex: {counted(openalex, 'request')}, {summary.credits.used:,}{of} credits")
    if summary.offline:
        lines.append("the run was offline: no service was asked")
    if summary.findings:
        kinds = ", ".join(f"{count} {code}" for code, count in summary.findings.items())
        lines.append(f"{counted(sum(summary.findings.values()), 'finding')} in the lists: {kinds}")
        lines.append("  paperlake check LIST says where and what")
    if summary.dashboard is not None:
        lines.append(f"dashboard: {summary.dashboard}")
    return lines


def next_lines(summary: RunSummary, lake: str, *, needing: int) -> list[str]:
    """Returns where the lake is, and what to do next, a command a line, where `needing` mentions need a person."""
    ways = []
    if needing:
        need = "needs" if needing == 1 else "need"
        ways.append(("paperlake review -i", f"decide about {counted(needing, 'mention')} that {need} a person"))
    if summary.failed:
        online = ", with a network," if summary.offline else ""
        ways.append(("paperlake refresh", f"ask again{online} about {counted(summary.failed, 'mention')} that failed"))
        ways.append(('paperlake sql "from listed"', "what the lists themselves say of them"))
    if summary.papers:
        ways += [
            (
                'paperlake sql "from top_cited"',
                "query it; show and search look things up",
            ),
            ("paperlake dashboard --open", "see it"),
        ]
    width = max((len(command) for command, _ in ways), default=0)
    return [f"lake: {lake}", *(f"  {command:<{width}}  {what}" for command, what in ways)]


def always_asked() -> list[Source]:
    """Returns the services that no setting switches off."""
    return [source for source in SOURCES.values() if not source.is_optional]


def summary_rows(summary: RunSummary) -> list[dict[str, Any]]:
    """Returns the figures as rows of a two-column table."""
    figures = summary.model_dump(exclude={"seconds", "requests", "methods", "problems", "findings", "started_at"})
    rows = [{"figure": name, "value": str(value)} for name, value in figures.items()]
    rows += [{"figure": f"requests to {name}", "value": str(n)} for name, n in summary.requests.items()]
    rows += [{"figure": f"findings: {code}", "value": str(count)} for code, count in summary.findings.items()]
    return rows + [{"figure": f"seconds to {name}", "value": f"{s:.2f}"} for name, s in summary.seconds.items()]


def summary_markdown(summary: RunSummary, changes: Mapping[str, pa.Table]) -> str:
    """Returns the summary as Markdown: the figures, what failed, and what changed, the first of each kind."""
    parts = [f"# Refresh {summary.run_id}", "\n".join(f"- {line.strip()}" for line in summary_lines(summary))]
    if summary.findings:
        lines = [f"- {count} {_escaped(code)}" for code, count in summary.findings.items()]
        parts += ["## Findings in the lists", "\n".join(lines)]
    if summary.dashboard is not None:
        parts.append(f"[Dashboard]({Path(summary.dashboard).absolute().as_uri()})")
    if summary.problems:
        parts += ["## Failed", "\n".join(f"- {_escaped(problem)}" for problem in summary.problems)]
    for kind, rows in changes.items():
        if rows.num_rows:
            from warehouse.query.output import cell  # noqa: PLC0415 - only a run with changes needs it

            table = ["| " + " | ".join(rows.column_names) + " |", "|" + "---|" * rows.num_columns]
            first = rows.slice(0, _MOST_ROWS).to_pylist()
            table += ["| " + " | ".join(_escaped(cell(value)) for value in row.values()) + " |" for row in first]
            if rows.num_rows > _MOST_ROWS:
                table.append(f"\n... and {rows.num_rows - _MOST_ROWS} more")
            parts += [f"## {CHANGES[kind]}: {rows.num_rows}", "\n".join(table)]
    return "\n\n".join(parts) + "\n"


def with_dashboard(summary: RunSummary, settings: Settings, folder: Path) -> RunSummary:
    """Writes the dashboard of the settings' lake into `folder`, and returns the summary of a run that did so.

    What the refresh committed stays in any case: a page that cannot be written is one more problem.
    """
    from warehouse.dashboard.page import publish  # noqa: PLC0415 - most runs write no page

    try:
        published = publish(settings.place, folder, terms=settings.publish, jump=settings.jump)
        return summary.model_copy(update={"dashboard": str(published.page)})
    except PaperlakeError as error:
        failed = {"status": "completed_with_failures", "problems": (*summary.problems, str(error))}
        return summary.model_copy(update=failed)


def _escaped(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))

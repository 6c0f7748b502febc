"""A summary in words: for the screen, and as rows and Markdown for Prefect's artifacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.summary import RunSummary

_HOW = {
    "identifier": "by an identifier in the list",
    "known": "by title, known to the lake",
    "mirror": "by title, in the local mirror",
    "title-search": "by title search",
    "piece-search": "by search for pieces of the title",
    "best-match": "by single best match",
    "review": "by a person's decision",
}


def summary_lines(summary: RunSummary) -> list[str]:
    """Returns the summary as lines to read after a run."""
    lists = "1 list" if summary.lists == 1 else f"{summary.lists} lists"
    lines = [f"{summary.mentions} mentions in {lists}: {summary.resolved} resolved, {_left(summary)}"]
    for method, count in sorted(summary.methods.items(), key=lambda pair: -pair[1]):
        lines.append(f"  {count:>6} {_HOW.get(method, method)}")
    new = f"{summary.papers_new} new" if summary.papers_new else "none new"
    counted = f"{summary.counts_written} citation counts observed"
    lines.append(f"{summary.papers} papers in the lake, {new}; {counted}")
    asked = f"{summary.requests.arxiv} to arXiv, {summary.requests.s2} to Semantic Scholar"
    lines.append(f"requests: {asked}; {sum(summary.seconds.values()):.1f} s; snapshot {summary.snapshot_id}")
    if summary.dashboard is not None:
        lines.append(f"dashboard: {summary.dashboard}")
    return lines


def problem_lines(summary: RunSummary, said: Sequence[str]) -> list[str]:
    """Returns what failed, a line each, without what was `said` during the run."""
    news = [problem for problem in summary.problems if not any(problem.rsplit(" (", 1)[0] in one for one in said)]
    return [f"failed: {problem}" for problem in news]


def summary_rows(summary: RunSummary) -> list[dict[str, Any]]:
    """Returns the figures as rows of a two-column table."""
    figures = summary.model_dump(exclude={"seconds", "requests", "methods", "problems", "started_at"})
    rows = [{"figure": name, "value": str(value)} for name, value in figures.items()]
    rows += [{"figure": f"requests to {name}", "value": str(n)} for name, n in summary.requests.model_dump().items()]
    return rows + [{"figure": f"seconds to {name}", "value": f"{s:.2f}"} for name, s in summary.seconds.items()]


def summary_markdown(summary: RunSummary) -> str:
    """Returns the summary as Markdown, with what failed."""
    body = "\n".join(f"- {line.strip()}" for line in summary_lines(summary))
    failed = "\n".join(f"- {_escaped(problem)}" for problem in summary.problems)
    return f"# Refresh {summary.run_id}\n\n{body}\n" + (f"\n## Failed\n\n{failed}\n" if failed else "")


def _left(summary: RunSummary) -> str:
    return f"{summary.ambiguous} ambiguous, {summary.not_found} not found, {summary.failed} failed"


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("[", "\\[")

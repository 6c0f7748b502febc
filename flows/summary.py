"""What a refresh did: the object that `refresh --json` ends with, the row in `runs`, the words on the screen."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sources.text import counted


class Requests(BaseModel):
    """How many requests were sent to each service."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    arxiv: int = 0
    s2: int = 0


class RunSummary(BaseModel):
    """The figures of one refresh. Always: mentions = resolved + ambiguous + not_found + failed.

    Attributes:
        lists: Lists read.
        mentions: Mentions standing in them.
        mentions_new: Those of them that the lake did not know.
        mentions_removed: Mentions that have left them since they were last read.
        papers: Papers in the lake afterwards.
        papers_new: Papers added by this run.
        counts_written: Citation counts observed.
        seconds: Stage -> its duration in seconds.
        snapshot_id: The lake's snapshot that this run committed.
        problems: What failed, a sentence each.
        findings: Kind of finding in the lists read -> how many, such as links at odds with their titles.
        harvested: Papers that a service or a mirror was newly heard on, once for each of the two sources.
        methods: How the mentions were resolved -> how many.
        dashboard: The page that the run published; None where it published none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    status: Literal["completed", "completed_with_failures"]
    started_at: datetime
    lists: int
    mentions: int
    resolved: int
    ambiguous: int
    not_found: int
    failed: int
    papers: int
    papers_new: int
    counts_written: int
    requests: Requests
    seconds: dict[str, float]
    snapshot_id: int
    mentions_new: int = 0
    mentions_removed: int = 0
    harvested: int = 0
    offline: bool = False
    methods: dict[str, int] = Field(default_factory=dict)
    problems: tuple[str, ...] = ()
    findings: dict[str, int] = Field(default_factory=dict)
    dashboard: str | None = None

    @model_validator(mode="after")
    def _sum_is_kept(self) -> Self:
        parts = self.resolved + self.ambiguous + self.not_found + self.failed
        if parts != self.mentions:
            raise ValueError(f"{counted(self.mentions, 'mention')}, but {counted(parts, 'verdict')}")
        return self

    @property
    def news(self) -> bool:
        """Returns whether the run may have changed anything that people follow: mentions, papers, counts."""
        told = self.harvested or self.counts_written or any(self.requests.model_dump().values())
        return bool(told or self.mentions_new or self.mentions_removed or self.papers_new)

    def row(self, finished_at: datetime) -> dict[str, Any]:
        """Returns the summary as a row of the table `runs`."""
        same = self.model_dump(
            include={
                "run_id", "started_at", "status", "lists", "mentions", "resolved", "ambiguous", "not_found", "failed",
                "papers", "papers_new", "counts_written", "offline",
            }
        )  # fmt: skip
        return same | {
            "finished_at": finished_at,
            "requests_arxiv": self.requests.arxiv,
            "requests_s2": self.requests.s2,
            "seconds_total": round(sum(self.seconds.values()), 3),
            "problems": list(self.problems),
        }

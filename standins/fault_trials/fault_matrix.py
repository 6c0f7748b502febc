"""One fault in one place of a whole refresh: what the run makes of it, and whether the next one makes it good."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from flows.refresh.summary import RunSummary
from sources.services.openalex import client as openalex_client
from sources.services.registry import SOURCES
from standins import StandIns
from standins.harms import HARMS, OPENALEX_HARMS
from standins.trials.bench import Bench
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake, writing

Row = dict[str, Any]
Picture = dict[str, list[Row]]

LIST = """# Everything that a refresh can ask for

## Linked

- [Fast R-CNN](https://arxiv.org/abs/1504.08083)
- [Layer Normalization](https://arxiv.org/abs/1607.06450)
- [Large Batch Training of Convolutional Networks](https://arxiv.org/abs/1708.03888)
- [Going Deeper with Convolutions](https://arxiv.org/abs/1409.4842)
- [An Identifier That Nobody Was Given](https://arxiv.org/abs/2105.99991)
- [PipeDream: Fast and Efficient Pipeline Parallel DNN Training](https://arxiv.org/abs/1806.03377)
- [Mixture-of-Experts with Expert Choice Routing](https://arxiv.org/abs/2202.09368)
- [Nested satisfiability](https://arxiv.org/abs/cs/9301111)
- [Heat-bath random walks with Markov bases](https://arxiv.org/abs/1605.08386)
- [Curriculum Learning for Natural Language Understanding](https://doi.org/10.18653/v1/2020.acl-main.542)

## Told by their titles

- GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism (2018)
- Convolutional Neural Networks for Sentence Classification (2014)
- Neural Machine Translation of Rare Words with Subword Units (2015)
- Deep Learning Scaling is Predictable, Empirically (2017)
- Training Deep Nets with Sublinear Memory Cost (2016)
- Gradient-Based Learning Applied to Document Recognition (1998)

## Too new for Semantic Scholar

- Outrageously Large Neural Networks: The Sparsely-Gated Mixture-of-Experts Layer (2017)
- Tangent: Automatic differentiation using source-code transformation for dynamically typed array programming (2018)
- A Simple Framework for Contrastive Learning of Visual Representations (2020)

## Misspelt

- Mixed Precison Training (2017)
- Contrastve Representation Distilation (2019)
- Deep contextualised word representatons (2018)

## Never written

- A Made-up Study of Reading Lists That Nobody Ever Wrote Down (2020)
- The Unwritten Theory (2021)
- Seventeen Imaginary Experiments (2019)
"""
BEYOND_S2 = ("1701.06538", "1809.09569", "2002.05709")

ENDPOINTS = {
    "arXiv ids": ("arxiv", "query"),
    "arXiv titles": ("arxiv", "query"),
    "S2 batch": ("s2", "batch"),
    "S2 bulk": ("s2", "bulk"),
    "S2 match": ("s2", "match"),
}
OPENALEX = {"OpenAlex works": ("openalex", "works")}
ASKED_BY_IDENTIFIER = frozenset({"arXiv ids", "S2 batch", *OPENALEX})
POSITIONS = ("first", "middle", "last")
UNHARMFUL = frozenset(
    {"reordered", "duplicated", "slow", "drips", "gzip", "no Content-Length", "another content type", "byte-order mark"}
)
"""What a client must read as if it were nothing."""

_PAPER = "coalesce(p.arxiv_id, p.doi, p.s2_paper_id, p.title) AS paper"
_MENTIONS = "mentions m JOIN reading_lists l USING (list_id)"
_PICTURES = {
    # What authors told arXiv of the DOI is kept as told, also where `doi` is what Semantic Scholar tells.
    "papers": f"SELECT {_PAPER}, p.* EXCLUDE (paper_id, citation_key, counted_at, first_seen_at, refreshed_at,"
    " merged_into, arxiv_doi),"
    " merged_into IS NULL AS stands FROM papers p",
    "paper_identifiers": f"SELECT {_PAPER}, i.scheme, i.value FROM paper_identifiers i JOIN papers p USING (paper_id)",
    "citation_counts": f"SELECT DISTINCT {_PAPER}, c.* EXCLUDE (paper_id, observed_at, reply_sha256)"
    " FROM citation_counts c JOIN papers p USING (paper_id)",
    "harvests": f"SELECT {_PAPER}, h.* EXCLUDE (paper_id, asked_at, reply_sha256)"
    " FROM harvests h JOIN papers p USING (paper_id)",
    "mentions": "SELECT m.line, m.title, m.text, m.section, m.authors, m.year, m.venue, m.url, m.arxiv_id, m.doi,"
    f" m.struck, m.removed_at, m.status, m.tries, {_PAPER} FROM {_MENTIONS} LEFT JOIN papers p USING (paper_id)",
    "findings": f"SELECT m.line, f.* EXCLUDE (mention_id) FROM findings f JOIN {_MENTIONS} USING (mention_id)",
    "candidates": "SELECT DISTINCT m.line, c.title, c.year, c.arxiv_id, c.doi"
    f" FROM candidates c JOIN {_MENTIONS} USING (mention_id) WHERE m.status = 'ambiguous'",
    "reading_lists": "SELECT l.title, l.revision FROM reading_lists l",
    "openalex_works": f"SELECT {_PAPER}, w.* EXCLUDE (paper_id, refreshed_at, reply_sha256)"
    " FROM openalex_works w JOIN papers p USING (paper_id)",
    **{
        name: f"SELECT {_PAPER}, t.* EXCLUDE (paper_id, observed_at) FROM {name} t JOIN papers p USING (paper_id)"
        for name in ("citations_by_year", "paper_references", "paper_authors")
    },
}
"""Table -> its rows by natural keys: without what is opaque, and without the instants at which things happened.

A citation key is given when a paper is first seen and stays, so it tells which service was up then; it is left out too.

Of candidates, those that decide nothing more are left out: which service offered a paper first is told by who was up.
"""


_OF_ONE_SOURCE = (
    "title", "abstract", "arxiv_id", "arxiv_version", "doi", "s2_paper_id", "s2_corpus_id", "primary_category",
    "withdrawn", "citation_count", "influential_citation_count", "reference_count",
)  # fmt: skip
"""What is as it is whoever tells it; of names, years and venues each service has its own, and one may be out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of the matrix; `wrong` says what is not as it must be, and is empty where all is well."""

    endpoint: str
    harm: str
    position: str
    lasting: bool
    run: RunSummary
    requests: int
    again: str
    wrong: tuple[str, ...]

    def line(self) -> str:
        run = self.run
        told = f"{self.endpoint:12} {self.harm:28} {'always' if self.lasting else 'once':6} {self.position:6}"
        counts = f"{run.counts_written:6} {self.requests:8}"
        figures = f"{run.resolved:8} {run.ambiguous:9} {run.not_found:9} {run.failed:6} {run.papers:6}"
        status = "completed" if run.status == "completed" else "failures"
        named = "; ".join(run.problems)[:60] or "-"
        verdict = "; ".join(self.wrong) or "right"
        return f"{told} {figures} {counts} {status:9} {self.again:7} {verdict:6} {named}"


HEADING = (
    f"{'endpoint':12} {'fault':28} {'lasts':6} {'batch':6} resolved ambiguous not_found failed papers counts requests"
    f" {'status':9} {'again':7} {'cell':6} named"
)


class Matrix:
    """Runs cells; each has a lake of its own, copied from one without papers, for what it costs to make one."""

    text = LIST
    endpoints = ENDPOINTS
    openalex = False
    """Whether OpenAlex is asked too."""

    def __init__(self, standins: StandIns, folder: Path) -> None:
        self.standins = standins
        self._folder = folder
        self._made = 0
        self._new_lake = LakePlace.of(folder / "new")
        with writing(self._new_lake):
            pass
        self.unharmed_run, self._lake = self._unharmed()
        self.batches = {name: self._batches(name) for name in self.endpoints}

    def cell(self, endpoint: str, harm: str, position: str, *, lasting: bool) -> Cell:
        """Returns what one refresh under one fault came to, and the next one without it."""
        service, path = self.endpoints[endpoint]
        kind, details = {**HARMS, **OPENALEX_HARMS}[harm]
        bench = self._bench()
        self._renew()
        aim = self._aim(endpoint, position)
        self.standins.fault(service, kind, endpoint=path, times=None if lasting else 1, **details, **aim)
        run = self._refreshed(bench)
        requests = len(self.standins.requests())
        struck = any(line["fault"] for line in self.standins.requests())
        lake = picture(bench)
        wrong = [] if struck else ["the fault struck nothing"]
        wrong += self._wrong(run, lake, harm, lasting=lasting)
        again = "equal"
        if lake != self._lake:
            _let_time_pass(bench)
            self.standins.clear_faults()
            mended = self._refreshed(bench)
            odd = [name for name, rows in picture(bench).items() if rows != self._lake[name]]
            again = "differs" if odd or mended.status != "completed" else "mended"
            wrong += [f"after the next run {name} differs" for name in odd]
            wrong += [f"the next run {mended.status}"] if mended.status != "completed" else []
        shutil.rmtree(bench.folder)
        return Cell(endpoint=endpoint, harm=harm, position=position, lasting=lasting, run=run, requests=requests,
                    again=again, wrong=tuple(wrong))  # fmt: skip

    def _wrong(self, run: RunSummary, lake: Picture, harm: str, *, lasting: bool) -> Iterator[str]:
        whole = self._lake
        if [row["line"] for row in lake["mentions"]] != [row["line"] for row in whole["mentions"]]:
            yield "mentions were lost"
        yield from _odd_papers(lake["papers"], whole["papers"])
        yield from _odd_verdicts(lake["mentions"], whole["mentions"])
        yield from (
            f"a count nobody told: {row}" for row in lake["citation_counts"] if row not in whole["citation_counts"]
        )
        failed = run.failed or any(row["status"] == "failed" for row in lake["harvests"])
        if run.status != ("completed_with_failures" if failed else "completed"):
            yield f"the run says {run.status}"
        if failed and not run.problems:
            yield "what failed is not named"
        if not failed and lake != whole:
            yield _UNNAMED
        if harm in UNHARMFUL and failed:
            yield "that is no fault"
        if _unsettled(lake) - _unsettled(whole):
            yield "a paper was neither found, nor not found, nor failed"
        if (
            not lasting
            and failed
            and harm not in _LEAVE_ALONE | _REFUSALS | (_OPENALEX_WAITS if self.openalex else set())
        ):
            yield "one fault was not outlived"

    def _unharmed(self) -> tuple[RunSummary, Picture]:
        self._renew()
        bench = self._bench()
        run = self._refreshed(bench)
        assert run.status == "completed", run.problems
        return run, picture(bench)

    def _bench(self) -> Bench:
        self._made += 1
        folder = self._folder / f"{self._made}"
        shutil.copytree(self._new_lake.folder, folder / "lake")
        return Bench(folder, self.standins.env(openalex=self.openalex))

    def _renew(self) -> None:
        self.standins.reset()
        self.standins.leave_to_arxiv(BEYOND_S2)

    def _refreshed(self, bench: Bench, **changes: Any) -> RunSummary:
        reading_list = self._folder / "list.md"  # one place for all lakes: a list is known by its location
        reading_list.write_text(self.text, encoding="utf-8")
        return bench.refresh(str(reading_list), tries=2, give_up=0.5, **changes)

    def _batches(self, endpoint: str, *, least: int = 3) -> list[str]:
        """Returns, for each batch of the unharmed run, something that it asks for and no earlier one does.

        A question that repeats the one before in company, to look into its silence, belongs to the same batch.
        """
        service, path = self.endpoints[endpoint]
        seen: set[str] = set()
        firsts, before = [], []
        for line in self.standins.requests(service):
            items = self._items(line, endpoint) if line["endpoint"] == path else []
            fresh = [one for one in items if one not in seen]
            if fresh and set(before).isdisjoint(items):
                firsts.append(fresh[0])
            seen.update(items)
            before = items or before
        assert len(firsts) >= least, f"{endpoint} has too few batches: {firsts}"
        return firsts

    def _items(self, line: dict[str, Any], endpoint: str) -> list[str]:
        """Returns what a request asks for."""
        return items_of(line, endpoint)

    def _aim(self, endpoint: str, position: str) -> dict[str, Any]:
        """Returns the details that harm only the requests of one batch."""
        batches = self.batches[endpoint]
        item = batches[{"first": 0, "middle": len(batches) // 2, "last": -1}[position]]
        return {"ids": [item]} if endpoint in ASKED_BY_IDENTIFIER else {"text": item}


class OpenAlexMatrix(Matrix):
    """The same for OpenAlex, which the other cells do not ask: it resolves nothing, and is asked last."""

    endpoints = OPENALEX
    openalex = True

    def _wrong(self, run: RunSummary, lake: Picture, harm: str, *, lasting: bool) -> Iterator[str]:
        wrong = super()._wrong(run, lake, harm, lasting=lasting)
        yield from (what for what in wrong if not (what == _UNNAMED and "allowance" in " ".join(run.problems)))
        for name in OPENALEX_TABLES:
            yield from (f"{name} says what nobody told: {row}" for row in lake[name] if row not in self._lake[name])
        of_others = [name for name in lake if name not in _OF_OPENALEX]
        yield from (
            f"{name} is another, which is not OpenAlex's" for name in of_others if lake[name] != self._lake[name]
        )


_UNNAMED = "nothing failed, but the lake is another"
"""No fault where the day's allowance is spent: papers not asked about stay due."""
OPENALEX_TABLES = ("openalex_works", "citations_by_year", "paper_references", "paper_authors")
_OF_OPENALEX = frozenset({*OPENALEX_TABLES, "citation_counts", "harvests", "paper_identifiers"})
_LEAVE_ALONE = frozenset({"429 Retry-After seconds", "429 Retry-After date", "429 Retry-After an hour",
                          "429 Retry-After beyond all"})  # fmt: skip
"""What asks for more patience than the settings of these runs have."""
_OPENALEX_WAITS = frozenset({"429"})
"""The same at OpenAlex, which says with it when to ask again."""

_REFUSALS = frozenset(
    {"401", "403", "404", "404 in the service's words", "409", "410", "418", "451", "202", "204", "206", "304",
     "redirects for ever", "redirects to nowhere", "redirects off http", "error with 200",
     "a wrong record under a right DOI", "301 merged"}
)  # fmt: skip
"""What a service means, or nobody planned for, and is not asked again within the run."""


def _unsettled(lake: Picture) -> set[str]:
    """Returns the papers of which it is not known what became of the question about their counts."""
    settled = {row["paper"] for row in lake["harvests"] if row["source"] == "s2"}
    return {row["paper"] for row in lake["papers"]} - settled


@contextmanager
def small_batches() -> Iterator[None]:
    """Lets a list of some twenty papers take several requests of each kind; nothing else of the run changes."""
    with pytest.MonkeyPatch.context() as patch:
        small = {"arxiv": {"most_ids": 3, "most_titles": 3}, "s2": {"most_ids": 6, "most_titles": 5}}
        for name, limits in (small | {"openalex": {"most_titles": 3}}).items():
            patch.setitem(SOURCES, name, replace(SOURCES[name], rules=replace(SOURCES[name].rules, **limits)))
        patch.setattr(openalex_client, "MAX_IDS", 6)
        yield


def picture(bench: Bench) -> Picture:
    """Returns the lake by natural keys."""
    connection = open_lake(bench.place)
    try:
        rows = {name: connection.execute(sql).to_arrow_table().to_pylist() for name, sql in _PICTURES.items()}
        return {name: sorted(each, key=repr) for name, each in rows.items()}
    finally:
        connection.close()


def _odd_papers(papers: list[Row], whole: list[Row]) -> Iterator[str]:
    """Yields what a paper of a harmed run says that the unharmed run does not; not to know something is no lie."""
    true = {row["paper"]: row for row in whole}
    for row in papers:
        if row["paper"] not in true:
            yield f"a paper that is none: {row['title']!r}"
            continue
        told = {name: row[name] for name in _OF_ONE_SOURCE if row[name] is not None}
        lies = [name for name, value in told.items() if value != true[row["paper"]][name]]
        yield from (f"{row['paper']} has another {name}: {row[name]!r}" for name in lies)


def _odd_verdicts(mentions: list[Row], whole: list[Row]) -> Iterator[str]:
    """Yields the mentions that a fault gave another verdict than `failed`."""
    true = {row["line"]: row for row in whole}
    for row in mentions:
        due = true[row["line"]]
        if row["status"] != "failed" and (row["status"], row["paper"]) != (due["status"], due["paper"]):
            yield f"line {row['line']} is {row['status']} {row['paper']}, not {due['status']} {due['paper']}"


def _let_time_pass(bench: Bench) -> None:
    """Lets a Retry-After of an hour be over."""
    for stamp in (bench.place.folder / "locks").glob("*.stamp"):
        stamp.unlink()


def items_of(line: dict[str, Any], endpoint: str) -> list[str]:
    params = line["params"]
    if endpoint == "arXiv ids":
        return [one for one in params.get("id_list", "").split(",") if one]
    if endpoint in OPENALEX:
        return params["filter"].removeprefix("doi:").split("|")
    if endpoint == "S2 batch":
        return list(line["body"]["ids"])
    if endpoint == "S2 match":
        return [params["query"]]
    return re.findall(r'"([^"]+)"', params.get("search_query", "") + params.get("query", ""))

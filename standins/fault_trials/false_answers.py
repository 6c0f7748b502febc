"""One lie in one place of a whole refresh: on an empty lake, or on one that knows all the papers already."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flows.refresh.summary import RunSummary
from standins.fault_trials.fault_matrix import (
    ASKED_BY_IDENTIFIER,
    LIST,
    OPENALEX,
    OPENALEX_TABLES,
    Matrix,
    Picture,
    picture,
)
from standins.lies import PROVABLE, Steps
from standins.trials.bench import Bench

KNOWN = ("nothing", "the papers")
POSITIONS = ("first", "middle", "last")
_AGAIN = {"max_age": "0s", "metadata_max_age": "0s"}
BARE = """
## Bare links

- <https://arxiv.org/abs/1512.01274>
- <https://arxiv.org/abs/1802.04799>
- <https://arxiv.org/abs/1408.5882>
- <https://doi.org/10.1145/103162.103163>
"""
_LIES_IN = ("title", "authors", "arxiv_id", "doi", "s2_paper_id", "s2_corpus_id", "year", "citation_count",
            "influential_citation_count", "reference_count", "withdrawn", "retracted", "stands")  # fmt: skip
"""Fields in which a value that no honest run ever wrote is a lie taken for a fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lie:
    """What became of one lie.

    Attributes:
        effect: `named`, or `none` where it changed nothing and so was no lie.
        wrong: What is not as it must be; empty where all is well.
    """

    name: str
    endpoint: str
    position: str
    known: str
    run: RunSummary
    effect: str
    wrong: tuple[str, ...]

    def line(self) -> str:
        run = self.run
        where = f"{self.name:42} {self.endpoint:12} {self.position:6} {self.known:10}"
        verdict = "; ".join(self.wrong) or "right"
        return f"{where} {run.failed:6} {self.effect:6} {verdict:6} {'; '.join(run.problems)[:90] or '-'}"


HEADING = f"{'lie':42} {'endpoint':12} {'batch':6} {'known':10} failed {'effect':6} {'cell':6} named"


class Lies(Matrix):
    """Runs lies; what is right is what honest services say to the same list."""

    text = LIST + BARE

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._full = self._bench()
        self._renew()
        self._refreshed(self._full)
        self._once = picture(self._full)
        self.standins.clear_log()
        self._refreshed(self._full, **_AGAIN)
        self._again = picture(self._full)
        by_identifier = [name for name in self.endpoints if name in ASKED_BY_IDENTIFIER]
        self._asked_again = {name: self._batches(name, least=1) for name in by_identifier}
        self._true = self._truths(self._lake, self._once, self._again)

    def lie(self, name: str, endpoint: str, position: str, known: str, steps: Steps | None = None) -> Lie:
        """Returns what a refresh made of a lie, and the next one of what was left.

        Where the lake is as after an honest run and nothing was named, nothing is left for the next run to mend.
        """
        warm = known == KNOWN[1]
        bench = self._bench(self._full.folder / "lake" if warm else None)
        self._renew()
        service, path = self.endpoints[endpoint]
        batches = self._asked_again[endpoint] if warm else self.batches[endpoint]
        item = batches[{"first": 0, "middle": len(batches) // 2, "last": -1}[position]]
        aim = {"ids": [item]} if endpoint in ASKED_BY_IDENTIFIER else {"text": item}
        self.standins.fault(service, "lie", endpoint=path, steps=PROVABLE[name][1] if steps is None else steps, **aim)
        run = self._refreshed(bench, **(_AGAIN if warm else {}))
        struck = any(line["fault"] for line in self.standins.requests())
        lake = picture(bench)
        named = bool(run.problems) and run.status == "completed_with_failures"
        wrong = [] if struck else ["the lie was never told"]
        wrong += self._told(lake)
        equal = self._equal(lake)
        if not named and not equal:
            wrong.append("a lie that had an effect is not named")
        if named or not equal:
            wrong += self._left(bench, warm=warm)
        shutil.rmtree(bench.folder)
        effect = "named" if named else "none"
        return Lie(name=name, endpoint=endpoint, position=position, known=known, run=run, effect=effect,
                   wrong=tuple(wrong))  # fmt: skip

    def _left(self, bench: Bench, *, warm: bool) -> Iterator[str]:
        """Yields what an honest run leaves as it should not be."""
        self.standins.clear_faults()
        mended = self._refreshed(bench, **(_AGAIN if warm else {}))
        yield from (f"after the next run {what} differs" for what in self._odd(picture(bench)))
        if mended.status != "completed":
            yield f"the next run {mended.status}"

    def _told(self, lake: Picture) -> Iterator[str]:
        """Yields what stands in the lake that honest services never said."""
        yield from self._odd_verdicts(lake)
        for row in lake["papers"]:
            true = self._true.get(row["paper"])
            if true is None:
                yield f"a paper that is none: {row['paper']} {row['title']!r}"
                continue
            for field in _LIES_IN:
                if row[field] not in (None, []) and row[field] not in true[field]:
                    yield f"{row['paper']} has another {field}: {row[field]!r:.60}"
        honest = self._lake["citation_counts"] + self._again["citation_counts"]
        yield from (f"a count nobody told: {row}" for row in lake["citation_counts"] if row not in honest)
        for name in OPENALEX_TABLES:
            honest = [row for each in (self._lake, self._once, self._again) for row in each[name]]
            yield from (f"{name} says what nobody told: {row}" for row in lake[name] if row not in honest)

    def _odd_verdicts(self, lake: Picture) -> Iterator[str]:
        true = {row["line"]: row for row in self._lake["mentions"]}
        for row in lake["mentions"]:
            due = true[row["line"]]
            if row["status"] != "failed" and (row["status"], row["paper"]) != (due["status"], due["paper"]):
                yield f"line {row['line']} is {row['status']} {row['paper']}, not {due['status']} {due['paper']}"

    def _equal(self, lake: Picture) -> bool:
        return not self._odd(lake)

    def _odd(self, lake: Picture) -> list[str]:
        honest = [_without_tries(each) for each in (self._lake, self._once, self._again)]
        told = _without_tries(lake)
        return [name for name in told if all(told[name] != each[name] for each in honest)]

    def _truths(self, *pictures: Picture) -> dict[str, dict[str, list[Any]]]:
        """Returns paper -> field -> every value that it had in honest runs, with both services up and with one down."""
        true: dict[str, dict[str, list[Any]]] = {}
        down = []
        for service in ("arxiv", "s2"):
            bench = self._bench()
            self._renew()
            self.standins.down(service)
            self._refreshed(bench)
            self.standins.up(service)
            down.append(picture(bench))
        for each in (*pictures, *down):
            for row in each["papers"]:
                fields = true.setdefault(row["paper"], {field: [] for field in _LIES_IN})
                for field in _LIES_IN:
                    fields[field].append(row[field])
        return true

    def _bench(self, lake: Any = None) -> Bench:
        bench = super()._bench()
        if lake is not None:
            shutil.rmtree(bench.folder / "lake")
            shutil.copytree(lake, bench.folder / "lake")
        return bench


class OpenAlexLies(Lies):
    """The same for OpenAlex, which the other cells do not ask."""

    endpoints = OPENALEX
    openalex = True


def _without_tries(lake: Picture) -> Picture:
    """Returns a picture without how often things were asked for: runs that ask again count on."""
    return {name: [{key: row[key] for key in row if key != "tries"} for row in rows] for name, rows in lake.items()}

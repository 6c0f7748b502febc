"""What `paperlake check` finds of faults that were planted, and how much of what it finds is one.

    .venv/bin/python -m benchmarks.checks.list_checks [../shared] [--each N] [--show CODE]

Lists are written in fourteen styles, half of which were looked at while the checks were made; the others are the
held-out half, and their figures come first (`standins.trials.planted`). The papers are those of the background, found
by the matcher among 60,000 others; a server on this machine answers for the hosts of further links. A finding is right
where a fault of that code was planted in its entry; every other one is wrong.

With --lists, the labelled lists of ../shared are checked against the stand-ins of the services. There each finding was
read, and judged in `judged_findings.json`: list -> line and code of those that are wrong, and of those that are right.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.matching.accuracy import missing_facts
from flows.check.links import addresses_to_ask, link_findings
from flows.check.report import check_lists
from flows.progress import Silent
from flows.settings import Settings
from sources.bibliography.identifiers import Identifier
from sources.lists.checks.checks import check_list, suppression_of
from sources.lists.checks.findings import CODES, CheckedEntry, ListFinding, PaperFacts, Publication
from sources.lists.checks.list_text import ListText
from sources.lists.links import LinkLimits, check_links
from sources.lists.reading import parse_reading_list
from sources.matching.candidates import Candidate
from sources.matching.lookup import Resolution
from standins import StandIns
from standins.link_hosts import LinkHosts
from standins.trials.labelled import run
from standins.trials.planted.lists import PUBLISHED, PlantedList, papers_for, plant
from standins.trials.planted.styles import DEVELOPED, HELD_OUT, Style
from standins.trials.world import Row, World, read_rows

_PAPERS, _OTHERS = 6_000, 60_000
_LIMITS = LinkLimits(spacing_s=0.0, again_s=0.02, request_s=5.0)

_ALSO = {"link-title-disagree": "link-repeated-under-another-title"}
"""A copied link is another paper's as well."""


@dataclass
class Counted:
    """What was planted, found, and found rightly, by code."""

    planted: Counter = field(default_factory=Counter)
    right: Counter = field(default_factory=Counter)
    found: Counter = field(default_factory=Counter)
    levels: defaultdict = field(default_factory=lambda: defaultdict(Counter))
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    arguments.add_argument("--each", type=int, default=160, help="faults of each code and half, at least")
    arguments.add_argument("--show", help="print what was wrong or missed of this code, or of `all`")
    arguments.add_argument("--half", choices=("held out", "developed on"), help="this half alone")
    arguments.add_argument("--lists", action="store_true", help="check the labelled lists instead")
    options = arguments.parse_args()
    if options.lists:
        print(*labelled(options.shared.resolve()), sep="\n", flush=True)
        return
    for half, counted in measure(options.shared.resolve(), options.each, options.half):
        print(*_table(half, counted), sep="\n", flush=True)
        shown = [line for line in (*counted.wrong, *counted.missed) if options.show in ("all", line.split()[1])]
        print(*shown, sep="\n")


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the figures for `make bench`, of the held-out styles; none where ../shared is not there."""
    shared = Path("../shared").resolve()
    if not shared.is_dir():
        print("   ../shared is not here: nothing checked")
        return
    for _, counted in measure(shared, 160 if full else 20, "held out"):
        for level, bar in (("error", 0.5), ("warning", 5.0)):
            found, right = counted.levels[level]["found"], counted.levels[level]["right"]
            name = f"findings of level {level} in lists with planted faults that are none"
            yield Figure(name=name, value=100 * (1 - right / found), unit="%", bar=bar, bar_on="value")


def measure(shared: Path, each: int, only: str | None = None) -> Iterator[tuple[str, Counted]]:
    """Yields each half of the styles with what was found in its lists."""
    rows = read_rows(shared)
    draw = random.Random(18)
    papers = draw.sample(papers_for(rows), _PAPERS)
    world = World([*papers, *draw.sample(rows, _OTHERS)])
    for half, styles in (("held out", HELD_OUT), ("developed on", DEVELOPED)):
        if only in (None, half):
            yield half, _counted(styles, papers, world, each, random.Random(half))


def _counted(styles: Sequence[Style], papers: Sequence[Row], world: World, each: int, draw: random.Random) -> Counted:
    counted = Counted()
    number = 0
    with LinkHosts() as hosts:
        while number < 40 * each and (number % len(styles) or min(_planted(counted), default=0) < each):
            planted = plant(styles[number % len(styles)], papers, draw, hosts)
            _count(planted, _findings(planted, world, hosts), counted)
            number += 1
    return counted


def _planted(counted: Counted) -> list[int]:
    return [counted.planted[code] for code in CODES]


def _findings(planted: PlantedList, world: World, hosts: LinkHosts) -> list[ListFinding]:
    """Returns what `paperlake check` finds in a list."""
    text = ListText(planted.text)
    suppression = suppression_of(text)
    entries = [entry_of(each, world, planted.facts) for each in run(world, parse_reading_list(planted.text).mentions)]
    linked = addresses_to_ask(text, suppression, None)
    addresses = [item.span.url for item in linked]
    answers = check_links(addresses, limits=_LIMITS, resolve=hosts.resolve, allow_loopback=True)
    return check_list(text, entries, suppression=suppression, others=link_findings(linked, answers))


def _count(planted: PlantedList, findings: Sequence[ListFinding], counted: Counted) -> None:
    text = ListText(planted.text)
    due = set(planted.faults)
    counted.planted.update(code for _, code in planted.faults)
    for item in findings:
        entry = planted.entry_at(item.line)
        if item.code == PUBLISHED and entry in planted.undecided:
            continue
        codes = (item.code, _ALSO.get(item.code))
        match = next(((entry, code) for code in codes if (entry, code) in planted.faults), None)
        counted.levels[item.level]["found"] += 1
        if match is None:
            counted.found[item.code] += 1
            counted.wrong.append(
                f"wrong {item.code} {planted.style}: {text.line(item.line)[:150]} | {item.message} {item.evidence}"
            )
            continue
        counted.levels[item.level]["right"] += 1
        counted.found[match[1]] += match in due
        counted.right[match[1]] += match in due
        due.discard(match)
    counted.missed += [f"missed {code} {planted.style}: {text.line(line)[:170]}" for line, code in sorted(due)]


def entry_of(resolution: Resolution, world: World, changed: dict[str, dict]) -> CheckedEntry:
    """Returns the entry that a refreshed lake would give for a mention with this result."""
    mention = resolution.mention
    unknown = tuple(
        Identifier(*finding.value.split(":", 1))
        for finding in resolution.findings
        if finding.code == "identifier-unknown"
    )
    verdict = resolution.verdict
    codes = {finding.code for finding in (*resolution.findings, *(verdict.findings if verdict else ()))}
    paper = facts_of(resolution.chosen, world, changed) if resolution.chosen else None
    if "link-title-disagree" in codes:
        ranked = [facts_of(item.candidate, world, changed) for item in verdict.ranked] if verdict else []
        titled = ranked[1] if paper is None and len(ranked) > 1 else None
        linked = paper or next(iter(ranked), None)
        return CheckedEntry(mention=mention, linked=linked, titled=titled, unknown=unknown, unasked=False)
    return CheckedEntry(mention=mention, paper=paper, unknown=unknown, unasked=resolution.status == "failed")


def facts_of(candidate: Candidate, world: World, changed: dict[str, dict]) -> PaperFacts:
    """Returns what is known of a paper: its record, and its year and venue as DBLP tells of them."""
    row = world.with_id(candidate.arxiv_id or "")
    name, _, year = ((row.venue if row else candidate.venue) or "").rpartition(" ")
    publications = ()
    if name and year.isdigit():
        publications = (Publication(source="dblp", kind="conference", venue=name, year=int(year), doi=candidate.doi),)
    facts = {
        "paper_id": candidate.arxiv_id or candidate.s2_paper_id or candidate.title,
        "title": candidate.title,
        "authors": candidate.authors,
        "year": candidate.year,
        "venue": candidate.venue,
        "arxiv_id": candidate.arxiv_id,
        "doi": candidate.doi,
        "identifiers": candidate.identifiers,
        "publications": publications,
        "sources": ("arxiv", "s2") if publications else ("arxiv",),  # the background has the rest from arXiv alone
    }
    return PaperFacts(**{**facts, **changed.get(candidate.title, {})})


def labelled(shared: Path) -> Iterator[str]:
    """Yields what was found in the labelled lists: how much was judged right or wrong, and what nobody has judged."""
    files = {path.name[:3]: path for path in sorted((shared / "lists").glob("*.txt"))}
    files |= {path.stem: path for path in sorted((shared / "practice").glob("*.md"))}
    found = [*(shared / "gold").glob("*.jsonl"), *(shared / "practice").glob("*.jsonl")]
    labels = {path.stem: read_labels(path) for path in sorted(found) if path.stem in files}
    judged = json.loads((Path(__file__).parent / "judged_findings.json").read_text(encoding="utf-8"))
    counted: Counter = Counter()
    with StandIns([shared / "facts"]) as standins, tempfile.TemporaryDirectory() as folder:
        standins.add(missing_facts(shared, labels))
        env = {name.removeprefix("PAPERLAKE_").lower(): value for name, value in standins.env().items()}
        settings = Settings(lake=Path(folder) / "lake", backoff=0.0, give_up=1.0, **env)
        for name in labels:
            report = check_lists([str(files[name])], settings, ref=None, report=Silent())
            verdicts = judged.get(name, {})
            for item in report.lists[0].findings:
                where = [item.line, item.code]
                verdict = next((kind for kind in ("right", "wrong") if where in verdicts.get(kind, ())), "not judged")
                counted[item.level, verdict] += 1
                if verdict != "right" and item.level != "note":
                    yield f"{verdict} {name}:{item.line} {item.level} {item.code}: {item.message}"
    for (level, verdict), number in sorted(counted.items()):
        if level != "note":
            yield f"{level}: {number} {verdict}"


def read_labels(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _table(half: str, counted: Counted) -> Iterator[str]:
    yield f"\n{half}: findings by code\n"
    yield "| code | level | planted | found | right | precision | recall |"
    yield "|---|---|---|---|---|---|---|"
    for code, facts in CODES.items():
        planted, found, right = counted.planted[code], counted.found[code], counted.right[code]
        if planted or found:
            yield (
                f"| `{code}` | {facts.level} | {planted} | {found} | {right} | {_share(right, found)} | "
                f"{_share(right, planted)} |"
            )
    for level, numbers in counted.levels.items():
        found, right = numbers["found"], numbers["right"]
        yield f"| all of level {level} | | | {found} | {right} | {_share(right, found)} | |"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


if __name__ == "__main__":
    main()

"""Entries of the labelled lists taken out and added again: how `paperlake add` writes them beside how their owners did.

    .venv/bin/python -m benchmarks.checks.additions [../shared] [--each N] [--half even|odd] [--corpus] [--show]

Of each list of ../shared with labels, or of its corpus, N entries are drawn whose paper the facts know. Each is taken
out alone, and its paper is added under the heading where it stood, with the facts as the services' answer, but for the
year and an identifier, which are the entry's own. It is *exact* where the owner's words come out; *near* where the
fields stand in the same form and only their values differ, such as a shortened venue, or the owner has further links or
notes behind them; *listed* where the form is another one, in which the list has two entries or more; *other* where the
form is none of the list's; *refused* where `add` offers nothing. Where the section is in an order, its place is
compared too. `add` was mended while looking at the lists of even numbers.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

from benchmarks.checks.list_checks import read_labels
from benchmarks.figure import Figure
from sources.bibliography.identifiers import ArxivId, Doi
from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, kind_of
from sources.errors import IdentifierError, UsageError
from sources.lists.checks.findings import Edit, PaperFacts, Publication
from sources.lists.edits.additions import addition
from sources.lists.edits.edits import Change, apply_edits
from sources.lists.edits.extents import Extents
from sources.lists.edits.forms import NUMBER, without_notes, without_other_links
from sources.lists.edits.places import shown_section
from sources.lists.edits.spans import first_line_of
from sources.lists.edits.style import WrittenEntry, WrittenList, came_out
from sources.lists.local_files import decode_list
from sources.lists.reading import parse_reading_list

KINDS = ("exact", "near", "listed", "other", "refused")
_FEWEST_BESIDE = 3
"""Entries of a section beside the one taken out, so that there is a form to learn."""


class Removal(NamedTuple):
    """A list without one of its entries: the rest, where the entry stood, its text, and how it was written.

    `section` is its headings, and where others of these are under other words in bold, those.
    """

    rest: str
    at: int
    words: str
    entry: WrittenEntry
    section: str | None


@dataclass
class Counted:
    """How the entries of a list came out; `placed` of `ordered` at their owner's place."""

    kinds: Counter[str] = field(default_factory=Counter)
    ordered: int = 0
    placed: int = 0


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    arguments.add_argument("--each", type=int, default=10, help="entries of each list, at most")
    arguments.add_argument("--half", choices=("even", "odd"), help="every second list alone")
    arguments.add_argument("--corpus", action="store_true", help="the lists of ../shared/corpus")
    arguments.add_argument("--show", action="store_true", help="print what is not exact")
    options = arguments.parse_args()
    total: dict[str, Counted] = {}
    print("| list | " + " | ".join(KINDS) + " | at its place, where there is an order |")
    print("|---|" + "---|" * (len(KINDS) + 1))
    shared = options.shared.resolve()
    for number, name, counted in measure(shared, options.each, options.half, corpus=options.corpus, show=options.show):
        print(_row(f"{name} ({'odd' if number % 2 else 'even'})", counted), flush=True)
        whole = total.setdefault("odd" if number % 2 else "even", Counted())
        whole.kinds += counted.kinds
        whole.ordered += counted.ordered
        whole.placed += counted.placed
    for half, counted in total.items():
        print(_row(f"all of {half} number", counted))


def _row(name: str, counted: Counted) -> str:
    place = f"{counted.placed} of {counted.ordered}" if counted.ordered else "-"
    return f"| {name} | " + " | ".join(str(counted.kinds[kind]) for kind in KINDS) + f" | {place} |"


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the figures for `make bench`, of the half that was not looked at; none where ../shared is not there."""
    shared = Path("../shared").resolve()
    if not shared.is_dir():
        print("   ../shared is not here: nothing added")
        return
    kinds: Counter[str] = Counter()
    for _, _, counted in measure(shared, 10 if full else 2, "odd"):
        kinds += counted.kinds
    share = 100 * (kinds["exact"] + kinds["near"]) / kinds.total()
    yield Figure(name="entries that `add` writes as their owners did, but for values", value=share, unit="%")


def measure(
    shared: Path, each: int, half: str | None = None, *, corpus: bool = False, show: bool = False
) -> Iterator[tuple[int, str, Counted]]:
    """Yields the number and name of each labelled list, or list of the corpus, with how its entries came out."""
    papers = known_papers(shared)
    patterns = ("corpus/positive/*.md",) if corpus else ("lists/*.txt", "practice/*.md")
    paths = [path for pattern in patterns for path in sorted(shared.glob(pattern)) if path.name != "README.md"]
    files = {path.name[:3] if path.suffix == ".txt" else path.stem: path for path in paths}
    for number, (name, path) in enumerate(files.items()):
        if half in (None, "odd" if number % 2 else "even"):
            text = decode_list(path.read_bytes(), name=path.name)
            counted = Counted()
            for removal, paper in _drawn(text, papers, each, random.Random(f"{name} taken out")):
                kind, shown = _try(removal, paper, counted)
                counted.kinds[kind] += 1
                if show and kind != "exact":
                    sys.stdout.write(f"{kind} {name}\n  - {removal.words[:300]!r}\n  + {shown[:300]!r}\n")
            yield number, name, counted


def known_papers(shared: Path) -> dict[str, PaperFacts]:
    """Returns what the facts and the background know of labelled papers, by title, arXiv identifier and DOI."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    labels = [row for path in _label_files(shared) for row in read_labels(path) if row["kind"] == "paper"]
    background = pq.read_table(shared / "facts" / "background.parquet")
    labels += [row for path in (shared / "corpus").glob("*labels.jsonl") for row in read_labels(path)]
    of_titles = [row["title"] for row in labels if row.get("list")]
    wanted = pc.or_(
        pc.is_in(background["arxiv_id"], pa.array({row["arxiv_id"] for row in labels if row["arxiv_id"]})),
        pc.is_in(background["title"], pa.array(of_titles)),
    )
    rows = background.filter(wanted).to_pylist()
    for name in ("practice.jsonl", "papers.jsonl"):
        rows += read_labels(shared / "facts" / name)
    papers: dict[str, PaperFacts] = {}
    for row in rows:
        paper = facts_of(row)
        papers |= {key: paper for key in (title_key(row["title"]), row["arxiv_id"], row["doi"]) if key}
    return papers


def _label_files(shared: Path) -> list[Path]:
    return sorted([*(shared / "gold").glob("*.jsonl"), *(shared / "practice").glob("*.jsonl")])


def facts_of(row: Mapping) -> PaperFacts:
    """Returns a row of the facts as a paper's; without authors where the row does not have them all."""
    venue, _, year = (row["venue"] or "").rpartition(" ")
    is_published = bool(venue) and year.isdigit() and kind_of(venue) is not Kind.PREPRINT
    arxiv_id, doi = _base(ArxivId, row["arxiv_id"]), _base(Doi, row["doi"])
    published = Publication(source="dblp", venue=venue, year=int(year), doi=doi) if is_published else None
    authors = tuple(row["authors"] or ())
    has_all = row.get("authors_complete", row.get("n_authors", len(authors)) <= len(authors))
    return PaperFacts(
        paper_id=arxiv_id or doi or row["title"],
        title=row["title"],
        authors=authors if has_all else (),
        year=row["year"],
        published_on=date.fromisoformat(day) if len(day := row.get("published") or "") == 10 else None,
        venue=row["venue"],
        arxiv_id=arxiv_id,
        doi=doi,
        publications=(published,) if published else (),
        sources=("arxiv", "s2"),
    )


def _base(scheme: type[ArxivId | Doi], words: str | None) -> str | None:
    """Returns an identifier of the facts as paperlake has it; None of what is none."""
    with suppress(IdentifierError):
        parsed = scheme.parse(words) if words else None
        return parsed.base if isinstance(parsed, ArxivId) else parsed and parsed.value
    return None


def _drawn(
    text: str, papers: Mapping[str, PaperFacts], each: int, draw: random.Random
) -> Iterator[tuple[Removal, PaperFacts]]:
    """Yields entries taken out, of papers with an identifier, whose people are known where entries name people.

    The facts have the entry's year, and an identifier that it alone has: it is what its owner would name.
    """
    written = WrittenList(text, parse_reading_list(text).mentions)
    extents = Extents(written)
    titles = Counter(title_key(entry.mention.title or "") for entry in written.entries)
    left = each
    for entry in draw.sample(written.entries, len(written.entries)):
        mention, title = entry.mention, title_key(entry.mention.title or "")
        keys = (mention.arxiv_id, mention.doi, title)
        paper = next((papers[key] for key in keys if key in papers), None)
        if not left or paper is None or entry.form is None or titles[title] > 1 or title != title_key(paper.title):
            continue
        paper = _with_entry(paper, entry)
        beside = [other for other in written.siblings(mention.section).entries if other is not entry]
        names_people = any(other.mention.authors for other in (entry, *beside))
        if (paper.arxiv_id or paper.doi) and (paper.authors or not names_people) and len(beside) >= _FEWEST_BESIDE:
            removal = _without(written, entry, beside, extents)
            if removal is not None:
                left -= 1
                yield removal, paper


def _with_entry(paper: PaperFacts, entry: WrittenEntry) -> PaperFacts:
    """Returns the facts with what an entry says about when the paper came out, and how it is found.

    The day is that of the entry where the facts have none, and it is of the month in which arXiv got the paper.
    """
    mention = entry.mention
    year = mention.year or paper.year
    published = tuple(replace(each, year=mention.year or each.year) for each in paper.publications)
    arxiv_id, doi = paper.arxiv_id or mention.arxiv_id, paper.doi or mention.doi
    month, day = came_out(replace(paper, arxiv_id=arxiv_id)), entry.day
    is_day = paper.published_on is None and month and day and (month.year, month.month) == (day.year, day.month)
    on = day if is_day else paper.published_on
    return replace(paper, year=year, published_on=on, publications=published, arxiv_id=arxiv_id, doi=doi)


def _without(
    written: WrittenList, entry: WrittenEntry, beside: Sequence[WrittenEntry], extents: Extents
) -> Removal | None:
    """Returns the list without an entry.

    None where others share its lines, or would have to be numbered anew.
    """
    source, last = written.source, extents.end(entry)
    first = first_line_of(entry.mention)
    sharing = [
        other
        for other in written.entries
        if other is not entry and first_line_of(other.mention) <= last and other.mention.last_line >= first
    ]
    is_last = all(other.mention.line < entry.mention.line for other in beside)
    if sharing or (entry.form is not None and NUMBER in entry.form.text and not is_last):
        return None
    start, end = source.stretch(first, last)
    words = source.text[start:end]
    after = last + 1
    if after < source.line_count and first > 1 and not (source.line(first - 1) + source.line(after)).strip():
        after += 1
    stop = source.stretch(after, after)[0] if after <= source.line_count else len(source.text)
    headings = entry.mention.section
    under = next((name for name, group in extents.groups(extents.outer(headings)).items() if entry in group), "")
    is_alone = len(extents.groups(extents.outer(headings)).get(under, ())) < 2
    section = " > ".join(filter(None, (shown_section(headings) if headings else "", "" if is_alone else under)))
    return Removal(
        rest=source.text[:start] + source.text[stop:], at=start, words=words, entry=entry, section=section or None
    )


def _try(removal: Removal, paper: PaperFacts, counted: Counted) -> tuple[str, str]:
    """Returns how an entry came out, and its text or why there is none."""
    try:
        change = addition(removal.rest, paper, section=removal.section)
    except UsageError as error:
        return "refused", str(error)
    edit = change.edits[0]
    words = edit.replacement.strip("\r\n")
    if any("in order of" in phrase for phrase in change.evidence):
        counted.ordered += 1
        counted.placed += _is_placed(removal, edit)
    if _lines(words) == _lines(removal.words):
        return "exact", words
    own, forms = _forms(removal.rest, change, paper)
    return ("near" if own == _plain(removal.entry) else "listed" if forms[own] > 2 else "other"), words


def _is_placed(removal: Removal, edit: Edit) -> bool:
    """Returns whether only entries of the same year stand between the place of the new entry and that of the old."""
    places = sorted((_line_of(removal.rest, edit), removal.rest.count("\n", 0, removal.at)))
    mentions = parse_reading_list(removal.rest).mentions
    between = [mention for mention in mentions if places[0] <= first_line_of(mention) - 1 < places[1]]
    return all(mention.year == removal.entry.mention.year for mention in between)


def _line_of(text: str, edit: Edit) -> int:
    """Returns before which line, counted from 0, an edit puts a new one."""
    return text.count("\n", 0, edit.start) + edit.replacement.startswith(("\n", "\r"))


def _lines(words: str) -> list[str]:
    return [line.rstrip() for line in words.splitlines()]


def _forms(rest: str, change: Change, paper: PaperFacts) -> tuple[str | None, Counter[str | None]]:
    """Returns the form of the new entry, and how often the list with it has each form."""
    mended = apply_edits(rest, change.edits)
    written = WrittenList(mended, parse_reading_list(mended).mentions)
    key = title_key(paper.title)
    own = next((_plain(item) for item in written.entries if title_key(item.mention.title or "") == key), None)
    return own, Counter(map(_plain, written.entries))


def _plain(entry: WrittenEntry) -> str | None:
    """Returns the form of an entry without its owner's notes and links to code behind it, blanks as one."""
    if entry.form is None:
        return None
    plain = without_other_links(entry.form.text)
    return re.sub(r"\s+", " ", without_notes(plain) or plain).strip(" .")


if __name__ == "__main__":
    main()

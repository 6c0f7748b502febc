"""Makes `arxiv-starter.jsonl` and `dblp-starter.xml`, the snapshots that `make demo` reads instead of the network.

Reads two files of true facts that live outside this repository (`papers.jsonl` and `background.parquet`, in the folder
given as `--facts`) and the example lists. Writes, in the JSON-lines form of arXiv's own metadata dump (CC0), the
papers that the lists name, those whose titles come nearest to them (a matcher that only ever sees right answers is not
tried), and the papers of `papers.jsonl`. The same inputs give the same bytes.

Nothing is invented. A field that the facts do not hold is null, with these consequences:

- `authors` and `authors_parsed` are null where only the first five names are known. Names are split into last and first
  by the usual rule; joined again they read as the facts have them.
- `versions` is empty where the day of submission is not known. Where it is, the hour is not: midnight stands for it.
- `update_date` is null: how many versions followed the first is not known, so a row says nothing about the latest.
- `categories` holds the primary one first, and the others only where they are known.

The second file has the form of DBLP's release (CC0). It holds the papers of `DBLP_KEYS`, which the lists name. The
facts have them from DBLP with all authors; their keys, not told by the facts, were looked up in public bibliographies.
Venues are called as the facts call them. What the facts do not hold is left out, such as the day of the last change.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from datetime import UTC, date, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow.compute as pc
import pyarrow.parquet as pq

from sources.bibliography.identifiers import ArxivId, Doi
from sources.errors import IdentifierError

HERE = Path(__file__).resolve().parent
NEIGHBOURS = 4
"""Look-alikes kept for each paper that a list names."""

DBLP_KEYS = {
    "Apache Calcite: A Foundational Framework for Optimized Query Processing Over Heterogeneous Data Sources":
        "conf/sigmod/BegoliCHML18",
    "Distributed Representations of Words and Phrases and their Compositionality": "conf/nips/MikolovSCCD13",
    "DuckDB: an Embeddable Analytical Database": "conf/sigmod/RaasveldtM19",
    "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness": "conf/nips/DaoFERR22",
    "Sequence to Sequence Learning with Neural Networks": "conf/nips/SutskeverVL14",
}  # fmt: skip
"""Title -> key of its record in DBLP."""

_FIELDS = frozenset(
    "cs.AI cs.AR cs.CL cs.CV cs.DB cs.DC cs.DL cs.IR cs.LG cs.MS cs.NE cs.PF cs.PL cs.SE stat.ML".split()
)
"""Where look-alikes are taken from: the fields that the lists read."""
_WORD = re.compile(r"[^\W_]+")
_NICKNAME = re.compile(r"^\s*[-*]\s+(\w+)$", re.MULTILINE)
_PARTICLES = frozenset("al bin da de del della den der di dos du el la le ten ter van von zu".split())
_SUFFIXES = frozenset({"Jr", "Jr.", "Sr", "Sr.", "II", "III"})
_LONGEST_TITLE = 40
_RARE = 3.0
"""Logarithm of how many papers there are for each that has a word; below this, words tell nothing."""

Fact = dict[str, Any]


def read_facts(folder: Path) -> tuple[dict[str, Fact], set[str]]:
    """Returns every paper with an arXiv identifier by that identifier, and which of them are in `papers.jsonl`."""
    facts: dict[str, Fact] = {}
    table = pq.read_table(folder / "background.parquet", filters=pc.field("arxiv_id").is_valid())
    for row in table.sort_by("title").to_pylist():
        if (arxiv_id := _arxiv_id(row)) and arxiv_id not in facts:
            facts[arxiv_id] = row | {"authors_complete": row["n_authors"] == len(row["authors"])}
    rows = [json.loads(line) for line in (folder / "papers.jsonl").read_text(encoding="utf-8").splitlines()]
    own = {arxiv_id: row for row in rows if (arxiv_id := _arxiv_id(row))}
    return facts | own, set(own)


def named_in(text: str, facts: dict[str, Fact]) -> set[str]:
    """Returns the papers whose identifier or whole title stands on a line of `text`, or whose nickname is the line."""
    titles = defaultdict(set)
    for arxiv_id, fact in facts.items():
        titles[_words(fact["title"])].add(arxiv_id)
    found = {match for match in re.findall(r"\d{4}\.\d{4,5}", text) if match in facts}
    nicknames = {f"{name.lower()}:" for name in _NICKNAME.findall(text)}
    found |= {key for key, fact in facts.items() if fact["title"].lower().split(" ", 1)[0] in nicknames}
    for line in text.splitlines():
        words = _words(line)
        for start in range(len(words)):
            for end in range(start + 2, min(start + _LONGEST_TITLE, len(words)) + 1):
                found |= titles.get(words[start:end], set())
    return found


def nearest(named: set[str], facts: dict[str, Fact]) -> set[str]:
    """Returns, for each paper named, the fully known papers whose titles share the most of its rare words."""
    known = {key: set(_words(fact["title"])) for key, fact in facts.items() if _is_fully_known(fact)}
    holders = defaultdict(list)
    for key, words in known.items():
        for word in words:
            holders[word].append(key)
    weight = {word: math.log(len(known) / len(keys)) for word, keys in holders.items()}
    length = {key: math.sqrt(sum(weight[word] for word in words)) for key, words in known.items()}
    found: set[str] = set()
    for key in sorted(named):
        shared: Counter[str] = Counter()
        for word in sorted(set(_words(facts[key]["title"])) & weight.keys()):
            if weight[word] > _RARE:
                shared.update(dict.fromkeys(holders[word], weight[word]))
        rank = sorted((-value / length[other], other) for other, value in shared.items() if other != key)
        found.update(other for _, other in rank[:NEIGHBOURS])
    return found


def dump_row(arxiv_id: str, fact: Fact) -> dict[str, Any]:
    """Returns the row of arXiv's dump that tells what `fact` tells, and null for the rest."""
    names = [re.sub(r" \d{4}$", "", name) for name in fact["authors"]] if fact["authors_complete"] else []
    day = date.fromisoformat(fact["published"]) if fact["published"] else None
    created = format_datetime(datetime(day.year, day.month, day.day, tzinfo=UTC), usegmt=True) if day else None
    return {
        "id": arxiv_id,
        "submitter": None,
        "authors": ", ".join(names) or None,
        "title": " ".join(fact["title"].split()),
        "comments": None,
        "journal-ref": None,
        "doi": _doi(fact["doi"]),
        "report-no": None,
        "categories": " ".join(_categories(fact)) or None,
        "license": None,
        "versions": [{"version": "v1", "created": created}] if created else [],
        "update_date": None,
        "authors_parsed": [_parsed(name) for name in names] or None,
    }


def _arxiv_id(row: Fact) -> str | None:
    """Returns the sound identifier of a row, None where it has none or where it contradicts the row's own date."""
    try:
        found = ArxivId.parse(row["arxiv_id"] or "").base
    except IdentifierError:
        return None
    digits, day = found.split("/")[-1], row["published"]
    if not day:
        return found
    months = int(day[2:4]) * 12 + int(day[5:7]) - int(digits[:2]) * 12 - int(digits[2:4])
    return found if -4 < months <= 1 or months % 1200 == 0 else None


def _is_fully_known(fact: Fact) -> bool:
    complete = fact["authors_complete"] and fact["authors"] and fact["published"]
    return bool(complete and fact["primary_category"] in _FIELDS)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower()))


def _categories(fact: Fact) -> list[str]:
    primary = fact["primary_category"]
    others = [category for category in fact.get("categories") or [] if category != primary]
    return [primary, *others] if primary else others


def _doi(text: str | None) -> str | None:
    try:
        return Doi.parse(text).value if text else None
    except IdentifierError:
        return None


def _parsed(name: str) -> list[str]:
    """Returns [last, first, suffix]; particles in lower case go with the last name."""
    words = name.split()
    suffix = words.pop() if len(words) > 2 and words[-1] in _SUFFIXES else ""
    start = len(words) - 1
    while start > 1 and words[start - 1] in _PARTICLES:
        start -= 1
    return [" ".join(words[start:]), " ".join(words[:start]), suffix]


def make(folder: Path) -> str:
    """Returns the snapshot made from the facts in `folder` and the example lists."""
    facts, own = read_facts(folder)
    lists = "\n".join(path.read_text(encoding="utf-8") for path in sorted((HERE.parent / "lists").glob("*.md")))
    named = named_in(lists, facts)
    chosen = sorted(own | named | nearest(named, facts))
    rows = (json.dumps(dump_row(key, facts[key]), ensure_ascii=False, separators=(",", ":")) for key in chosen)
    return "".join(row + "\n" for row in rows)


def make_dblp(folder: Path) -> str:
    """Returns the release of DBLP's form made from the facts in `folder`."""
    rows = pq.read_table(folder / "background.parquet").to_pylist()
    facts = {row["title"]: row for row in rows if "dblp" in row["source"] and row["n_authors"] == len(row["authors"])}
    records = (dblp_record(key, facts[title]) for title, key in sorted(DBLP_KEYS.items()))
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n'
    return f"{head}<dblp>\n{''.join(records)}</dblp>\n"


def dblp_record(key: str, fact: Fact) -> str:
    """Returns the record of DBLP's release that tells what `fact` tells; what is not ASCII is named by its number."""
    venue, _, year = fact["venue"].rpartition(" ")
    fields = [("author", name) for name in fact["authors"]]
    fields += [("title", f"{fact['title']}."), ("year", year), ("booktitle", venue)]
    fields += [("ee", f"https://doi.org/{fact['doi']}")] if fact["doi"] else []
    text = "\n".join(f"<{name}>{escape(value)}</{name}>" for name, value in fields)
    return f'<inproceedings key="{key}">\n{text}\n</inproceedings>\n'.encode("ascii", "xmlcharrefreplace").decode()


def main() -> None:
    """Writes the snapshots beside this file and says how many papers they hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--facts", type=Path, required=True, help="folder of papers.jsonl and background.parquet")
    folder = parser.parse_args().facts
    for name, text in (("arxiv-starter.jsonl", make(folder)), ("dblp-starter.xml", make_dblp(folder))):
        (HERE / name).write_text(text, encoding="utf-8", newline="\n")
        papers = text.count("</inproceedings>") or text.count("\n")
        sys.stdout.write(f"{name}: {papers} papers, {len(text.encode()):,} bytes\n")


if __name__ == "__main__":
    main()

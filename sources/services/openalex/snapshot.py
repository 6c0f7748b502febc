"""Parses rows of OpenAlex's snapshot, which holds every work in the API's form (CC0). Pure.

The form is that of https://developers.openalex.org/download/snapshot-format : JSON Lines under `data/jsonl/works/` and,
since June 2026, Parquet under `data/parquet/works/`, in folders by the day on which works last changed. Works that were
merged into others are named in CSV files under `merged_ids/works/`.

A snapshot cannot be asked again for a row. So a field of it that cannot be true is left out and named, and the work
stays. Works without a title, some of every hundred, stay as well: they cite and are cited.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import Any

from sources.clock import utc_today
from sources.errors import PayloadError
from sources.services.dumps import Mended, read_dump_line
from sources.services.openalex.answers import MOST_AUTHORS
from sources.services.openalex.record import FIELDS as API_FIELDS
from sources.services.openalex.record import OpenAlexWork, parse_entry, work_id_of

FIELDS = (*API_FIELDS, "updated_date")  # the fields of a row that are read

_UNTITLED = "untitled"  # in the place of a missing title while the other fields are checked
_WITHOUT = frozenset({"id", "title"})  # fields without which a row is no work


def mended_work_line(line: bytes, *, today: date | None = None) -> Mended:
    """Returns one line of the snapshot in the form of most.

    `today` is the day by which years and dates are held plausible; None is the present day.

    Raises:
        PayloadError: The line is not UTF-8 JSON, or is no work; `field` says which.
    """
    row, day = read_dump_line(line), today or utc_today()
    sound = {name: row.get(name) for name in FIELDS}
    left_out: dict[str, str] = {}
    while isinstance(work := parse_entry(sound | {"title": _titled(sound)}, day, by_id=True), PayloadError):
        if work.field in _WITHOUT or sound.get(work.field) is None:
            raise work
        left_out[work.field] = f"{work.message}: left out"
        sound[work.field] = None
    sound["id"] = f"https://openalex.org/{work.work_id}"
    sound["doi"] = f"https://doi.org/{work.doi}" if work.doi else None
    if row.get("doi") and not work.doi:
        left_out["doi"] = f"doi {row['doi']!r:.60} is in no form known here: left out"
    sound["updated_date"] = None
    with suppress(ValueError):
        changed_on = date.fromisoformat(str(row.get("updated_date"))[:10])
        sound["updated_date"] = changed_on.isoformat() if changed_on <= day else None
    return Mended(text=json.dumps(sound), left_out=left_out)


def _titled(row: Mapping[str, Any]) -> Any:
    return _UNTITLED if row["title"] is None else row["title"]


def merged_work_id(line: bytes) -> str | None:
    """Returns the identifier of a work that was merged into another, from one line of such a CSV file.

    None is returned of the head line.

    Raises:
        PayloadError: The line names no work.
    """
    cells = line.decode("utf-8", "replace").strip().split(",")
    if cells == ["merge_date", "id", "merge_into_id"]:
        return None
    work_id = work_id_of(cells[1]) if len(cells) == 3 else None
    if work_id is None:
        raise PayloadError("no line of merged works: merge_date,id,merge_into_id", source="openalex", field="id")
    return f"https://openalex.org/{work_id}"


def parse_row(row: Mapping[str, Any], *, today: date | None = None) -> OpenAlexWork | None:
    """Returns the work that one row of the mirror describes, None of one that the API's parser would refuse.

    As the API does, it names the first hundred authors.
    """
    entry = dict(row)
    entry["counts_by_year"] = [
        {name: int(value) if value else None for name, value in year.items()} for year in row["counts_by_year"] or ()
    ]
    entry["is_retracted"] = None if row["is_retracted"] is None else row["is_retracted"] == "true"
    entry["authorships"] = (row["authorships"] or [])[:MOST_AUTHORS]
    work = parse_entry(entry, today or utc_today(), by_id=True)
    return work if isinstance(work, OpenAlexWork) else None

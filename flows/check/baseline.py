"""Findings that a list has had for long, kept in a file so that a check reports new ones alone.

A finding is known again by its list, its code and the text of its line, wherever that stands by now.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from sources.errors import UsageError
from sources.text import counted, json_text

if TYPE_CHECKING:
    from pathlib import Path

    from flows.check.report import CheckedList, CheckReport
    from sources.lists.checks.findings import ListFinding

_FORM = "findings left out"


def baseline_of(report: CheckReport) -> str:
    """Returns the text of a file that has all findings of the report."""
    counts = Counter(_key(each, item) for each in report.lists for item in each.findings)
    known = [{"list": name, "code": code, "line": line, "count": n} for (name, code, line), n in sorted(counts.items())]
    return json_text({_FORM: known}, indent=1) + "\n"


def without_baseline(file: Path, report: CheckReport) -> CheckReport:
    """Returns the report without the findings that the file has; of several like each other, no more than it has.

    Raises:
        UsageError: It cannot be read, or is no baseline.
    """
    try:
        known = json.loads(file.read_text(encoding="utf-8"))[_FORM]
        left = Counter({(each["list"], each["code"], each["line"]): int(each["count"]) for each in known})
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}; --write-baseline makes one") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is no baseline of `paperlake check`; --write-baseline makes one") from error

    def is_new(each: CheckedList, item: ListFinding) -> bool:
        key = _key(each, item)
        left[key] -= 1
        return left[key] < 0

    new = report.only(is_new)
    left_out = report.number - new.number
    remark = f"{counted(left_out, 'finding')} of {file} left out"
    return replace(new, remarks=(*new.remarks, remark)) if left_out else new


def _key(each: CheckedList, item: ListFinding) -> tuple[str, str, str]:
    words = " ".join(each.text.line(item.line).split())
    return each.name, item.code, hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]

"""Years as lists write them: 2019, '19, (2020.5.23), 2018年, 18 年, June 1 2020, EuroSys18."""

from __future__ import annotations

import re

_MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|"
    r"diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|januar|februar|märz|"
    r"juni|juli|oktober|dezember|spring|summer|fall|autumn|winter"
)
_DIGIT = re.compile(r"\d\d")
_FULL = re.compile(r"(?<![\d.:/#-])(?<!\d,)((?:19|20)\d\d)(?![\d])(?!\.\d{4,5}(?!\d))(?!\s?[x×]\s?\d)")
_DAY = re.compile(r"(?<!\d)(?:\d{1,2}[./-]){1,2}((?:19|20)\d\d)(?!\d)")
_SHORT = re.compile(r"(?<=[A-Za-z\s)(.,\[-])['’‘`´](\d\d)(?!\d)|^['’‘`´](\d\d)(?!\d)")
_CHINESE = re.compile(r"(?<![\d])(\d\d)\s?年")
_GLUED = re.compile(r"(?<=[A-Za-z])[ -]?([04-9]\d|[12]\d)(?:[a-z])?$")
DATE = re.compile(
    r"(?=[\djfmasondewrt'’‘`´])(?:\b(?:"
    + _MONTHS
    + r")\b\.?(?:[ -]\d{1,2}(?:st|nd|rd|th)?)?(?:\s*[-–/]\s*(?:"
    + _MONTHS
    + r")?\s*\d{0,2}(?!\d))?,?|"
    r"(?<!\d)(?:19|20)\d\d(?:[./-]\d{1,2}){1,2}(?!\d)|(?<!\d)\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d(?!\d)|"
    r"(?<!\d)\d{1,2}[./](?:19|20)\d\d(?!\d)|"
    r"(?<!\d)(?:19|20)\d\d(?:\s?年(?:\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?)?|[a-z](?![a-z]))?(?!\d)|(?<!\d)\d\d\s?年|"
    r"['’‘`´]\d\d(?!\d)|(?<=\d)(?:st|nd|rd|th)\b)",
    re.IGNORECASE,
)
"""A date in any of the forms above; what is left of a stretch without its dates is not a date."""


def year_in(text: str) -> int | None:
    """Returns the first year that `text` states, None where it states none. Two digits count only after a quote."""
    if _DIGIT.search(text) is None:
        return None
    match = _FULL.search(text) or _DAY.search(text)
    if match:
        return int(match[1])
    if match := _SHORT.search(text):
        return full_year(match[1] or match[2])
    if match := _CHINESE.search(text):
        return full_year(match[1])
    return None


def last_year(text: str) -> int | None:
    """Returns the last year in four digits that `text` states: in a citation the year comes at the end."""
    found = _FULL.findall(text)
    return int(found[-1]) if found else None


def glued_year(text: str) -> int | None:
    """Returns the year that ends `text` in two digits behind a name, as in EuroSys18 or "ATC 19"."""
    match = _GLUED.search(text)
    return full_year(match[1]) if match else None


def full_year(digits: str) -> int:
    """Returns the year that two digits mean; 41 to 99 are of the last century."""
    short = int(digits)
    return 1900 + short if short > 40 else 2000 + short

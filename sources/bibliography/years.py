"""Parses years and dates: 2019, '19, (2020.5.23), 2018年, 18 年, June 1 2020, EuroSys18, (1687)."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date

from sources import bounds
from sources.clock import utc_today

_TODAY = utc_today()
LAST_YEAR = _TODAY.year + 1  # the last year that a paper may be from: the next one, as of the start of the process

SHORT_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|"
    r"diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|januar|februar|märz|"
    r"juni|juli|oktober|dezember|spring|summer|fall|autumn|winter"
)
# The digits of a year where a citation has it, as behind authors; elsewhere such a number before 1900 may be a count.
YEAR_DIGITS = r"(?:1[5-9]|20)\d\d"
_DIGIT = re.compile(r"\d\d")
_FULL = re.compile(
    r"(?<![\d.:/#-])(?<!\d,)(?<!\d[–—])(?<![Nn]o )(?<![Nn][°º] )(?<!№ )(?<![Vv]ol\. )"
    r"((?:19|20)\d\d)(?![\d])(?!\.\d{4,5}(?!\d))(?!\s?[x×]\s?\d)(?!['’]?s\b)"
    r"(?!\s?[-–—]\s?(?:19|20)\d\d(?!\d|-\d))"
)
# The years that something is about, as a title names them: 1900-1950.
YEARS = re.compile(rf"\s*\(?({YEAR_DIGITS})\s?[-–—]{{1,2}}\s?((?:1[5-9]|20)?\d\d)\)?(?=[\s.,;:)\]»”\"]|$)")
# A year before 1900: such a number is mostly a count or a page, so it must have brackets of its own.
_EARLY = re.compile(r"\((?:c\.\s?)?(1[5-8]\d\d)[a-z]?\)|\[(1[5-8]\d\d)\]")
_ALONE = re.compile(r"\D{0,3}(\d{4}|\d\d)\D{0,3}")
_FIRST_GLUED = 1950  # before that, no meeting was called by two digits: they are its number, as in FLAIRS-33
_DAY = re.compile(r"(?<!\d)(?:\d{1,2}[./-]){1,2}((?:19|20)\d\d)(?!\d)")
_SHORT = re.compile(r"(?<=[A-Za-z\s)(.,\[-])['’‘`´](\d\d)(?!\d)|^['’‘`´](\d\d)(?!\d)")
_CHINESE = re.compile(r"(?<![\d])(\d\d)\s?年")
_GLUED = re.compile(r"(?<=[A-Za-z])[ -]?([04-9]\d|[12]\d)(?:[a-z])?$")
_NAMED = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_NAMED_SHORT = re.compile(r"['’](\d\d)(?!\d)")
_YEAR_FIRST = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?(?:[./-]|年)\s?(\d{1,2})\s?(?:[./-]|月)\s?(\d{1,2})(?!\d)")
_PACKED = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")
# A date in any of the forms above; what is left of a stretch without its dates is not a date.
DATE = re.compile(
    r"\b(?=[jfmasondew])(?:"
    + _MONTHS
    + r")\b\.?(?:[ -]\d{1,2}(?:st|nd|rd|th)?)?(?:\s*[-–/]\s*(?:"
    + _MONTHS
    + r")?\s*\d{0,2}(?!\d))?,?|"
    r"(?=\d)(?<!\d)(?:(?:19|20)\d\d(?:[./-]\d{1,2}){1,2}(?!\d)|\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d(?!\d)|"
    r"\d{1,2}[./](?:19|20)\d\d(?!\d)|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)|"
    r"(?:19|20)\d\d(?:\s?年(?:\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?)?|[a-z](?![a-z]))?(?!\d)|\d\d\s?年)|"
    r"['’‘`´]\d\d(?!\d)|(?<=\d)(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)


def is_year(number: int) -> bool:
    """Returns whether a paper may be from the year `number`, as of the start of the process."""
    return bounds.is_year(number, today=_TODAY)


def full_year(digits: str | int, *, last: int = LAST_YEAR) -> int:
    """Returns the year that two digits mean: the latest with those digits that is not after `last`."""
    return last - (last - int(digits)) % 100


def year_in(text: str) -> int | None:
    """Returns the first year that `text` states, None where it states none. Two digits count only after a quote."""
    if _DIGIT.search(text) is None:
        return None
    stated = next((year for match in _FULL.finditer(text) if is_year(year := int(match[1]))), None)
    if stated is not None:
        return stated
    for pattern in (_DAY, _PACKED, _SHORT, _CHINESE, _EARLY):
        if (match := pattern.search(text)) and is_year(year := _year_of(match)):
            return year
    return None


def last_year(text: str) -> int | None:
    """Returns the last year in four digits that `text` states: in a citation the year comes at the end."""
    found = [year for digits in _FULL.findall(text) if is_year(year := int(digits))]
    early = _EARLY.search(text) if not found else None
    return _year_of(early) if early else found[-1] if found else None


def glued_year(text: str) -> int | None:
    """Returns the year that ends `text` in two digits behind a name, as in EuroSys18 or "ATC 19"."""
    match = _GLUED.search(text)
    return year_of_meeting(match[1]) if match else None


def year_of_meeting(digits: str) -> int | None:
    """Returns the year that the digits behind a meeting's name mean, None where they count its meetings."""
    year = int(digits) if len(digits) == 4 else full_year(digits)
    return year if year >= _FIRST_GLUED and is_year(year) else None


def year_alone(text: str) -> int | None:
    """Returns the year that a field for nothing else holds: there, an early one and two digits count as well."""
    match = _ALONE.fullmatch(text.strip())
    return year if match and is_year(year := _year_of(match)) else year_in(text)


def years_in(text: str | None) -> frozenset[int]:
    """Returns all years that a venue or a journal reference names, also inside a word: UAI2005, ICLR'21."""
    if not text:
        return frozenset()
    named = {*map(int, _NAMED.findall(text)), *map(full_year, _NAMED_SHORT.findall(text))}
    named |= {_year_of(match) for match in _EARLY.finditer(text)}
    return frozenset(filter(is_year, named))


def days_in(text: str) -> frozenset[date]:
    """Returns the days that a text names with the year first: 2018.2.13, 2018-02-13, 20180213, 2018年2月13日."""
    days: set[date] = set()
    for numbers in _YEAR_FIRST.findall(text) + _PACKED.findall(text):
        with suppress(ValueError):  # there is no such day
            days.add(date(*map(int, numbers)))
    return frozenset(day for day in days if is_year(day.year))


def _year_of(match: re.Match[str]) -> int:
    digits = next(filter(None, match.groups()))
    return int(digits) if len(digits) == 4 else full_year(digits)

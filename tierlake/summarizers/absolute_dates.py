"""Dates in a statement made absolute, so that it stays true when it is read on another day (English)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

_DAYS: Final = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH: Final = f"(?:{'|'.join(_MONTHS)})"
_SPAN: Final = "(?:week|month|quarter|year)"
# Words whose date depends on the day they were said. A weekday that comes again (`every Monday`, `the first Monday of
# each month`, `on Monday mornings`) is no date.
_DEICTIC: Final = re.compile(
    rf"""\b(?:(?P<before>on|by|until|till|since|from|before|after|of|for|in|earlier|later)\s+)?
    (?P<core>today|yesterday|tomorrow|tonight|the\ day\ before\ yesterday|the\ day\ after\ tomorrow
    |this\ (?:morning|afternoon|evening|{_SPAN}|{_DAYS})
    |(?:last|next|past|the\ past|the\ coming|this\ coming)\ (?:{_SPAN}|night|spring|summer|autumn|fall|winter|{_DAYS})
    |(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a\ few|a\ couple\ of|several)
     \ (?:hours?|days?|weeks?|months?|years?)\ ago
    |(?<!every\ )(?<!each\ )(?<!other\ )(?<!first\ )(?<!second\ )(?<!third\ )(?<!fourth\ )(?<!\ba\ )(?<!any\ )
     {_DAYS}(?:\ (?:morning|afternoon|evening|night))?(?!\ (?:morning|afternoon|evening|night)s)
     (?!\ of\ (?:each|every|the)\b)
    )\b(?P<owner>['\u2019]s)?""",
    re.VERBOSE | re.IGNORECASE,
)
_DAY_AND_MONTH: Final = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m1>{_MONTH})|(?P<m2>{_MONTH})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?)\b"
)
_TIME: Final = re.compile(r"\b\d{1,2}:\d\d(?:\s?(?:am|pm|[A-Z]{3,4}))?\b")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_ANY_DATE: Final = re.compile(rf"{_YEAR.pattern}|\b{_MONTH}\b|\b\d{{1,2}}[./]\d{{1,2}}\b")
# Prepositions that stand before a bare date and keep their meaning; others become `on` or `in`.
_KEPT: Final = ("by", "until", "till", "since", "from", "before", "after", "of", "for")
_MONTHS_OF_A_QUARTER: Final = 3


@dataclass(frozen=True)
class DatedText:
    """A statement whose dates stand on their own.

    Attributes:
        text: The statement.
        has_date: True where it names a date.
        is_clear: False where a word like `yesterday` had to stay.
    """

    text: str
    has_date: bool
    is_clear: bool


def spell_date(at: datetime, precision: str | None) -> tuple[str, str]:
    """Returns the preposition and the date in words.

    Example:
        >>> spell_date(datetime(2026, 3, 6), "day")
        ('on', '6 March 2026')
        >>> spell_date(datetime(2026, 3, 6), "quarter")
        ('in', 'Q1 2026')
    """
    month = _MONTHS[at.month - 1]
    if precision == "year":
        return "in", str(at.year)
    if precision == "quarter":
        return "in", f"Q{(at.month - 1) // _MONTHS_OF_A_QUARTER + 1} {at.year}"
    if precision == "month":
        return "in", f"{month} {at.year}"
    day = f"{at.day} {month} {at.year}"
    if precision == "week":
        return "in", f"the week of {day}"
    if precision == "range":
        return "from", day
    return "on", day


def make_dates_absolute(text: str, occurred: datetime | None, precision: str | None) -> DatedText:
    """Returns the statement with its one relative date spelled out, or its year added.

    Args:
        text: An English statement.
        occurred: When it happened, as resolved against its document's date; None where unknown.
        precision: How exact that is.

    Example:
        >>> make_dates_absolute("Ana shipped it last Friday.", datetime(2026, 3, 6), "day").text
        'Ana shipped it on 6 March 2026.'
        >>> make_dates_absolute("Ana shipped it yesterday.", None, None).is_clear
        False
    """
    found = list(_DEICTIC.finditer(text))
    has_date = bool(_ANY_DATE.search(text))
    if not found and not has_date and occurred is not None and _TIME.search(text):
        return DatedText(_with_day(text, occurred), has_date=True, is_clear=True)
    if not found:
        return DatedText(_with_year(text, occurred), has_date, is_clear=True)
    match = found[0]
    # Two dates, or a possessive (`yesterday's outage`), cannot be exchanged for the one that was resolved.
    if occurred is None or len(found) > 1 or match["owner"] or _YEAR.search(text) or _DAY_AND_MONTH.search(text):
        return DatedText(text, has_date, is_clear=False)
    preposition, date = spell_date(occurred, precision)
    before = (match["before"] or "").lower()
    words = f"{before if before in _KEPT else preposition} {date}"
    # At the start of a sentence the new words keep its capital letter.
    words = words[0].upper() + words[1:] if match.start() == 0 else words
    return DatedText(text[: match.start()] + words + text[match.end() :], has_date=True, is_clear=True)


def _with_year(text: str, occurred: datetime | None) -> str:
    match = _DAY_AND_MONTH.search(text)
    if occurred is None or match is None or _YEAR.search(text):
        return text
    day, month = int(match["d1"] or match["d2"]), match["m1"] or match["m2"]
    if (day, month) != (occurred.day, _MONTHS[occurred.month - 1]):
        return text
    return text[: match.start()] + spell_date(occurred, "day")[1] + text[match.end() :]


def _with_day(text: str, occurred: datetime) -> str:
    """Returns a statement that names a time of day only, with the day behind the last time that it names."""
    end = list(_TIME.finditer(text))[-1].end()
    return f"{text[:end]} on {spell_date(occurred, 'day')[1]}{text[end:]}"

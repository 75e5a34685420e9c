"""Dates as documents write them, to UTC; nothing here looks at the clock."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any, Final

# A date outside is a typing error, a placeholder or an attack (a far date would let every short-term note expire).
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2100
_EPOCH: Final = re.compile(r"\d{9,13}(\.\d{1,9})?")
_MILLISECONDS: Final = 1e11  # as seconds this is the year 5138, as milliseconds 1973
_LONGEST: Final = 80  # no date is longer; the parsers below are slow on prose
_ISO_MONTH_LENGTH: Final = len("2025-03")
_NOTE: Final = "date_ignored"


def read_date(value: Any) -> datetime | None:
    """Returns a date as an aware UTC time; None where it is not one, or lies outside the years 1900 to 2100.

    Reads ISO 8601, RFC 2822 (mail), seconds or milliseconds since 1970 and full dates in words. A date without a
    zone is taken as UTC, a day without an hour as its midnight. What leaves out day or year ("yesterday", "May")
    is not a date: only a clock could complete it. `03/04/2025` is month first, as dateparser reads it.

    Example:
        >>> read_date("2025-03-04T10:00:00+02:00").isoformat()
        '2025-03-04T08:00:00+00:00'
        >>> read_date("Tue, 4 Mar 2025 10:00:00 -0500").isoformat()
        '2025-03-04T15:00:00+00:00'
        >>> read_date("March 4, 2025").isoformat()
        '2025-03-04T00:00:00+00:00'
        >>> read_date("yesterday") is None
        True
    """
    if isinstance(value, datetime):
        return _in_range(value)
    if isinstance(value, date):
        return _in_range(datetime(value.year, value.month, value.day, tzinfo=UTC))
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _from_epoch(float(value)) if abs(value) < _MILLISECONDS * 1000 else None
    text = str(value).strip()
    if not text or len(text) > _LONGEST:
        return None
    return _from_epoch(float(text)) if _EPOCH.fullmatch(text) else _from_text(text)


def note_date(value: Any, metadata: dict[str, Any]) -> datetime | None:
    """Returns `read_date(value)`; where a date stands there but cannot be used, says so in `metadata`.

    Example:
        >>> metadata = {}
        >>> note_date("9999-12-31", metadata) is None, metadata
        (True, {'date_ignored': '9999-12-31'})
    """
    found = read_date(value)
    if found is None and value not in (None, ""):
        metadata[_NOTE] = str(value)[:_LONGEST]
    return found


def _from_epoch(seconds: float) -> datetime | None:
    if seconds >= _MILLISECONDS:
        seconds /= 1000
    try:
        return _in_range(datetime.fromtimestamp(seconds, UTC))
    except (OverflowError, OSError, ValueError):  # beyond what a date can hold: outside the range, hence no date
        return None


@lru_cache(maxsize=4096)  # a table repeats its dates, and the last parser takes milliseconds
def _from_text(text: str) -> datetime | None:
    from dateutil.parser import isoparser

    for parse in (isoparser().isoparse, parsedate_to_datetime):
        if parse is not parsedate_to_datetime and len(text) < _ISO_MONTH_LENGTH:
            continue  # `2025` alone may be any number
        try:
            return _in_range(parse(text))
        except (ValueError, TypeError, IndexError, OverflowError):
            continue  # not in this notation
    return _from_words(text)


def _from_words(text: str) -> datetime | None:
    import dateparser

    # Strict and absolute: all of day, month and year must stand there, so that no part comes from the clock.
    found = dateparser.parse(
        text,
        settings={
            "PARSERS": ["absolute-time"],
            "STRICT_PARSING": True,
            "REQUIRE_PARTS": ["day", "month", "year"],
            "TIMEZONE": "UTC",
            "TO_TIMEZONE": "UTC",
            "RETURN_AS_TIMEZONE_AWARE": True,
            "RELATIVE_BASE": datetime(2000, 1, 1),  # noqa: DTZ001  # the parser wants it naive; a fixed stand-in for the clock
        },
    )
    return _in_range(found) if found is not None else None


def _in_range(value: datetime) -> datetime | None:
    try:
        aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:  # the first or last day of the calendar, moved over its edge by the zone
        return None
    return aware if _FIRST_YEAR <= aware.year <= _LAST_YEAR else None

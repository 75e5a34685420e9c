"""Spans of time and the arithmetic between them: days, weeks (ISO), months, quarters, years, next to an anchor."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, Literal

from dateutil.relativedelta import relativedelta

# What stands outside is a typing error, a number that is no year, or a hostile document.
FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2100
MONTHS_IN_YEAR: Final = 12
FRIDAY: Final = 4
DAYS_IN_WEEK: Final = 7

Direction = Literal["past", "future"] | None


@dataclass(frozen=True)
class DateSpan:
    """A span of time: aware UTC, `end` exclusive, `precision` one of `schemas.PRECISIONS`."""

    start: datetime
    end: datetime
    precision: str


@dataclass(frozen=True)
class Sense:
    """What an expression is read against: the anchor (aware UTC, or None) and the tense of its sentence."""

    anchor: datetime | None
    direction: str | None


def in_bounds(span: DateSpan | None) -> DateSpan | None:
    """Returns the span, or None where it is not within the years 1900 to 2100."""
    if span is None or not FIRST_YEAR <= span.start.year <= LAST_YEAR or span.end <= span.start:
        return None
    return span


def _midnight(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:  # 31 February, month 13: written like a date, but none
        return None


def _floor(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day_span(year: int, month: int, day: int) -> DateSpan | None:
    """Returns one day, or None where there is no such day."""
    start = _midnight(year, month, day)
    return DateSpan(start, start + timedelta(days=1), "day") if start else None


def month_span(year: int, month: int) -> DateSpan | None:
    """Returns one month, or None where there is no such month."""
    start = _midnight(year, month, 1)
    return DateSpan(start, start + relativedelta(months=1), "month") if start else None


def year_span(year: int) -> DateSpan:
    """Returns one year."""
    return DateSpan(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC), "year")


def unit_span(anchor: datetime | None, unit: str, step: int) -> DateSpan | None:
    """Returns the day, ISO week, month, quarter or year that is `step` units from the anchor's; None without anchor."""
    if anchor is None:
        return None
    day = _floor(anchor)
    if unit == "day":
        start, length = day + timedelta(days=step), relativedelta(days=1)
    elif unit == "week":
        start = day - timedelta(days=day.weekday()) + timedelta(days=DAYS_IN_WEEK * step)
        length = relativedelta(days=DAYS_IN_WEEK)
    elif unit == "month":
        start, length = day.replace(day=1) + relativedelta(months=step), relativedelta(months=1)
    elif unit == "quarter":
        first = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        start, length = first + relativedelta(months=3 * step), relativedelta(months=3)
    else:
        start, length = day.replace(month=1, day=1) + relativedelta(years=step), relativedelta(years=1)
    return DateSpan(start, start + length, unit)


def shift(anchor: datetime | None, unit: str, number: int) -> DateSpan | None:
    """Returns the day, week, month, quarter or year that is `number` units away; hours and minutes exactly."""
    if anchor is None:
        return None
    try:
        if unit in {"hour", "minute"}:
            step = timedelta(hours=1) if unit == "hour" else timedelta(minutes=1)
            start = anchor + number * step
            return DateSpan(start, start + step, "time")
        return unit_span(anchor, unit, number)
    except (OverflowError, ValueError):  # "9000 years ago": outside the calendar
        return None


def quarter_span(year: int | None, quarter: int, sense: Sense) -> DateSpan | None:
    """Returns a calendar quarter; without a year, the nearest in the sentence's direction."""
    if year is not None:
        return month_range(year, 3 * quarter - 2, 3, "quarter")
    if sense.anchor is None:
        return None
    around = range(sense.anchor.year - 1, sense.anchor.year + 2)
    return _nearest([month_range(each, 3 * quarter - 2, 3, "quarter") for each in around], sense)


def month_range(year: int, month: int, months: int, precision: str) -> DateSpan | None:
    """Returns `months` months from `month` of `year`."""
    start = _midnight(year, month, 1)
    return DateSpan(start, start + relativedelta(months=months), precision) if start else None


# A report goes on being written after the date at its head: "was approved on 9 March", in one of 5 March.
_WRITTEN_LATER: Final = timedelta(days=31)


def _nearest(spans: list[DateSpan | None], sense: Sense, *, written_later: timedelta = timedelta(0)) -> DateSpan | None:
    """Returns the span that the direction picks: begun (past), not over (future), else the closest."""
    if sense.anchor is None:
        return None
    anchor = sense.anchor
    present = [span for span in spans if span is not None]
    if sense.direction == "past":
        latest = anchor + written_later
        return max((span for span in present if span.start <= latest), key=lambda span: span.start, default=None)
    if sense.direction == "future":
        return min((span for span in present if span.end > anchor), key=lambda span: span.start, default=None)
    day = timedelta(days=1)
    # A tie in distance goes to the earlier span: notes mostly tell what was.
    return min(present, key=lambda span: (abs((span.start - anchor) // day), span.start), default=None)


def near_day(month: int, day: int, sense: Sense) -> DateSpan | None:
    """Returns a day without a year: the year comes from the anchor, by direction, else the nearest."""
    if sense.anchor is None:
        return None
    # Four years each way, so that 29 February is found.
    days = [day_span(sense.anchor.year + each, month, day) for each in range(-4, 5)]
    return _nearest(days, sense, written_later=_WRITTEN_LATER)


def near_month(month: int, sense: Sense, *, step: int | None = None) -> DateSpan | None:
    """Returns a month without a year; `step` -1, 0, 1 means last, this, next."""
    if sense.anchor is None:
        return None
    spans = [month_span(sense.anchor.year + each, month) for each in range(-2, 3)]
    if step is None:
        return _nearest(spans, sense)
    if step == 0:
        return month_span(sense.anchor.year, month)
    this = sense.anchor.replace(day=1)
    if step < 0:
        return max((s for s in spans if s and s.end <= _floor(this)), key=lambda s: s.start, default=None)
    return min((s for s in spans if s and s.start > this), key=lambda s: s.start, default=None)


def near_weekday(weekday: int, sense: Sense, *, step: int | None) -> DateSpan | None:
    """Returns a weekday next to the anchor.

    `last` is the latest before the anchor's day, `next` the one in the next ISO week, `this` the one in the anchor's
    ISO week (step -1, 1, 0). A bare weekday (None) is the latest before in the past, the first after in the future,
    else the nearest.
    """
    if sense.anchor is None:
        return None
    day = _floor(sense.anchor)
    monday = day - timedelta(days=day.weekday())
    back = (day.weekday() - weekday - 1) % DAYS_IN_WEEK + 1
    ahead = (weekday - day.weekday() - 1) % DAYS_IN_WEEK + 1
    if step == 0:
        start = monday + timedelta(days=weekday)
    elif step == 1:
        start = monday + timedelta(days=DAYS_IN_WEEK + weekday)
    elif step == -1 or sense.direction == "past":
        start = day - timedelta(days=back)
    elif sense.direction == "future":
        start = day + timedelta(days=ahead)
    elif day.weekday() == weekday:
        start = day
    else:
        start = day - timedelta(days=back) if back < ahead else day + timedelta(days=ahead)
    return DateSpan(start, start + timedelta(days=1), "day")


def week_number(year: int | None, week: int, sense: Sense) -> DateSpan | None:
    """Returns an ISO week by number; without a year, of the anchor's year."""
    if year is None:
        if sense.anchor is None:
            return None
        year = sense.anchor.year
    try:
        start = datetime.fromisocalendar(year, week, 1).replace(tzinfo=UTC)
    except ValueError:  # week 0 or 54
        return None
    return DateSpan(start, start + timedelta(days=DAYS_IN_WEEK), "week")


def part_of(span: DateSpan | None, part: str | None) -> DateSpan | None:
    """Returns the named part of a month, quarter, year or week.

    `end` is its last day (Friday of a week, for what is due then is due on a working day), `start` its first; early,
    mid and late are thirds, precision `range`; h1 and h2 are halves.
    """
    if span is None or part is None:
        return span
    name = part.casefold()
    if name == "end":
        last = span.start + timedelta(days=FRIDAY) if span.precision == "week" else span.end - timedelta(days=1)
        return DateSpan(last, last + timedelta(days=1), "day")
    if name in {"start", "beginning"}:
        return DateSpan(span.start, span.start + timedelta(days=1), "day")
    if name in {"h1", "h2"}:
        return month_range(span.start.year, 1 if name == "h1" else 7, 6, "range")
    if span.precision == "month":  # early 1-10, middle 11-20, late the rest
        cuts = [span.start, span.start + timedelta(days=10), span.start + timedelta(days=20), span.end]
    else:
        third = (span.end - span.start) / 3
        cuts = [span.start, _floor(span.start + third), _floor(span.start + 2 * third), span.end]
    index = {"early": 0, "mid": 1, "middle": 1, "late": 2}[name]
    return DateSpan(cuts[index], cuts[index + 1], "range")


def join_spans(first: DateSpan | None, last: DateSpan | None) -> DateSpan | None:
    """Returns the span from the start of `first` to the end of `last`, precision `range`; None where it is empty."""
    if first is None or last is None or last.end <= first.start:
        return None
    return DateSpan(first.start, last.end, "range")


def clock_span(day: DateSpan | None, groups: dict[str, str | None]) -> DateSpan | None:
    """Returns a time of day on `day` (a minute, or a second where one is written), UTC unless a zone stands."""
    if day is None or day.precision != "day":
        return None
    if groups.get("noon"):
        hour, minute, second = (0 if str(groups["noon"]).casefold() == "midnight" else 12), 0, 0
    else:
        hour = int(groups.get("hour") or groups.get("hour12") or 0)
        minute, second = int(groups.get("minute") or 0), int(groups.get("second") or 0)
    half = (groups.get("half") or groups.get("half12") or "").casefold().replace(".", "")
    if half and hour <= MONTHS_IN_YEAR:
        hour = hour % 12 + (12 if half == "pm" else 0)
    zone = (groups.get("zone") or "").upper()
    offset = timedelta()
    if zone[:1] in {"+", "-"}:
        digits = zone[1:].replace(":", "")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:])) * (-1 if zone[0] == "-" else 1)
    if abs(offset) >= timedelta(days=1):
        return None
    local = day.start.replace(hour=hour, minute=minute, second=second, tzinfo=timezone(offset))
    start = local.astimezone(UTC)
    return DateSpan(start, start + timedelta(seconds=1 if groups.get("second") else 60), "time")

"""Date expressions: tables of expression, anchor and meaning; laws by Hypothesis."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.dates import find_dates, resolve_date
from transforms.schemas import PRECISIONS

THURSDAY = datetime(2026, 3, 5, 12, tzinfo=UTC)


def written(span) -> str | None:
    """Returns a span as `start/end precision`, without what is zero."""
    if span is None:
        return None
    show = [
        f"{when:%Y-%m-%d}" if when.hour == when.minute == 0 else f"{when:%Y-%m-%dT%H:%M}"
        for when in (span.start, span.end)
    ]
    return f"{show[0]}/{show[1]} {span.precision}"


ABSOLUTE = [
    ("3 March 2026", "2026-03-03/2026-03-04 day"),
    ("3rd of March 2026", "2026-03-03/2026-03-04 day"),
    ("March 3, 2026", "2026-03-03/2026-03-04 day"),
    ("Tuesday, 3 March 2026", "2026-03-03/2026-03-04 day"),
    ("on 3 Mar 2026", "2026-03-03/2026-03-04 day"),
    ("2026-03-02", "2026-03-02/2026-03-03 day"),
    ("2026/3/2", "2026-03-02/2026-03-03 day"),
    ("03.04.2026", "2026-04-03/2026-04-04 day"),
    ("13/4/2026", "2026-04-13/2026-04-14 day"),
    ("March 2026", "2026-03-01/2026-04-01 month"),
    ("in May 2020", "2020-05-01/2020-06-01 month"),
    ("2026-03", "2026-03-01/2026-04-01 month"),
    ("Q3 2025", "2025-07-01/2025-10-01 quarter"),
    ("2025 Q3", "2025-07-01/2025-10-01 quarter"),
    ("the third quarter of 2025", "2025-07-01/2025-10-01 quarter"),
    ("2020", "2020-01-01/2021-01-01 year"),
    ("since 2020", "2020-01-01/2021-01-01 year"),
    ("the 1990s", "1990-01-01/2000-01-01 range"),
    ("H1 2026", "2026-01-01/2026-07-01 range"),
    ("early March 2026", "2026-03-01/2026-03-11 range"),
    ("mid-March 2026", "2026-03-11/2026-03-21 range"),
    ("end of May 2026", "2026-05-31/2026-06-01 day"),
    ("end of Q2 2026", "2026-06-30/2026-07-01 day"),
    ("14:30 UTC on 2 May 2026", "2026-05-02T14:30/2026-05-02T14:31 time"),
    ("2 May 2026 at 9 am", "2026-05-02T09:00/2026-05-02T09:01 time"),
    ("2026-03-02 14:30", "2026-03-02T14:30/2026-03-02T14:31 time"),
    ("2026-03-02T14:30:00Z", "2026-03-02T14:30/2026-03-02T14:30 time"),
    ("2026-03-02 14:30 +02:00", "2026-03-02T12:30/2026-03-02T12:31 time"),
    ("3–5 March 2026", "2026-03-03/2026-03-06 range"),
    ("March 3-5, 2026", "2026-03-03/2026-03-06 range"),
    ("from 3 to 5 March 2026", "2026-03-03/2026-03-06 range"),
    ("28 February to 3 March 2026", "2026-02-28/2026-03-04 range"),
    ("2024-2025", "2024-01-01/2026-01-01 range"),
    ("2026-W10", "2026-03-02/2026-03-09 week"),
    ("week 10 of 2026", "2026-03-02/2026-03-09 week"),
    ("week of 4 March 2026", "2026-03-02/2026-03-09 week"),
]
RELATIVE = [
    ("today", None, "2026-03-05/2026-03-06 day"),
    ("Yesterday", None, "2026-03-04/2026-03-05 day"),
    ("the day after tomorrow", None, "2026-03-07/2026-03-08 day"),
    ("two days ago", None, "2026-03-03/2026-03-04 day"),
    ("a week ago", None, "2026-02-23/2026-03-02 week"),
    ("in two weeks", "future", "2026-03-16/2026-03-23 week"),
    ("3 months ago", None, "2025-12-01/2026-01-01 month"),
    ("last Friday", None, "2026-02-27/2026-02-28 day"),
    ("last Thursday", None, "2026-02-26/2026-02-27 day"),
    ("this Friday", None, "2026-03-06/2026-03-07 day"),
    ("next Friday", None, "2026-03-13/2026-03-14 day"),
    ("Monday", "past", "2026-03-02/2026-03-03 day"),
    ("on Monday", "future", "2026-03-09/2026-03-10 day"),
    ("on Monday", None, "2026-03-02/2026-03-03 day"),
    ("by Friday", "future", "2026-03-06/2026-03-07 day"),
    ("next week", None, "2026-03-09/2026-03-16 week"),
    ("last month", None, "2026-02-01/2026-03-01 month"),
    ("this quarter", None, "2026-01-01/2026-04-01 quarter"),
    ("last year", None, "2025-01-01/2026-01-01 year"),
    ("end of the week", None, "2026-03-06/2026-03-07 day"),
    ("end of next month", None, "2026-04-30/2026-05-01 day"),
    ("EOD", None, "2026-03-05/2026-03-06 day"),
    ("3 March", "past", "2026-03-03/2026-03-04 day"),
    ("3 March", "future", "2027-03-03/2027-03-04 day"),
    ("20 December", None, "2025-12-20/2025-12-21 day"),
    ("20 December", "future", "2026-12-20/2026-12-21 day"),
    ("in May", "past", "2025-05-01/2025-06-01 month"),
    ("in May", None, "2026-05-01/2026-06-01 month"),
    ("end of May", "future", "2026-05-31/2026-06-01 day"),
    ("last May", None, "2025-05-01/2025-06-01 month"),
    ("Q2", "future", "2026-04-01/2026-07-01 quarter"),
    ("14:30", None, "2026-03-05T14:30/2026-03-05T14:31 time"),
    ("yesterday at 5 pm", None, "2026-03-04T17:00/2026-03-04T17:01 time"),
    ("Monday at noon", "future", "2026-03-09T12:00/2026-03-09T12:01 time"),
]
OTHER_LANGUAGES = [
    ("ru", "3 марта 2026 года", "2026-03-03/2026-03-04 day"),
    ("ru", "в марте 2026", "2026-03-01/2026-04-01 month"),
    ("ru", "вчера", "2026-03-04/2026-03-05 day"),
    ("ru", "на прошлой неделе", "2026-02-23/2026-03-02 week"),
    ("zh", "2026年3月3日", "2026-03-03/2026-03-04 day"),
    ("zh", "2026年3月", "2026-03-01/2026-04-01 month"),
    ("zh", "2026年", "2026-01-01/2027-01-01 year"),
    ("zh", "昨天", "2026-03-04/2026-03-05 day"),
    ("zh", "下周", "2026-03-09/2026-03-16 week"),
    ("de", "3. März 2026", "2026-03-03/2026-03-04 day"),
    ("de", "im Januar 2026", "2026-01-01/2026-02-01 month"),
    ("de", "gestern", "2026-03-04/2026-03-05 day"),
    ("es", "3 de marzo de 2026", "2026-03-03/2026-03-04 day"),
    ("es", "enero de 2027", "2027-01-01/2027-02-01 month"),
    ("fr", "3 mars 2026", "2026-03-03/2026-03-04 day"),
    ("pl", "3 marca 2026", "2026-03-03/2026-03-04 day"),
    ("ja", "2026年3月3日", "2026-03-03/2026-03-04 day"),
]
# Durations, typing errors, habits, things that look like dates; and what is outside the years 1900 to 2100.
NO_DATES = [
    *("", "30 days", "daily", "31 February 2026", "2026-13-01", "3/4/2026", "9999", "0001-01-01", "4000 years ago"),
    *("v2.3", "may", "soon", "Sprint 14", "1899", "2101-05-05", "99:99", "next", "a couple of"),
]


@pytest.mark.parametrize(("expression", "expected"), ABSOLUTE)
@pytest.mark.parametrize("anchor", [None, THURSDAY, datetime(1999, 7, 7, tzinfo=UTC)])
def test_absolute_dates_need_no_anchor_and_ignore_it(expression, expected, anchor):
    assert written(resolve_date(expression, anchor)) == expected


@pytest.mark.parametrize(("expression", "direction", "expected"), RELATIVE)
def test_relative_dates_are_read_from_the_anchor(expression, direction, expected):
    assert written(resolve_date(expression, THURSDAY, direction=direction)) == expected
    assert resolve_date(expression, None, direction=direction) is None


@pytest.mark.parametrize(("language", "expression", "expected"), OTHER_LANGUAGES)
def test_other_languages(language, expression, expected):
    assert written(resolve_date(expression, THURSDAY, language=language)) == expected


@pytest.mark.parametrize("expression", NO_DATES)
def test_what_is_no_date_gives_none(expression):
    assert resolve_date(expression, None) is None


def test_a_duration_is_no_date_in_the_past():
    assert resolve_date("in two days", THURSDAY, direction="past") is None


def test_the_anchor_is_read_in_utc():
    late = datetime(2026, 3, 5, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert written(resolve_date("today", late)) == "2026-03-06/2026-03-07 day"
    assert resolve_date("today", datetime(2026, 3, 5)) == resolve_date("today", THURSDAY)  # noqa: DTZ001  # naive is UTC


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        (
            "It shipped on 3 March 2026 at 14:30 UTC, in May 2020 and by May; we met last Friday at 5 pm and in 2021.",
            "en",
            ["3 March 2026 at 14:30 UTC", "May 2020", "May", "last Friday at 5 pm", "2021"],
        ),
        ("2048 rows, v2.3.2026, PROJ-2026 and restored in 30 minutes; they may march on. Sprint 14.", "en", []),
        ("The key expires on 31 July.", "en", ["31 July"]),
        ("The review is every Friday, the release every second Wednesday, never on a Monday.", "en", []),
        ("The lease runs from 5 January to 16 January 2026.", "en", ["5 January to 16 January 2026"]),
        ("Релиз вышел 3 марта 2026 года, встреча в пятницу.", "ru", ["3 марта 2026 года", "пятницу"]),
        ("系统于2026年3月3日上线，下周评审。", "zh", ["2026年3月3日", "下周"]),
        ("Am 3. März 2026 wurde geliefert; bis Freitag folgt mehr.", "de", ["3. März 2026", "Freitag"]),
        ("Se firmó el 20 de mayo de 2026.", "es", ["20 de mayo de 2026"]),
    ],
)
def test_dates_in_running_text(text, language, found):
    assert [text[start:end] for start, end in find_dates(text, language=language)] == found


WORD_TEXT = (
    "last next this on by 3 31 2026 March May Friday week month year quarter ago in two days at 14:30 5 pm end of early"
    " Q2 the from to - , . yesterday 2026-03-02 марта 年 gestern"
)
WORDS = st.sampled_from(WORD_TEXT.split())
ANCHORS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
DIRECTIONS = st.sampled_from([None, "past", "future"])
LANGUAGES = st.sampled_from(["en", "de", "es", "ru", "zh", "und"])


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, max_size=7), st.none() | ANCHORS, DIRECTIONS, LANGUAGES)
def test_any_words_give_an_ordered_span_or_none(parts, anchor, direction, language):
    span = resolve_date(" ".join(parts), anchor, direction=direction, language=language)
    if span is not None:
        assert span.start < span.end
        assert span.precision in PRECISIONS
        assert span.start.tzinfo is UTC
        assert 1900 <= span.start.year <= 2100


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, max_size=9) | st.text(max_size=60).map(list), ANCHORS, LANGUAGES)
def test_what_is_found_is_in_order_and_does_not_overlap(parts, anchor, language):
    text = " ".join(parts)
    spans = find_dates(text, language=language)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert find_dates(text, language=language) == spans
    for start, end in spans:
        resolve_date(text[start:end], anchor, language=language)


@settings(max_examples=60, deadline=None)
@given(ANCHORS, st.integers(-400, 400))
def test_the_same_words_shift_with_their_anchor(anchor, days):
    later = anchor + timedelta(days=days)
    here, there = resolve_date("yesterday", anchor), resolve_date("yesterday", later)
    assert here is not None
    assert there is not None
    assert there.start - here.start == timedelta(days=days)

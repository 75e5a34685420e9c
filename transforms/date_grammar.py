"""The grammar of date expressions: each rule is a pattern and what it means next to an anchor.

English words and the numeric forms of all languages stand here as rules; month names of other languages are read by
`dateparser`, which is right about absolute dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from transforms import date_words as words
from transforms.date_spans import (
    DateSpan,
    Sense,
    day_span,
    join_spans,
    month_span,
    near_day,
    near_month,
    near_weekday,
    part_of,
    quarter_span,
    shift,
    unit_span,
    week_number,
    year_span,
)

Groups = dict[str, str | None]
Build = Callable[[Groups, Sense], DateSpan | None]
MONTHS_IN_YEAR: Final = 12


@dataclass(frozen=True)
class Rule:
    """A pattern and what a match of it means.

    Attributes:
        pattern: Matches the expression; its groups are given to `build`.
        build: Groups and sense to a span; None where it means nothing.
        bare: True where a match is too weak to be a date in running text without a preposition (a lone year or `May`).
    """

    pattern: re.Pattern[str]
    build: Build
    bare: bool = False


def _int(groups: Groups, name: str) -> int | None:
    value = groups.get(name)
    return int(value) if value else None


def _month(groups: Groups) -> int:
    return words.MONTHS[str(groups["month"]).casefold()]


def _day_month(groups: Groups, sense: Sense) -> DateSpan | None:
    year, month, day = _int(groups, "year"), _month(groups), int(str(groups["day"]))
    return day_span(year, month, day) if year else near_day(month, day, sense)


def _month_year(groups: Groups, sense: Sense) -> DateSpan | None:
    year = _int(groups, "year")
    span = month_span(year, _month(groups)) if year else near_month(_month(groups), sense)
    return part_of(span, groups.get("part"))


def _numeric(groups: Groups, _: Sense) -> DateSpan | None:
    year, first, second = int(str(groups["year"])), int(str(groups["first"])), int(str(groups["second"]))
    if groups.get("dot"):  # dd.mm.yyyy is day first wherever it is written
        return day_span(year, second, first)
    if (first > MONTHS_IN_YEAR) == (second > MONTHS_IN_YEAR) and first != second:  # 3/4/2026: two readings, so none
        return None
    return day_span(year, min(first, second), max(first, second))


def _iso(groups: Groups, _: Sense) -> DateSpan | None:
    month, day = _int(groups, "mm"), _int(groups, "dd")
    year = int(str(groups["year"]))
    return day_span(year, month or 0, day) if day else month_span(year, month or 0)


def _quarter(groups: Groups, sense: Sense) -> DateSpan | None:
    word = (groups.get("ordinal") or "").casefold()
    number = words.QUARTERS.get(word) or int(str(groups["quarter"]))
    return part_of(quarter_span(_int(groups, "year"), number, sense), groups.get("part"))


def _year(groups: Groups, _: Sense) -> DateSpan | None:
    year = int(str(groups["year"]))
    return part_of(year_span(year), groups.get("part"))


def _ago(groups: Groups, sense: Sense) -> DateSpan | None:
    word = str(groups["number"]).casefold()
    if sense.direction == "past" and not groups.get("ago"):  # "restored in two days": a duration
        return None
    number = int(word) if word.isdigit() else words.NUMBERS[word]
    return shift(sense.anchor, str(groups["unit"]).casefold(), -number if groups.get("ago") else number)


def _beside(groups: Groups, sense: Sense) -> DateSpan | None:
    which = (groups.get("which") or "this").casefold()
    step = -1 if which in {"last", "previous", "past"} else 1 if which in {"next", "coming", "following"} else 0
    if groups.get("weekday"):
        return near_weekday(words.WEEKDAYS[str(groups["weekday"]).casefold()], sense, step=step)
    if groups.get("month"):
        return near_month(_month(groups), sense, step=step)
    return part_of(unit_span(sense.anchor, str(groups["unit"]).casefold(), step), groups.get("part"))


def _weekday(groups: Groups, sense: Sense) -> DateSpan | None:
    return near_weekday(words.WEEKDAYS[str(groups["weekday"]).casefold()], sense, step=None)


def _week_of(groups: Groups, sense: Sense) -> DateSpan | None:
    if groups.get("week"):
        return week_number(_int(groups, "year"), int(str(groups["week"])), sense)
    day = _day_month(groups, sense)
    return unit_span(day.start, "week", 0) if day else None


def _end_of(groups: Groups, sense: Sense) -> DateSpan | None:
    unit = {"w": "week", "m": "month", "q": "quarter", "y": "year"}[str(groups["letter"]).casefold()]
    return part_of(unit_span(sense.anchor, unit, 0), "end")


def _day_range(groups: Groups, sense: Sense) -> DateSpan | None:
    first = _day_month({**groups, "day": groups["first"], "month": groups.get("before") or groups["month"]}, sense)
    return join_spans(first, _day_month(groups, sense))


def _month_day_range(groups: Groups, sense: Sense) -> DateSpan | None:
    return join_spans(_day_month({**groups, "day": groups["first"]}, sense), _day_month(groups, sense))


def _year_range(groups: Groups, _: Sense) -> DateSpan | None:
    return join_spans(year_span(int(str(groups["first"]))), year_span(int(str(groups["year"]))))


def _decade(groups: Groups, _: Sense) -> DateSpan | None:
    first = int(str(groups["year"]))
    return join_spans(year_span(first), year_span(first + 9))


def _day_word(language: str) -> Build:
    def build(groups: Groups, sense: Sense) -> DateSpan | None:
        return unit_span(
            sense.anchor, "day", words.DAY_WORDS[language][" ".join(str(groups["words"]).casefold().split())]
        )

    return build


_PART: Final = r"(?:(?P<part>end|start|beginning|middle|early|mid|late)(?:\s+of)?(?:\s+the)?[\s-]+)?"
_WEEKDAY_BEFORE: Final = rf"(?:(?:{words.WEEKDAY.replace('?P<weekday>', '?:')}),?\s+(?:the\s+)?)?"
_TO: Final = r"\s*(?:-|–|—|to|until|till|through)\s*"
_WHICH: Final = r"(?P<which>last|next|this|coming|previous|past|following)"


def _rule(pattern: str, build: Build, *, bare: bool = False) -> Rule:
    # Not inside a word, a path, a version or a longer number; a following hyphen is fine ("a March-only rule" is rare).
    return Rule(re.compile(rf"(?<![\w/.-]){pattern}(?!\w)", re.IGNORECASE), build, bare)


_FIRST: Final = words.DAY.replace("P<day>", "P<first>")
_OF: Final = r"(?:[\s/-]+(?:of\s+)?)"
_PARTS: Final = r"(?P<part>end|start|beginning|middle)\s+of\s+the"
_ORDINAL: Final = r"(?:the\s+)?(?P<ordinal>first|second|third|fourth|[1-4](?:st|nd|rd|th))\s+quarter\s+of\s+"

# Forms of digits only: the same in every language.
NUMERIC: Final = (
    Rule(re.compile(r"(?<![\w/.-])(?P<year>\d{4})-(?P<mm>\d\d)(?:-(?P<dd>\d\d))?(?!-?\d)(?=T\d|\b)"), _iso),
    _rule(r"(?P<year>\d{4})/(?P<mm>\d\d?)/(?P<dd>\d\d?)", _iso),
    _rule(r"(?P<first>\d\d?)(?:/|(?P<dot>\.))(?P<second>\d\d?)(?:/|\.)(?P<year>\d{4})", _numeric),
    _rule(r"(?P<year>\d{4})-w(?P<week>[0-5]\d)", _week_of),
    _rule(r"(?P<first>(?:19|20)\d\d)-(?P<year>(?:19|20)\d\d)", _year_range),
    _rule(words.YEAR, _year, bare=True),
)
ENGLISH: Final = (
    *NUMERIC,
    _rule(rf"{_WEEKDAY_BEFORE}{words.DAY}\s+(?:of\s+)?{words.MONTH}(?:,?\s+{words.YEAR})?", _day_month),
    _rule(rf"{_WEEKDAY_BEFORE}{words.MONTH}\s+(?:the\s+)?{words.DAY}(?:,?\s+{words.YEAR})?(?![:.]\d)", _day_month),
    _rule(
        rf"{_FIRST}(?:\s+(?P<before>{words.MONTH_NAMES}))?{_TO}{words.DAY}\s+{words.MONTH}(?:,?\s+{words.YEAR})?",
        _day_range,
    ),
    _rule(rf"{words.MONTH}\s+{_FIRST}{_TO}{words.DAY}(?:,?\s+{words.YEAR})?", _month_day_range),
    _rule(rf"{_PART}{words.MONTH},?\s+(?:of\s+)?{words.YEAR}", _month_year),
    _rule(rf"{_PART}{words.FULL_MONTH}", _month_year),
    _rule(r"(?P<part>end|start|beginning|middle|early|mid|late)(?:\s+of)?[\s-]+(?P<month>may)", _month_year),
    _rule(r"(?P<month>may)", _month_year, bare=True),
    _rule(rf"(?P<first>(?:19|20)\d\d){_TO}{words.YEAR}", _year_range),
    _rule(r"the\s+(?P<year>(?:19|20)\d0)s", _decade),
    _rule(rf"{_PART}q(?P<quarter>[1-4])(?:{_OF}{words.YEAR})?", _quarter),
    _rule(rf"{words.YEAR}[\s/-]q(?P<quarter>[1-4])", _quarter),
    _rule(rf"{_ORDINAL}{words.YEAR}", _quarter),
    _rule(rf"(?P<part>h[12]){_OF}{words.YEAR}", _year),
    _rule(rf"(?P<part>end|start|beginning|middle|early|mid|late)(?:\s+of)?[\s-]+{words.YEAR}", _year),
    _rule(rf"{words.NUMBER}\s+{words.UNIT}\s+(?P<ago>ago)", _ago),
    _rule(rf"in\s+{words.NUMBER}\s+{words.LONG_UNIT}", _ago),
    _rule(rf"{words.NUMBER}\s+{words.UNIT}\s+from\s+now", _ago),
    _rule(rf"{_PART}{_WHICH}\s+(?:{words.FULL_WEEKDAY}|{words.FULL_MONTH}|{words.SPAN_UNIT})", _beside),
    _rule(rf"{_WHICH}\s+(?P<month>may)", _beside),
    _rule(rf"{_PARTS}\s+{words.SPAN_UNIT}", _beside),
    _rule(r"eo(?P<letter>[wmqy])", _end_of),
    _rule(rf"(?:the\s+)?week\s+of\s+{words.DAY}\s+{words.MONTH}(?:,?\s+{words.YEAR})?", _week_of),
    _rule(rf"(?:the\s+)?week\s+of\s+{words.MONTH}\s+{words.DAY}(?:,?\s+{words.YEAR})?", _week_of),
    _rule(rf"(?:calendar\s+week|week|kw|cw)\s+(?P<week>[0-5]?\d)(?:,?\s+of)?\s+{words.YEAR}", _week_of),
    _rule(words.FULL_WEEKDAY, _weekday),
    Rule(re.compile(rf"\b(?P<words>{words.any_of(words.DAY_WORDS['en'])})\b", re.IGNORECASE), _day_word("en")),
)


@lru_cache(maxsize=256)
def month_number(name: str, language: str) -> int | None:
    """Returns the number of a month's name; None where it is no month.

    The languages spelled out in `date_words` know all cases of a name; for others `dateparser` is asked.

    Example:
        >>> month_number("марте", "ru"), month_number("marca", "pl")
        (3, 3)
    """
    if language in words.OTHER_MONTHS:
        table = words.OTHER_MONTHS[language]
        return next((number for number, form in enumerate(table, start=1) if re.fullmatch(form, name)), None)
    import dateparser  # 0.2 s to import, and only languages without rules of their own need it

    try:
        # A whole date, so that nothing of it comes from the clock.
        parsed = dateparser.parse(f"1 {name} 2000", languages=[language], settings={"REQUIRE_PARTS": ["month", "year"]})
    except ValueError:  # a language that dateparser does not know
        return None
    return parsed.month if parsed else None


def _named(language: str) -> Build:
    def build(groups: Groups, sense: Sense) -> DateSpan | None:
        month = month_number(str(groups["month"]).casefold(), language)
        if month is None:
            return None
        year, day = _int(groups, "year"), _int(groups, "day")
        if day:
            return day_span(year, month, day) if year else near_day(month, day, sense)
        return month_span(year, month) if year else near_month(month, sense)

    return build


def _span_word(language: str) -> Build:
    def build(groups: Groups, sense: Sense) -> DateSpan | None:
        unit, step = words.SPAN_WORDS[language][" ".join(str(groups["words"]).casefold().split())]
        return unit_span(sense.anchor, unit, step)

    return build


def _cjk(groups: Groups, sense: Sense) -> DateSpan | None:
    year, month, day = _int(groups, "year"), _int(groups, "mm"), _int(groups, "dd")
    if month is None:
        return year_span(year) if year else None
    if day is None:
        return month_span(year, month) if year else near_month(month, sense) if 1 <= month <= MONTHS_IN_YEAR else None
    return day_span(year, month, day) if year else near_day(month, day, sense)


def _other_weekday(number: int) -> Build:
    return lambda _, sense: near_weekday(number, sense, step=None)


@lru_cache(maxsize=32)
def rules_for(language: str) -> tuple[Rule, ...]:
    """Returns the rules of a language: English for `en`, `und` and languages without rules of their own."""
    if language in {"en", "und"}:
        return ENGLISH
    if language not in words.DAY_WORDS:
        unknown = rf"(?P<day>[0-3]?\d)\.?\s+(?:de\s+|di\s+)?(?P<month>[^\W\d_]{{3,12}})\.?\s+(?:de\s+)?{words.YEAR}"
        return (*ENGLISH, Rule(re.compile(rf"(?<![\w.]){unknown}", re.IGNORECASE), _named(language)))
    edge, close = ("", "") if language in {"zh", "ja"} else (r"(?<!\w)", r"(?!\w)")
    rules = list(NUMERIC)
    if language in {"zh", "ja"}:
        cjk = r"(?:(?P<year>(?:19|20)\d\d)\s?年)?\s?(?P<mm>\d\d?)\s?月(?:\s?(?P<dd>\d\d?)\s?[日号])?"
        rules.append(Rule(re.compile(rf"(?<!\d){cjk}"), _cjk))
        rules.append(Rule(re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)\s?年(?!\s?\d)"), _cjk))
    else:
        month = rf"(?P<month>{'|'.join(words.OTHER_MONTHS[language])})"
        day = r"(?P<day>[0-3]?\d)(?:\.|er|º|-го)?\s+(?:de\s+)?"
        year = rf"(?:\s+(?:de\s+|del\s+)?{words.YEAR}(?:\s+г(?:ода|\.))?)"
        rules += [
            Rule(re.compile(rf"(?<![\w.]){pattern}(?!\w)", re.IGNORECASE), _named(language))
            for pattern in (rf"{day}{month}{year}?", rf"{month}{year}", month)
        ]
    tables: tuple[tuple[dict[str, int] | dict[str, tuple[str, int]], Build], ...] = (
        (words.DAY_WORDS[language], _day_word(language)),
        (words.SPAN_WORDS.get(language, {}), _span_word(language)),
    )
    for table, build in tables:
        if table:
            pattern = rf"{edge}(?P<words>{words.any_of(table)}){close}"
            rules.append(Rule(re.compile(pattern, re.IGNORECASE), build))
    for number, name in enumerate(words.OTHER_WEEKDAYS.get(language, ())):
        rules.append(Rule(re.compile(rf"{edge}(?:{name}){close}", re.IGNORECASE), _other_weekday(number)))
    return tuple(rules)

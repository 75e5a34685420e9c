"""Date expressions: where they stand in a text, and what span of time they mean.

Everything is resolved against an anchor (the date of the document or message), never against the clock, so that the
same words in two documents get each its own date (spec: extraction). The grammar is in `transforms.date_grammar`.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import Final

from transforms import date_words as words
from transforms.date_grammar import Groups, Rule, rules_for
from transforms.date_spans import DateSpan, Sense, clock_span, in_bounds, join_spans, unit_span

__all__ = ["DateSpan", "find_dates", "resolve_date"]

# A longer "expression" is a sentence, or hostile.
MAX_EXPRESSION: Final = 120
_CLOCK: Final = re.compile(rf"(?:(?<=\dT)|(?<![\w/.:+-])){words.CLOCK}(?!\w|:\d)", re.IGNORECASE)
# What may stand between a date and a time of day that belong together.
_GLUE: Final = re.compile(r"\s*,?\s*(?:at|on|@|um|в|a las)?\s*|t", re.IGNORECASE)
_LEAD: Final = re.compile(
    r"(?:(?:on|in|at|by|since|until|till|from|before|after|during|around|about|as of|for|of|am|im|bis|seit|ab|vor|el|en"
    r"|desde|hasta|le|en|depuis|в|во|на|до|с|со|к|после)\s+)+",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(
    r"(?:between|from)\s+(?P<first>.+?)\s+(?:and|to|until|through)\s+(?P<last>.+)", re.IGNORECASE
)
_RANGE: Final = re.compile(r"(?P<first>.+?)\s+(?:–|—|-|to|until|through)\s+(?P<last>.+)", re.IGNORECASE)
# An English text without any of these holds no date: the rules need not be tried.
_HINT: Final = re.compile(
    r"\d|[^\x00-\u024f]|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|last|next|this|past"
    r"|coming|previous|following|ago|to[dmn]|yes|week|eo|cob|noon|mid|end|start|early|late|day|in)",
    re.IGNORECASE,
)
# In running text a lone year or `May` is a date only after one of these.
_PREPOSITION: Final = re.compile(
    r"(?:\b(?:in|since|until|till|by|from|of|during|before|after|around|early|late|mid|seit|im|jahr|bis|en|desde|hasta|de"
    r"|depuis|в|с|до|к|от)\s+|\()$",
    re.IGNORECASE,
)


# "every Friday", "on a Monday", "the Friday before": no particular day.
_HABIT: Final = re.compile(r"\b(?:every|each|any|most|an?|the|second|other|first|last)\s+$", re.IGNORECASE)


def resolve_date(
    expression: str, anchor: datetime | None, *, direction: str | None = None, language: str = "en"
) -> DateSpan | None:
    """Returns the span of time that an expression means, or None where it means none.

    Args:
        expression: The words as written, e.g. `last Friday`, `3 March`, `14:30 UTC on 2 May 2026`.
        anchor: When it was said (naive is UTC); None leaves everything relative and partial unresolved.
        direction: `past` or `future`, the tense of its sentence: which Monday, which year's March.
        language: ISO 639-1 code; en, de, es, fr, ru, zh and ja have words of their own.

    Returns:
        Aware UTC, end exclusive, within the years 1900 to 2100.

    Example:
        >>> monday = datetime(2026, 3, 2, 9, tzinfo=UTC)
        >>> str(resolve_date("last Friday", monday).start.date())
        '2026-02-27'
        >>> resolve_date("last Friday", None) is None
        True
        >>> resolve_date("Q3 2025", None).precision
        'quarter'
    """
    text = " ".join(unicodedata.normalize("NFKC", expression).split()).strip(" .,;:()[]\"'")
    if not text or len(text) > MAX_EXPRESSION:
        return None
    when = None if anchor is None else anchor.replace(tzinfo=anchor.tzinfo or UTC).astimezone(UTC)
    return in_bounds(_resolve(text, Sense(when, direction), language))


def _resolve(text: str, sense: Sense, language: str) -> DateSpan | None:
    span = _with_clock(text, sense, language)
    if span is not None:
        return span
    bare = _LEAD.sub("", text, count=1) if _LEAD.match(text) else text
    if bare != text:
        span = _with_clock(bare, sense, language)
        if span is not None:
            return span
    both = _BETWEEN.fullmatch(text) or _RANGE.fullmatch(bare)
    if both is None:
        return None
    last = _with_clock(both["last"], sense, language)
    return join_spans(_with_clock(both["first"], sense, language) or _inherit(both["first"], last, language), last)


def _inherit(first: str, last: DateSpan | None, language: str) -> DateSpan | None:
    """Returns the start of a range whose year or month stands at its end only ("from 3 to 5 March 2026")."""
    if last is None:
        return None
    if first.isdigit() and last.precision == "day":
        return _plain(f"{last.start.year}-{last.start.month:02d}-{int(first):02d}", Sense(None, None), language)
    return _plain(first, Sense(last.start, "past"), language)


def _plain(text: str, sense: Sense, language: str) -> DateSpan | None:
    # A loop over the rules of the grammar, not over rows.
    for rule in rules_for(language):
        match = rule.pattern.fullmatch(text)
        if match is not None:
            span = rule.build(match.groupdict(), sense)
            if span is not None:
                return span
    return None


def _with_clock(text: str, sense: Sense, language: str) -> DateSpan | None:
    span = _plain(text, sense, language)
    if span is not None:
        return span
    for match in _CLOCK.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        rest = _GLUE.sub("", after, count=1) if not before.strip() else before
        groups: Groups = match.groupdict()
        if before.strip() and after.strip():
            continue
        rest = re.sub(r"[\s,]*(?:\b(?:at|on|um)|@|t)?\s*$", "", rest.strip(), flags=re.IGNORECASE).strip()
        rest = _LEAD.sub("", rest) if rest else ""
        day = _plain(rest, sense, language) if rest else unit_span(sense.anchor, "day", 0)
        span = clock_span(day, groups)
        if span is not None:
            return span
    return None


def find_dates(text: str, *, language: str = "en") -> list[tuple[int, int]]:
    """Returns the spans of all date expressions in a text, in order, without overlap; durations are not dates.

    What is found here is what `resolve_date` can read, given an anchor.

    Example:
        >>> text = "It shipped on 3 March 2026 after 30 days; the review is next Monday."
        >>> [text[start:end] for start, end in find_dates(text)]
        ['3 March 2026', 'next Monday']
    """
    if language in {"en", "und"} and not _HINT.search(text):
        return []
    spans: list[tuple[int, int]] = []
    for rule in rules_for(language):
        spans += [_trimmed(match) for match in rule.pattern.finditer(text) if _is_date(rule, match, text)]
    chosen = _longest(spans)
    clocks = [m.span() for m in _CLOCK.finditer(text) if m["zone"] or m["minute"] or m["half12"] or m["noon"]]
    return _join_clocks(
        text, chosen, [c for c in clocks if not any(c[0] < end and start < c[1] for start, end in chosen)]
    )


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    """Returns the match without the full stop of its sentence ("on 31 July."); `resolve_date` does not miss it."""
    end = match.end()
    is_stop = match.group().endswith(".")
    return match.start(), end - 1 if is_stop else end


def _is_date(rule: Rule, match: re.Match[str], text: str) -> bool:
    if match.start() == match.end():
        return False
    if rule.bare and not _PREPOSITION.search(text[max(0, match.start() - 12) : match.start()]):
        return False
    if match.groupdict().get("weekday") and _HABIT.search(text[max(0, match.start() - 12) : match.start()]):
        return False
    month = match.groupdict().get("month")
    # "may", "march" and "mar" in small letters are verbs; a two-digit number before "sec" is no day.
    return not (month and month.isascii() and month[0].islower() and month.casefold() in {"may", "march", "mar"})


def _longest(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    chosen: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0] - span[1], span[0])):
        if all(end <= taken[0] or taken[1] <= start for taken in chosen):
            chosen.append((start, end))
    return sorted(chosen)


def _join_clocks(text: str, dates: list[tuple[int, int]], clocks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(dates + clocks):
        mixed = bool(merged) and ((merged[-1] in clocks) != ((start, end) in clocks))
        if mixed and _GLUE.fullmatch(text[merged[-1][1] : start]):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged

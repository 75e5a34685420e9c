"""`format_context`: what was read, as text for a prompt.

Stored text is hostile: nothing in it can look like the frame around it. Marks inside text are escaped, and every line
break inside an item is followed by an indent, so that no item can begin a heading or another item.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from itertools import zip_longest
from typing import Any, Final, Literal

Format = Literal["markdown", "plain"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_CONFIDENCE_ORDER: Final = {"certain": 0, "inferred": 1, "tentative": 2}
_LINE_BREAK: Final = re.compile("\r\n|[\n\r\u0085\u2028\u2029]")
_MARK: Final = re.compile(r"\{(?=(?:score|entity_id|source)=)")
# English prose has about four bytes of UTF-8 a token; scripts with three bytes a character come out on the safe side.
BYTES_PER_TOKEN: Final = 4
# Digits enough for any double written out in full.
_EXACT_DIGITS: Final = 1200


@dataclass(frozen=True)
class _Style:
    """How one format writes its frame; `{}` in `dropped` is the number of items left out."""

    head: str
    sections: tuple[str, str, str]
    item: str
    gap: str
    dropped: str


_STYLES: Final[dict[str, _Style]] = {
    "markdown": _Style(
        head="## Memory\n\n",
        sections=("### Known Facts\n", "### Open Tasks\n", "### Recent Events\n"),
        item="- ",
        gap="\n\n",
        dropped="_{} more left out: token budget_",
    ),
    "plain": _Style(
        head="",
        sections=("KNOWN FACTS:\n", "OPEN TASKS:\n", "RECENT EVENTS:\n"),
        item="",
        gap="\n",
        dropped="({} more left out: token budget)",
    ),
}


def estimate_tokens(text: str) -> int:
    """Returns how many tokens a text costs at most, roughly: its UTF-8 bytes divided by four, rounded up.

    Example:
        >>> estimate_tokens("four tokens here")
        4
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def format_context(
    bundle: object,
    format: Format = "markdown",  # noqa: A002  # the option's public name
    *,
    max_facts: int = 10,
    max_tasks: int = 10,
    max_events: int = 10,
    include_confidence: bool = True,
    include_tags: bool = True,
    include_entity_ids: bool = False,
    include_fact_scores: bool = False,
    include_sources: bool = False,
    token_budget: int | None = None,
) -> str:
    r"""Returns a bundle as text for a prompt; an empty string where nothing is left to show.

    Facts keep their order where `fact_scores` is there, else they go by confidence, then newest. Tasks go by priority,
    then oldest; events newest first. Cuts come after.

    Args:
        bundle: Any object or mapping with `facts`, `tasks`, `events` and optionally `fact_scores`. Times are datetimes,
            ISO 8601 or milliseconds since 1970.
        format: `markdown` or `plain`.
        max_facts: At most so many facts.
        max_tasks: At most so many tasks.
        max_events: At most so many events.
        include_confidence: Show `(certain)`.
        include_tags: Show `[ops, deploy]`.
        include_entity_ids: Show `{entity_id=...}`, the tier or entity that the fact was read under.
        include_fact_scores: Show `{score=1.8400}`.
        include_sources: Show `{source=uri#start-end}`, the place of the quote.
        token_budget: Keep only whole items that fit (see `estimate_tokens`), the first of each section before the
            second of any, facts first; a last line says how many were left out.

    Raises:
        ValueError: A maximum or the budget is negative, or the format is unknown.

    Example:
        >>> fact = {"fact_id": "a", "title": "Bakes", "body": "10 minutes", "confidence": "certain", "tags": []}
        >>> format_context({"facts": [fact], "tasks": [], "events": []}, "plain")
        'KNOWN FACTS:\nBakes (certain): 10 minutes'
    """
    if format not in _STYLES:
        raise ValueError(f"format is {format!r}; it is markdown or plain")
    limits = {"max_facts": max_facts, "max_tasks": max_tasks, "max_events": max_events, "token_budget": token_budget}
    for name, value in limits.items():
        if value is not None and value < 0:
            raise ValueError(f"{name} is {value}; it must be 0 or more")
    style = _STYLES[format]
    scores = _get(bundle, "fact_scores")
    marks = _Marks(
        confidence=include_confidence,
        tags=include_tags,
        entity_ids=include_entity_ids,
        scores=scores if include_fact_scores and scores is not None else {},
        sources=include_sources,
    )
    facts = _items(bundle, "facts") if scores is not None else _by_confidence(_items(bundle, "facts"))
    sections = (
        [_fact(fact, style, marks) for fact in facts[:max_facts]],
        [_task(task, style) for task in _by_priority(_items(bundle, "tasks"))[:max_tasks]],
        [_event(event, style) for event in _newest_first(_items(bundle, "events"))[:max_events]],
    )
    return _render(sections, style) if token_budget is None else _pack(sections, style, token_budget)


@dataclass(frozen=True)
class _Marks:
    """What is shown after a fact's title."""

    confidence: bool
    tags: bool
    entity_ids: bool
    scores: Mapping[str, float]
    sources: bool

    def of(self, fact: object) -> str:
        """Returns the marks, each with a space before it."""
        marks = []
        if self.confidence and _get(fact, "confidence"):
            marks.append(f"({_text(_get(fact, 'confidence'))})")
        if self.tags and _get(fact, "tags"):
            marks.append(f"[{', '.join(_text(tag) for tag in _get(fact, 'tags'))}]")
        if self.entity_ids:
            marks.append(f"{{entity_id={_line(_get(fact, 'entity_id', 'tier'))}}}")
        score = self.scores.get(_get(fact, "fact_id", "id"))
        if score is not None:
            marks.append(f"{{score={_score(score)}}}")
        if self.sources and _get(fact, "uri"):
            span = _get(fact, "span")
            place = "" if span is None else f"#{span[0]}-{span[1]}"
            marks.append(f"{{source={_line(_get(fact, 'uri'))}{place}}}")
        return "".join(f" {mark}" for mark in marks)


def _fact(fact: object, style: _Style, marks: _Marks) -> str:
    title, body = _line(_get(fact, "title")), _text(_get(fact, "body"))
    if style is _STYLES["markdown"]:
        return f"{style.item}**{title}**{marks.of(fact)}\n  {body}"
    return f"{title}{marks.of(fact)}: {body}"


def _task(task: object, style: _Style) -> str:
    return f"{style.item}[P{_get(task, 'priority')}] {_text(_get(task, 'description'))} ({_text(_get(task, 'status'))})"


def _event(event: object, style: _Style) -> str:
    at = _get(event, "created_at", "at")
    when = "undated" if at is None else _iso(_milliseconds(at))
    return f"{style.item}[{_text(_get(event, 'event_type'))} @ {when}] {_text(_get(event, 'summary'))}"


def _render(sections: Sequence[Sequence[str]], style: _Style) -> str:
    blocks = [head + "\n".join(items) for head, items in zip(style.sections, sections, strict=True) if items]
    return style.head + style.gap.join(blocks) if blocks else ""


def _pack(sections: Sequence[Sequence[str]], style: _Style, budget: int) -> str:
    """Returns what fits into the budget, and a line that counts the rest."""
    total = sum(map(len, sections))
    whole = _render(sections, style)
    if estimate_tokens(whole) <= budget:
        return whole
    note = style.gap + style.dropped.format(total)
    room = budget * BYTES_PER_TOKEN - _size(style.head) - _size(note)
    kept: list[list[int]] = [[], [], []]
    # By value: the best fact, the most urgent task, the newest event, then the second of each. Sequential by nature.
    for number, row in enumerate(zip_longest(*sections)):
        for section, item in enumerate(row):
            if item is None:
                continue
            opening = 0 if kept[section] else _size(style.sections[section]) + _size(style.gap)
            cost = _size(item) + 1 + opening
            if cost <= room:
                room -= cost
                kept[section].append(number)
    shown = [[items[number] for number in numbers] for items, numbers in zip(sections, kept, strict=True)]
    text = _render(shown, style)
    dropped = style.dropped.format(total - sum(map(len, shown)))
    return f"{text}{style.gap}{dropped}" if text else dropped


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _items(bundle: object, name: str) -> list[Any]:
    return list(_get(bundle, name) or [])


def _get(item: object, *names: str) -> Any:
    """Returns the first of the named keys or attributes that is there and not None, else None."""
    for name in names:
        value = item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
        if value is not None:
            return value
    return None


def _by_confidence(facts: list[Any]) -> list[Any]:
    last = len(_CONFIDENCE_ORDER)
    return sorted(
        facts,
        key=lambda fact: (
            _CONFIDENCE_ORDER.get(_get(fact, "confidence"), last),
            *_newest(_get(fact, "updated_at")),
        ),
    )


def _by_priority(tasks: list[Any]) -> list[Any]:
    return sorted(tasks, key=lambda task: (-(_get(task, "priority") or 0), *_oldest(_get(task, "created_at", "at"))))


def _newest_first(events: list[Any]) -> list[Any]:
    return sorted(events, key=lambda event: _newest(_get(event, "created_at", "at")))


def _newest(at: Any) -> tuple[bool, float]:
    return (at is None, 0.0 if at is None else -_milliseconds(at))


def _oldest(at: Any) -> tuple[bool, float]:
    return (at is None, 0.0 if at is None else _milliseconds(at))


def _milliseconds(at: Any) -> float:
    """Returns milliseconds since 1970 of a number, a datetime (UTC where it has no zone) or an ISO 8601 string."""
    if isinstance(at, str):
        at = datetime.fromisoformat(at)
    if isinstance(at, datetime):
        return ((at if at.tzinfo else at.replace(tzinfo=UTC)) - _EPOCH) / timedelta(milliseconds=1)
    return float(at)


def _iso(milliseconds: float) -> str:
    at = _EPOCH + timedelta(milliseconds=int(milliseconds))
    return at.strftime("%Y-%m-%dT%H:%M:%S.").rjust(len("2026-01-01T00:00:00."), "0") + f"{at.microsecond // 1000:03d}Z"


def _score(score: float) -> str:
    """Returns four decimals of the exact value, halves away from zero."""
    with localcontext() as context:
        context.prec = _EXACT_DIGITS
        value = Decimal(score)
        return str(value) if not value.is_finite() else f"{value.quantize(Decimal('0.0001'), ROUND_HALF_UP) + 0:f}"


def _escape(value: Any) -> str:
    return _MARK.sub(r"\\{", "" if value is None else str(value))


def _line(value: Any) -> str:
    return _LINE_BREAK.sub(" ", _escape(value))


def _text(value: Any) -> str:
    return _LINE_BREAK.sub("\n  ", _escape(value))

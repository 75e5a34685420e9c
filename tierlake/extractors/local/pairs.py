"""What states something without a verb: `label: value`, checked items, rows of tables; and where findings gather."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, cast

from tierlake.extractors.local.blocks import Block, row_cells
from tierlake.extractors.local.grammar import sentence, short_title
from tierlake.extractors.local.lexicon import ASSIGNED, GREETING, SIGN_OFF, TASK_HEADING
from tierlake.extractors.local.names import Name
from tierlake.extractors.local.work import Status, description, due_of, priority_of, status_of
from transforms.dates import find_dates
from transforms.payload import EntityMention, ExtractedEvent, ExtractedFact, ExtractedTask, Extraction

# A longer value is prose that could not be read as a statement.
_MAX_VALUE: Final = 200


@dataclass
class Found:
    """What has been put together so far."""

    facts: list[ExtractedFact] = field(default_factory=list)
    tasks: list[ExtractedTask] = field(default_factory=list)
    events: list[ExtractedEvent] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)

    def skip(self, reason: str, number: int = 1) -> None:
        """Counts what states nothing."""
        self.skipped[reason] = self.skipped.get(reason, 0) + number

    def result(self) -> Extraction:
        """Returns the extraction."""
        return Extraction(
            facts=tuple(self.facts),
            tasks=tuple(self.tasks),
            events=tuple(self.events),
            skipped=dict(sorted(self.skipped.items())),
        )


def inside(names: Iterable[Name], start: int, end: int) -> list[Name]:
    """Returns the names that stand wholly in a span of the chunk."""
    return [name for name in names if start <= name.start and name.end <= end]


def mentions(
    names: Sequence[Name], extra: Sequence[Name] = (), concepts: Sequence[Name] = ()
) -> tuple[EntityMention, ...]:
    """Returns the entities of a fact: every name once, at its first place; what a pronoun stood for without a place."""
    seen: dict[str, EntityMention] = {}
    for name in sorted([*names, *concepts], key=lambda each: each.start):
        seen.setdefault(name.surface, EntityMention(surface=name.surface, kind=name.kind, start=name.start))
    for name in extra:
        seen.setdefault(name.surface, EntityMention(surface=name.surface, kind=name.kind))
    return tuple(seen.values())


def row_headers(text: str, blocks: Sequence[Block]) -> dict[Block, list[str]]:
    """Returns for each row of a table the cells of its header; the header itself and lone rows are left out."""
    headers: dict[Block, list[str]] = {}
    current: list[str] = []
    for before, block in pairwise([None, *blocks]):
        if block is None or block.role != "row":
            current = []
            continue
        cells = row_cells(text[block.start : block.end])
        if before is None or before.role != "row" or not current:
            current = cells
        elif len(cells) == len(current) and len(cells) > 1 and any(c.isalnum() for c in "".join(cells)):
            headers[block] = current
    return headers


def add_row(text: str, block: Block, header: Sequence[str], names: Sequence[Name], found: Found) -> None:
    """Adds the fact of a table row: the first cell, then each other cell under its column's name."""
    quote = text[block.start : block.end]
    cells = row_cells(quote)
    rest = ", ".join(f"{_lower(column)} {cell.rstrip('.')}" for column, cell in zip(header[1:], cells[1:], strict=True))
    _add(sentence(f"{cells[0]}: {rest}"), quote, block.start, names, found)


def _lower(column: str) -> str:
    return column if any(c.isupper() for c in column[1:]) else column[:1].lower() + column[1:]


def add_pair(text: str, block: Block, names: Sequence[Name], found: Found, *, title: str) -> bool:
    """Adds the fact of a label and its value, or of a task without a verb; returns False where there is none.

    A label says something of the document: its title stands in the body (`Owner of Tollgate: Platform team`).
    """
    value = text[block.start : block.end]
    listed = block.role == "item" and bool(TASK_HEADING.match(block.heading))
    is_task = block.is_task or listed or (block.role == "item" and bool(ASSIGNED.search(value)))
    if GREETING.match(value) or SIGN_OFF.match(value) or len(value) > _MAX_VALUE:
        return False
    if not (is_task or (block.label and block.role != "heading")):
        return False
    start = block.start if is_task else block.outer
    quote = text[start : block.end]
    if is_task:
        body = sentence(value)
    else:
        of = f" of {title}" if title and " " not in block.label else f" ({title})" if title else ""
        body = sentence(f"{block.label}{of}: {value}")
    _add(body, quote, start, names, found)
    if is_task:
        found.tasks.append(
            ExtractedTask(
                fact=len(found.facts) - 1,
                description=description(body),
                priority=priority_of(f"{value} {block.heading}"),
                status=cast("Status", status_of(value, block.status)),
                due=due_of(value),
            )
        )
    return True


def _add(body: str, quote: str, start: int, names: Sequence[Name], found: Found) -> None:
    dates = find_dates(quote)
    when = quote[dates[0][0] : dates[0][1]] if dates else None
    found.facts.append(
        ExtractedFact(
            title=short_title(body),
            body=body,
            quote=quote,
            start=start,
            when=when,
            entities=mentions(inside(names, start, start + len(quote))),
        )
    )

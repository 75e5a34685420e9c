"""A chunk's text into blocks: paragraphs, list items, table rows, chat messages, without their markers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from tierlake.extractors.local.lexicon import LABEL_WORDS, TASK_HEADING, TASK_LABEL

_BREAK: Final = re.compile(r"\n[^\S\n]*\n\s*")
_LINE: Final = re.compile(r"[^\n]+")
_MARKER: Final = re.compile(r"\s*(?:[-*•‣◦–—+]|\d{1,3}[.)]|[a-z][.)])\s+(?=\S)")
_BOX: Final = re.compile(r"\s*(?:[-*•+]\s+)?(?:\[(?P<mark>[ xX~\-/])\]|(?P<sign>[☐☑☒✓✔✅]))\s*")
_HASHES: Final = re.compile(r"\s*#{1,6}\s+")
_RULE: Final = re.compile(r"\s*[-=_*~]{3,}\s*$")
_QUOTED: Final = re.compile(r"\s*>")
_CELLS: Final = re.compile(r"\s*\|\s*|\t+|\s{3,}")
# A speaker is a name or a handle, never a sentence: at most four words, none of them longer than a name.
_SPEAKER: Final = re.compile(r"(?P<name>@?[^\W\d_][\w.'’\-]*(?: [^\W\d_][\w.'’\-]*){0,3})\s?[:：]\s+(?=\S)")
_LABEL: Final = re.compile(r"(?P<label>[^\W\d_][\w/&'’ -]{1,40}?)\s?[:：][ \t]+(?=\S)")
_MAX_LABEL_WORDS: Final = 4
# Longer lines are prose, however they end.
_MAX_HEADING: Final = 80
_MAX_HEADING_WORDS: Final = 10
# A line this short before another one was broken by its writer; a longer one was wrapped.
_WRAP: Final = 60
_ENDS: Final = (".", "!", "?", ":", ";", "…", ",", "。", "！", "？", "；", "：")


@dataclass(frozen=True)
class Block:
    """A stretch of a chunk that is read as prose of its own.

    Attributes:
        start: First character, after markers, in the chunk.
        end: One past the last character.
        role: prose, item, row, heading (may be one: a short line without an end mark) or quoted.
        heading: The heading above it, in the chunk or its context; empty where there is none.
        speaker: Who says it, where a chat prefix does.
        label: What stands before a colon (`Decision`), else empty.
        outer: Where the label starts; `start` where there is none.
        status: The status that a checkbox shows, else None.
        is_task: A checkbox or a label such as `TODO` marks it as work.
    """

    start: int
    end: int
    role: str = "prose"
    heading: str = ""
    speaker: str | None = None
    label: str = ""
    outer: int = 0
    status: str | None = None
    is_task: bool = False


def split_blocks(text: str, *, context: str = "", known: tuple[str, ...] = ()) -> list[Block]:
    r"""Returns the blocks of a chunk, in order.

    Args:
        text: The chunk.
        context: What stands before it: its last short line may be the heading of the first block.
        known: Names that may speak (author), so that one message alone is seen as one.

    Example:
        >>> text = "Next steps\n\n- [ ] Tom writes the note"
        >>> [(block.role, text[block.start:block.end], block.status) for block in split_blocks(text)]
        [('heading', 'Next steps', None), ('item', 'Tom writes the note', 'pending')]
    """
    speakers = _speakers(f"{context}\n\n{text}", known)
    heading = _last_heading(context)
    blocks: list[Block] = []
    for start, end in _pieces(text):
        block = _dress(text, start, end, speakers)
        # An empty box or a prefix without words states nothing.
        if block is None or not any(character.isalnum() for character in text[block.start : block.end]):
            continue
        if block.role == "heading":
            heading = text[block.start : block.end].rstrip(": ")
        blocks.append(replace(block, heading=heading))
    return blocks


def _pieces(text: str) -> list[tuple[int, int]]:
    """Returns the spans of paragraphs, parted where a line starts an item, a row, a label or a line of its own."""
    pieces: list[tuple[int, int]] = []
    position = 0
    for gap in [*_BREAK.finditer(text), None]:
        stop = gap.start() if gap else len(text)
        open_start: int | None = None
        last = (0, 0)
        for line in _LINE.finditer(text, position, stop):
            if open_start is None or _starts_block(text[last[0] : last[1]], line.group()):
                if open_start is not None:
                    pieces.append((open_start, last[1]))
                open_start = line.start()
            last = line.span()
        if open_start is not None:
            pieces.append((open_start, last[1]))
        position = gap.end() if gap else stop
    return pieces


def _starts_block(before: str, line: str) -> bool:
    if _MARKER.match(line) or _BOX.match(line) or _HASHES.match(line) or _QUOTED.match(line) or _RULE.match(line):
        return True
    if _is_row(line) or _is_row(before) or _HASHES.match(before) or _RULE.match(before):
        return True
    first = line.lstrip()[:1]
    if TASK_LABEL.match(line.lstrip()):
        return True
    return (before.rstrip().endswith(_ENDS[:6]) or len(before) < _WRAP) and not first.islower()


def _is_row(line: str) -> bool:
    return line.strip().startswith("|") or " | " in line or "\t" in line.strip()


def row_cells(text: str) -> list[str]:
    """Returns the cells of a table row.

    Example:
        >>> row_cells("| Tollgate | Platform team |")
        ['Tollgate', 'Platform team']
    """
    return [cell.strip() for cell in _CELLS.split(text.strip().strip("|")) if cell.strip()]


def _dress(text: str, start: int, end: int, speakers: frozenset[str]) -> Block | None:
    """Returns the block of one piece, markers stripped; None for a rule or an empty one."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    piece = text[start:end]
    if not any(character.isalnum() for character in piece):
        return None
    if _QUOTED.match(piece):
        return Block(start, end, role="quoted", outer=start)
    if _is_row(piece):
        return Block(start, end, role="row", outer=start)
    hashes = _HASHES.match(piece)
    if hashes:
        return Block(start + hashes.end(), end, role="heading", outer=start)
    block = Block(start, end, outer=start)
    box = _BOX.match(piece)
    marker = _MARKER.match(piece)
    if box:
        mark = box["mark"] or box["sign"]
        status = (
            "pending" if mark in " ☐" else "cancelled" if mark in "~-☒" else "in_progress" if mark == "/" else "done"
        )
        block = replace(block, start=start + box.end(), role="item", status=status, is_task=True)
    elif marker:
        block = replace(block, start=start + marker.end(), role="item")
    block = _with_prefix(text, replace(block, outer=block.start), speakers)
    return _as_heading(text, block)


def _with_prefix(text: str, block: Block, speakers: frozenset[str]) -> Block:
    """Returns the block after its speaker, task word or label."""
    piece = text[block.start : block.end]
    task = TASK_LABEL.match(piece)
    if task:
        status = "done" if task["done"] else block.status or "pending"
        return replace(block, start=block.start + task.end(), is_task=True, status=status)
    speaker = _SPEAKER.match(piece)
    if speaker and block.role == "prose" and speaker["name"] in speakers:
        inner = replace(block, start=block.start + speaker.end(), speaker=speaker["name"].lstrip("@"))
        return _with_prefix(text, replace(inner, outer=inner.start), frozenset())
    label = _LABEL.match(piece)
    is_label = label is not None and len(label["label"].split()) <= _MAX_LABEL_WORDS
    if label and is_label and (_labels(label["label"]) or block.role == "item" or _beside_label(text, block)):
        return replace(block, start=block.start + label.end(), label=label["label"].strip())
    return block


def _beside_label(text: str, block: Block) -> bool:
    """Returns True where the line before or after has a label too: a list of properties ("amount: 12")."""
    before = text[: block.outer].rstrip(" ")
    after = text[block.end :].lstrip(" ")
    last_line = before[:-1].rsplit("\n", 1)[-1] if before.endswith("\n") else ""
    next_line = after[1:] if after.startswith("\n") else ""
    return bool(_LABEL.match(last_line) or _LABEL.match(next_line))


def _as_heading(text: str, block: Block) -> Block:
    piece = text[block.start : block.end]
    is_short = len(piece) <= _MAX_HEADING and len(piece.split()) <= _MAX_HEADING_WORDS and "\n" not in piece
    is_plain = block.role == "prose" and not (block.label or block.speaker or block.is_task)
    if is_short and is_plain and (piece.endswith((":", "：")) or not piece.endswith(_ENDS)):
        return replace(block, role="heading")
    return block


def _last_heading(context: str) -> str:
    """Returns the last line of the context that looks like a heading: it is above the chunk's first block."""
    for part in reversed(_BREAK.split(context)):
        line = part.strip().lstrip("# ")
        if line and "\n" not in line and len(line.split()) <= _MAX_HEADING_WORDS and not line.endswith(_ENDS[:3]):
            return line.rstrip(": ")
        if TASK_HEADING.match(line):
            return line
    return ""


def _speakers(text: str, known: tuple[str, ...]) -> frozenset[str]:
    """Returns the prefixes that are speakers.

    A prefix speaks where it is a name that is known, looks like a handle or a full name, or where most paragraphs
    have a prefix (a chat); words that label things (`Decision`, `Owner`) never do.
    """
    found: list[str] = []
    paragraphs = [part for part in _BREAK.split(text) if part.strip()]
    for part in paragraphs:
        match = _SPEAKER.match(part.strip())
        if match and not _labels(match["name"]):
            found.append(match["name"])
    is_chat = len(found) * 2 > len(paragraphs)
    speakers = set(known)
    for name in found:
        words = name.split()
        full = len(words) > 1 and all(word[0].isupper() for word in words)
        if is_chat or full or name.startswith("@"):
            speakers.add(name)
    return frozenset(speakers)


def _labels(name: str) -> bool:
    return any(word.casefold().strip(".") in LABEL_WORDS for word in name.split())

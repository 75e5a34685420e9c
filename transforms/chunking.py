"""Documents into chunks, cut at natural boundaries that the content defines: an insertion shifts nothing else."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

import polars as pl

from transforms.ids import stable_id
from transforms.schemas import CHUNKS, DOCUMENTS, conform

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
# Where a paragraph that is too long may be cut: after a sentence (in any script) or a line.
_SENTENCE = re.compile(r"(?<=[.!?。！？؟।])\s+|(?<=[。！？])|\n")
_WORD = re.compile(r"\s+")
_HASH_RANGE = 2**32


@dataclass(frozen=True)
class ChunkingConfig:
    """Sizes in characters.

    Attributes:
        target: Mean size: a unit of n characters ends a chunk with probability n / target, decided by its own hash.
        maximum: No chunk is longer, so that one model call always holds it.
        context: Text before the chunk that an extractor also sees.
    """

    target: int = 900
    maximum: int = 2_000
    context: int = 300


Span = tuple[int, int]


def chunk_spans(text: str, config: ChunkingConfig) -> list[Span]:
    r"""Returns the chunks of a text as (start, end), in order; together they hold every character but white space.

    A boundary depends on the unit before it alone (its hash and length), save where the maximum forces one. Chunking
    a chunk again gives that chunk.

    Args:
        text: Any text.
        config: Sizes.

    Example:
        >>> text = "One.\n\nTwo."
        >>> [text[start:end] for start, end in chunk_spans(text, ChunkingConfig(target=4))]
        ['One.', 'Two.']
        >>> chunk_spans("  ", ChunkingConfig())
        []
    """
    spans: list[Span] = []
    together: list[Span] = []
    for paragraph in _split(text, (0, len(text)), _PARAGRAPH):
        if paragraph[1] - paragraph[0] <= config.maximum:
            together.append(paragraph)
            continue
        # A paragraph beyond the maximum shares no chunk with others: its pieces would be one unit in a chunk alone.
        spans += _join(text, together, config)
        spans += _join(text, _pieces(text, paragraph, config.maximum), config)
        together = []
    return spans + _join(text, together, config)


def _join(text: str, units: Iterable[Span], config: ChunkingConfig) -> list[Span]:
    """Returns units put together into chunks."""
    spans: list[Span] = []
    start: int | None = None
    previous_end = 0
    for unit_start, unit_end in units:
        if start is not None and unit_end - start > config.maximum:
            spans.append((start, previous_end))
            start = None
        start = unit_start if start is None else start
        previous_end = unit_end
        if _ends_chunk(text[unit_start:unit_end], config.target):
            spans.append((start, unit_end))
            start = None
    if start is not None:
        spans.append((start, previous_end))
    return spans


def _ends_chunk(unit: str, target: int) -> bool:
    digest = hashlib.blake2b(unit.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") < len(unit) / target * _HASH_RANGE


def _pieces(text: str, paragraph: Span, maximum: int) -> Iterator[Span]:
    """Yields the sentences of a long paragraph; longer sentences by word, longer words by size."""
    for sentence in _split(text, paragraph, _SENTENCE):
        if sentence[1] - sentence[0] <= maximum:
            yield sentence
            continue
        for word in _split(text, sentence, _WORD):
            for start in range(word[0], word[1], maximum):
                yield start, min(start + maximum, word[1])


def _split(text: str, span: Span, separator: re.Pattern[str]) -> Iterator[Span]:
    cuts = [span[0]]
    for match in separator.finditer(text, *span):
        cuts += [match.start(), match.end()]
    cuts.append(span[1])
    for start, end in list(pairwise(cuts))[::2]:
        piece = text[start:end]
        stripped = piece.strip()
        if stripped:
            begin = start + piece.index(stripped)
            yield begin, begin + len(stripped)


def chunk_context(text: str, start: int, size: int) -> str:
    """Returns the end of the text before `start`, at most `size` characters, from a sentence's or word's beginning.

    Example:
        >>> chunk_context("Anna leads. Bo helps. She left.", 22, 12)
        'Bo helps.'
    """
    before = text[max(0, start - size) : start]
    if start > size:
        cut = _SENTENCE.search(before) or _WORD.search(before)
        before = before[cut.end() :] if cut else ""
    return before.strip()


def extractor_input(document: dict[str, Any], start: int, end: int, config: ChunkingConfig) -> dict[str, Any]:
    """Returns all that an extractor is given for one chunk (see `tierlake.extractors.base.ExtractionRequest`)."""
    given = {
        "text": document["text"][start:end],
        "context": chunk_context(document["text"], start, config.context),
        "title": _own_title(document),
        "language": document["language"],
        # In a chat or thread the speaker stands in the text; a document's author speaks in all of it.
        "author": None if document["turns"] else document["author"],
    }
    return {"input_hash": stable_id(*(f"{key}={value}" for key, value in given.items())), **given}


def _own_title(document: dict[str, Any]) -> str:
    """Returns the document's title; empty where its file's name only stands in for one."""
    stem = PurePosixPath(document["path"]).stem
    title: str = document["title"]
    is_file_name = [c for c in title if c.isalnum()] == [c for c in stem if c.isalnum()]
    return "" if is_file_name else title


def chunk_documents(documents: pl.DataFrame, config: ChunkingConfig | None = None) -> pl.DataFrame:
    """Returns the chunks of all documents.

    Args:
        documents: Frame of `schemas.DOCUMENTS`.
        config: Sizes; default `ChunkingConfig()`.

    Returns:
        Frame of `schemas.CHUNKS`. Equal chunks of one document are told apart by their n-th occurrence.
    """
    config = config or ChunkingConfig()
    rows = []
    # A loop, since cutting looks at each text's characters; what follows is columnar.
    for document in documents.select(list(DOCUMENTS.schema)).iter_rows(named=True):
        seen: Counter[str] = Counter()
        for position, (start, end) in enumerate(chunk_spans(document["text"], config)):
            text = document["text"][start:end]
            rows.append(
                {
                    "bank_id": document["bank_id"],
                    "chunk_id": stable_id(document["document_id"], text, seen[text]),
                    "document_id": document["document_id"],
                    "position": position,
                    "start": start,
                    "end": end,
                    "text_hash": stable_id(text),
                    "input_hash": extractor_input(document, start, end, config)["input_hash"],
                }
            )
            seen[text] += 1
    return conform(pl.DataFrame(rows, schema=CHUNKS.schema), CHUNKS)

"""The extractor's port: what it is given, what it returns, how it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from transforms.payload import Extraction


@dataclass(frozen=True)
class ExtractionRequest:
    """All that an extractor is given for one chunk; hashing these fields is the content part of the cache key.

    Attributes:
        input_hash: Hash of the other fields.
        text: The chunk.
        context: Text that stands before it in the same document (a heading, the end of the chunk before).
        title: The document's own title; empty where it has none.
        language: ISO 639-1 code.
        author: Who wrote or speaks, where the document says so as a whole (an e-mail's sender).
    """

    input_hash: str
    text: str
    context: str
    title: str
    language: str
    author: str | None


@dataclass(frozen=True)
class Failure:
    """Why there is no output, or why one fact was rejected.

    Attributes:
        reason: Reason code, e.g. refusal, invalid_output, rate_limit, quote_not_found.
        detail: What happened and what to do; never a key, never a whole document.
        transient: True where the next run should try again.
        item: What failed inside the chunk (a quote); empty for the chunk itself.
    """

    reason: str
    detail: str
    transient: bool
    item: str = ""


@dataclass(frozen=True)
class ExtractionResult:
    """Output for one request: an extraction, or the failure that stands for it.

    Attributes:
        input_hash: The request's.
        extraction: What was found; None where the chunk failed as a whole.
        failures: The chunk's failure, or facts that were rejected while the rest was kept.
        tokens_in: Tokens sent, all tries together.
        tokens_out: Tokens received.
        cost_usd: Cost.
    """

    input_hash: str
    extraction: Extraction | None
    failures: tuple[Failure, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0


class Extractor(Protocol):
    """Turns chunks into facts, names, tasks and events.

    `name`, `model` and `version` (of the prompt or the rules) are part of the cache key.
    """

    name: str
    model: str
    version: str

    def extract(
        self, requests: Sequence[ExtractionRequest], on_done: Callable[[ExtractionResult], None]
    ) -> Iterator[ExtractionResult]:
        """Yields one result a request, in any order, calling `on_done` for each (progress)."""
        ...

"""The local extractor: one chunk at a time, by its language and script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tierlake.extractors.base import ExtractionRequest, ExtractionResult
from tierlake.extractors.local import models
from tierlake.extractors.local.blocks import split_blocks
from tierlake.extractors.local.english import author_name, extract_english
from tierlake.extractors.local.plain import extract_plain
from tierlake.extractors.local.scripts import engine_of
from transforms.payload import Extraction

# Part of the cache key: raise it whenever a rule changes what comes out.
RULES_VERSION: Final = "1"


class LocalExtractor:
    """Extracts facts, names, tasks and events without a model service (spec: extraction).

    What a chunk gives depends on its request alone: not on the requests beside it, the clock or the machine's locale.
    """

    name: str = "local"
    version: str = RULES_VERSION
    model: str

    def __init__(self) -> None:
        self.model = models.weights()

    def extract(
        self, requests: Sequence[ExtractionRequest], on_done: Callable[[ExtractionResult], None]
    ) -> Iterator[ExtractionResult]:
        """Yields one result a request, in order, calling `on_done` for each."""
        for request in requests:
            result = ExtractionResult(request.input_hash, extract_chunk(request))
            on_done(result)
            yield result


def extract_chunk(request: ExtractionRequest) -> Extraction:
    """Returns what one chunk states.

    Example:
        >>> request = ExtractionRequest("", "Alice works at Google. She leads a team.", "", "", "en", None)
        >>> [fact.body for fact in extract_chunk(request).facts]
        ['Alice works at Google.', 'Alice leads a team.']
    """
    author = author_name(request.author)
    blocks = split_blocks(request.text, context=request.context, known=(author,) if author else ())
    engine = engine_of(request.text, request.language)
    if engine == "english":
        return extract_english(request, blocks)
    return extract_plain(request, blocks, engine)

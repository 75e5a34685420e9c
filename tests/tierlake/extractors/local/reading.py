"""Short ways to run the extractor and to write down what it found."""

from __future__ import annotations

from tierlake.extractors.base import ExtractionRequest
from tierlake.extractors.local.extractor import extract_chunk
from transforms.payload import Extraction


def request(text: str, *, language: str = "en", context: str = "", author: str | None = None, title: str = ""):
    """Returns a request for one chunk."""
    return ExtractionRequest(
        input_hash=f"{language}:{text}", text=text, context=context, language=language, author=author, title=title
    )


def read(text: str, **given: str | None) -> Extraction:
    """Returns what the extractor makes of a text."""
    return extract_chunk(request(text, **given))


def bodies(extraction: Extraction) -> list[str]:
    """Returns the statements."""
    return [fact.body for fact in extraction.facts]


def names(extraction: Extraction) -> dict[str, str]:
    """Returns surface to kind of all names, concepts left out."""
    return {e.surface: e.kind for fact in extraction.facts for e in fact.entities if e.kind != "concept"}


def concepts(extraction: Extraction) -> list[str]:
    """Returns the concepts, sorted."""
    return sorted({e.surface for fact in extraction.facts for e in fact.entities if e.kind == "concept"})

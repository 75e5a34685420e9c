"""The loader's port: a file's bytes in, documents out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True)
class Turn:
    """One message of a chat or thread: its span in the document's text, who said it and when (UTC)."""

    start: int
    end: int
    speaker: str
    at: datetime | None


@dataclass(frozen=True)
class LoadedDocument:
    """One document as a loader read it.

    Attributes:
        key: Record key inside the file; empty where the file is one document.
        title: Title; empty where the document has none (the file name then stands in).
        text: Plain text, newline separated, paragraphs parted by an empty line.
        media_type: e.g. `text/markdown`.
        authored_at: The document's own date (UTC), never the file's time; None where it has none.
        author: Who wrote it; None where unknown.
        language: Declared ISO 639-1 code; None where it must be detected.
        turns: Messages of a chat or thread.
        metadata: Other properties (front matter, headers), JSON values only. `tier` and `tags` are looked at here.
    """

    key: str
    title: str
    text: str
    media_type: str
    authored_at: datetime | None = None
    author: str | None = None
    language: str | None = None
    turns: tuple[Turn, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BadRecord:
    """A record of a file that cannot be read, while the others can; becomes a row of quarantine."""

    key: str
    reason: str
    detail: str


class Loader(Protocol):
    """Reads one format."""

    def __call__(self, data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
        """Yields the file's documents and bad records.

        Args:
            data: The file's bytes.
            name: File name, for titles and messages.
            options: The source's `options` table.

        Raises:
            LoadError: The file as a whole cannot be read.
        """
        ...

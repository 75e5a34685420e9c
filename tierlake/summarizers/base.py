"""The summarizer's port: an entity's facts in, one objective text out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tierlake.extractors.base import Failure


@dataclass(frozen=True)
class SourceFact:
    """A fact that a summary may use.

    Attributes:
        fact_id: The fact.
        body: Its statement.
        at: When it happened, else when it was said; None where undated.
        subject: The name that is its grammatical subject, where plain.
        occurred: When it happened; None where it does not say so.
        precision: How exact `occurred` is (`schemas.PRECISIONS`).
        superseded: True where a newer fact gives another value.
    """

    fact_id: str
    body: str
    at: datetime | None
    subject: str | None
    occurred: datetime | None = None
    precision: str | None = None
    superseded: bool = False


@dataclass(frozen=True)
class SummaryRequest:
    """All that a summarizer is given for one entity.

    Attributes:
        input_hash: Hash of the ordered facts, the names and the generator: the cache key.
        canonical_name: The entity's display name.
        names: Every spelling of the entity, the canonical name included.
        kind: The entity's kind.
        language: Language of most facts: the summary's language.
        facts: Source facts, most recent first.
    """

    input_hash: str
    canonical_name: str
    names: tuple[str, ...]
    kind: str | None
    language: str
    facts: tuple[SourceFact, ...]


@dataclass(frozen=True)
class SummaryResult:
    """The text, or the failure that stands for it. `text` is empty where no fact says anything about the entity."""

    input_hash: str
    text: str | None
    failure: Failure | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0


class Summarizer(Protocol):
    """Writes observations. `name`, `model` and `version` are part of the cache key."""

    name: str
    model: str
    version: str

    def summarize(self, requests: Sequence[SummaryRequest]) -> Iterator[SummaryResult]:
        """Yields one result a request, in any order."""
        ...

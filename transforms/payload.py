"""What an extractor says about one chunk: the shape that every extractor returns and that the cache keeps.

Positions are Unicode code points from the start of the *chunk*. What depends on the document's date stays an
expression here and is resolved afterwards, so that the same words in two documents get each its own date.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

EntityKind = Literal["person", "organization", "place", "product", "concept", "label"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EntityMention(_Model):
    """A name in a fact. `start` is null where only a pronoun stands for the name in the quote."""

    surface: str
    kind: EntityKind
    start: int | None = None


class ExtractedFact(_Model):
    """One self-contained statement; `quote` stands in the chunk, character for character."""

    title: str
    body: str
    kind: Literal["world", "experience", "opinion"] = "world"
    confidence: Literal["certain", "inferred", "tentative"] = "certain"
    quote: str
    start: int | None = Field(default=None, description="Where the quote starts in the chunk; null: first occurrence.")
    when: str | None = Field(default=None, description="The date expression as written, e.g. `last Friday`.")
    when_direction: Literal["past", "future"] | None = None
    entities: tuple[EntityMention, ...] = ()
    tags: tuple[str, ...] = ()
    subject: str | None = None
    predicate: str | None = None
    value: str | None = None


class ExtractedTask(_Model):
    """Work to do; `fact` is the index of the fact that states it."""

    fact: int
    description: str
    priority: int = Field(default=5, ge=0, le=10)
    status: Literal["pending", "in_progress", "done", "cancelled"] = "pending"
    due: str | None = Field(default=None, description="The date expression as written.")


class ExtractedEvent(_Model):
    """A happening; `fact` is the index of the fact that states it. Kept only where its date resolves."""

    fact: int
    event_type: str
    summary: str


class Extraction(_Model):
    """All that was found in one chunk. `skipped` counts sentences that state nothing, by reason."""

    facts: tuple[ExtractedFact, ...] = ()
    tasks: tuple[ExtractedTask, ...] = ()
    events: tuple[ExtractedEvent, ...] = ()
    skipped: dict[str, int] = Field(default_factory=dict)

"""What `read` returns: plain records that print, compare and turn into JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

Reason = Literal["rank", "floor", "filler", "graph"]


@dataclass(frozen=True)
class Fact:
    """One fact, with where it stands.

    Attributes:
        fact_id: The fact.
        entity_id: The id that it was ranked under: a tier or an entity, as the caller named it.
        tier: Its memory tier.
        title: A short clause.
        body: One self-contained statement.
        kind: world, experience or opinion.
        confidence: certain, inferred or tentative.
        tags: Sorted.
        updated_at: When it was said, as far as known; never the clock.
        mentioned_at: When it was said.
        occurred_start: When what it tells began.
        occurred_end: When it ended (exclusive).
        occurred_precision: How exact the two are.
        speaker: Who said or wrote it.
        entities: The names in it, as written.
        quote: The words of the document.
        uri: The document.
        span: Where the quote stands in the document's text: first character and one past the last.
        document_id: The document.
        superseded_by: The newer fact that gives another value; a mark that changes no score.
    """

    fact_id: str
    entity_id: str
    tier: str
    title: str
    body: str
    kind: str
    confidence: str
    tags: list[str]
    updated_at: datetime | None
    mentioned_at: datetime | None
    occurred_start: datetime | None
    occurred_end: datetime | None
    occurred_precision: str | None
    speaker: str | None
    entities: list[str]
    quote: str
    uri: str
    span: tuple[int, int]
    document_id: str
    superseded_by: str | None


@dataclass(frozen=True)
class Task:
    """Open work: `at` is when it was set, `due_at` when it is due, `uri` the document that names it."""

    task_id: str
    tier: str
    entity_ids: list[str]
    description: str
    priority: int
    status: str
    at: datetime | None
    due_at: datetime | None
    fact_id: str
    document_id: str
    uri: str


@dataclass(frozen=True)
class Event:
    """A dated happening; `uri` is the document that tells it."""

    event_id: str
    tier: str
    entity_ids: list[str]
    event_type: str
    summary: str
    at: datetime | None
    precision: str | None
    fact_id: str
    document_id: str
    uri: str


@dataclass(frozen=True)
class Observation:
    """A current summary of an entity, and the facts that it was written from."""

    observation_id: str
    text: str
    source_fact_ids: list[str]
    observed_through: datetime | None


@dataclass(frozen=True)
class Entity:
    """An entity of the returned facts, with its current observations."""

    entity_id: str
    canonical_name: str
    kind: str | None
    aliases: list[str]
    observations: list[Observation]


@dataclass(frozen=True)
class Explanation:
    """Why a fact is where it is.

    Attributes:
        keyword: BM25 of the query, 0 where only the graph leads here; None without a query.
        semantic: Cosine similarity; None in a bank without embeddings.
        base: The score before the weight.
        weight: The weight of the id that the fact was ranked under.
        final: base * weight; 0 for a filler.
        reason: `rank`, `floor` (it would be out without floors), `filler` (zero weight) or `graph` (its entities
            co-occur with those of the top facts).
        superseded_by: The newer fact that gives another value.
    """

    keyword: float | None
    semantic: float | None
    base: float | None
    weight: float
    final: float | None
    reason: Reason
    superseded_by: str | None = None


@dataclass(frozen=True)
class Bundle:
    """One answer of the memory.

    Attributes:
        facts: In rank order.
        tasks: Pending or in progress, most urgent first.
        events: Oldest first.
        entities: Entities of the facts by id, in order of first appearance; empty unless asked for.
        fact_scores: Each fact's final score; empty without a query.
        metadata: query, entity_ids, tier_weights and tier_floors as they were understood.
        explanations: Why each fact is in.
    """

    facts: list[Fact] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    entities: dict[str, Entity] = field(default_factory=dict)
    fact_scores: dict[str, float] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    explanations: dict[str, Explanation] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Returns the bundle as JSON values; times are ISO 8601 in UTC.

        Example:
            >>> Bundle(fact_scores={"a": 1.5}).to_dict()["fact_scores"]
            {'a': 1.5}
        """
        converted: dict[str, Any] = _json(asdict(self))
        return converted


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    return value

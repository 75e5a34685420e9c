"""Small banks for the tests of observations: facts in words, frames out; and a summarizer that counts its calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import polars as pl

from tierlake.extractors.base import Failure
from tierlake.summarizers.base import SummaryRequest, SummaryResult
from transforms.observations import ObservationInputs
from transforms.schemas import ENTITIES, FACTS, MENTIONS, OBSERVATION_BACKLOG, OBSERVATIONS, RESOLUTIONS, Table

DAY_0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def day(number: int) -> datetime:
    """Returns a day of 2026, from 0."""
    return DAY_0 + timedelta(days=number)


@dataclass(frozen=True)
class Said:
    """A fact: `who` maps each surface in it to the entity that it goes to."""

    fact_id: str
    who: Mapping[str, str]
    body: str = "It is so."
    document: str = "d"
    position: int = 0
    kind: str = "world"
    occurred: datetime | None = None
    mentioned: datetime | None = None
    superseded_by: str | None = None
    language: str = "en"


def about(entity: str, count: int, *, start: int = 0, document: str = "d", **more: object) -> list[Said]:
    """Returns `count` facts about one entity, a day apart."""
    return [
        Said(f"{entity}{n}", {entity: entity}, f"{entity} did {n}.", document, n, mentioned=day(n), **more)  # type: ignore[arg-type]
        for n in range(start, start + count)
    ]


@dataclass(frozen=True)
class Tables:
    """A bank's tables before observations."""

    entities: pl.DataFrame
    resolutions: pl.DataFrame
    mentions: pl.DataFrame
    facts: pl.DataFrame


def _frame(rows: Sequence[Mapping[str, object]], table: Table) -> pl.DataFrame:
    blank = dict.fromkeys(table.schema)
    return pl.DataFrame([{**blank, **row} for row in rows], schema=table.schema)


def tables(said: Sequence[Said], *, aliases: Mapping[str, Sequence[str]] | None = None) -> Tables:
    """Returns the tables of a bank with these facts."""
    facts = [
        {
            "bank_id": "b", "fact_id": one.fact_id, "document_id": one.document, "position": one.position,
            "body": one.body, "kind": one.kind, "occurred_start": one.occurred, "mentioned_at": one.mentioned,
            "language": one.language, "superseded_by": one.superseded_by, "tags": [], "entities": [],
        }
        for one in said
    ]  # fmt: skip
    mentions = [
        {
            "bank_id": "b", "mention_id": f"{one.fact_id}/{surface}", "fact_id": one.fact_id, "surface": surface,
            "document_id": one.document, "position": one.position, "at": one.occurred or one.mentioned, "context": [],
        }
        for one in said
        for surface in one.who
    ]  # fmt: skip
    resolutions = [
        {"bank_id": "b", "mention_id": f"{one.fact_id}/{surface}", "fact_id": one.fact_id, "entity_id": entity}
        for one in said
        for surface, entity in one.who.items()
    ]
    entities = [
        {"bank_id": "b", "entity_id": entity, "canonical_name": entity, "kind": "person",
         "aliases": list((aliases or {}).get(entity, ()))}
        for entity in sorted({entity for one in said for entity in one.who.values()})
    ]  # fmt: skip
    return Tables(
        _frame(entities, ENTITIES), _frame(resolutions, RESOLUTIONS), _frame(mentions, MENTIONS), _frame(facts, FACTS)
    )


def inputs(
    now: Tables,
    before: Tables | None = None,
    *,
    observations: pl.DataFrame | None = None,
    backlog: pl.DataFrame | None = None,
) -> ObservationInputs:
    """Returns the arguments of a run; without `before` it is the first one."""
    last = before or tables([])
    return ObservationInputs(
        entities=now.entities,
        resolutions=now.resolutions,
        mentions=now.mentions,
        facts=now.facts,
        previous_resolutions=last.resolutions,
        previous_facts=last.facts,
        observations=OBSERVATIONS.empty() if observations is None else observations,
        backlog=OBSERVATION_BACKLOG.empty() if backlog is None else backlog,
    )


@dataclass
class CountingSummarizer:
    """A small summarizer of its own: the bodies in order. It fails where told to, and counts its calls."""

    failing: Mapping[str, Failure] = field(default_factory=dict)
    version: str = "1"
    name: str = "joining"
    model: str = "none"
    asked: list[str] = field(default_factory=list)

    def summarize(self, requests: Sequence[SummaryRequest]) -> Iterator[SummaryResult]:
        """Yields the bodies, joined."""
        for request in requests:
            self.asked.append(request.canonical_name)
            failure = self.failing.get(request.canonical_name)
            text = None if failure else " ".join(fact.body for fact in request.facts).strip()
            yield SummaryResult(request.input_hash, text, failure, tokens_in=10, tokens_out=2, cost_usd=0.5)

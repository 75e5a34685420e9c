"""Why an entity is what it is: a view of the stored score parts, never a new computation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from tierlake.errors import UnknownNameError
from transforms.names import name_key


@dataclass(frozen=True)
class MentionExplanation:
    """Why one mention went to its entity.

    Attributes:
        mention_id: The mention.
        surface: The name as written.
        fact_id: The fact it stands in.
        fact_title: That fact, in short.
        document_id: The fact's document.
        at: Event time, ISO 8601; None where undated.
        method: new, exact, score, document, reconcile or override.
        total: The score; None where nothing was scored.
        name: Its name part.
        cooccurrence: Its share of neighbors.
        temporal: Its closeness in time.
        runner_up: Best entity that it did not go to.
        runner_up_name: That entity's name.
        runner_up_total: That entity's total.
        reason: Why, in words.
    """

    mention_id: str
    surface: str
    fact_id: str
    fact_title: str | None
    document_id: str
    at: str | None
    method: str
    total: float | None
    name: float | None
    cooccurrence: float | None
    temporal: float | None
    runner_up: str | None
    runner_up_name: str | None
    runner_up_total: float | None
    reason: str | None


@dataclass(frozen=True)
class ExplainedEntity:
    """One entity and its mentions, oldest first, undated last."""

    bank_id: str
    entity_id: str
    canonical_name: str
    kind: str | None
    aliases: tuple[str, ...]
    mention_count: int
    fact_count: int
    first_seen: str | None
    last_seen: str | None
    mentions: tuple[MentionExplanation, ...]


@dataclass(frozen=True)
class EntityExplanation:
    """What a name or id means.

    Attributes:
        query: What was asked.
        redirected_from: The old id that was asked for, where it lives under another one now.
        entities: The entities, the one with most mentions first; several where the name is ambiguous.
    """

    query: str
    redirected_from: str | None
    entities: tuple[ExplainedEntity, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the explanation as JSON values."""
        return asdict(self)


def explain_entity(
    name_or_id: str,
    *,
    entities: pl.DataFrame,
    resolutions: pl.DataFrame,
    mentions: pl.DataFrame,
    facts: pl.DataFrame,
    redirects: pl.DataFrame,
) -> EntityExplanation:
    """Returns why the mentions of an entity are one thing.

    Args:
        name_or_id: An entity id (an old one follows its redirect), else a name in any spelling. A name that several
            entities bear explains all of them.
        entities: The table `entities`, of one bank or several.
        resolutions: The table `resolutions`.
        mentions: The table `mentions`.
        facts: The table `facts`.
        redirects: The table `entity_redirects`.

    Raises:
        UnknownNameError: No entity has that id or name; near names are suggested.
    """
    asked = name_or_id.strip()
    moved = dict(redirects.select("old_entity_id", "entity_id").iter_rows())
    found = entities.filter(pl.col("entity_id") == moved.get(asked, asked))
    redirected = asked if found.height and asked in moved else None
    if not found.height:
        found = _named(asked, entities, resolutions, mentions)
    if not found.height:
        names = entities.sort("mention_count", "canonical_name", descending=[True, False])["canonical_name"]
        raise UnknownNameError("entity", asked, names.unique(maintain_order=True).to_list())
    details = _details(found, entities, resolutions, mentions, facts)
    ordered = found.sort("mention_count", "canonical_name", "entity_id", descending=[True, False, False])
    # A loop over the few entities of one answer: rows become records here.
    explained = tuple(_explained(row, details) for row in ordered.iter_rows(named=True))
    return EntityExplanation(query=name_or_id, redirected_from=redirected, entities=explained)


def _named(asked: str, entities: pl.DataFrame, resolutions: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Returns the entities that bear a name: by a mention's key, or by a display name that an override gave."""
    key = name_key(asked)
    holding = mentions.filter(pl.col("name_key") == key).select("bank_id", "mention_id")
    by_mention = resolutions.join(holding, on=["bank_id", "mention_id"]).select("bank_id", "entity_id").unique()
    shown = [name_key(name) == key for name in entities["canonical_name"]]
    by_display = entities.filter(pl.Series(shown, dtype=pl.Boolean)).select("bank_id", "entity_id")
    wanted = pl.concat([by_mention, by_display]).unique() if key else by_mention.clear()
    return entities.join(wanted, on=["bank_id", "entity_id"], how="semi")


def _details(
    found: pl.DataFrame,
    entities: pl.DataFrame,
    resolutions: pl.DataFrame,
    mentions: pl.DataFrame,
    facts: pl.DataFrame,
) -> pl.DataFrame:
    """Returns the links of the entities, with what they point to, in canonical order."""
    links = resolutions.join(found, on=["bank_id", "entity_id"], how="semi")
    names = entities.select("bank_id", pl.col("entity_id").alias("runner_up"), runner_up_name="canonical_name")
    placed = mentions.select("bank_id", "mention_id", "document_id", "position", "surface", "at")
    titles = facts.select("bank_id", "fact_id", fact_title="title")
    return (
        links.join(placed, on=["bank_id", "mention_id"])
        .join(names, on=["bank_id", "runner_up"], how="left")
        .join(titles, on=["bank_id", "fact_id"], how="left")
        .sort("at", "document_id", "position", "mention_id", nulls_last=True)
        .with_columns(_iso("at"))
    )


def _explained(row: dict[str, Any], details: pl.DataFrame) -> ExplainedEntity:
    mine = details.filter((pl.col("bank_id") == row["bank_id"]) & (pl.col("entity_id") == row["entity_id"]))
    fields = list(MentionExplanation.__dataclass_fields__)
    return ExplainedEntity(
        bank_id=row["bank_id"],
        entity_id=row["entity_id"],
        canonical_name=row["canonical_name"],
        kind=row["kind"],
        aliases=tuple(row["aliases"]),
        mention_count=row["mention_count"],
        fact_count=row["fact_count"],
        first_seen=row["first_seen"].isoformat() if row["first_seen"] else None,
        last_seen=row["last_seen"].isoformat() if row["last_seen"] else None,
        mentions=tuple(MentionExplanation(**link) for link in mine.select(fields).iter_rows(named=True)),
    )


def _iso(column: str) -> pl.Expr:
    return pl.col(column).dt.strftime("%Y-%m-%dT%H:%M:%S%:z").alias(column)


def near_misses(
    *, resolutions: pl.DataFrame, mentions: pl.DataFrame, entities: pl.DataFrame, threshold: float, margin: float = 0.05
) -> pl.DataFrame:
    """Returns the decisions that a little more or less evidence would have turned, closest to the threshold first.

    A scored match whose total is within the margin above the threshold, and a mention whose runner-up is within the
    margin below it (or at it: a match needs more).

    Args:
        resolutions: Frame of `schemas.RESOLUTIONS`.
        mentions: Frame of `schemas.MENTIONS`.
        entities: Frame of `schemas.ENTITIES`.
        threshold: What a total must be above.
        margin: How near is near.

    Returns:
        `mention_id, surface, decision` (joined or apart)`, total, entity_id, entity, other_id, other, fact_id`: the
        entity that the mention is in, and for `apart` the one that it nearly joined.
    """
    names = entities.select("entity_id", "canonical_name")
    rows = resolutions.join(mentions.select("mention_id", "surface"), on="mention_id").join(names, on="entity_id")
    rows = rows.join(
        names.rename({"entity_id": "runner_up", "canonical_name": "other"}), on="runner_up", how="left"
    ).with_columns(pl.col("runner_up_total").alias("other_total"))
    scored = pl.col("method").is_in(["score", "reconcile"])
    joined = rows.filter(scored & (pl.col("total") <= threshold + margin)).with_columns(
        pl.lit("joined").alias("decision"), pl.col("total").alias("near")
    )
    apart = rows.filter(pl.col("other_total").is_between(threshold - margin, threshold)).with_columns(
        pl.lit("apart").alias("decision"), pl.col("other_total").alias("near")
    )
    both = pl.concat([joined, apart]).with_columns((pl.col("near") - threshold).abs().round(9).alias("distance"))
    shown = both.sort("distance", "surface", "mention_id", "decision").select(
        "mention_id",
        "surface",
        "decision",
        pl.col("near").alias("total"),
        "entity_id",
        pl.col("canonical_name").alias("entity"),
        pl.col("runner_up").alias("other_id"),
        "other",
        "fact_id",
    )
    return shown.unique(subset=["surface", "decision", "entity_id", "other_id"], keep="first", maintain_order=True)

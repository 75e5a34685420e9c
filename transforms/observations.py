"""Which entities are summarized in a run, and from which facts.

The seed's rules (Entity Observations): the entities mentioned most in what is new, the top 5 of them, those with at
least 5 facts, each from its 50 most recent facts. Beyond it, a backlog for those that qualified and missed the cut, and
observations that no longer follow from the bank's facts are written again, or removed, whatever the cut.

All kinds of entities take part, concepts too: the rules name none to leave out. One bank at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import polars as pl

from transforms.ids import stable_id
from transforms.schemas import OBSERVATION_BACKLOG, TIME, conform

# Observations are objective: opinions neither count nor feed them.
SOURCE_KINDS: Final = ("world", "experience")
# What a summarizer sees of a fact. A fact is changed where one of these differs.
CONTENT: Final = (
    "body", "occurred_start", "occurred_precision", "mentioned_at", "subject", "language", "superseded",
)  # fmt: skip


@dataclass(frozen=True)
class ObservationConfig:
    """The seed's three numbers, and the backlog's share.

    Attributes:
        top_entities: Entities taken from a run's changes; 0 is no limit.
        min_facts: World and experience facts that an entity needs.
        max_facts: Facts that a summary is written from, most recent first.
        backlog_per_run: Waiting entities that a run with changes takes besides, oldest first.
    """

    top_entities: int = 5
    min_facts: int = 5
    max_facts: int = 50
    backlog_per_run: int = 5


@dataclass(frozen=True)
class ObservationInputs:
    """One bank's tables, as this run made them and as the last published run left them.

    Attributes:
        entities: Frame of `schemas.ENTITIES`.
        resolutions: Frame of `schemas.RESOLUTIONS`.
        mentions: Frame of `schemas.MENTIONS`.
        facts: Frame of `schemas.FACTS`.
        previous_resolutions: The last run's, with at least `mention_id`, `fact_id` and `entity_id`.
        previous_facts: The last run's `facts`.
        observations: Frame of `schemas.OBSERVATIONS`, as stored.
        backlog: Frame of `schemas.OBSERVATION_BACKLOG`, as stored.
    """

    entities: pl.DataFrame
    resolutions: pl.DataFrame
    mentions: pl.DataFrame
    facts: pl.DataFrame
    previous_resolutions: pl.DataFrame
    previous_facts: pl.DataFrame
    observations: pl.DataFrame
    backlog: pl.DataFrame


@dataclass(frozen=True)
class ObservationPlan:
    """What a run does about observations.

    Attributes:
        selected: `entity_id` and `cause` (changed, stale, backlog, retry or all) of each entity to summarize, in order.
        inputs: What the summary of each *qualified* entity is made from now: `entity_id`, `input_hash`,
            `canonical_name`, `names`, `kind`, `language`, `observed_through`.
        sources: The source facts of those: `entity_id`, `ordinal` from 0, `fact_id`, `at` and the columns of `CONTENT`.
        valid: Stored observations that still follow from the facts they name.
        backlog: Frame of `schemas.OBSERVATION_BACKLOG` after the run.
    """

    selected: pl.DataFrame
    inputs: pl.DataFrame
    sources: pl.DataFrame
    valid: pl.DataFrame
    backlog: pl.DataFrame


def plan_observations(
    inputs: ObservationInputs,
    config: ObservationConfig,
    *,
    generator: str,
    now: datetime,
    drain: bool = False,
    retry: frozenset[str] = frozenset(),
) -> ObservationPlan:
    """Returns which entities to summarize, from what, which observations stand, and who waits.

    Candidates are entities whose set of source facts changed. They are ranked by mentions in facts that are new to the
    entity or changed; ties by all source facts, then by the first mention in canonical order (`at`, undated last,
    `document_id`, `position`, `mention_id`). With `top_entities = 0` every qualified entity is selected, the backlog is
    empty, and nothing depends on the last run.

    Args:
        inputs: The bank's tables.
        config: The numbers.
        generator: Summarizer, model and version: part of every `input_hash`.
        now: The run's time, for entities that begin to wait.
        drain: True to take the whole backlog.
        retry: Entities whose summary failed for a passing reason; taken whatever the cut.
    """
    content = _source_facts(inputs.facts)
    attributed = _attributed(inputs.resolutions, content).join(inputs.entities, on="entity_id", how="semi")
    ranked = _rank(inputs, attributed, content)
    qualified = ranked.filter(pl.col("fact_count") >= config.min_facts)
    facts = _recent_first(attributed.join(qualified, on="entity_id", how="semi"), content)
    sources = facts.filter(pl.col("ordinal") < config.max_facts)
    made_from = _summary_inputs(sources, inputs.entities, generator)
    valid = _valid_observations(inputs, facts, config, generator)
    if config.top_entities == 0:
        selected = made_from.select("entity_id", pl.lit("all").alias("cause"))
        return ObservationPlan(selected, made_from, sources, valid, OBSERVATION_BACKLOG.empty())
    current = made_from.join(valid, on=["entity_id", "input_hash"], how="semi")["entity_id"]
    stale = inputs.observations.join(valid, on="observation_id", how="anti")
    selected, backlog = _select(
        _Queue(ranked, qualified, _forced(stale, attributed, ranked), current.implode(), inputs.backlog),
        config,
        drain=drain,
        retry=retry,
    )
    bank = inputs.entities["bank_id"].first() if inputs.entities.height else ""
    waiting = backlog.select(
        pl.lit(bank, dtype=pl.String).alias("bank_id"),
        "entity_id",
        pl.col("fact_count").cast(pl.Int64),
        pl.col("since").fill_null(pl.lit(now, dtype=TIME)),
    )
    return ObservationPlan(selected, made_from, sources, valid, conform(waiting, OBSERVATION_BACKLOG))


def _source_facts(facts: pl.DataFrame) -> pl.DataFrame:
    """Returns the facts that count: what a summarizer sees of each, and where it stands."""
    sources = facts.filter(pl.col("kind").is_in(SOURCE_KINDS)).with_columns(
        pl.col("superseded_by").is_not_null().alias("superseded")
    )
    return sources.select("fact_id", "document_id", "position", *CONTENT)


def _attributed(resolutions: pl.DataFrame, content: pl.DataFrame) -> pl.DataFrame:
    """Returns the entity of each mention in a source fact."""
    return resolutions.select("mention_id", "fact_id", "entity_id").join(content, on="fact_id", how="semi")


def _rank(inputs: ObservationInputs, attributed: pl.DataFrame, content: pl.DataFrame) -> pl.DataFrame:
    """Returns every entity in rank order: `entity_id`, `fact_count`, `new_mentions`, `is_candidate`."""
    old_content = _source_facts(inputs.previous_facts)
    before = _attributed(inputs.previous_resolutions, old_content)
    # Facts first, then pairs: statements are compared once a fact, not once a mention.
    same = content.join(old_content, on=["fact_id", *CONTENT], how="semi", nulls_equal=True)
    pair = ["entity_id", "fact_id"]
    new = attributed.join(before.join(same, on="fact_id", how="semi"), on=pair, how="anti")
    gone = before.join(attributed.join(same, on="fact_id", how="semi"), on=pair, how="anti")
    touched = pl.concat([new["entity_id"], gone["entity_id"]]).unique()
    order = (
        inputs.mentions.sort("at", "document_id", "position", "mention_id", nulls_last=True)
        .with_row_index("place")
        .join(inputs.resolutions.select("mention_id", "entity_id"), on="mention_id")
    )
    return (
        inputs.entities.select("entity_id")
        .join(attributed.group_by("entity_id").agg(pl.col("fact_id").n_unique().alias("fact_count")),
              on="entity_id", how="left")
        .join(new.group_by("entity_id").agg(pl.len().alias("new_mentions")), on="entity_id", how="left")
        .join(order.group_by("entity_id").agg(pl.col("place").min()), on="entity_id", how="left")
        .with_columns(
            pl.col("fact_count", "new_mentions").fill_null(0),
            pl.col("entity_id").is_in(touched.implode()).alias("is_candidate"),
        )
        .sort("new_mentions", "fact_count", "place", "entity_id", descending=[True, True, False, False],
              nulls_last=True)
    )  # fmt: skip


def _recent_first(attributed: pl.DataFrame, content: pl.DataFrame) -> pl.DataFrame:
    """Returns each entity's source facts once, numbered from the most recent: `ordinal` and `at` are added.

    Recency is `occurred_start`, else `mentioned_at`; undated facts come last; ties by position in the document, then
    document and fact.
    """
    pairs = attributed.select("entity_id", "fact_id").unique()
    facts = pairs.join(content, on="fact_id").with_columns(pl.coalesce("occurred_start", "mentioned_at").alias("at"))
    order = ["at", "position", "document_id", "fact_id"]
    facts = facts.sort("entity_id", *order, descending=[False, True, False, False, False], nulls_last=True)
    facts = facts.with_columns(pl.int_range(pl.len()).over("entity_id").alias("ordinal"))
    return facts.select("entity_id", "ordinal", "fact_id", "at", *CONTENT)


def _summary_inputs(sources: pl.DataFrame, entities: pl.DataFrame, generator: str) -> pl.DataFrame:
    """Returns one row an entity of `sources`: what its summary is made from, and the hash of all of it."""
    language = (
        sources.group_by("entity_id", "language").len().sort("len", "language", descending=[True, False])
        .group_by("entity_id", maintain_order=True).agg(pl.col("language").first())
    )  # fmt: skip
    names = pl.concat_list(pl.concat_list("canonical_name"), pl.col("aliases").list.sort()).list.unique(
        maintain_order=True
    )
    lines = (
        sources.with_columns(_line().alias("line")).sort("entity_id", "ordinal").group_by("entity_id")
        .agg(pl.col("line"), pl.col("at").max().alias("observed_through"))
    )  # fmt: skip
    rows = (
        lines.join(entities.select("entity_id", "canonical_name", names.alias("names"), "kind"), on="entity_id")
        .join(language, on="entity_id", how="left")
        .sort("entity_id")
    )
    # A loop over entities: the hash is Python's, so that it stays the same across versions of Polars.
    hashes = [
        stable_id(generator, row["kind"] or "", row["language"] or "", len(row["names"]), *row["names"], *row["line"])
        for row in rows.iter_rows(named=True)
    ]
    return rows.with_columns(pl.Series("input_hash", hashes, dtype=pl.String)).select(
        "entity_id", "input_hash", "canonical_name", "names", "kind", "language", "observed_through"
    )


def _line() -> pl.Expr:
    """Returns a fact as one string with no ambiguity: ids and numbers first, free text with its length before it."""
    fields = [
        pl.col("fact_id"),
        *(pl.col(name).dt.epoch("us").cast(pl.String).fill_null("") for name in ("occurred_start", "mentioned_at")),
        pl.col("occurred_precision").fill_null(""),
        pl.col("language").fill_null(""),
        pl.col("superseded").cast(pl.String),
        pl.col("subject").str.len_bytes().cast(pl.String).fill_null(""),
        pl.col("subject").fill_null(""),
        pl.col("body"),
    ]
    return pl.concat_str(fields, separator="\x1f")


def _valid_observations(
    inputs: ObservationInputs, facts: pl.DataFrame, config: ObservationConfig, generator: str
) -> pl.DataFrame:
    """Returns the stored observations that still follow from the facts they name.

    An observation falls where its entity is gone, no longer qualifies, or had a mention move in or out (a merge or a
    split); where a source fact is gone, changed or now another's; and where the generator or the names changed.
    """
    moved = inputs.resolutions.select("mention_id", "entity_id").join(
        inputs.previous_resolutions.select("mention_id", pl.col("entity_id").alias("was")), on="mention_id"
    )
    moved = moved.filter(pl.col("entity_id") != pl.col("was"))
    whole = inputs.observations.filter(
        (pl.col("source_fact_ids").list.len() <= config.max_facts)
        & ~pl.col("entity_id").is_in(pl.concat([moved["entity_id"], moved["was"]]).implode())
    )
    named = (
        whole.select("entity_id", pl.col("source_fact_ids").alias("fact_id"))
        .with_columns(pl.int_ranges(pl.col("fact_id").list.len()).alias("ordinal"))
        .explode("fact_id", "ordinal")
        .join(facts.drop("ordinal"), on=["entity_id", "fact_id"])
    )
    # A fact that is missing changes the hash, so the hash alone says whether all of them stand as they did.
    now = _summary_inputs(named.select(facts.columns), inputs.entities, generator)
    return whole.join(now, on=["entity_id", "input_hash"], how="semi")


def _forced(stale: pl.DataFrame, attributed: pl.DataFrame, ranked: pl.DataFrame) -> pl.DataFrame:
    """Returns the entities that a fallen observation leaves in need of a new one: its own, else its heir.

    The heir of an entity that vanished is the live entity that holds most of the observation's source facts; ties go
    to the one that ranks first.
    """
    place = ranked.select("entity_id").with_row_index("rank")
    own = stale.join(place, on="entity_id", how="semi").select("entity_id")
    orphans = stale.join(place, on="entity_id", how="anti").select(
        "observation_id", pl.col("source_fact_ids").alias("fact_id")
    )
    heirs = (
        orphans.explode("fact_id")
        .join(attributed.select("entity_id", "fact_id").unique(), on="fact_id")
        .group_by("observation_id", "entity_id").len()
        .join(place, on="entity_id")
        .sort("len", "rank", descending=[True, False])
        .unique("observation_id", keep="first", maintain_order=True)
        .select("entity_id")
    )  # fmt: skip
    return pl.concat([own, heirs]).unique("entity_id")


@dataclass(frozen=True)
class _Queue:
    ranked: pl.DataFrame
    qualified: pl.DataFrame
    forced: pl.DataFrame
    current: pl.Series
    backlog: pl.DataFrame


def _select(
    queue: _Queue, config: ObservationConfig, *, drain: bool, retry: frozenset[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns the selected entities with their cause, and those that wait with `since` (null where they begin to)."""
    candidates = queue.ranked.filter("is_candidate")
    has_changes = candidates.height + queue.forced.height > 0
    top = candidates.head(config.top_entities)
    causes = [
        top.select("entity_id", pl.lit("changed").alias("cause")),
        queue.forced.select("entity_id", pl.lit("stale").alias("cause")),
        pl.DataFrame({"entity_id": sorted(retry)}, schema={"entity_id": pl.String}).with_columns(
            pl.lit("retry").alias("cause")
        ),
    ]
    order = queue.qualified.select("entity_id").with_row_index("rank")
    first = (
        pl.concat(causes)
        .join(order, on="entity_id", maintain_order="left")
        .unique("entity_id", keep="first", maintain_order=True)
    )
    since = queue.backlog.select("entity_id", "since")
    waiting = (
        queue.qualified.join(since, on="entity_id", how="left", maintain_order="left")
        .with_row_index("rank")
        .filter(pl.col("is_candidate") | pl.col("since").is_not_null())
        .filter(~pl.col("entity_id").is_in(queue.current))
        .join(first, on="entity_id", how="anti")
    )
    # Who begins to wait in this run is not taken from the backlog in it, but by a drain.
    if drain:
        taken = waiting
    else:
        old = waiting.filter(pl.col("since").is_not_null()).sort("since", "rank")
        taken = old.head(config.backlog_per_run if has_changes else 0)
    second = taken.select("entity_id", pl.lit("backlog").alias("cause"), "rank")
    selected = pl.concat([first.select("entity_id", "cause", "rank"), second]).sort("rank")
    return selected.drop("rank"), waiting.join(taken, on="entity_id", how="anti")

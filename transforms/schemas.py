"""The tables of the lake: columns, types, keys and what each column means.

Every transform's output is checked against this module at the boundary (`conform`), and Dagster shows the same
descriptions. Times are UTC in microseconds; every key is (`bank_id`, key); tables are partitioned by `bank_id`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

TIME: Final = pl.Datetime("us", "UTC")
TURN: Final = pl.Struct({"start": pl.Int64, "end": pl.Int64, "speaker": pl.String, "at": TIME})
FACT_ENTITY: Final = pl.Struct({"surface": pl.String, "kind": pl.String, "start": pl.Int64, "end": pl.Int64})

ENTITY_KINDS: Final = ("person", "organization", "place", "product", "concept", "label")
FACT_KINDS: Final = ("world", "experience", "opinion")
CONFIDENCES: Final = ("certain", "inferred", "tentative")
PRECISIONS: Final = ("time", "day", "week", "month", "quarter", "year", "range")
TASK_STATUSES: Final = ("pending", "in_progress", "done", "cancelled")


@dataclass(frozen=True)
class Column:
    """One column: its Polars type and what it means."""

    dtype: pl.DataType | type[pl.DataType]
    description: str


@dataclass(frozen=True)
class Table:
    """One Delta table of the lake.

    Attributes:
        name: Name of the table, of its Dagster asset and of its folder under the lake's root.
        description: What a row is.
        key: Key columns besides `bank_id`.
        columns: Column name to type and meaning, `bank_id` first.
        clock: Columns of clock and history: they are kept from the stored row when nothing else in it changed.
    """

    name: str
    description: str
    key: tuple[str, ...]
    columns: dict[str, Column]
    clock: tuple[str, ...] = ()

    @property
    def schema(self) -> pl.Schema:
        """Returns the Polars schema, in declared order."""
        return pl.Schema({name: column.dtype for name, column in self.columns.items()})

    @property
    def keys(self) -> tuple[str, ...]:
        """Returns the full key, `bank_id` first."""
        return ("bank_id", *self.key)

    def empty(self) -> pl.DataFrame:
        """Returns a frame of this table without rows."""
        return pl.DataFrame(schema=self.schema)


class SchemaMismatchError(ValueError):
    """A frame does not have the columns or types that its table declares."""


def conform(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Returns `frame` in the declared column order, sorted by key, after checking names and types.

    Args:
        frame: Any frame whose columns are exactly those of the table, in any order.
        table: The declaration to hold it against.

    Raises:
        SchemaMismatchError: A column is missing, unknown or of another type; the message lists each.

    Example:
        >>> frame = pl.DataFrame({"entity_id": ["b"], "old_entity_id": ["a"], "bank_id": ["acme"]})
        >>> conform(frame, ENTITY_REDIRECTS).columns
        ['bank_id', 'old_entity_id', 'entity_id']
    """
    schema = table.schema
    faults = [f"missing column {name}" for name in schema if name not in frame.columns]
    faults += [f"unknown column {name}" for name in frame.columns if name not in schema]
    faults += [
        f"column {name} is {frame.schema[name]}, not {dtype}"
        for name, dtype in schema.items()
        if name in frame.columns and frame.schema[name] != dtype
    ]
    if faults:
        message = f"table {table.name}: {'; '.join(faults)}. Declared in transforms/schemas.py."
        raise SchemaMismatchError(message)
    return frame.select(list(schema)).sort(list(table.keys))


def _columns(**columns: tuple[pl.DataType | type[pl.DataType], str]) -> dict[str, Column]:
    declared = {"bank_id": Column(pl.String, "The isolated memory that the row belongs to.")}
    declared.update({name: Column(dtype, description) for name, (dtype, description) in columns.items()})
    return declared


DOCUMENTS: Final = Table(
    "documents",
    "One source document, as text, with where it came from.",
    ("document_id",),
    _columns(
        document_id=(pl.String, "Hash of the source's name and the relative path or record key."),
        uri=(pl.String, "Path relative to the configuration file, with #key for one record of a file."),
        source=(pl.String, "Name of the source in the configuration."),
        path=(pl.String, "The file, relative to the configuration file."),
        file_hash=(pl.String, "SHA-256 of the file's bytes: change detection."),
        title=(pl.String, "Title from the document, else from its file name."),
        media_type=(pl.String, "Media type that the loader read."),
        text=(pl.String, "The text that chunks, quotes and spans point into (Unicode code points)."),
        content_hash=(pl.String, "Hash of all that is derived from: text, title, tier, dates, author, turns."),
        tier=(pl.String, "Memory tier: the source's, or a lower one from the front matter."),
        language=(pl.String, "ISO 639-1 code, detected or declared; `und` where unknown."),
        author=(pl.String, "Who wrote it, where the document says."),
        authored_at=(TIME, "The document's own date; null where it has none."),
        turns=(pl.List(TURN), "Speaker, time and span of each message of a chat or thread; empty elsewhere."),
        ingested_at=(TIME, "When this version was first read: the clock, never used to rank."),
        metadata=(pl.String, "Other properties of the document, as a JSON object with sorted keys."),
    ),
    clock=("ingested_at",),
)

CHUNKS: Final = Table(
    "chunks",
    "A span of a document's text, cut at natural boundaries that its content defines.",
    ("chunk_id",),
    _columns(
        chunk_id=(pl.String, "Hash of the document, the chunk's text and its n-th occurrence."),
        document_id=(pl.String, "The document."),
        position=(pl.Int64, "Ordinal of the chunk in its document, from 0."),
        start=(pl.Int64, "First character in the document's text."),
        end=(pl.Int64, "One past the last character."),
        text_hash=(pl.String, "Hash of the chunk's text."),
        input_hash=(pl.String, "Hash of all that an extractor is given for this chunk: the cache key's content part."),
    ),
)

FACTS: Final = Table(
    "facts",
    "One self-contained statement with a verified quote.",
    ("fact_id",),
    _columns(
        fact_id=(pl.String, "Hash of the chunk, the quote and its n-th occurrence."),
        document_id=(pl.String, "The document that states it."),
        chunk_id=(pl.String, "The chunk that it was extracted from."),
        position=(pl.Int64, "Ordinal of the fact in its document, from 0."),
        title=(pl.String, "A short clause."),
        body=(pl.String, "One self-contained statement."),
        kind=(pl.String, "world, experience or opinion."),
        tier=(pl.String, "Memory tier."),
        confidence=(pl.String, "certain, inferred or tentative."),
        quote=(pl.String, "The words of the document: text[quote_start:quote_end]."),
        quote_start=(pl.Int64, "First character of the quote in the document's text."),
        quote_end=(pl.Int64, "One past the last character of the quote."),
        occurred_start=(TIME, "When what it tells began, where it says so."),
        occurred_end=(TIME, "When what it tells ended (exclusive)."),
        occurred_precision=(pl.String, "time, day, week, month, quarter, year or range; null where undated."),
        mentioned_at=(TIME, "When it was said: the message's time, else the document's date."),
        updated_at=(TIME, "mentioned_at, else authored_at, else null; never the clock."),
        tags=(pl.List(pl.String), "Tags of the document and the extractor, sorted."),
        language=(pl.String, "Language of the document."),
        speaker=(pl.String, "Who said or wrote it, where known."),
        entities=(pl.List(FACT_ENTITY), "Names in the fact; start and end are null where only a pronoun stands."),
        subject=(pl.String, "The name that is the grammatical subject, where plain."),
        predicate=(pl.String, "Head of a predicate that holds one value at a time, e.g. `work at`; else null."),
        value=(pl.String, "The predicate's value, e.g. `Google`; else null."),
        superseded_by=(pl.String, "fact_id of the newer fact with the same entity, predicate and kind."),
    ),
)

MENTIONS: Final = Table(
    "mentions",
    "One distinct name in one fact.",
    ("mention_id",),
    _columns(
        mention_id=(pl.String, "Hash of the fact and the name key."),
        fact_id=(pl.String, "The fact."),
        document_id=(pl.String, "The fact's document."),
        position=(pl.Int64, "First character of the name in the document (of the fact's quote for a pronoun)."),
        surface=(pl.String, "The name as written."),
        name_key=(pl.String, "The normalized name."),
        kind=(pl.String, "person, organization, place, product, concept or label; null where unknown."),
        at=(TIME, "The fact's occurred_start, else mentioned_at."),
        context=(pl.List(pl.String), "Identifiers that stand with the name (hashed address, handle), sorted."),
        span_start=(pl.Int64, "First character of the name in the document; null where only a pronoun stands."),
        span_end=(pl.Int64, "One past its last character; null where only a pronoun stands."),
    ),
)

ENTITIES: Final = Table(
    "entities",
    "One person, organization, place, product, concept or label of the bank.",
    ("entity_id",),
    _columns(
        entity_id=(pl.String, "Hash of the entity's first mention, kept afterwards."),
        canonical_name=(pl.String, "The most frequent spelling of the fullest name."),
        kind=(pl.String, "The kind that most mentions have."),
        aliases=(pl.List(pl.String), "Other spellings, sorted."),
        mention_count=(pl.Int64, "Live mentions."),
        fact_count=(pl.Int64, "Live facts."),
        first_seen=(TIME, "Earliest event time; null where undated."),
        last_seen=(TIME, "Latest event time; null where undated."),
    ),
)

RESOLUTIONS: Final = Table(
    "resolutions",
    "Which entity a mention went to, and why.",
    ("mention_id",),
    _columns(
        mention_id=(pl.String, "The mention."),
        fact_id=(pl.String, "Its fact."),
        entity_id=(pl.String, "The entity it went to."),
        method=(pl.String, "new, exact, score, document, reconcile or override."),
        total=(pl.Float64, "0.50 name + 0.30 cooccurrence + 0.20 temporal; null where nothing was scored."),
        name=(pl.Float64, "Name similarity, 0 to 1."),
        cooccurrence=(pl.Float64, "Share of the mention's neighbors that co-occur with the entity, 0 to 1."),
        temporal=(pl.Float64, "max(0, 1 - days / window)."),
        runner_up=(pl.String, "Best entity that it did not go to; null where there was none."),
        runner_up_total=(pl.Float64, "The runner-up's total."),
        reason=(pl.String, "Why, in words: the rule, the guard or the override."),
    ),
)

ENTITY_REDIRECTS: Final = Table(
    "entity_redirects",
    "Where an entity id that once existed lives now.",
    ("old_entity_id",),
    _columns(
        old_entity_id=(pl.String, "The id that vanished."),
        entity_id=(pl.String, "The live entity that holds most of its mentions."),
    ),
)

COOCCURRENCES: Final = Table(
    "cooccurrences",
    "Two entities that stand together in facts, unordered, `entity_id_a < entity_id_b`.",
    ("entity_id_a", "entity_id_b"),
    _columns(
        entity_id_a=(pl.String, "The smaller id."),
        entity_id_b=(pl.String, "The larger id."),
        fact_count=(pl.Int64, "Distinct facts that hold both."),
        document_count=(pl.Int64, "Distinct documents with such a fact."),
        first_at=(TIME, "Earliest event time of such a fact."),
        last_at=(TIME, "Latest event time of such a fact."),
        npmi=(pl.Float64, "Normalized pointwise mutual information over facts, -1 to 1."),
    ),
)

OBSERVATIONS: Final = Table(
    "observations",
    "One objective summary of an entity.",
    ("observation_id",),
    _columns(
        observation_id=(pl.String, "Hash of the entity and the input."),
        entity_id=(pl.String, "The entity."),
        text=(pl.String, "The summary."),
        source_fact_ids=(pl.List(pl.String), "The facts it was written from, most recent first."),
        input_hash=(pl.String, "Hash of the ordered source facts, the generator and its version."),
        generator=(pl.String, "Summarizer, model and version."),
        observed_through=(TIME, "Latest event time among the source facts."),
    ),
)

OBSERVATION_BACKLOG: Final = Table(
    "observation_backlog",
    "An entity that qualifies for an observation and has not had its turn.",
    ("entity_id",),
    _columns(
        entity_id=(pl.String, "The entity."),
        fact_count=(pl.Int64, "Its world and experience facts."),
        since=(TIME, "When it first waited."),
    ),
    clock=("since",),
)

TASKS: Final = Table(
    "tasks",
    "Open or done work that a document names.",
    ("task_id",),
    _columns(
        task_id=(pl.String, "Hash of the fact and the description."),
        fact_id=(pl.String, "The fact that states it."),
        document_id=(pl.String, "The document."),
        tier=(pl.String, "Memory tier."),
        entity_ids=(pl.List(pl.String), "Entities of its fact, sorted."),
        description=(pl.String, "What is to be done."),
        priority=(pl.Int64, "0 (whenever) to 10 (now)."),
        status=(pl.String, "pending, in_progress, done or cancelled."),
        at=(TIME, "When it was set: the fact's mentioned_at."),
        due_at=(TIME, "When it is due, where the text says so."),
    ),
)

EVENTS: Final = Table(
    "events",
    "A dated happening.",
    ("event_id",),
    _columns(
        event_id=(pl.String, "Hash of the fact and the summary."),
        fact_id=(pl.String, "The fact that states it."),
        document_id=(pl.String, "The document."),
        tier=(pl.String, "Memory tier."),
        entity_ids=(pl.List(pl.String), "Entities of its fact, sorted."),
        event_type=(pl.String, "release, incident, meeting, decision, ..."),
        summary=(pl.String, "What happened."),
        at=(TIME, "When it happened."),
        precision=(pl.String, "How exact `at` is."),
    ),
)

QUARANTINE: Final = Table(
    "quarantine",
    "What could not be processed, and why.",
    ("item_id",),
    _columns(
        item_id=(pl.String, "Hash of the stage and the item."),
        stage=(pl.String, "load, extract, facts or summarize."),
        item=(pl.String, "What failed: a uri, a chunk_id or a quote's hash."),
        uri=(pl.String, "The document or file it belongs to."),
        document_id=(pl.String, "The document; null for a file that could not be read."),
        chunk_id=(pl.String, "The chunk; null before chunking."),
        reason=(pl.String, "Reason code, e.g. unreadable, encoding, password, refusal, quote_not_found."),
        detail=(pl.String, "The message, with what to do."),
        transient=(pl.Boolean, "True where the next run tries again."),
        content_hash=(pl.String, "Hash of the content that failed: a change gives it a new try."),
        code_version=(pl.String, "Version of the code that failed: a change gives it a new try."),
        attempts=(pl.Int64, "Runs that tried."),
        first_failed_at=(TIME, "First failure (clock)."),
        last_failed_at=(TIME, "Last failure (clock)."),
    ),
    clock=("attempts", "first_failed_at", "last_failed_at"),
)

OVERRIDES: Final = Table(
    "overrides",
    "One human decision.",
    ("override_id",),
    _columns(
        override_id=(pl.String, "Id from the file, else a hash of the row."),
        what=(pl.String, "alias, same, different, block, label, retract, promote or undo."),
        which=(pl.List(pl.String), "What it is about: names, entity ids or fact ids."),
        value=(pl.String, "The tier of `promote`, the label of `label`; else null."),
        who=(pl.String, "Who decided."),
        when=(TIME, "When."),
        why=(pl.String, "Why."),
        undone_by=(pl.String, "override_id of the undo that withdraws it; null while it holds."),
    ),
)

EXTRACTION_CACHE: Final = Table(
    "extraction_cache",
    "Model output for one chunk's content.",
    ("cache_key",),
    _columns(
        cache_key=(pl.String, "Hash of input_hash, extractor, model and prompt version."),
        input_hash=(pl.String, "Hash of all that the extractor was given."),
        extractor=(pl.String, "Extractor."),
        model=(pl.String, "Model."),
        prompt_version=(pl.String, "Version of prompt or rules."),
        output=(pl.String, "transforms.payload.Extraction as JSON."),
        tokens_in=(pl.Int64, "Tokens sent."),
        tokens_out=(pl.Int64, "Tokens received."),
        cost_usd=(pl.Float64, "Cost in US dollars."),
    ),
)

SUMMARY_CACHE: Final = Table(
    "summary_cache",
    "Model output for one entity's facts.",
    ("input_hash",),
    _columns(
        input_hash=(pl.String, "Hash of the ordered source facts, the generator and its version."),
        generator=(pl.String, "Summarizer, model and version."),
        text=(pl.String, "The summary."),
        tokens_in=(pl.Int64, "Tokens sent."),
        tokens_out=(pl.Int64, "Tokens received."),
        cost_usd=(pl.Float64, "Cost in US dollars."),
    ),
)

RUN_MANIFESTS: Final = Table(
    "run_manifests",
    "One run that changed something in a bank.",
    ("run_id",),
    _columns(
        run_id=(pl.String, "Dagster's run id."),
        finished_at=(TIME, "When it published (clock)."),
        code_version=(pl.String, "Version of tierlake."),
        config_hash=(pl.String, "Hash of the configuration."),
        table_versions=(pl.String, "Table to Delta version, as JSON."),
        counts=(pl.String, "Table to rows of the bank, as JSON."),
        tokens_in=(pl.Int64, "Tokens sent in this run."),
        tokens_out=(pl.Int64, "Tokens received in this run."),
        cost_usd=(pl.Float64, "Cost of this run in US dollars."),
        seconds=(pl.Float64, "From the run's start to its publication."),
    ),
    clock=("finished_at",),
)

EVALUATION_QUERIES: Final = Table(
    "evaluation_queries",
    "One query of a gold set.",
    ("dataset", "query_id"),
    _columns(
        dataset=(pl.String, "Gold set."),
        query_id=(pl.String, "The query."),
        query=(pl.String, "Its words."),
        ids=(pl.List(pl.String), "Tiers or entities that it reads."),
        options=(pl.String, "Options of `read` as JSON."),
    ),
)

EVALUATION_JUDGEMENTS: Final = Table(
    "evaluation_judgements",
    "One graded span of a document for a query.",
    ("dataset", "query_id", "uri", "start", "end"),
    _columns(
        dataset=(pl.String, "Gold set."),
        query_id=(pl.String, "The query."),
        uri=(pl.String, "The document."),
        start=(pl.Int64, "First character of the span."),
        end=(pl.Int64, "One past its last character."),
        grade=(pl.Int64, "0 (not relevant) to 3 (answers it)."),
    ),
)

EVALUATION_METRICS: Final = Table(
    "evaluation_metrics",
    "One metric of one evaluation: an index, a configuration and a gold set.",
    ("evaluation_id", "system", "metric"),
    _columns(
        evaluation_id=(pl.String, "Hash of index, configuration and gold."),
        dataset=(pl.String, "Gold set."),
        system=(pl.String, "tierlake, or the baseline beside it."),
        metric=(pl.String, "e.g. nDCG@10."),
        value=(pl.Float64, "Mean over the queries."),
        low=(pl.Float64, "Lower end of the 95 % bootstrap interval."),
        high=(pl.Float64, "Upper end."),
        queries=(pl.Int64, "Queries that were measured."),
    ),
)

EVALUATION_RESULTS: Final = Table(
    "evaluation_results",
    "One metric of one query in one evaluation.",
    ("evaluation_id", "system", "query_id", "metric"),
    _columns(
        evaluation_id=(pl.String, "Hash of index, configuration and gold."),
        system=(pl.String, "tierlake, or the baseline beside it."),
        query_id=(pl.String, "The query."),
        metric=(pl.String, "e.g. nDCG@10."),
        value=(pl.Float64, "The query's value."),
    ),
)

TABLES: Final[dict[str, Table]] = {
    table.name: table
    for table in (
        DOCUMENTS, CHUNKS, FACTS, MENTIONS, ENTITIES, RESOLUTIONS, ENTITY_REDIRECTS, COOCCURRENCES, OBSERVATIONS,
        OBSERVATION_BACKLOG, TASKS, EVENTS, QUARANTINE, OVERRIDES, EXTRACTION_CACHE, SUMMARY_CACHE, RUN_MANIFESTS,
        EVALUATION_QUERIES, EVALUATION_JUDGEMENTS, EVALUATION_METRICS, EVALUATION_RESULTS,
    )
}  # fmt: skip

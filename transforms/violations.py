"""How often each rule of a table is broken, computed in Polars over whole tables.

Great Expectations has no Polars engine, skips nulls in most of its checks and cannot look across tables, so the rows
are judged here, and Great Expectations judges the counts (`assets/suites.py`): one way for every size of table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from transforms.rules import entities, sources, statements, summaries
from transforms.rules.base import Rule
from transforms.schemas import TABLES, SchemaMismatchError

# Enough to look at; all of them would make the metadata of a broken table as large as the table.
MAX_SAMPLES: Final = 5

_COLUMNS: Final[dict[str, pl.DataType | type[pl.DataType]]] = {
    "rule": pl.String,
    "severity": pl.String,
    "description": pl.String,
    "violations": pl.Int64,
    "elements": pl.Int64,
    "sample_ids": pl.List(pl.String),
}
VIOLATIONS: Final = pl.Schema(_COLUMNS)

# Tables that are assets. Caches and manifests are neither read by users nor derived from documents alone.
RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "documents": sources.DOCUMENT_RULES,
    "chunks": sources.CHUNK_RULES,
    "facts": statements.FACT_RULES,
    "tasks": statements.TASK_RULES,
    "events": statements.EVENT_RULES,
    "mentions": entities.MENTION_RULES,
    "entities": entities.ENTITY_RULES,
    "resolutions": entities.RESOLUTION_RULES,
    "entity_redirects": entities.REDIRECT_RULES,
    "cooccurrences": entities.COOCCURRENCE_RULES,
    "observations": summaries.OBSERVATION_RULES,
    "observation_backlog": summaries.BACKLOG_RULES,
    "quarantine": sources.QUARANTINE_RULES,
    "overrides": sources.OVERRIDE_RULES,
    "evaluation_queries": summaries.QUERY_RULES,
    "evaluation_judgements": summaries.JUDGEMENT_RULES,
    "evaluation_metrics": summaries.METRIC_RULES,
    "evaluation_results": summaries.RESULT_RULES,
}


def tables_read(table: str) -> tuple[str, ...]:
    """Returns the names of the tables that the rules of `table` look at, sorted.

    Example:
        >>> tables_read("chunks")
        ('chunks', 'documents')
    """
    return tuple(sorted({name for rule in RULES[table] for name in rule.reads}))


def count_violations(table: str, frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Returns how often each rule of a table is broken, one row a rule, in the order of the rules.

    Args:
        table: Name of the table.
        frames: The tables that `tables_read(table)` names, each with its declared columns; one bank or several, which
            never see each other.

    Returns:
        Frame of `VIOLATIONS`: rule, severity (critical or warning), description, violations (rows that break it),
        elements (rows it was held against), sample_ids (the smallest keys that break it, at most `MAX_SAMPLES`; parts
        of a key joined by `/`; never text of a document).

    Raises:
        KeyError: A table is missing from `frames`.
        SchemaMismatchError: A frame lacks a column or holds another type than declared.

    Example:
        >>> from transforms.schemas import ENTITIES, ENTITY_REDIRECTS
        >>> row = {"bank_id": ["acme"], "old_entity_id": ["e1"], "entity_id": ["e2"]}
        >>> frames = {"entity_redirects": pl.DataFrame(row), "entities": ENTITIES.empty()}
        >>> counts = count_violations("entity_redirects", frames)
        >>> counts.filter(pl.col("violations") > 0).select("rule", "violations", "sample_ids").rows()
        [('target_lives', 1, ['e1'])]
    """
    rules = RULES[table]
    lazy = {name: _checked(name, frames[name]).lazy() for name in tables_read(table)}
    # One plan for all rules: what they share (a join with the documents' text, a group-by) is computed once.
    counts = pl.collect_all([_count(rule, lazy) for rule in rules])
    rows = [
        {
            "rule": rule.name,
            "severity": rule.severity,
            "description": rule.description,
            "violations": count["violations"].item(),
            "elements": frames[rule.of.name].height,
            "sample_ids": count["sample_ids"].item().to_list(),
        }
        for rule, count in zip(rules, counts, strict=True)
    ]
    return pl.DataFrame(rows, schema=VIOLATIONS)


def _count(rule: Rule, lazy: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    parts = [pl.col(key).cast(pl.String).fill_null("null") for key in rule.of.key]
    key = pl.concat_str(parts, separator="/").alias("key")
    # Sorted, so that the sample does not depend on the order of rows.
    samples = pl.col("key").sort().head(MAX_SAMPLES).implode().alias("sample_ids")
    return rule.violating(lazy).select(key).select(pl.len().cast(pl.Int64).alias("violations"), samples)


def _checked(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    faults = [
        f"column {column} is {frame.schema.get(column, 'missing')}, not {dtype}"
        for column, dtype in TABLES[name].schema.items()
        if frame.schema.get(column) != dtype
    ]
    if faults:
        message = f"table {name}: {'; '.join(faults)}. Declared in transforms/schemas.py."
        raise SchemaMismatchError(message)
    return frame

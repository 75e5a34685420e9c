"""What is said about every table's asset, once: description, group, schema, column lineage, owner, kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import dagster as dg
import polars as pl

from assets.partitions import BANKS
from transforms.schemas import TABLES

OWNER: Final = "team:memory"

# The table and column that a column's values come from; columns that are computed from many have each of them.
_LINEAGE: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "chunks": {
        "document_id": ("documents.document_id",), "start": ("documents.text",), "end": ("documents.text",),
        "text_hash": ("documents.text",), "input_hash": ("documents.text", "documents.language", "documents.author"),
    },
    "facts": {
        "document_id": ("documents.document_id",), "chunk_id": ("chunks.chunk_id",), "tier": ("documents.tier",),
        "quote": ("documents.text",), "quote_start": ("chunks.start",), "quote_end": ("chunks.start",),
        "mentioned_at": ("documents.authored_at", "documents.turns"), "language": ("documents.language",),
        "occurred_start": ("documents.authored_at", "documents.turns"), "tags": ("documents.metadata",),
        "speaker": ("documents.author", "documents.turns"), "body": ("documents.text",), "title": ("documents.text",),
        "entities": ("documents.text",),
    },
    "mentions": {
        "fact_id": ("facts.fact_id",), "document_id": ("facts.document_id",), "surface": ("facts.entities",),
        "kind": ("facts.entities",), "position": ("facts.entities",),
        "at": ("facts.occurred_start", "facts.mentioned_at"),
    },
    "resolutions": {
        "mention_id": ("mentions.mention_id",), "fact_id": ("mentions.fact_id",),
        "entity_id": ("mentions.name_key", "overrides.which"), "name": ("mentions.name_key",),
        "cooccurrence": ("mentions.fact_id",), "temporal": ("mentions.at",),
    },
    "entities": {
        "entity_id": ("mentions.mention_id",), "canonical_name": ("mentions.surface",), "kind": ("mentions.kind",),
        "aliases": ("mentions.surface",), "first_seen": ("mentions.at",), "last_seen": ("mentions.at",),
    },
    "cooccurrences": {
        "entity_id_a": ("resolutions.entity_id",), "entity_id_b": ("resolutions.entity_id",),
        "fact_count": ("resolutions.fact_id",), "document_count": ("mentions.document_id",),
        "first_at": ("mentions.at",), "last_at": ("mentions.at",),
    },
    "observations": {
        "entity_id": ("entities.entity_id",), "text": ("facts.body",), "source_fact_ids": ("facts.fact_id",),
        "observed_through": ("facts.occurred_start", "facts.mentioned_at"),
    },
    "tasks": {
        "fact_id": ("facts.fact_id",), "entity_ids": ("resolutions.entity_id",), "at": ("facts.mentioned_at",),
    },
    "events": {
        "fact_id": ("facts.fact_id",), "entity_ids": ("resolutions.entity_id",), "at": ("facts.occurred_start",),
    },
}  # fmt: skip


def table_asset(
    name: str, group: str, *, code_version: str = "1", deps: tuple[str, ...] = (), pool: str | None = None
) -> Callable[[Callable[..., pl.DataFrame]], dg.AssetsDefinition]:
    """Returns the decorator of an asset whose frame becomes the bank's rows of a table."""
    decorator: Callable[[Callable[..., pl.DataFrame]], dg.AssetsDefinition] = dg.asset(
        partitions_def=BANKS,
        io_manager_key="lake_io",
        code_version=code_version,
        deps=list(deps),
        pool=pool,
        **_said_of(name, group),
    )
    return decorator


def table_out(name: str, group: str, *, code_version: str = "1") -> dg.AssetOut:
    """Returns one table of an asset that makes several."""
    return dg.AssetOut(io_manager_key="lake_io", code_version=code_version, **_said_of(name, group))


def _said_of(name: str, group: str) -> dict[str, Any]:
    table = TABLES[name]
    return {
        "description": f"{table.description} Key: {', '.join(table.keys)}.",
        "group_name": group,
        "owners": [OWNER],
        "kinds": {"deltalake", "polars"},
        "metadata": {**column_metadata(name), "dagster/table_name": name},
    }


def column_metadata(name: str) -> dict[str, Any]:
    """Returns a table's column schema and column lineage, as Dagster shows them."""
    table = TABLES[name]
    schema = dg.TableSchema(
        columns=[
            dg.TableColumn(column, str(declared.dtype), declared.description)
            for column, declared in table.columns.items()
        ]
    )
    metadata: dict[str, Any] = {"dagster/column_schema": schema}
    if name in _LINEAGE:
        metadata["dagster/column_lineage"] = dg.TableColumnLineage(
            {column: [_dependency(source) for source in sources] for column, sources in _LINEAGE[name].items()}
        )
    return metadata


def _dependency(source: str) -> dg.TableColumnDep:
    table, column = source.split(".")
    if column not in TABLES[table].schema:
        raise KeyError(f"lineage names {source}, which transforms/schemas.py does not declare")
    return dg.TableColumnDep(asset_key=dg.AssetKey(table), column_name=column)


def counts(frame: pl.DataFrame, column: str) -> dict[str, int]:
    """Returns how many rows have each value of a column, most first."""
    grouped = frame.group_by(column).len().sort(["len", column], descending=[True, False])
    return {str(value): int(count) for value, count in grouped.iter_rows()}

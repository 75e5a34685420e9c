"""Sources into documents and chunks; human decisions into a table."""

from datetime import UTC, datetime

import dagster as dg
import polars as pl

from assets.catalog import counts, table_asset
from tierlake.config import Settings
from tierlake.lake import Lake
from tierlake.overrides import load_overrides
from tierlake.quarantine import FAILURE, record_failures
from tierlake.sources import LOADER_VERSION, load_documents
from transforms.chunking import chunk_documents


@table_asset("documents", "ingest", code_version=LOADER_VERSION)
def documents(
    context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], settings: dg.ResourceParam[Settings]
) -> pl.DataFrame:
    """Reads what changed in the bank's sources; what cannot be read goes to quarantine."""
    bank, now = context.partition_key, datetime.now(UTC)
    loaded = load_documents(settings, bank, lake.read("documents", bank))
    failures = loaded.failures.with_columns(
        pl.lit(None, dtype=pl.String).alias("document_id"),
        pl.lit(None, dtype=pl.String).alias("chunk_id"),
        pl.lit(value=False).alias("transient"),
    ).select(list(FAILURE))
    store_failures(lake, bank, failures, stage="load", code_version=LOADER_VERSION, now=now)
    context.add_output_metadata({**loaded.counts, "media_types": counts(loaded.documents, "media_type")})
    return loaded.documents.with_columns(pl.lit(now).dt.cast_time_unit("us").alias("ingested_at"))


def store_failures(
    lake: Lake, bank: str, failures: pl.DataFrame, *, stage: str, code_version: str, now: datetime
) -> None:
    """Makes the bank's quarantine of one stage equal to what stands failed after this run."""
    stored = lake.read("quarantine", bank).filter(pl.col("stage") == stage)
    rows = record_failures(failures, stored, stage=stage, code_version=code_version, now=now)
    lake.write("quarantine", bank, rows, where=lambda table: table["stage"] == stage, keep_clock=False)


def add_to_cache(lake: Lake, table: str, bank: str, key: str, rows: pl.DataFrame) -> None:
    """Adds rows of model output as they come, so that a run that is killed repeats little."""
    lake.write(table, bank, rows, where=lambda stored: stored[key].is_in(rows[key].to_list()))


@table_asset("chunks", "ingest")
def chunks(documents: pl.DataFrame) -> pl.DataFrame:
    """Cuts documents at boundaries that their content defines."""
    return chunk_documents(documents)


@table_asset("overrides", "ingest")
def overrides(context: dg.AssetExecutionContext, settings: dg.ResourceParam[Settings]) -> pl.DataFrame:
    """Reads the decisions that people wrote down."""
    return load_overrides(settings, context.partition_key)

"""The fact index and the publication of a bank; what waits in quarantine."""

from datetime import UTC, datetime

import dagster as dg
import polars as pl

from assets.catalog import OWNER, counts, table_asset
from assets.partitions import BANKS
from tierlake.config import Settings
from tierlake.lake import Lake
from tierlake.publish import publish_bank
from tierlake.read.index import INDEX_VERSION


@table_asset("quarantine", "ingest", deps=("facts", "observations"))
def quarantine(
    context: dg.AssetExecutionContext, documents: pl.DataFrame, chunks: pl.DataFrame, lake: dg.ResourceParam[Lake]
) -> pl.DataFrame:
    """Shows what could not be processed, by reason, and lets go of what belongs to documents that are gone."""
    rows = lake.read("quarantine", context.partition_key)
    rows = rows.filter(
        (pl.col("document_id").is_null() | pl.col("document_id").is_in(documents["document_id"].to_list()))
        & (pl.col("chunk_id").is_null() | pl.col("chunk_id").is_in(chunks["chunk_id"].to_list()))
    )
    context.add_output_metadata({"reasons": counts(rows, "reason"), "stages": counts(rows, "stage")})
    return rows


@dg.asset(
    partitions_def=BANKS,
    code_version=INDEX_VERSION,
    group_name="read",
    owners=[OWNER],
    kinds={"tantivy"},
    description="Keyword index of the bank's facts, versioned with them; building it publishes the run: readers switch "
    "to these table versions at once.",
    deps=["cooccurrences", "observations", "observation_backlog", "tasks", "events", "quarantine", "entity_redirects"],
)
def fact_index(
    context: dg.AssetExecutionContext,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult[None]:
    """Builds the index where the facts changed and publishes the bank where anything did."""
    bank, now = context.partition_key, datetime.now(UTC)
    record = context.instance.get_run_record_by_id(context.run.run_id)
    started = datetime.fromtimestamp(record.start_time, UTC) if record and record.start_time else now
    publication = publish_bank(
        lake, bank, run_id=context.run.run_id, config_hash=settings.fingerprint(), started_at=started, now=now
    )
    published = publication.published
    versions = "\n".join(f"| {name} | {version} |" for name, version in sorted(published.versions.items()))
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": lake.count("facts", bank),
            "published": publication.changed,
            "index_built": publication.index_built,
            "index": published.index,
            "published_run": published.run_id,
            "versions": dg.MetadataValue.md(f"| table | version |\n| --- | --- |\n{versions}"),
        }
    )

"""Chunks into facts, and names out of facts."""

from datetime import UTC, datetime
from functools import partial

import dagster as dg
import polars as pl

from assets.catalog import counts, table_asset, table_out
from assets.documents import add_to_cache, store_failures
from assets.partitions import BANKS
from tierlake.config import Settings
from tierlake.extract import cached_extractions, code_version, extract_chunks, refuse_to_empty
from tierlake.extractors.registry import make_extractor
from tierlake.lake import Lake
from tierlake.quarantine import FAILURE, failed_for_good
from transforms.facts import build_facts, link_entities
from transforms.mentions import build_mentions
from transforms.schemas import EVENTS, TASKS


@table_asset("facts", "facts", pool="extractor")
def facts(
    context: dg.AssetExecutionContext,
    documents: pl.DataFrame,
    chunks: pl.DataFrame,
    overrides: pl.DataFrame,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> pl.DataFrame:
    """Extracts each new chunk once, verifies every quote, and keeps what failed in quarantine."""
    bank, now, extractor = context.partition_key, datetime.now(UTC), make_extractor(settings.extractor)
    version = code_version(extractor)
    run = extract_chunks(
        documents,
        chunks,
        extractor,
        cache=lake.read("extraction_cache", bank),
        known_failures=failed_for_good(lake.read("quarantine", bank), stage="extract", code_version=version),
        save=partial(add_to_cache, lake, "extraction_cache", bank, "cache_key"),
    )
    lake.write("extraction_cache", bank, run.cache)
    store_failures(lake, bank, run.failures, stage="extract", code_version=version, now=now)
    refuse_to_empty(lake.count("facts", bank), chunks, run)
    built = build_facts(documents, chunks, run.extractions, overrides)
    rejected = built.rejected.with_columns(pl.lit(value=False).alias("transient")).select(list(FAILURE))
    store_failures(lake, bank, rejected, stage="facts", code_version=version, now=now)
    skipped = sum(sum(extraction.skipped.values()) for extraction in run.extractions.values())
    context.add_output_metadata(
        {
            "extractor": version,
            "chunks_extracted": run.called,
            "chunks_from_cache": len(run.extractions) - run.called,
            "sentences_that_state_nothing": skipped,
            "failed": run.failures.height + rejected.height,
            "tokens_in": run.tokens_in,
            "tokens_out": run.tokens_out,
            "cost_usd": run.cost_usd,
            "kinds": counts(built.facts, "kind"),
            "tiers": counts(built.facts, "tier"),
        }
    )
    return built.facts


@table_asset("mentions", "entities")
def mentions(facts: pl.DataFrame, settings: dg.ResourceParam[Settings]) -> pl.DataFrame:
    """Lists each distinct name of each fact."""
    return build_mentions(facts, concept_min_facts=settings.mentions.concept_min_facts)


@dg.multi_asset(
    partitions_def=BANKS,
    outs={name: table_out(name, "facts") for name in ("tasks", "events")},
    deps=["facts"],
)
def tasks_and_events(
    context: dg.AssetExecutionContext,
    documents: pl.DataFrame,
    chunks: pl.DataFrame,
    overrides: pl.DataFrame,
    resolutions: pl.DataFrame,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lists work to do and dated happenings, with the entities of their facts."""
    extractor = make_extractor(settings.extractor)
    cached = cached_extractions(lake.read("extraction_cache", context.partition_key), chunks, extractor)
    built = build_facts(documents, chunks, cached, overrides)
    return link_entities(built.tasks, resolutions, TASKS), link_entities(built.events, resolutions, EVENTS)

"""Names into entities, and entities into co-occurrences."""

import dagster as dg
import polars as pl

from assets.catalog import counts, table_asset, table_out
from assets.partitions import BANKS
from tierlake.config import Settings
from tierlake.lake import Lake
from transforms.cooccurrence import build_cooccurrences
from transforms.resolution import ResolutionConfig, ResolutionResult, resolve_mentions


@dg.multi_asset(
    partitions_def=BANKS,
    outs={name: table_out(name, "entities") for name in ("entities", "resolutions", "entity_redirects")},
)
def resolved_entities(
    context: dg.AssetExecutionContext,
    mentions: pl.DataFrame,
    overrides: pl.DataFrame,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Decides which entity each mention means, keeping ids of the last run."""
    bank = context.partition_key
    previous = ResolutionResult(
        resolutions=lake.read("resolutions", bank),
        entities=lake.read("entities", bank),
        redirects=lake.read("entity_redirects", bank),
    )
    config = ResolutionConfig(**settings.resolution.model_dump())
    result = resolve_mentions(mentions, config=config, overrides=overrides, previous=previous)
    context.add_output_metadata(
        {"methods": counts(result.resolutions, "method"), "kinds": counts(result.entities, "kind")},
        output_name="entities",
    )
    return result.entities, result.resolutions, result.redirects


@table_asset("cooccurrences", "entities")
def cooccurrences(mentions: pl.DataFrame, resolutions: pl.DataFrame) -> pl.DataFrame:
    """Counts for each pair of entities the distinct facts that hold both."""
    return build_cooccurrences(resolutions, mentions)

"""Facts into objective summaries of the entities that matter most."""

from datetime import UTC, datetime
from functools import partial

import dagster as dg
import polars as pl

from assets.catalog import table_out
from assets.documents import add_to_cache, store_failures
from assets.partitions import BANKS
from tierlake.config import Settings
from tierlake.lake import Lake
from tierlake.manifest import read_published
from tierlake.observe import generator_of, observe
from tierlake.quarantine import FAILURE
from tierlake.summarizers.registry import make_summarizer
from transforms.observations import ObservationConfig, ObservationInputs


class ObservationRun(dg.Config):
    """How this run treats the backlog: `drain` takes all of it."""

    drain: bool = False


@dg.multi_asset(
    partitions_def=BANKS,
    outs={name: table_out(name, "observations") for name in ("observations", "observation_backlog")},
    pool="summarizer",
)
def observed_entities(
    context: dg.AssetExecutionContext,
    config: ObservationRun,
    facts: pl.DataFrame,
    mentions: pl.DataFrame,
    entities: pl.DataFrame,
    resolutions: pl.DataFrame,
    lake: dg.ResourceParam[Lake],
    settings: dg.ResourceParam[Settings],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Summarizes the top entities of the run, replaces their observations, and removes what lost its facts."""
    bank, now, summarizer = context.partition_key, datetime.now(UTC), make_summarizer(settings.summarizer)
    published = read_published(lake.root, bank)
    versions = published.versions if published else {}
    before = {
        name: lake.read(name, bank, version=versions.get(name)) if published else lake.table(name).empty()
        for name in ("facts", "resolutions")
    }
    inputs = ObservationInputs(
        facts=facts,
        mentions=mentions,
        entities=entities,
        resolutions=resolutions,
        previous_facts=before["facts"],
        previous_resolutions=before["resolutions"],
        observations=lake.read("observations", bank),
        backlog=lake.read("observation_backlog", bank),
    )
    known = lake.read("quarantine", bank).filter(pl.col("stage") == "summarize")
    outcome = observe(
        inputs,
        summarizer,
        ObservationConfig(**settings.observations.model_dump()),
        cache=lake.read("summary_cache", bank),
        known_failures=known.select(list(FAILURE)),
        drain=config.drain,
        now=now,
        save=partial(add_to_cache, lake, "summary_cache", bank, "input_hash"),
    )
    lake.write("summary_cache", bank, outcome.summary_cache)
    store_failures(lake, bank, outcome.failures, stage="summarize", code_version=generator_of(summarizer), now=now)
    context.add_output_metadata(
        {
            **outcome.counts,
            "tokens_in": outcome.tokens_in,
            "tokens_out": outcome.tokens_out,
            "cost_usd": outcome.cost_usd,
        },
        output_name="observations",
    )
    return outcome.observations, outcome.backlog

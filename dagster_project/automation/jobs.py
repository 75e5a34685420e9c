"""The job that makes every table of one bank and checks it: partitioned by bank, as its assets are."""

from __future__ import annotations

import dagster as dg

ingest = dg.define_asset_job(
    "ingest",
    selection=dg.AssetSelection.all(),
    description="Reads what changed in a bank's sources, recomputes every table that follows, checks it and publishes.",
)

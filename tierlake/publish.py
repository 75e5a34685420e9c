"""Publishing: the index of a bank's facts, the set of versions that readers use, and the manifest of the run."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Final

import polars as pl

from tierlake.lake import Lake
from tierlake.manifest import Published, publish, read_published
from tierlake.read.index import INDEX_VERSION, build_index
from transforms.ids import stable_id
from transforms.schemas import RUN_MANIFESTS

INDEX_FOLDER: Final = "_index"
# What readers use. Evaluations are made from a published set, and manifests describe one: neither is part of it.
PUBLISHED_TABLES: Final = (
    "documents", "chunks", "facts", "mentions", "entities", "resolutions", "entity_redirects", "cooccurrences",
    "observations", "observation_backlog", "tasks", "events", "quarantine", "overrides", "extraction_cache",
    "summary_cache",
)  # fmt: skip


@dataclass(frozen=True)
class Publication:
    """What publishing did.

    Attributes:
        published: The set that readers use now.
        changed: False where nothing of the bank changed since the last publication, and nothing was written.
        index_built: Whether the facts changed, so that the index was built again.
    """

    published: Published
    changed: bool
    index_built: bool


def publish_bank(  # one publication has this many facts
    lake: Lake, bank: str, *, run_id: str, config_hash: str, started_at: datetime, now: datetime
) -> Publication:
    """Returns the published set of a bank after building its index and switching readers to the newest versions.

    Nothing is written where no data file of the bank changed since the last publication.

    Args:
        lake: The lake; its root is a folder.
        bank: The bank.
        run_id: The run that publishes.
        config_hash: Hash of the configuration.
        started_at: When the run started.
        now: When it publishes.
    """
    before = read_published(lake.root, bank)
    fingerprints = {name: lake.fingerprint(name, bank) for name in PUBLISHED_TABLES}
    index = f"{INDEX_FOLDER}/{bank}/{stable_id(fingerprints['facts'], INDEX_VERSION)}"
    if before and before.fingerprints == fingerprints and before.index == index and (Path(lake.root) / index).is_dir():
        return Publication(before, changed=False, index_built=False)
    versions = {name: lake.version(name) or 0 for name in PUBLISHED_TABLES}
    build = not (Path(lake.root) / index).is_dir()
    if build:
        build_index(lake.read("facts", bank, version=versions["facts"]), Path(lake.root) / index)
    published = Published(bank, versions, fingerprints, index, run_id, now.isoformat())
    row = _manifest_row(lake, published, before, config_hash=config_hash, started_at=started_at, now=now)
    lake.write("run_manifests", bank, row, where=lambda stored: stored["run_id"] == run_id)
    publish(lake.root, published)
    _remove_old_indexes(Path(lake.root) / INDEX_FOLDER / bank, keep={index, before.index if before else index})
    return Publication(published, changed=True, index_built=build)


def _manifest_row(
    lake: Lake, published: Published, before: Published | None, *, config_hash: str, started_at: datetime, now: datetime
) -> pl.DataFrame:
    bank = published.bank
    spent = [_new_cache_rows(lake, name, bank, before) for name in ("extraction_cache", "summary_cache")]
    totals = pl.concat(spent).sum().row(0, named=True)
    row = {
        "bank_id": bank,
        "run_id": published.run_id,
        "finished_at": now,
        "code_version": installed_version("tierlake"),
        "config_hash": config_hash,
        "table_versions": json.dumps(published.versions, sort_keys=True),
        "counts": json.dumps({name: lake.count(name, bank) for name in PUBLISHED_TABLES}, sort_keys=True),
        **totals,
        "seconds": (now - started_at).total_seconds(),
    }
    return pl.DataFrame([row], schema=RUN_MANIFESTS.schema)


def _new_cache_rows(lake: Lake, name: str, bank: str, before: Published | None) -> pl.DataFrame:
    """Returns what the model calls since the last publication took: rows of a cache that it did not have."""
    rows = lake.read(name, bank)
    if before is not None:
        key = list(lake.table(name).keys)
        rows = rows.join(lake.read(name, bank, version=before.versions[name]).select(key), on=key, how="anti")
    return rows.select("tokens_in", "tokens_out", "cost_usd")


def _remove_old_indexes(folder: Path, *, keep: set[str]) -> None:
    names = {Path(path).name for path in keep}
    for old in folder.iterdir():
        if old.is_dir() and old.name not in names:
            shutil.rmtree(old)

"""A small world for the laws: documents in folders, the real pipeline over real Delta tables, tables to compare."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from assets import documents, entities, facts, index, observations
from assets.lake_io import LakeIOManager
from assets.partitions import BANKS
from tierlake.config import Settings, load_settings
from tierlake.lake import Lake
from transforms.schemas import TABLES

ASSETS = dg.load_assets_from_modules([documents, entities, facts, index, observations])
QUIET = {"loggers": {"console": {"config": {"log_level": "ERROR"}}}}
# Left out of the laws: manifests and redirects tell history; caches hold what models said, keyed by content.
COMPARED = [
    "documents", "chunks", "facts", "mentions", "entities", "resolutions", "cooccurrences", "observations",
    "observation_backlog", "tasks", "events", "quarantine", "overrides",
]  # fmt: skip


@dataclass(frozen=True)
class World:
    """One configuration, its sources and its lake, below one folder."""

    root: Path
    banks: tuple[str, ...] = ("acme",)

    @property
    def settings(self) -> Settings:
        """Returns the settings, written on first use: no limit on observations, a source a bank and tier."""
        file = self.root / "tierlake.toml"
        if not file.exists():
            self.root.mkdir(parents=True, exist_ok=True)
            sources = "".join(
                f'[[sources]]\nname = "{bank}-{tier}"\npath = "{bank}/{tier}"\nbank = "{bank}"\ntier = "{tier}"\n'
                for bank in self.banks
                for tier in ("tier_wisdom", "tier_fact")
            )
            limits = "[observations]\ntop_entities = 0\nmin_facts = 2\n[mentions]\nconcept_min_facts = 2\n"
            file.write_text(f'default_bank = "{self.banks[0]}"\n{limits}{sources}', encoding="utf-8")
        return load_settings(file)

    @property
    def lake(self) -> Lake:
        """Returns the lake."""
        return Lake(self.settings.lake_root)

    def put(self, texts: Mapping[str, str], bank: str | None = None) -> None:
        """Makes the bank's sources hold exactly these documents: `tier/name` to text."""
        for tier in ("tier_wisdom", "tier_fact"):
            folder = self.root / (bank or self.banks[0]) / tier
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        for name, text in texts.items():
            (self.root / (bank or self.banks[0]) / name).write_text(text, encoding="utf-8")

    def run(self, banks: Iterable[str] | None = None) -> None:
        """Materializes every table of the banks."""
        settings, lake = self.settings, self.lake
        resources = {"lake": lake, "settings": settings, "lake_io": LakeIOManager(lake)}
        with dg.DagsterInstance.ephemeral() as instance:
            instance.add_dynamic_partitions(BANKS.name or "bank", list(self.banks))
            for bank in banks or self.banks:
                result = dg.materialize(
                    ASSETS, partition_key=bank, instance=instance, resources=resources, run_config=QUIET
                )
                assert result.success

    def versions(self) -> dict[str, int | None]:
        """Returns the Delta version of every table."""
        return {name: self.lake.version(name) for name in TABLES}

    def tables(self, bank: str | None = None) -> dict[str, list[dict[str, Any]]]:
        """Returns the rows of a bank without clock columns, entity ids spelled by their first mention."""
        bank = bank or self.banks[0]
        frames = {name: self.lake.read(name, bank).drop(TABLES[name].clock) for name in COMPARED}
        first = frames["resolutions"].group_by("entity_id").agg(pl.col("mention_id").min())
        spelling = dict(first.iter_rows())
        assert len(set(spelling.values())) == len(spelling)
        return {name: _respelled(frame, spelling) for name, frame in frames.items()}


def _respelled(frame: pl.DataFrame, spelling: dict[str, str]) -> list[dict[str, Any]]:
    rows = []
    for row in frame.iter_rows(named=True):
        changed = {key: spelling.get(value, value) if isinstance(value, str) else value for key, value in row.items()}
        if "entity_ids" in changed:
            changed["entity_ids"] = sorted(spelling[value] for value in changed["entity_ids"])
        if "entity_id_a" in changed:
            changed["entity_id_a"], changed["entity_id_b"] = sorted((changed["entity_id_a"], changed["entity_id_b"]))
        changed.pop("observation_id", None)
        rows.append(changed)
    return sorted(rows, key=lambda row: json.dumps(row, default=str, sort_keys=True))


def same(one: dict[str, list[dict[str, Any]]], other: dict[str, list[dict[str, Any]]]) -> None:
    """Asserts that two sets of tables are equal, naming the first table that differs."""
    for name in COMPARED:
        assert one[name] == other[name], name

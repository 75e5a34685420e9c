"""A small lake that is written, indexed and published as the pipeline does it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tierlake import Memory
from tierlake.lake import Lake
from tierlake.manifest import Published, publish
from tierlake.read.index import build_index
from transforms.schemas import FACTS, TABLES


def day(number: int) -> datetime:
    """Returns a day of May 2026."""
    return datetime(2026, 5, number, tzinfo=UTC)


def table(name: str, rows: list[dict], bank: str = "acme") -> pl.DataFrame:
    """Returns rows as a frame of a table; columns that a row does not name are null."""
    schema = TABLES[name].schema
    return pl.DataFrame([{column: row.get(column) for column in schema} | {"bank_id": bank} for row in rows], schema)


def fact(fact_id: str, body: str, tier: str = "tier_fact", **more) -> dict:
    """Returns a fact with all that a stored fact has."""
    return {
        "fact_id": fact_id, "document_id": "doc", "chunk_id": "chunk", "position": 0, "title": "", "body": body,
        "kind": "world", "tier": tier, "confidence": "certain", "quote": body, "quote_start": 0,
        "quote_end": len(body), "mentioned_at": None, "updated_at": None, "tags": [], "language": "en",
        "entities": [],
    } | more  # fmt: skip


def facts_frame(rows: list[dict], bank: str = "acme") -> pl.DataFrame:
    return table(FACTS.name, rows, bank)


def publish_lake(root: Path, bank: str = "acme", **tables: list[dict]) -> Memory:
    """Writes tables, builds the index of their facts, publishes, and returns the open memory."""
    lake = Lake(str(root))
    tables.setdefault("documents", [{"document_id": "doc", "uri": "notes/doc.md"}])
    versions = {name: lake.write(name, bank, table(name, rows, bank)).version for name, rows in tables.items()}
    index = f"_index/{bank}/{versions.get('facts', 0)}"
    build_index(lake.read("facts", bank), root / index)
    publish(root, Published(bank, versions, {}, index, "run", "2026-05-31T00:00:00+00:00"))
    return Memory.open(root, bank=bank)


DEPLOYS = [
    fact("w1", "We deploy with blue/green and a bake.", "tier_wisdom", title="Uses blue/green deploys",
         updated_at=day(9), tags=["ops"], superseded_by="f1"),
    fact("w2", "Every deploy needs a second pair of eyes on the process.", "tier_wisdom", updated_at=day(8)),
    fact("f1", "The deploy process moved to trains.", updated_at=day(7), kind="experience", document_id="log"),
    fact("f2", "Alice owns the deploy dashboard.", updated_at=day(6), tags=["ops", "people"]),
    fact("f3", "Lunch is at noon.", updated_at=day(5), kind="opinion"),
    fact("k1", "deploy process deploy process", "tier_working", updated_at=day(4)),
    fact("k2", "Ask Bob about the process.", "tier_working", updated_at=None),
]  # fmt: skip

"""Which decisions were close: just above the threshold, or the runner-up just below it."""

from __future__ import annotations

import polars as pl

from tierlake.explain import near_misses
from transforms.schemas import ENTITIES, MENTIONS, RESOLUTIONS


def frame(table, rows):
    return pl.DataFrame([dict.fromkeys(table.schema) | {"bank_id": "acme"} | row for row in rows], schema=table.schema)


def resolution(mention, method, total, runner_up=None, runner_up_total=None):
    return {
        "mention_id": mention, "fact_id": f"f-{mention}", "entity_id": "e1", "method": method, "total": total,
        "runner_up": runner_up, "runner_up_total": runner_up_total,
    }  # fmt: skip


def test_what_was_close_is_listed_nearest_first():
    rows = [
        resolution("m1", "score", 0.62),
        resolution("m2", "reconcile", 0.651),
        resolution("m3", "exact", 0.61),
        resolution("m4", "new", None, "e2", 0.6),
        resolution("m5", "new", None, "e2", 0.549),
        resolution("m6", "score", 0.9, "e2", 0.57),
    ]
    near = near_misses(
        resolutions=frame(RESOLUTIONS, rows),
        mentions=frame(MENTIONS, [{"mention_id": f"m{n}", "surface": f"name {n}"} for n in range(1, 7)]),
        entities=frame(ENTITIES, [{"entity_id": f"e{n}", "canonical_name": f"Entity {n}"} for n in (1, 2)]),
        threshold=0.6,
    )
    assert near.select("mention_id", "decision", "total", "entity", "other").rows() == [
        ("m4", "apart", 0.6, "Entity 1", "Entity 2"),
        ("m1", "joined", 0.62, "Entity 1", None),
        ("m6", "apart", 0.57, "Entity 1", "Entity 2"),
    ]

"""Quarantine: what failed, why, how often, and whether it is tried again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import polars as pl

from transforms.ids import stable_id
from transforms.schemas import QUARANTINE, conform

FAILURE = pl.Schema(
    {
        "bank_id": pl.String,
        "item": pl.String,
        "uri": pl.String,
        "document_id": pl.String,
        "chunk_id": pl.String,
        "reason": pl.String,
        "detail": pl.String,
        "transient": pl.Boolean,
        "content_hash": pl.String,
    }
)


def record_failures(
    failures: pl.DataFrame, stored: pl.DataFrame, *, stage: str, code_version: str, now: datetime
) -> pl.DataFrame:
    """Returns a stage's rows of quarantine after a run.

    An item that failed for good and was not tried again keeps its row; one that was tried again counts an attempt.
    Items that no longer fail leave.

    Args:
        failures: Frame of `FAILURE`: all items of the stage that stand failed after this run.
        stored: The bank's stored rows of this stage.
        stage: load, extract or facts.
        code_version: Version of the code that failed.
        now: The run's time.
    """
    before: dict[str, dict[str, Any]] = {row["item_id"]: row for row in stored.iter_rows(named=True)}
    rows = []
    # A loop over failures, of which there are few.
    for failure in failures.iter_rows(named=True):
        item_id = stable_id(stage, failure["item"])
        old = before.get(item_id)
        same = old is not None and (old["content_hash"], old["code_version"], old["reason"]) == (
            failure["content_hash"],
            code_version,
            failure["reason"],
        )
        if old is not None and same and not failure["transient"]:
            rows.append({**old, "detail": failure["detail"]})
            continue
        rows.append(
            {
                **failure,
                "item_id": item_id,
                "stage": stage,
                "code_version": code_version,
                "attempts": (old["attempts"] if old else 0) + 1,
                "first_failed_at": old["first_failed_at"] if old else now,
                "last_failed_at": now,
            }
        )
    return conform(pl.DataFrame(rows, schema=QUARANTINE.schema).unique("item_id", keep="first"), QUARANTINE)


def failed_for_good(stored: pl.DataFrame, *, stage: str, code_version: str) -> pl.DataFrame:
    """Returns the rows of a stage that are not tried again until their content or the code changes."""
    return stored.filter((pl.col("stage") == stage) & ~pl.col("transient") & (pl.col("code_version") == code_version))

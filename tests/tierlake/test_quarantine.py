"""Quarantine: nothing is lost, attempts count, good news leaves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl

from tierlake.quarantine import FAILURE, failed_for_good, record_failures
from transforms.schemas import QUARANTINE

DAY1 = datetime(2026, 3, 1, tzinfo=UTC)
DAY2 = DAY1 + timedelta(days=1)


def failure(item: str, *, transient: bool, content: str = "h1", reason: str = "damaged") -> dict[str, object]:
    return {
        "bank_id": "acme", "item": item, "uri": item, "document_id": None, "chunk_id": None, "reason": reason,
        "detail": "the message", "transient": transient, "content_hash": content,
    }  # fmt: skip


def record(failures: list[dict[str, object]], stored: pl.DataFrame, now: datetime, version: str = "v1") -> pl.DataFrame:
    return record_failures(pl.DataFrame(failures, schema=FAILURE), stored, stage="load", code_version=version, now=now)


def test_what_failed_for_good_keeps_its_row():
    first = record([failure("a.pdf", transient=False)], QUARANTINE.empty(), DAY1)
    again = record([failure("a.pdf", transient=False)], first, DAY2)
    assert again.equals(first)
    assert again.select("attempts", "first_failed_at", "last_failed_at").row(0) == (1, DAY1, DAY1)


def test_a_new_try_counts():
    first = record([failure("a", transient=True)], QUARANTINE.empty(), DAY1)
    tried = record([failure("a", transient=True)], first, DAY2)
    assert tried.select("attempts", "first_failed_at", "last_failed_at").row(0) == (2, DAY1, DAY2)
    changed = record([failure("a", transient=False, content="h2")], tried, DAY2)
    assert changed.select("attempts", "content_hash").row(0) == (3, "h2")
    new_code = record([failure("a", transient=False, content="h2")], changed, DAY2, version="v2")
    assert new_code.select("attempts", "code_version").row(0) == (4, "v2")


def test_what_no_longer_fails_leaves():
    first = record([failure("a", transient=False), failure("b", transient=True)], QUARANTINE.empty(), DAY1)
    assert record([failure("a", transient=False)], first, DAY2)["item"].to_list() == ["a"]


def test_only_permanent_failures_of_this_code_are_not_tried_again():
    rows = record([failure("a", transient=False), failure("b", transient=True)], QUARANTINE.empty(), DAY1)
    assert failed_for_good(rows, stage="load", code_version="v1")["item"].to_list() == ["a"]
    assert failed_for_good(rows, stage="load", code_version="v2").is_empty()
    assert failed_for_good(rows, stage="extract", code_version="v1").is_empty()

"""Tasks and events of the ids that were asked for, and the entities of the facts that were found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import polars as pl

from tierlake.read.bundle import Entity, Event, Observation, Task
from tierlake.read.tables import PublishedTables

OPEN_STATUSES: Final = ("pending", "in_progress")
# The seed's caps on tasks and events: so many an id, and so many altogether.
TASKS_PER_ID: Final = 20
MOST_TASKS: Final = 200
EVENTS_PER_ID: Final = 10
MOST_EVENTS: Final = 100


def tasks_of(tables: PublishedTables, ids: Sequence[str], entity_ids: Sequence[str]) -> list[Task]:
    """Returns open tasks, most urgent first, then oldest (undated last), then by id.

    Args:
        tables: The bank's tables.
        ids: The ids asked for, which the cap counts; with one id there is no cap.
        entity_ids: The same as live entity ids.
    """
    rows = (
        _belonging(tables.get("tasks"), ids, entity_ids)
        .filter(pl.col("status").is_in(OPEN_STATUSES))
        .sort("priority", "at", "task_id", descending=[True, False, False], nulls_last=True)
    )
    if len(ids) > 1:
        rows = rows.head(min(TASKS_PER_ID * len(ids), MOST_TASKS))
    uris = tables.uris(rows["document_id"])
    # A bundle is made of records: at most a few hundred.
    return [Task(**row, uri=uris.get(row["document_id"], "")) for row in rows.iter_rows(named=True)]


def events_of(tables: PublishedTables, ids: Sequence[str], entity_ids: Sequence[str]) -> list[Event]:
    """Returns the newest events, oldest first."""
    rows = (
        _belonging(tables.get("events"), ids, entity_ids)
        .sort("at", "event_id", descending=[True, False], nulls_last=True)
        .head(min(EVENTS_PER_ID * len(ids), MOST_EVENTS))
        .reverse()
    )
    uris = tables.uris(rows["document_id"])
    # As above: at most a hundred records.
    return [Event(**row, uri=uris.get(row["document_id"], "")) for row in rows.iter_rows(named=True)]


def entities_of(tables: PublishedTables, rows: Sequence[int]) -> dict[str, Entity]:
    """Returns the entities of the facts at the given rows by id, in order of first appearance, then by id."""
    places = pl.DataFrame({"row": rows}, schema={"row": pl.Int64}).with_row_index("place")
    order = (
        tables.entities_in(rows)
        .join(places, on="row")
        .group_by("entity_id")
        .agg(pl.col("place").min())
        .sort("place", "entity_id")["entity_id"]
        .to_list()
    )
    observations: dict[str, list[Observation]] = {}
    for row in _among(tables.get("observations"), order).iter_rows(named=True):
        observations.setdefault(row.pop("entity_id"), []).append(Observation(**row))
    # Records again, one an entity of the returned facts.
    found = {
        row["entity_id"]: Entity(**row, observations=observations.get(row["entity_id"], []))
        for row in _among(tables.get("entities"), order).iter_rows(named=True)
    }
    return {entity_id: found[entity_id] for entity_id in order if entity_id in found}


def _among(frame: pl.DataFrame, entity_ids: Sequence[str]) -> pl.DataFrame:
    return frame.filter(pl.col("entity_id").is_in(list(entity_ids)))


def _belonging(frame: pl.DataFrame, ids: Iterable[str], entity_ids: Iterable[str]) -> pl.DataFrame:
    """Returns the rows of a tier, or that mention an entity, among those asked for."""
    mentions = pl.col("entity_ids").list.eval(pl.element().is_in(list(entity_ids))).list.any().fill_null(value=False)
    return frame.filter(pl.col("tier").is_in(list(ids)) | mentions)

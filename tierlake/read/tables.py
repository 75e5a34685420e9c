"""The tables beside the facts, at the published versions: each is loaded once, when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from tierlake.errors import LakeError
from tierlake.lake import Lake
from tierlake.manifest import Published

Rows = npt.NDArray[np.int64]

# Only what a reader uses: a document's text would be most of the lake.
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "documents": ("document_id", "uri"),
    "resolutions": ("fact_id", "entity_id"),
    "entity_redirects": ("old_entity_id", "entity_id"),
    "entities": ("entity_id", "canonical_name", "kind", "aliases"),
    "observations": ("observation_id", "entity_id", "text", "source_fact_ids", "observed_through"),
    "cooccurrences": ("entity_id_a", "entity_id_b", "fact_count", "npmi"),
    "tasks": (
        "task_id", "tier", "entity_ids", "description", "priority", "status", "at", "due_at", "fact_id", "document_id",
    ),
    "events": (
        "event_id", "tier", "entity_ids", "event_type", "summary", "at", "precision", "fact_id", "document_id",
    ),
}  # fmt: skip


class PublishedTables:
    """One bank's tables at one published set of versions. Thread-safe: a table is loaded under a lock and then shared.

    Args:
        lake: The lake.
        published: The set that readers use.
        fact_ids: The facts of the index, in row order.
    """

    def __init__(self, lake: Lake, published: Published, fact_ids: pl.Series) -> None:
        self._lake = lake
        self._published = published
        self._fact_ids = fact_ids
        self._lock = threading.RLock()
        self._tables: dict[str, pl.DataFrame] = {}
        self._links: pl.DataFrame | None = None
        self._places: dict[str, tuple[int, int]] = {}

    def get(self, name: str) -> pl.DataFrame:
        """Returns the columns of a table that readers use.

        Raises:
            LakeError: The table's files cannot be read.
        """
        with self._lock:
            if name not in self._tables:
                self._tables[name] = self._load(name)
            return self._tables[name]

    def _load(self, name: str) -> pl.DataFrame:
        bank = self._published.bank
        version = self._published.versions.get(name)
        try:
            rows = self._lake.scan(name, bank, version=version).select(_COLUMNS[name]).collect()
        except (pl.exceptions.ComputeError, OSError) as error:
            raise LakeError(f"table {name} of bank {bank} cannot be read: {error}") from error
        # Resolutions are the largest of these, and `links` sorts what it makes of them.
        return rows if name == "resolutions" else rows.sort(_COLUMNS[name][:2])

    def links(self) -> pl.DataFrame:
        """Returns `entity_id, row`: which facts (by their row in the index) mention which entity, sorted, distinct."""
        with self._lock:
            if self._links is None:
                facts = pl.DataFrame({"fact_id": self._fact_ids}).with_row_index("row")
                links = (
                    self.get("resolutions")
                    .join(facts, on="fact_id")
                    .select("entity_id", pl.col("row").cast(pl.Int64))
                    .unique()
                    .sort("entity_id", "row")
                )
                places = links.with_row_index("at").group_by("entity_id").agg(pl.col("at").min(), pl.len())
                self._places = {entity: (start, count) for entity, start, count in places.iter_rows()}
                self._links = links
            return self._links

    def rows_of(self, entity_id: str) -> Rows:
        """Returns the rows of the facts that mention an entity, ascending; none for an unknown one."""
        links = self.links()
        start, count = self._places.get(entity_id, (0, 0))
        rows: Rows = links["row"].slice(start, count).to_numpy()
        return rows

    def entities_in(self, rows: Collection[int]) -> pl.DataFrame:
        """Returns `entity_id, row` of the facts at the given rows."""
        return self.links().filter(pl.col("row").is_in(list(rows)))

    def resolve(self, entity_id: str) -> str:
        """Returns the live entity that an id stands for: itself, or where its redirects lead."""
        redirects = self.get("entity_redirects")
        seen = {entity_id}
        # A chain has few links; a circle, which nothing should write, ends where it began.
        while redirects.height:
            onward = redirects.filter(pl.col("old_entity_id") == entity_id)["entity_id"]
            if onward.is_empty() or onward[0] in seen:
                break
            entity_id = onward[0]
            seen.add(entity_id)
        return entity_id

    def uris(self, document_ids: Collection[str]) -> dict[str, str]:
        """Returns the uri of each document."""
        documents = self.get("documents").filter(pl.col("document_id").is_in(list(set(document_ids))))
        return dict(documents.iter_rows())

    def documents_named(self, names: Collection[str]) -> list[str]:
        """Returns the ids of the documents that are named by id or uri."""
        named = list(names)
        documents = self.get("documents")
        return documents.filter(pl.col("document_id").is_in(named) | pl.col("uri").is_in(named))[
            "document_id"
        ].to_list()

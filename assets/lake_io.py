"""Reads and writes an asset's table, and tells Dagster what is there: rows, version, schema, lineage, preview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import dagster as dg
import polars as pl

from assets.catalog import column_metadata
from transforms.schemas import TABLES, Table

if TYPE_CHECKING:
    from tierlake.lake import Lake, WriteResult

PREVIEW_ROWS: Final = 8
PREVIEW_CELL: Final = 60
# Columns whose values are safe to show: ids, kinds, counts and times. Text is shown only where the settings allow it,
# since what stands in Dagster's own log cannot be forgotten with a document.
_SHOWN_TYPES: Final = (pl.Int64, pl.Float64, pl.Boolean, pl.Datetime)
_SHOWN_NAMES: Final = (
    "kind", "tier", "confidence", "method", "status", "event_type", "stage", "reason", "media_type", "language",
    "source", "what", "occurred_precision", "precision",
)  # fmt: skip


class LakeIOManager(dg.IOManager):
    """Loads a bank's rows of an upstream table and stores an asset's frame as the bank's rows of its table.

    Args:
        lake: The lake.
        preview_text: Whether previews may hold text of documents.
    """

    def __init__(self, lake: Lake, *, preview_text: bool = False) -> None:
        self.lake = lake
        self.preview_text = preview_text

    def load_input(self, context: dg.InputContext) -> pl.DataFrame:
        """Returns the bank's rows of the upstream table."""
        return self.lake.read(context.asset_key.path[-1], context.asset_partition_key)

    def handle_output(self, context: dg.OutputContext, obj: pl.DataFrame) -> None:
        """Writes changed rows and records what the table holds."""
        name = context.asset_key.path[-1]
        result = self.lake.write(name, context.asset_partition_key, obj)
        context.add_output_metadata(table_metadata(result, obj, preview_text=self.preview_text))


def table_metadata(result: WriteResult, frame: pl.DataFrame, *, preview_text: bool) -> dict[str, Any]:
    """Returns Dagster metadata of a written table."""
    return {
        **column_metadata(result.table),
        "dagster/row_count": result.rows,
        "delta_version": result.version,
        "inserted": result.inserted,
        "updated": result.updated,
        "deleted": result.deleted,
        "preview": dg.MetadataValue.md(preview(frame, TABLES[result.table], with_text=preview_text)),
    }


def preview(frame: pl.DataFrame, table: Table, *, with_text: bool) -> str:
    """Returns the first rows as a Markdown table: ids, kinds, counts and times, and text only if asked."""
    shown = [
        name
        for name, dtype in table.schema.items()
        if with_text or name in _SHOWN_NAMES or name.endswith("_id") or dtype in _SHOWN_TYPES
    ]
    head = frame.select(shown).head(PREVIEW_ROWS)
    lines = ["| " + " | ".join(shown) + " |", "|" + " --- |" * len(shown)]
    # A loop over at most PREVIEW_ROWS rows.
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in head.iter_rows()]
    return "\n".join(lines)


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    text = text.replace("|", "\\|").replace("\n", " ")
    return text if len(text) <= PREVIEW_CELL else text[: PREVIEW_CELL - 3] + "..."

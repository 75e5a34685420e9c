"""Step 1: mentions in canonical order, which is the only order that decides anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from transforms.names import name_key
from transforms.resolution.bank import MentionRows
from transforms.schemas import TIME

REQUIRED: Final = ("bank_id", "mention_id", "fact_id", "document_id", "position", "surface", "kind", "at")
# Date, document, place; then content, for two mentions at one place (two facts of one sentence). The id comes last,
# between mentions that are alike in everything else.
CANONICAL: Final = ("bank_id", "at", "document_id", "position", "name_key", "surface", "kind", "beside", "mention_id")


def canonical_rows(mentions: pl.DataFrame) -> Iterator[MentionRows]:
    """Yields the mentions of each bank, banks by name, mentions in canonical order, undated last.

    Args:
        mentions: See `resolve_mentions`.

    Raises:
        ValueError: A column is missing, or a mention id occurs twice in a bank.
    """
    missing = [name for name in REQUIRED if name not in mentions.columns]
    if missing:
        raise ValueError(f"mentions lack {', '.join(missing)}; columns: {', '.join(mentions.columns)}")
    frame = with_name_keys(_typed(mentions))
    twice = frame.filter(frame.select("bank_id", "mention_id").is_duplicated())
    if twice.height:
        raise ValueError(f"mention ids occur more than once in a bank, e.g. {twice['mention_id'].head(3).to_list()}")
    frame = _with_beside(frame).sort(CANONICAL, nulls_last=True)
    for bank in frame.partition_by("bank_id", maintain_order=True):
        yield MentionRows(
            bank_id=bank.item(0, "bank_id"),
            mention=bank["mention_id"].to_list(),
            fact=bank["fact_id"].to_list(),
            document=bank["document_id"].to_list(),
            surface=bank["surface"].to_list(),
            key=bank["name_key"].to_list(),
            kind=bank["kind"].to_list(),
            at=bank["at"].dt.timestamp("us").to_list(),
            context=bank["context"].to_list(),
        )


def with_name_keys(frame: pl.DataFrame) -> pl.DataFrame:
    """Returns the frame with the column `name_key`; each distinct surface is normalized once."""
    surfaces = frame["surface"].unique()
    # A loop over distinct spellings: Unicode normalization has no column expression.
    keys = pl.DataFrame({"surface": surfaces, "name_key": [name_key(surface) for surface in surfaces.to_list()]})
    return frame.join(keys.cast({"name_key": pl.String}), on="surface", how="left")


def _typed(mentions: pl.DataFrame) -> pl.DataFrame:
    frame = mentions.select(*REQUIRED, *(["context"] if "context" in mentions.columns else []))
    if "context" not in frame.columns or frame.schema["context"] == pl.Null:
        frame = frame.with_columns(pl.lit(None, pl.List(pl.String)).alias("context"))
    at = frame.schema["at"]
    if isinstance(at, pl.Datetime) and at.time_zone is None:
        frame = frame.with_columns(pl.col("at").dt.replace_time_zone("UTC"))
    return frame.with_columns(
        pl.col("at").cast(TIME),
        pl.col("kind").cast(pl.String),
        pl.col("position").cast(pl.Int64),
        pl.col("context").cast(pl.List(pl.String)).fill_null([]).list.unique().list.sort(),
    )


def _with_beside(frame: pl.DataFrame) -> pl.DataFrame:
    """Returns the frame with what stands beside each mention, as text, where place and name do not tell it apart."""
    place = ["bank_id", "at", "document_id", "position", "name_key", "surface", "kind"]
    tied = frame.select(place).is_duplicated()
    if not tied.any():
        return frame.with_columns(pl.lit("").alias("beside"))
    facts = frame.group_by("bank_id", "fact_id").agg(pl.col("name_key").sort().str.join("\x1f").alias("beside"))
    context = pl.col("context").list.join("\x1f")
    return frame.join(facts, on=["bank_id", "fact_id"], how="left").with_columns(
        (pl.col("beside") + "\x1e" + context).alias("beside")
    )

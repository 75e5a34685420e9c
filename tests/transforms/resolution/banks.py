"""Small banks for tests: hand-made ones as frames, random ones as strategies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
from hypothesis import strategies as st

from transforms.resolution import ResolutionResult

START = datetime(2025, 1, 1, tzinfo=UTC)
SCHEMA = {
    "bank_id": pl.String, "mention_id": pl.String, "fact_id": pl.String, "document_id": pl.String,
    "position": pl.Int64, "surface": pl.String, "kind": pl.String, "at": pl.Datetime("us", "UTC"),
    "context": pl.List(pl.String),
}  # fmt: skip


def bank(*facts: tuple[float | None, list[Any]], bank_id: str = "b", kind: str | None = "person") -> pl.DataFrame:
    """A frame of mentions: a fact is a document of its own, `(day, names)`; a name is a surface or (surface, kind)."""
    rows = []
    for number, (day, names) in enumerate(facts):
        for place, name in enumerate(names):
            surface, its_kind = name if isinstance(name, tuple) else (name, kind)
            at = None if day is None else START + timedelta(days=day)
            fact = f"f{number}"
            rows.append((bank_id, f"{fact}:{place}", fact, f"d{number}", place * 20, surface, its_kind, at, []))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def groups(result: ResolutionResult, mentions: pl.DataFrame) -> set[frozenset[str]]:
    """The partition, as sets of mention ids."""
    joined = result.resolutions.join(mentions, on=["bank_id", "mention_id"], how="semi")
    return {frozenset(ids) for ids in joined.group_by("bank_id", "entity_id").agg("mention_id")["mention_id"].to_list()}


def names_together(result: ResolutionResult, mentions: pl.DataFrame) -> list[list[str]]:
    """The spellings of each entity, sorted."""
    joined = result.resolutions.join(mentions.select("bank_id", "mention_id", "surface"), on=["bank_id", "mention_id"])
    found = joined.group_by("bank_id", "entity_id").agg(pl.col("surface").unique().sort())["surface"]
    return sorted(found.to_list())


SURFACES = (
    "Alice", "Alice Chen", "Alice Smith", "A. Chen", "Dr. Chen", "Ms. Chen", "Mr. Chen", "Bob", "Robert Chen", "Rob",
    "Acme", "Acme Inc.", "ACME", "IBM", "International Business Machines", "Sprint 14", "Sprint 15", "Merrivale",
    "Merryvale", "José García", "Jose Garcia", "Alex", "Alexandra", "the user", "Иван", "北京", "Team A", "Team B",
)  # fmt: skip
KINDS = ("person", "person", "organization", "place", None)


@st.composite
def random_mentions(draw: st.DrawFn, bank_id: str = "b") -> pl.DataFrame:
    """A bank of up to ten facts in up to four documents, with few names, so that they meet often."""
    rows = []
    for fact in range(draw(st.integers(1, 10))):
        document = draw(st.integers(0, 3))
        at = draw(st.one_of(st.none(), st.integers(0, 30).map(lambda day: START + timedelta(days=day))))
        names = draw(st.lists(st.sampled_from(SURFACES), min_size=1, max_size=4, unique=True))
        for place, surface in enumerate(names):
            kind = draw(st.sampled_from(KINDS))
            context = draw(st.lists(st.sampled_from(("t1", "t2", "t3")), max_size=2, unique=True))
            position = fact * 100 + place * 20
            ids = (f"m{fact}-{place}", f"f{fact}", f"d{document}")
            rows.append((bank_id, *ids, position, surface, kind, at, context))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")

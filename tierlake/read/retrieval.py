"""Which facts take part in a ranking, with which base score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tierlake.read.filters import FILTER_COLUMNS, ParsedFilters
from tierlake.read.graph import connected_facts
from tierlake.read.index import FactIndex, Matches
from tierlake.read.options import TierOptions
from tierlake.read.tables import PublishedTables, Rows
from transforms.ranking import rank_candidates

Mask = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """Everything that one call of `read` asks for, checked; `words` is the query as it is searched for."""

    query: str
    words: str
    tiers: TierOptions
    filters: ParsedFilters
    pre_filter_limit: int | None
    expand: int
    include_entities: bool


@dataclass(frozen=True)
class Scored:
    """Facts that take part.

    Attributes:
        rows: Rows of the index, ascending.
        keyword: BM25 of each.
        base: What is ranked.
        graph: Where the graph gave the base score, not the words.
    """

    rows: Rows
    keyword: Scores
    base: Scores
    graph: Mask


class Retrieval:
    """Finds and scores the facts of a bank. Thread-safe.

    Args:
        index: The bank's index.
        tables: The tables beside it.
    """

    def __init__(self, index: FactIndex, tables: PublishedTables) -> None:
        self._index = index
        self._facts = index.facts
        self._tables = tables

    def rank(self, question: Question) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Returns the candidates (`row`, `keyword` and `graph` beside what the ranking takes) and what was ranked."""
        scored = self._matches(question)
        candidates = self._candidates(scored, question.tiers)
        ranked = rank_candidates(candidates, question.tiers.ranking)
        if question.expand and ranked.height:
            scored = self._expanded(scored, candidates, ranked, question)
            candidates = self._candidates(scored, question.tiers)
            ranked = rank_candidates(candidates, question.tiers.ranking)
        return candidates, ranked

    def is_tier(self, name: str) -> bool:
        """Returns whether an id names a tier; every other id names an entity."""
        return name.startswith("tier_") or name in self._index.tiers

    def members(self, name: str, rows: Rows) -> Mask:
        """Returns for each row whether its fact belongs to a tier or mentions an entity."""
        if self.is_tier(name):
            member: Mask = (self._facts["tier"].gather(rows) == name).to_numpy()
            return member
        return np.isin(rows, self._tables.rows_of(self._tables.resolve(name)), assume_unique=True)

    def filtered(self, rows: Rows, filters: ParsedFilters) -> Rows:
        """Returns the rows whose facts meet the filters."""
        if filters.entities is not None:
            wanted = [self._tables.rows_of(self._tables.resolve(name)) for name in filters.entities]
            rows = rows[np.isin(rows, np.concatenate([np.empty(0, np.int64), *wanted]))]
        if not filters.on_columns:
            return rows
        documents = None if filters.documents is None else self._tables.documents_named(filters.documents)
        mask = self._facts.select(FILTER_COLUMNS)[rows].select(filters.condition(documents)).to_series()
        kept: Rows = rows[mask.to_numpy()]
        return kept

    def _matches(self, question: Question) -> Scored:
        """Returns the facts that match the words, under the filters, and after the pre-filter."""
        active = question.tiers.active
        tiers = [name for name in active if self.is_tier(name)]
        if not active:
            found = Matches(np.empty(0, np.int64), np.empty(0, np.float64))
        else:
            # Facts of zero-weight tiers are not even scored, unless an entity is asked for: it has facts of any tier.
            found = self._index.search(question.words, tiers=tiers if len(tiers) == len(active) else None)
        kept = np.logical_or.reduce(
            [self.members(name, found.rows) for name in active] or [np.zeros(len(found.rows), np.bool_)]
        )
        rows, scores = found.rows[kept], found.scores[kept]
        passed = np.isin(rows, self.filtered(rows, question.filters), assume_unique=True)
        rows, scores = rows[passed], scores[passed]
        if question.pre_filter_limit is not None:
            # Rows stand in tie order, so the row number decides between equal scores.
            best = np.sort(np.lexsort((rows, -scores))[: question.pre_filter_limit])
            rows, scores = rows[best], scores[best]
        return Scored(rows, scores, scores, np.zeros(len(rows), np.bool_))

    def _expanded(self, scored: Scored, candidates: pl.DataFrame, ranked: pl.DataFrame, question: Question) -> Scored:
        """Returns the scored facts and those that the graph leads to; a match keeps its own score if it is higher."""
        bases = candidates.select("fact_id", "row", "base_score").unique("fact_id", keep="any")
        top = ranked.select("fact_id").join(bases, on="fact_id", maintain_order="left")
        led = connected_facts(self._tables, list(top.select("row", "base_score").iter_rows()), expand=question.expand)
        rows = led["row"].to_numpy()
        active = question.tiers.active
        member = np.logical_or.reduce([self.members(name, rows) for name in active])
        rows = self.filtered(rows[member], question.filters)
        if question.pre_filter_limit is not None:
            # What the pre-filter dropped, nothing brings back.
            rows = np.intersect1d(rows, scored.rows)
        merged = (
            pl.DataFrame({"row": scored.rows, "keyword": scored.keyword})
            .join(led.filter(pl.col("row").is_in(rows)), on="row", how="full", coalesce=True)
            .with_columns(pl.col("keyword").fill_null(0.0), pl.col("score").fill_null(0.0))
            .sort("row")
        )
        keyword, graph = merged["keyword"].to_numpy(), merged["score"].to_numpy()
        return Scored(merged["row"].to_numpy(), keyword, np.maximum(keyword, graph), graph > keyword)

    def _candidates(self, scored: Scored, tiers: TierOptions) -> pl.DataFrame:
        """Returns one row a fact and active id, as the ranking takes them, with `row`, `keyword` and `graph`."""
        facts = self._facts.select("fact_id", "updated_at")[scored.rows].with_columns(
            pl.Series("row", scored.rows),
            pl.Series("keyword", scored.keyword),
            pl.Series("base_score", scored.base),
            pl.Series("graph", scored.graph),
        )
        parts = [
            facts.filter(pl.Series(self.members(name, scored.rows))).with_columns(pl.lit(name).alias("tier"))
            for name in tiers.active
        ]
        return pl.concat(parts) if parts else facts.clear().with_columns(pl.lit(None, dtype=pl.String).alias("tier"))

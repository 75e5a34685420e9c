"""A ranking evaluation to look at: beside its baseline, with intervals, and with what could not be measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from tierlake.evaluation.bootstrap import Interval, mean_interval
from tierlake.evaluation.gold import Gold
from tierlake.evaluation.ranking import METRICS, RankingEvaluation

SYSTEM: Final = "tierlake"
BASELINE: Final = "bm25"
HEADLINE: Final = "nDCG@10"


@dataclass(frozen=True)
class RankingReport:
    """The evaluation of a published bank and of the baseline over the same facts.

    Attributes:
        evaluation_id: Hash of index, configuration, gold set and metrics.
        gold: The gold set, without judgements that moved.
        system: How the reader ranked with each query's own options.
        baseline: How BM25 alone ranked: all weights 1, no floors.
    """

    evaluation_id: str
    gold: Gold
    system: RankingEvaluation
    baseline: RankingEvaluation

    def tables(self) -> dict[str, pl.DataFrame]:
        """Returns the rows of the four evaluation tables."""
        both = (self.system, self.baseline)
        return {
            "evaluation_queries": self.gold.queries,
            "evaluation_judgements": self.gold.judgement_rows(),
            "evaluation_metrics": pl.concat([each.metrics for each in both]),
            "evaluation_results": pl.concat([each.results for each in both]),
        }

    def headline(self) -> dict[str, float]:
        """Returns the metrics of the reader, by name."""
        return {metric: self.interval(metric, SYSTEM).mean for metric in METRICS}

    def interval(self, metric: str, system: str) -> Interval:
        """Returns a metric of `SYSTEM` or `BASELINE` with its 95 % interval."""
        frame = (self.system if system == SYSTEM else self.baseline).metrics
        row = frame.row(by_predicate=pl.col("metric") == metric, named=True)
        return Interval(row["value"], row["low"], row["high"])

    def difference(self, metric: str) -> Interval:
        """Returns what the reader gains over the baseline, query by query, with the 95 % interval of its mean."""
        return mean_interval(self._differences(metric)["difference"].to_list())

    def wins_ties_losses(self, metric: str = HEADLINE) -> tuple[int, int, int]:
        """Returns on how many queries the reader is better than the baseline, equal to it, and worse."""
        # Values of one library over the same grades: what differs only by rounding is equal.
        signs = self._differences(metric)["difference"].round(9).sign().to_list()
        return signs.count(1.0), signs.count(0.0), signs.count(-1.0)

    def _differences(self, metric: str) -> pl.DataFrame:
        mine, theirs = (
            each.results.filter(pl.col("metric") == metric).select("query_id", "value")
            for each in (self.system, self.baseline)
        )
        joined = mine.join(theirs, on="query_id", suffix="_baseline").sort("query_id")
        return joined.with_columns((pl.col("value") - pl.col("value_baseline")).alias("difference"))

    def per_query(self, metric: str = HEADLINE) -> pl.DataFrame:
        """Returns query_id, query, value, value_baseline, difference; the greatest losses first, then by query_id."""
        queries = self.gold.queries.select("query_id", "query")
        return self._differences(metric).join(queries, on="query_id").sort("difference", "query_id")

    def notes(self) -> list[str]:
        """Returns what a reader of the numbers must know, as sentences."""
        measured = self.system.metrics.item(0, "queries")
        wins, ties, losses = self.wins_ties_losses()
        notes = [
            f"{measured} queries of {self.gold.dataset}, bank {self.gold.bank}. Intervals are 95 % bootstrap.",
            "A fact has the grade of the best span that its quote overlaps, and is relevant from grade 1.",
            f"{HEADLINE} against {BASELINE}: better on {wins}, equal on {ties}, worse on {losses}.",
        ]
        if self.system.unmatched:
            names = ", ".join(self.system.unmatched)
            notes.append(f"No fact overlaps the judged spans of {len(self.system.unmatched)}, counted as 0: {names}.")
        if self.system.unanswerable:
            names = ", ".join(self.system.unanswerable)
            notes.append(f"Not measured, no span has grade 1 or more: {len(self.system.unanswerable)}: {names}.")
        if self.gold.moved:
            notes.append(f"Left out: {self.gold.moved} judgements whose documents do not hold their quote at the span.")
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Returns the report as JSON values."""
        return {
            "evaluation_id": self.evaluation_id,
            "dataset": self.gold.dataset,
            "bank": self.gold.bank,
            "queries": self.system.metrics.item(0, "queries"),
            "metrics": {
                metric: {
                    SYSTEM: vars(self.interval(metric, SYSTEM)),
                    BASELINE: vars(self.interval(metric, BASELINE)),
                    "difference": vars(self.difference(metric)),
                }
                for metric in METRICS
            },
            "wins_ties_losses": list(self.wins_ties_losses()),
            "unmatched": list(self.system.unmatched),
            "unanswerable": list(self.system.unanswerable),
            "moved_judgements": self.gold.moved,
            "per_query": self.per_query().to_dicts(),
        }

    def _rows(self) -> Iterator[tuple[str, str, str, str]]:
        for metric in METRICS:
            intervals = self.interval(metric, SYSTEM), self.interval(metric, BASELINE), self.difference(metric)
            mine, theirs, gain = intervals
            yield metric, _shown(mine), _shown(theirs), f"{gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"

    def markdown(self) -> str:
        """Returns the metrics as a Markdown table, with the notes below: metadata of a run, without any text."""
        lines = [f"| metric | {SYSTEM} | {BASELINE} | difference |", "|---|---|---|---|"]
        lines += [f"| {' | '.join(row)} |" for row in self._rows()]
        return "\n".join([*lines, "", *(f"- {note}" for note in self.notes())])

    def print(self) -> None:
        """Prints the metrics as a table for people, with the notes below."""
        from rich.console import Console
        from rich.table import Table

        table = Table(title=f"Ranking of bank {self.gold.bank} on {self.gold.dataset}")
        for name in ("metric", SYSTEM, BASELINE, "difference"):
            table.add_column(name)
        for row in self._rows():
            table.add_row(*row)
        console = Console()
        console.print(table)
        for note in self.notes():
            console.print(note, markup=False, highlight=False)


def _shown(interval: Interval) -> str:
    return f"{interval.mean:.3f} ({interval.low:.3f} to {interval.high:.3f})"

"""How well a reader ranks facts, against graded spans of documents.

A fact has the grade of the best span that its quote overlaps; a fact without such a span has grade 0. It is relevant
from grade 1. nDCG takes the grade itself as gain and 1 / log2(rank + 1) as discount.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from tierlake.errors import TierlakeError
from tierlake.evaluation.bootstrap import mean_interval
from tierlake.evaluation.gold import Gold
from transforms.schemas import EVALUATION_METRICS, EVALUATION_RESULTS, conform

if TYPE_CHECKING:
    from ir_measures import Metric

# The query, the ids that it reads and the options of `read`, to fact ids in rank order.
MemoryRead = Callable[[str, list[str], dict[str, Any]], Sequence[str]]

# Our name of a metric to its name in ir_measures. Facts are relevant from grade 1 in all that do not use grades.
METRICS: Final = {
    "nDCG@10": "nDCG@10",
    "recall@5": "R@5",
    "recall@10": "R@10",
    "MRR@10": "RR@10",
    "hit@10": "Success@10",
}
# Part of an evaluation's id: raise it when the same results would give other numbers.
METRICS_VERSION: Final = "1"


class EvaluationError(TierlakeError):
    """A reader and a gold set that cannot be measured against each other."""


@dataclass(frozen=True)
class RankingEvaluation:
    """How one system ranked.

    Attributes:
        metrics: Frame of `schemas.EVALUATION_METRICS`.
        results: Frame of `schemas.EVALUATION_RESULTS`.
        unmatched: Queries whose relevant spans no fact's quote overlaps: nothing can be found, and they count as 0.
        unanswerable: Queries without a relevant span: no metric is defined for them, and they are not measured.
    """

    metrics: pl.DataFrame
    results: pl.DataFrame
    unmatched: tuple[str, ...]
    unanswerable: tuple[str, ...]


def grade_facts(facts: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """Returns the grade of each fact for each query: the best among the spans that its quote overlaps.

    Args:
        facts: Frame with fact_id, uri, quote_start, quote_end.
        judgements: Frame of `schemas.EVALUATION_JUDGEMENTS`.

    Returns:
        Frame query_id, fact_id, grade, sorted; only facts that overlap some span.

    Example:
        >>> facts = pl.DataFrame({"fact_id": ["f"], "uri": ["a"], "quote_start": [5], "quote_end": [9]})
        >>> spans = {"query_id": ["q"] * 3, "uri": ["a"] * 3, "start": [0, 6, 9], "end": [6, 7, 12], "grade": [1, 2, 3]}
        >>> grade_facts(facts, pl.DataFrame(spans)).rows()
        [('q', 'f', 2)]
    """
    pairs = facts.select("fact_id", "uri", "quote_start", "quote_end").join(judgements, on="uri")
    overlapping = pairs.filter((pl.col("quote_start") < pl.col("end")) & (pl.col("start") < pl.col("quote_end")))
    return overlapping.group_by("query_id", "fact_id").agg(pl.col("grade").max()).sort("query_id", "fact_id")


def evaluate_ranking(
    memory_read: MemoryRead, facts: pl.DataFrame, gold: Gold, *, system: str, evaluation_id: str
) -> RankingEvaluation:
    """Returns how well a reader ranks the facts of a bank for the queries of a gold set.

    Args:
        memory_read: Gives fact ids in rank order for a query, its ids and its options.
        facts: Frame with fact_id, uri, quote_start, quote_end: all facts of the bank.
        gold: The labeled queries.
        system: What is measured, e.g. `tierlake` or `bm25`.
        evaluation_id: The evaluation that the rows belong to.

    Raises:
        EvaluationError: A fact was returned twice for a query, or no query can be measured.
    """
    grades = grade_facts(facts, gold.judgements)
    relevant = set(grades.filter(pl.col("grade") >= 1)["query_id"])
    answerable = set(gold.judgements.filter(pl.col("grade") >= 1)["query_id"])
    queries = gold.queries.sort("query_id")
    measured = [query for query in queries["query_id"] if query in answerable]
    if not measured:
        raise EvaluationError(f"gold set {gold.dataset}, bank {gold.bank}: no query has a span with grade 1 or more")
    runs = {
        row["query_id"]: _checked(row["query_id"], memory_read(row["query"], row["ids"], json.loads(row["options"])))
        # A loop over queries: each is one read.
        for row in queries.iter_rows(named=True)
        if row["query_id"] in answerable
    }
    values = _measure(runs, grades.filter(pl.col("query_id").is_in(list(relevant))))
    rows = [
        {
            "bank_id": gold.bank,
            "evaluation_id": evaluation_id,
            "system": system,
            "query_id": query,
            "metric": metric,
            # A query whose evidence no fact holds is lost for every reader.
            "value": values.get((query, metric), 0.0),
        }
        for query in measured
        for metric in METRICS
    ]
    results = pl.DataFrame(rows, schema=EVALUATION_RESULTS.schema)
    return RankingEvaluation(
        metrics=_means(results, gold.dataset),
        results=conform(results, EVALUATION_RESULTS),
        unmatched=tuple(query for query in measured if query not in relevant),
        unanswerable=tuple(query for query in queries["query_id"] if query not in answerable),
    )


def _checked(query_id: str, found: Sequence[str]) -> list[str]:
    twice = [fact for fact, count in Counter(found).items() if count > 1]
    if twice:
        raise EvaluationError(f"query {query_id}: facts returned more than once: {', '.join(twice[:5])}")
    return list(found)


def _measure(runs: dict[str, list[str]], grades: pl.DataFrame) -> dict[tuple[str, str], float]:
    """Returns the value of each query and metric, as ir_measures computes it."""
    import ir_measures

    qrels = [ir_measures.Qrel(*row) for row in grades.select("query_id", "fact_id", "grade").iter_rows()]
    # Scores made of ranks: the library sorts by score, and would break ties of real scores in an order of its own.
    scored = [
        ir_measures.ScoredDoc(query, fact, float(-rank))
        for query, found in runs.items()
        for rank, fact in enumerate(found)
    ]
    names = {ir_measures.parse_measure(theirs): ours for ours, theirs in METRICS.items()}
    computed: list[Metric] = list(ir_measures.iter_calc(list(names), qrels, scored)) if qrels else []
    return {(each.query_id, names[each.measure]): float(each.value) for each in computed}


def _means(results: pl.DataFrame, dataset: str) -> pl.DataFrame:
    rows = []
    # A loop over metrics, of which there are few.
    for (bank, evaluation_id, system, metric), values in results.sort("query_id").group_by(
        "bank_id", "evaluation_id", "system", "metric", maintain_order=True
    ):
        interval = mean_interval(values["value"].to_list())
        rows.append(
            {
                "bank_id": bank,
                "evaluation_id": evaluation_id,
                "dataset": dataset,
                "system": system,
                "metric": metric,
                "value": interval.mean,
                "low": interval.low,
                "high": interval.high,
                "queries": values.height,
            }
        )
    return conform(pl.DataFrame(rows, schema=EVALUATION_METRICS.schema), EVALUATION_METRICS)

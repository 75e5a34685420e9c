"""Evaluates a published bank, and keeps the result as rows of the lake."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from tierlake.errors import LakeError
from tierlake.evaluation.gold import keep_verified, load_gold
from tierlake.evaluation.ranking import METRICS_VERSION, MemoryRead, evaluate_ranking
from tierlake.evaluation.report import BASELINE, SYSTEM, RankingReport
from tierlake.manifest import read_published
from transforms.ids import stable_id

if TYPE_CHECKING:
    from tierlake.config import Settings
    from tierlake.lake import Lake, WriteResult
    from tierlake.read.memory import Memory

# What every query of the baseline reads with: keywords only. Weights and floors are left out, so all count alike.
BASELINE_OPTIONS: Final[dict[str, Any]] = {"hybrid_weight": 0.0}


def evaluate_bank(
    lake: Lake, settings: Settings, bank: str, *, gold: Path | None = None, dataset: str | None = None
) -> RankingReport:
    """Returns how well reading ranks in the published set of a bank, beside BM25 alone over the same index.

    Args:
        lake: The lake.
        settings: Where the gold set is, and what the evaluation's id is made of.
        bank: The bank.
        gold: Folder of the gold set; default: that of the settings.
        dataset: Name of the gold set; default: its folder's name.

    Raises:
        LakeError: Nothing of the bank is published.
        GoldError: The gold set has faults.
        UnknownNameError: The gold set has no query for the bank.
        EvaluationError: No query of the bank can be measured.
    """
    from tierlake.read.memory import Memory

    published = read_published(lake.root, bank)
    if published is None:
        raise LakeError(
            f"nothing of bank {bank} is published under {lake.root}: run `tierlake run --bank {bank}` first"
        )
    documents = lake.read("documents", bank, version=published.versions["documents"]).select(
        "document_id", "uri", "text"
    )
    facts = lake.read("facts", bank, version=published.versions["facts"])
    facts = facts.join(documents.select("document_id", "uri"), on="document_id")
    labels = keep_verified(load_gold(gold or settings.path(settings.evaluation.gold), bank, dataset=dataset), documents)
    evaluation_id = stable_id(
        labels.dataset, published.index, settings.fingerprint(), labels.fingerprint(), METRICS_VERSION
    )
    memory = Memory.open(lake.root, bank=bank)
    system, baseline = (
        evaluate_ranking(read, facts, labels, system=name, evaluation_id=evaluation_id)
        for name, read in ((SYSTEM, _as_asked(memory)), (BASELINE, _keywords_only(memory)))
    )
    return RankingReport(evaluation_id, labels, system, baseline)


def _as_asked(memory: Memory) -> MemoryRead:
    def read(query: str, ids: list[str], options: dict[str, Any]) -> list[str]:
        return [fact.fact_id for fact in memory.read(ids, query, **options).facts]

    return read


def _keywords_only(memory: Memory) -> MemoryRead:
    def read(query: str, ids: list[str], options: dict[str, Any]) -> list[str]:
        # As many results as the query asks for: only what is measured may differ.
        same = {name: options[name] for name in ("max_results", "filters") if name in options}
        return [fact.fact_id for fact in memory.read(ids, query, **same, **BASELINE_OPTIONS).facts]

    return read


def store_report(lake: Lake, report: RankingReport) -> list[WriteResult]:
    """Returns what changed after writing a report's rows; the same index, configuration and gold set change nothing.

    Rows of the gold set replace those of its last version; metrics and results of other evaluations stay.

    Args:
        lake: The lake.
        report: The report.
    """
    parts = {"evaluation_queries": "dataset", "evaluation_judgements": "dataset"}
    values = {"dataset": report.gold.dataset, "evaluation_id": report.evaluation_id}
    return [
        lake.write(name, report.gold.bank, rows, where=_equal(column, values[column]))
        for name, rows in report.tables().items()
        for column in (parts.get(name, "evaluation_id"),)
    ]


def _equal(column: str, value: str) -> Callable[[pl.DataFrame], pl.Series]:
    return lambda stored: stored[column] == value

"""How well the published memory ranks, against labeled queries."""

# No postponed annotations here: Dagster compares the type of `context` itself, not its name.
from typing import Any

import dagster as dg

from assets.catalog import OWNER, column_metadata
from assets.partitions import BANKS
from tierlake.config import Settings
from tierlake.errors import UnknownNameError
from tierlake.evaluation.ranking import METRICS_VERSION, EvaluationError
from tierlake.evaluation.run import evaluate_bank, store_report
from tierlake.lake import Lake


@dg.asset(
    partitions_def=BANKS,
    code_version=METRICS_VERSION,
    group_name="evaluation",
    owners=[OWNER],
    kinds={"deltalake", "polars"},
    metadata=column_metadata("evaluation_metrics"),
    description="nDCG, recall, MRR and hits of the published bank over the labeled queries of data/gold, beside plain "
    "BM25. Tables: evaluation_queries, evaluation_judgements, evaluation_metrics, evaluation_results.",
    deps=["fact_index"],
)
def ranking_evaluation(
    context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult[None]:
    """Measures the bank and keeps the rows; a bank without labeled queries is said to have none."""
    bank = context.partition_key
    if not settings.path(settings.evaluation.gold).is_dir():
        return _not_measured(f"there is no folder {settings.evaluation.gold}")
    try:
        report = evaluate_bank(lake, settings, bank)
    except (UnknownNameError, EvaluationError) as error:
        # A bank that nobody labeled, or whose labeled documents are gone, has no number: the reason is shown.
        return _not_measured(str(error))
    written = {result.table: result for result in store_report(lake, report)}
    metadata: dict[str, Any] = {
        **{metric.replace("@", "_at_"): value for metric, value in report.headline().items()},
        "queries": report.system.metrics.item(0, "queries"),
        "dagster/row_count": written["evaluation_metrics"].rows,
        "delta_version": written["evaluation_metrics"].version,
        "table": dg.MetadataValue.md(report.markdown()),
    }
    return dg.MaterializeResult(metadata=metadata)


def _not_measured(reason: str) -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(metadata={"queries": 0, "dagster/row_count": 0, "not_measured": reason})

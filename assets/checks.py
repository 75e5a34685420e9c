"""Asset checks: every table's Great Expectations suite, critical rules blocking what is downstream.

Few events: a check event costs Dagster's SQLite storage tens of milliseconds, so each table has two checks (critical,
warnings) whose metadata lists every expectation, and tables that are made together are checked in one step.
"""

# No postponed annotations here: Dagster compares the type of `context` itself, not its name.
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import dagster as dg
import polars as pl

from assets.suites import Outcome, judge
from tierlake.lake import Lake
from transforms.violations import count_violations, tables_read

CRITICAL: Final = "critical"
WARNINGS: Final = "warnings"

# Step to the assets that it checks, and each asset to its tables. Tables that are made together are checked together.
CHECKED: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "check_documents": {"documents": ("documents",)},
    "check_overrides": {"overrides": ("overrides",)},
    "check_chunks": {"chunks": ("chunks",)},
    "check_facts": {"facts": ("facts",)},
    "check_mentions": {"mentions": ("mentions",)},
    "check_entities": {name: (name,) for name in ("entities", "resolutions", "entity_redirects")},
    "check_cooccurrences": {"cooccurrences": ("cooccurrences",)},
    "check_tasks_and_events": {name: (name,) for name in ("tasks", "events")},
    "check_observations": {name: (name,) for name in ("observations", "observation_backlog")},
    "check_quarantine": {"quarantine": ("quarantine",)},
    "check_ranking_evaluation": {
        "ranking_evaluation": (
            "evaluation_queries",
            "evaluation_judgements",
            "evaluation_metrics",
            "evaluation_results",
        )
    },
}


def build_checks(
    partitions_def: dg.PartitionsDefinition[str],
    checked: Mapping[str, Mapping[str, Sequence[str]]] = CHECKED,
) -> list[dg.AssetChecksDefinition]:
    """Returns the checks of all tables, partitioned by bank; they need the resource `lake`.

    For each asset there are two: `critical`, which blocks what is downstream in the same run, and `warnings`, which
    does not.

    Args:
        partitions_def: The banks.
        checked: Name of a step to the assets that it checks, each with its tables.
    """
    return [_checks_of(step, tables, partitions_def) for step, tables in checked.items()]


def _checks_of(
    step: str, tables: Mapping[str, Sequence[str]], partitions_def: dg.PartitionsDefinition[str]
) -> dg.AssetChecksDefinition:
    with warnings.catch_warnings():
        # Partitioned checks are a preview in this version of Dagster, which is pinned; tests hold what is used of it.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        specs = [spec for asset, names in tables.items() for spec in _specs(asset, names, partitions_def)]

    @dg.multi_asset_check(name=step, specs=specs, can_subset=True, required_resource_keys={"lake"})
    def check(context: dg.AssetCheckExecutionContext) -> Iterator[dg.AssetCheckResult]:
        selected = context.selected_asset_check_keys
        frames: dict[str, pl.DataFrame] = {}
        for asset, names in tables.items():
            wanted = [name for name in (WARNINGS, CRITICAL) if dg.AssetCheckKey(dg.AssetKey(asset), name) in selected]
            if not wanted:
                continue
            outcomes = {
                name: check_table(name, context.resources.lake, context.partition_key, frames) for name in names
            }
            for name in wanted:
                yield _result(asset, name, outcomes)

    return check


def _specs(
    asset: str, tables: Sequence[str], partitions_def: dg.PartitionsDefinition[str]
) -> Iterator[dg.AssetCheckSpec]:
    where = " and ".join(tables)
    blocks = f"Keys, references, spans and counts of {where} that readers rely on; blocks what is downstream."
    shows = f"What looks wrong in {where} and stops nothing."
    yield dg.AssetCheckSpec(CRITICAL, asset=asset, description=blocks, blocking=True, partitions_def=partitions_def)
    yield dg.AssetCheckSpec(WARNINGS, asset=asset, description=shows, partitions_def=partitions_def)


def check_table(table: str, lake: Lake, bank: str, frames: dict[str, pl.DataFrame] | None = None) -> list[Outcome]:
    """Returns what Great Expectations says about each rule of a bank's table.

    Args:
        table: Name of the table.
        lake: The lake.
        bank: The bank.
        frames: Tables of the bank that are already read; those that are not are read and added.
    """
    frames = {} if frames is None else frames
    for name in tables_read(table):
        if name not in frames:
            frames[name] = lake.read(name, bank)
    return judge(table, count_violations(table, frames))


def _result(asset: str, check: str, outcomes: Mapping[str, Sequence[Outcome]]) -> dg.AssetCheckResult:
    severity = "critical" if check == CRITICAL else "warning"
    mine = [(table, each) for table, all_of in outcomes.items() for each in all_of if each.severity == severity]
    failed = [(table, each) for table, each in mine if not each.passed]
    listed = ", ".join(f"{table}.{each.rule} ({each.violations} of {each.elements})" for table, each in failed)
    metadata: dict[str, Any] = {
        "expectations": len(mine),
        "failed": len(failed),
        "violations": sum(each.violations for _, each in failed),
        "results": dg.MetadataValue.md(markdown(outcomes, severity)),
    }
    return dg.AssetCheckResult(
        asset_key=asset,
        check_name=check,
        passed=not failed,
        severity=dg.AssetCheckSeverity.ERROR if check == CRITICAL else dg.AssetCheckSeverity.WARN,
        description=f"broken: {listed}" if failed else f"{len(mine)} expectations met",
        metadata=metadata,
    )


def markdown(outcomes: Mapping[str, Sequence[Outcome]], severity: str) -> str:
    """Returns the expectations of one severity as a Markdown table, broken ones first; ids only, never text."""
    lines = ["| | expectation | broken by | of | % | e.g. |", "|---|---|---:|---:|---:|---|"]
    rows = [(table, each) for table, all_of in outcomes.items() for each in all_of if each.severity == severity]
    for table, each in sorted(rows, key=lambda row: row[1].passed):
        sign = "✓" if each.passed else "✗"
        name = f"`{table}.{each.rule}` {each.description}"
        samples = " ".join(f"`{sample}`" for sample in each.sample_ids)
        cells = (sign, name, str(each.violations), str(each.elements), f"{each.percent:.1f}", samples)
        # An id may come from a file; it must not end a cell or a row.
        lines.append("| " + " | ".join(re.sub(r"[|\s]+", " ", cell) for cell in cells) + " |")
    return "\n".join(lines)

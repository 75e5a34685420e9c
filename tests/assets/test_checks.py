"""Checks over a real lake, judged by Great Expectations and run by Dagster: what they say, and what they stop."""

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from assets.checks import CHECKED, CRITICAL, WARNINGS, build_checks, check_table, markdown
from assets.suites import Outcome, build_suite, judge
from tierlake.lake import Lake
from transforms.schemas import TABLES
from transforms.violations import RULES, VIOLATIONS, count_violations

BANKS = dg.DynamicPartitionsDefinition(name="bank")
MAY = datetime(2026, 5, 1, tzinfo=UTC)


def _documents(*texts: str) -> pl.DataFrame:
    rows = [
        {
            "bank_id": "acme", "document_id": f"d{number}", "uri": f"d{number}.txt", "source": "s", "path": "d.txt",
            "file_hash": "0", "title": "Notes", "media_type": "text/plain", "text": text, "content_hash": "0",
            "tier": "tier_fact", "language": "en", "turns": [], "ingested_at": MAY, "metadata": "{}",
        }
        for number, text in enumerate(texts)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=TABLES["documents"].schema)


def _chunks(*spans: tuple[str, int, int]) -> pl.DataFrame:
    rows = [
        {
            "bank_id": "acme", "chunk_id": f"c{number}", "document_id": document, "position": 0, "start": start,
            "end": end, "text_hash": "t", "input_hash": f"i{number}",
        }
        for number, (document, start, end) in enumerate(spans)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=TABLES["chunks"].schema)


def _definitions(lake: Lake, documents: pl.DataFrame, chunks: pl.DataFrame, ran: list[str]) -> dg.Definitions:
    @dg.asset(name="documents", partitions_def=BANKS)
    def store_documents(context: dg.AssetExecutionContext) -> None:
        lake.write("documents", context.partition_key, documents)
        ran.append("documents")

    @dg.asset(name="chunks", partitions_def=BANKS, deps=["documents"])
    def store_chunks(context: dg.AssetExecutionContext) -> None:
        lake.write("chunks", context.partition_key, chunks)
        ran.append("chunks")

    @dg.asset(partitions_def=BANKS, deps=["chunks"])
    def downstream() -> None:
        ran.append("downstream")

    steps = {name: CHECKED[name] for name in ("check_documents", "check_chunks")}
    return dg.Definitions(
        assets=[store_documents, store_chunks, downstream],
        asset_checks=build_checks(BANKS, steps),
        jobs=[dg.define_asset_job("everything", dg.AssetSelection.all())],
        resources={"lake": lake},
    )


def _run(lake: Lake, documents: pl.DataFrame, chunks: pl.DataFrame) -> tuple[dg.ExecuteInProcessResult, list[str]]:
    ran: list[str] = []
    job = _definitions(lake, documents, chunks, ran).resolve_job_def("everything")
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("bank", ["acme"])
        result = job.execute_in_process(partition_key="acme", instance=instance, raise_on_error=False)
    return result, ran


def _verdicts(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {
        f"{each.asset_key.to_user_string()}.{each.check_name}": each.passed
        for each in result.get_asset_check_evaluations()
    }


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(str(tmp_path / "lake"))


def test_what_is_right_passes_and_goes_on(lake: Lake) -> None:
    result, ran = _run(lake, _documents("One.", "Two."), _chunks(("d0", 0, 4), ("d1", 0, 4)))
    assert result.success
    assert ran == ["documents", "chunks", "downstream"]
    assert _verdicts(result) == {
        "documents.critical": True, "documents.warnings": True, "chunks.critical": True, "chunks.warnings": True,
    }  # fmt: skip
    assert {each.partition for each in result.get_asset_check_evaluations()} == {"acme"}


def test_a_critical_fault_stops_what_is_downstream(lake: Lake) -> None:
    result, ran = _run(lake, _documents("One.", "Two."), _chunks(("d0", 0, 4), ("gone", 0, 4)))
    assert not result.success
    assert ran == ["documents", "chunks"]
    assert _verdicts(result) == {
        "documents.critical": True, "documents.warnings": True, "chunks.critical": False, "chunks.warnings": True,
    }  # fmt: skip
    failed = next(each for each in result.get_asset_check_evaluations() if not each.passed)
    assert failed.severity == dg.AssetCheckSeverity.ERROR
    assert failed.description == "broken: chunks.document_exists (1 of 2), chunks.documents_covered (1 of 2)"
    assert failed.metadata["failed"].value == 2
    assert failed.metadata["violations"].value == 2
    table = str(failed.metadata["results"].value).splitlines()
    assert table[2] == "| ✗ | `chunks.document_exists` document_id is a row of documents | 1 | 2 | 50.0 | `c1` |"
    assert len(table) == 2 + sum(rule.severity == "critical" for rule in RULES["chunks"])


def test_a_warning_stops_nothing(lake: Lake) -> None:
    result, ran = _run(lake, _documents("One.", " "), _chunks(("d0", 0, 4)))
    assert result.success
    assert ran == ["documents", "chunks", "downstream"]
    assert {name for name, passed in _verdicts(result).items() if not passed} == {"documents.warnings"}
    failed = next(each for each in result.get_asset_check_evaluations() if not each.passed)
    assert failed.severity == dg.AssetCheckSeverity.WARN


def test_another_bank_is_not_looked_at(lake: Lake) -> None:
    lake.write("chunks", "other", _chunks(("gone", 5, 4)).with_columns(pl.lit("other").alias("bank_id")))
    result, _ = _run(lake, _documents("One."), _chunks(("d0", 0, 4)))
    assert result.success


def test_text_of_documents_does_not_reach_what_dagster_keeps(lake: Lake) -> None:
    result, _ = _run(lake, _documents("Secret.", "Two."), _chunks(("d0", 0, 3), ("d1", 0, 9)))
    assert not result.success
    kept = [f"{each.description} {each.metadata}" for each in result.get_asset_check_evaluations()]
    assert len(kept) == 4
    assert not any("Secret" in text for text in kept)


def test_every_table_is_checked_by_one_asset() -> None:
    tables = [table for assets in CHECKED.values() for names in assets.values() for table in names]
    assert sorted(tables) == sorted(RULES)
    keys = [key.to_user_string() for check in build_checks(BANKS) for key in check.check_keys]
    assets = [asset for step in CHECKED.values() for asset in step]
    assert sorted(keys) == sorted(f"{asset}:{name}" for asset in assets for name in (CRITICAL, WARNINGS))
    blocking = {spec.name: spec.blocking for check in build_checks(BANKS) for spec in check.check_specs}
    assert blocking == {CRITICAL: True, WARNINGS: False}


@pytest.mark.parametrize("table", RULES)
def test_a_suite_has_one_expectation_a_rule(table: str) -> None:
    expectations = build_suite(table).expectations
    described = [(each.column, each.severity.value, each.description) for each in expectations]
    assert described == [(rule.name, rule.severity, rule.description) for rule in RULES[table]]


@pytest.mark.parametrize("table", RULES)
def test_great_expectations_fails_each_rule_that_is_broken(table: str) -> None:
    rows = [
        {
            "rule": rule.name, "severity": rule.severity, "description": rule.description, "violations": number % 2,
            "elements": 4, "sample_ids": ["a"] * (number % 2),
        }
        for number, rule in enumerate(RULES[table])
    ]  # fmt: skip
    outcomes = judge(table, pl.DataFrame(rows, schema=VIOLATIONS))
    assert [(each.rule, each.passed) for each in outcomes] == [(row["rule"], row["violations"] == 0) for row in rows]
    assert [each.severity for each in outcomes] == [rule.severity for rule in RULES[table]]
    assert {each.percent for each in outcomes if not each.passed} <= {25.0}


@pytest.mark.parametrize(
    "spoil", [lambda counts: counts.head(2), lambda counts: counts.with_columns(violations=pl.lit(None, pl.Int64))]
)
def test_counts_that_do_not_answer_every_rule_are_refused(spoil: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    counts = count_violations("entity_redirects", {name: table.empty() for name, table in TABLES.items()})
    with pytest.raises(ValueError, match="not one number for each of its 6 rules"):
        judge("entity_redirects", spoil(counts))


def test_a_table_that_was_never_written_is_fine(lake: Lake) -> None:
    outcomes = check_table("observations", lake, "acme")
    assert [each.rule for each in outcomes] == [rule.name for rule in RULES["observations"]]
    assert all(each.passed and each.percent == 0 for each in outcomes)


def test_an_id_cannot_forge_a_row_of_the_table() -> None:
    outcome = Outcome("r", "critical", "a rule", passed=False, violations=1, elements=1, sample_ids=("x|\n| ✓ | y",))
    assert markdown({"t": [outcome]}, "critical").splitlines()[2:] == ["| ✗ | `t.r` a rule | 1 | 1 | 100.0 | `x ✓ y` |"]


def test_great_expectations_is_not_imported_until_a_table_is_checked() -> None:
    code = "import sys, assets.checks; sys.exit('great_expectations' in sys.modules)"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0

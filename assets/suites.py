"""Great Expectations suites: one a table, one expectation a rule, judged over the rule's count.

Polars counts how often each rule is broken (`transforms/violations.py`); the counts are one row, and Great Expectations
holds each against its expectation: no violation. It costs about 1.5 ms a rule whatever the table's size, where its own
engines would load whole tables into pandas, skip nulls, and could not look across tables.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from transforms.rules.base import Severity
from transforms.violations import RULES

if TYPE_CHECKING:
    from great_expectations import ExpectationSuite
    from great_expectations.core import ExpectationValidationResult
    from great_expectations.core.batch_definition import BatchDefinition

# Great Expectations keeps its project in module globals: one validation at a time.
_VALIDATING: Final = Lock()


@dataclass(frozen=True)
class Outcome:
    """What Great Expectations says about one rule of a table.

    Attributes:
        rule: The rule.
        severity: Its severity, as it came back with the result.
        description: The rule in words.
        passed: Whether the expectation was met.
        violations: Rows that break it.
        elements: Rows that it was held against.
        sample_ids: Some of the keys that break it.
    """

    rule: str
    severity: Severity
    description: str
    passed: bool
    violations: int
    elements: int
    sample_ids: tuple[str, ...]

    @property
    def percent(self) -> float:
        """Returns the share of rows that break the rule, 0 to 100; 0 where there are none."""
        return 100 * self.violations / self.elements if self.elements else 0.0


def build_suite(table: str) -> ExpectationSuite:
    """Returns the suite of a table: for each rule the expectation that its count of violations is 0."""
    _import_quietly()
    from great_expectations import ExpectationSuite
    from great_expectations.expectations.core.expect_column_max_to_be_between import ExpectColumnMaxToBeBetween
    from great_expectations.expectations.metadata_types import FailureSeverity

    expectations = [
        ExpectColumnMaxToBeBetween(
            column=rule.name,
            min_value=0,
            max_value=0,
            severity=FailureSeverity(rule.severity),
            description=rule.description,
        )
        for rule in RULES[table]
    ]
    return ExpectationSuite(name=table, expectations=expectations)


def judge(table: str, counts: pl.DataFrame) -> list[Outcome]:
    """Returns what Great Expectations says about each rule, in the order of the rules.

    Args:
        table: Name of the table.
        counts: Frame of `transforms.violations.VIOLATIONS` for that table.

    Raises:
        ValueError: The counts are not those of this table's rules, each a number.
        RuntimeError: Great Expectations could not evaluate an expectation: a broken check is not a passed one.
    """
    if counts["rule"].to_list() != [rule.name for rule in RULES[table]] or counts["violations"].has_nulls():
        raise ValueError(f"table {table}: the counts are not one number for each of its {len(RULES[table])} rules")
    # One row, one column a rule.
    row = pl.DataFrame({rule: [count] for rule, count in counts.select("rule", "violations").iter_rows()}).to_pandas()
    with _VALIDATING:
        batch = _batches().get_batch(batch_parameters={"dataframe": row})
        result = batch.validate(build_suite(table))
    judged = {each.expectation_config["kwargs"]["column"]: each for each in result.results if each.expectation_config}
    # A loop over rules.
    return [_outcome(table, count, judged[count["rule"]]) for count in counts.iter_rows(named=True)]


def _outcome(table: str, count: dict[str, Any], judged: ExpectationValidationResult) -> Outcome:
    problem = judged.exception_info or {}
    if problem.get("raised_exception"):
        message = f"table {table}, rule {count['rule']}: Great Expectations failed: {problem.get('exception_message')}"
        raise RuntimeError(message)
    return Outcome(
        rule=count["rule"],
        severity=_severity(judged),
        description=count["description"],
        passed=bool(judged.success),
        violations=count["violations"],
        elements=count["elements"],
        sample_ids=tuple(count["sample_ids"]),
    )


def _severity(judged: ExpectationValidationResult) -> Severity:
    """Returns the severity that came back with a result."""
    expected = judged.expectation_config
    return "critical" if expected is None or expected["severity"] == "critical" else "warning"


@cache
def _batches() -> BatchDefinition[Any]:
    """Returns where frames are handed to Great Expectations: in memory, made once a process, without progress bars."""
    _import_quietly()
    from great_expectations import get_context
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    asset = context.data_sources.add_pandas("lake").add_dataframe_asset("violations")
    return asset.add_batch_definition_whole_dataframe("counts")


@cache
def _import_quietly() -> None:
    """Imports Great Expectations, which takes seconds, once a process and only where a table is checked."""
    # This version sends nothing; the variable holds if another does.
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    with warnings.catch_warnings():
        # It imports a module of the standard library that is deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        import great_expectations.expectations  # noqa: F401  # imported for later imports, under this filter

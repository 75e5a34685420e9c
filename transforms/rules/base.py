"""A rule of quality and the few shapes that nearly all rules have.

A rule finds the rows that break it. It is written once, in Polars, whatever the size of the table; Great Expectations
judges the counts (`assets/suites.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from transforms.schemas import DOCUMENTS, Table

Severity = Literal["critical", "warning"]
Frames = Mapping[str, pl.LazyFrame]

# Joins of a row with what it refers to keep the row's own column names; the other side gets this suffix.
OTHER = "__other"
# Python's white space, which the chunker strips, holds four separators that Polars' regular expressions leave out.
WHITE_SPACE = r"[\s\x1c-\x1f]"


@dataclass(frozen=True)
class Rule:
    r"""What must hold for every row of a table.

    Attributes:
        name: Name of the rule, unique within its table.
        severity: `critical` stops what is downstream, `warning` is shown.
        description: The rule in words, as it must hold.
        of: The table whose rows are counted; nearly always the table that the rule belongs to.
        violating: From frames by table name, the rows of `of` that break the rule, each once, with `of.keys`.
        reads: Names of the tables that `violating` looks at.
    """

    name: str
    severity: Severity
    description: str
    of: Table
    violating: Callable[[Frames], pl.LazyFrame]
    reads: tuple[str, ...]


def rows_of(
    table: Table,
    name: str,
    description: str,
    violating: Callable[[Frames], pl.LazyFrame],
    *others: Table,
    severity: Severity = "critical",
) -> Rule:
    """Returns a rule about the rows of `table` that also reads `others`."""
    reads = dict.fromkeys([table.name, *(other.name for other in others)])
    return Rule(name, severity, description, table, violating, tuple(reads))


def unique(table: Table, columns: Sequence[str] = (), *, name: str = "key_unique") -> Rule:
    """Returns the rule that no two rows of a bank agree in `columns` (default: the table's key)."""
    columns = tuple(columns) or table.key

    def violating(frames: Frames) -> pl.LazyFrame:
        return frames[table.name].filter(pl.len().over(["bank_id", *columns]) > 1)

    return Rule(name, "critical", f"no two rows have the same {', '.join(columns)}", table, violating, (table.name,))


def required(table: Table, *, optional: Sequence[str] = ()) -> tuple[Rule, ...]:
    """Returns one rule a column, that it is not null, for all columns but those in `optional`."""
    return tuple(
        holds(table, f"{column}_not_null", pl.col(column).is_not_null(), f"{column} is not null")
        for column in table.columns
        if column not in optional
    )


def holds(table: Table, name: str, condition: pl.Expr, description: str, *, severity: Severity = "critical") -> Rule:
    """Returns the rule that `condition` is not false for a row; null passes, since nulls have rules of their own."""

    def violating(frames: Frames) -> pl.LazyFrame:
        return frames[table.name].filter(~condition)

    return Rule(name, severity, description, table, violating, (table.name,))


def one_of(table: Table, column: str, values: Sequence[str]) -> Rule:
    """Returns the rule that a column holds one of `values` (or null)."""
    return holds(table, f"{column}_known", pl.col(column).is_in(list(values)), f"{column} is {', '.join(values)}")


def not_blank(table: Table, column: str, *, severity: Severity = "critical") -> Rule:
    """Returns the rule that a text has a character that is not white space (or is null)."""
    condition = pl.col(column).str.contains(r"\S")
    return holds(table, f"{column}_not_blank", condition, f"{column} is not blank", severity=severity)


def refers(
    table: Table,
    name: str,
    columns: Mapping[str, str],
    to: Table,
    description: str,
    *,
    severity: Severity = "critical",
    explode: str | None = None,
) -> Rule:
    """Returns the rule that for every row there is a row of `to`, in the same bank, that agrees with it.

    Args:
        table: The table of the rule.
        name: Name of the rule.
        columns: Column of `table` to the column of `to` that must hold the same value. A null passes.
        to: The table referred to.
        description: The rule in words.
        severity: How bad a violation is.
        explode: A list column, each of whose items must refer.
    """

    def violating(frames: Frames) -> pl.LazyFrame:
        rows = frames[table.name].select(list(dict.fromkeys([*table.keys, *columns])))
        if explode is not None:
            # An empty list becomes a null row, and a null refers to nothing.
            rows = rows.explode(explode)
        targets = frames[to.name].select(list(dict.fromkeys(["bank_id", *columns.values()])))
        rows = rows.drop_nulls(list(columns))
        missing = rows.join(targets, left_on=["bank_id", *columns], right_on=["bank_id", *columns.values()], how="anti")
        return missing.select(table.keys).unique()

    return Rule(name, severity, description, table, violating, tuple(dict.fromkeys((table.name, to.name))))


def matches(
    table: Table,
    name: str,
    other: Table,
    condition: pl.Expr,
    description: str,
    *,
    on: Mapping[str, str],
    severity: Severity = "critical",
) -> Rule:
    """Returns the rule that `condition` is not false for a row beside the row of `other` that it refers to.

    Args:
        table: The table of the rule.
        name: Name of the rule.
        other: The table referred to.
        condition: Over both rows; columns of `other` have the suffix `OTHER`.
        description: The rule in words.
        on: Column of `table` to column of `other`. A row without a partner passes: `refers` finds it.
        severity: How bad a violation is.
    """

    def violating(frames: Frames) -> pl.LazyFrame:
        partners = frames[other.name].rename(lambda column: f"{column}{OTHER}")
        right = [f"bank_id{OTHER}", *(f"{column}{OTHER}" for column in on.values())]
        joined = frames[table.name].join(partners, left_on=["bank_id", *on], right_on=right, coalesce=False)
        return joined.filter(~condition).select(table.keys).unique()

    return Rule(name, severity, description, table, violating, tuple(dict.fromkeys((table.name, other.name))))


def quotes_document(
    table: Table, name: str, start: str, end: str, text: str, *, severity: Severity = "critical"
) -> Rule:
    """Returns the rule that `documents.text[start:end]` is `text`, character for character; null spans pass."""
    # A negative length is an error to Polars; such a span is caught by `inside`.
    length = (pl.col(end) - pl.col(start)).clip(lower_bound=0)
    cut = pl.col(f"text{OTHER}").str.slice(pl.col(start), length)
    inside = (pl.col(start) >= 0) & (pl.col(end) > pl.col(start))
    description = f"{text} is the document's text from {start} to {end}, character for character"
    condition = pl.when(inside).then(cut == pl.col(text)).otherwise(pl.col(start).is_null() | pl.col(end).is_null())
    on = {"document_id": "document_id"}
    return matches(table, name, DOCUMENTS, condition, description, on=on, severity=severity)


def ordered(
    table: Table, name: str, low: str, high: str, *, strict: bool = False, severity: Severity = "critical"
) -> Rule:
    """Returns the rule that `low` is not above `high` (with `strict`, below it); nulls pass."""
    condition = pl.col(low) < pl.col(high) if strict else pl.col(low) <= pl.col(high)
    sign = "<" if strict else "<="
    return holds(table, name, condition, f"{low} {sign} {high}", severity=severity)


def within(table: Table, column: str, low: float, high: float) -> Rule:
    """Returns the rule that a number is from `low` to `high`, both included, and not NaN; null passes."""
    # Sums of floats miss their bounds by less than this.
    slack = 1e-9
    value = pl.col(column).cast(pl.Float64)
    condition = value.is_between(low - slack, high + slack) & ~value.is_nan()
    return holds(table, f"{column}_in_range", condition, f"{column} is from {low:g} to {high:g}")

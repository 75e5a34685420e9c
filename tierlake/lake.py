"""The lake: Delta tables that are read by bank and written as a whole, changed rows only."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from tierlake.errors import LakeError, UnknownNameError
from transforms.schemas import TABLES, Table, conform

if TYPE_CHECKING:
    from deltalake import DeltaTable

# Two runs that write different banks touch different files and never conflict; what is left are short races.
COMMIT_ATTEMPTS = 6
_OPERATION = "_operation"


class _CommitConflictError(Exception):
    """Another writer committed first; the difference is computed again."""


@dataclass(frozen=True)
class WriteResult:
    """What one write changed.

    Attributes:
        table: Name of the table.
        bank: The bank that was written.
        version: Delta version after the write.
        rows: Rows of the bank after the write.
        inserted: New keys.
        updated: Keys whose row changed.
        deleted: Keys that are gone.
    """

    table: str
    bank: str
    version: int
    rows: int
    inserted: int
    updated: int
    deleted: int

    @property
    def changed(self) -> int:
        """Returns the number of rows that the write touched; 0 means that no version was added."""
        return self.inserted + self.updated + self.deleted


class Lake:
    """The Delta tables below one root.

    Args:
        root: A folder, or an object-store URL that deltalake understands.
        storage_options: Passed to deltalake.

    Example:
        >>> import tempfile
        >>> from transforms.schemas import ENTITY_REDIRECTS
        >>> lake = Lake(tempfile.mkdtemp())
        >>> row = {"bank_id": ["acme"], "old_entity_id": ["a"], "entity_id": ["b"]}
        >>> lake.write("entity_redirects", "acme", pl.DataFrame(row)).inserted
        1
        >>> lake.write("entity_redirects", "acme", pl.DataFrame(row)).changed
        0
    """

    def __init__(self, root: str, storage_options: dict[str, str] | None = None) -> None:
        self.root = str(root).rstrip("/")
        self.storage_options = storage_options

    def table(self, name: str) -> Table:
        """Returns the declaration of a table.

        Raises:
            UnknownNameError: There is no such table.
        """
        if name not in TABLES:
            raise UnknownNameError("table", name, sorted(TABLES))
        return TABLES[name]

    def uri(self, name: str) -> str:
        """Returns where the table is: `<root>/<table>`."""
        return f"{self.root}/{self.table(name).name}"

    def delta(self, name: str, version: int | None = None) -> DeltaTable | None:
        """Returns the Delta table, at a version; None where it was never written.

        Raises:
            LakeError: The table is there but cannot be opened.
        """
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        try:
            return DeltaTable(self.uri(name), version=version, storage_options=self.storage_options)
        except TableNotFoundError:
            return None
        except (DeltaError, OSError) as error:
            at = "" if version is None else f" at version {version}"
            raise LakeError(f"table {name}{at} under {self.root} cannot be opened: {error}") from error

    def version(self, name: str) -> int | None:
        """Returns the newest Delta version; None where the table was never written."""
        delta = self.delta(name)
        return None if delta is None else delta.version()

    def scan(self, name: str, bank: str, *, version: int | None = None) -> pl.LazyFrame:
        """Returns a bank's rows, lazily, in declared column order; empty where the table was never written."""
        table = self.table(name)
        delta = self.delta(name, version)
        if delta is None:
            return table.empty().lazy()
        frame = pl.scan_delta(delta).filter(pl.col("bank_id") == bank)
        stored = frame.collect_schema().names()
        # Columns that were declared after the table was written are null in its old rows.
        return frame.select(
            [
                pl.col(column) if column in stored else pl.lit(None, dtype=dtype).alias(column)
                for column, dtype in table.schema.items()
            ]
        )

    def read(self, name: str, bank: str, *, version: int | None = None) -> pl.DataFrame:
        """Returns a bank's rows, sorted by key.

        Raises:
            LakeError: The files of the table cannot be read.
        """
        table = self.table(name)
        try:
            return conform(self.scan(name, bank, version=version).collect(), table)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            # A truncated Parquet file makes Polars panic, which is no ordinary exception.
            raise LakeError(f"table {name} of bank {bank} cannot be read: {error}") from error

    def count(self, name: str, bank: str) -> int:
        """Returns the number of a bank's rows."""
        return int(self.scan(name, bank).select(pl.len()).collect().item())

    def fingerprint(self, name: str, bank: str) -> str:
        """Returns a hash of the data files that hold the bank's rows: equal means that nothing was written.

        An empty string where the table was never written.
        """
        delta = self.delta(name)
        if delta is None:
            return ""
        actions = pl.DataFrame(delta.get_add_actions(flatten=True))
        if actions.height == 0:
            return ""
        paths = actions.filter(pl.col("partition.bank_id") == bank)["path"].sort().to_list()
        return hashlib.sha256("\n".join(paths).encode()).hexdigest()[:32] if paths else ""

    def write(
        self,
        name: str,
        bank: str,
        frame: pl.DataFrame,
        *,
        where: Callable[[pl.DataFrame], pl.Series] | None = None,
        keep_clock: bool = True,
    ) -> WriteResult:
        """Returns what changed after making the bank's rows equal to `frame`, in at most one commit.

        Rows are compared by key; only those that differ are written, so that the change feed shows what changed and a
        second write of the same frame adds no version. Clock columns are kept from the stored row where nothing else
        in it changed. The literal bank stands in the predicate: writers of different banks never conflict.

        Args:
            name: The table.
            bank: The bank; every row of the frame must belong to it.
            frame: All rows that the bank (or the part that `where` names) shall have.
            where: Which stored rows the frame stands for, as a mask; the others stay. Default: all of the bank's.
            keep_clock: False writes a row even where only its clock columns differ.

        Raises:
            SchemaMismatchError: The frame's columns or types are not the declared ones.
            LakeError: A key is null or stands twice, a row is of another bank, or the commit failed.
        """
        table = self.table(name)
        frame = conform(frame, table)
        _check_rows(frame, table, bank)

        @retry(
            retry=retry_if_exception_type(_CommitConflictError),
            stop=stop_after_attempt(COMMIT_ATTEMPTS),
            wait=wait_random_exponential(multiplier=0.05, max=2),
            reraise=True,
        )
        def commit() -> WriteResult:
            stored = self.read(name, bank)
            if where is not None:
                stored = stored.filter(where(stored))
            changes = _difference(frame, stored, table, ignored=table.clock if keep_clock else ())
            version = self._commit(table, bank, changes)
            counts = {row[0]: row[1] for row in changes.group_by(_OPERATION).len().iter_rows()}
            return WriteResult(
                table=name,
                bank=bank,
                version=version,
                rows=self.count(name, bank),
                inserted=counts.get("insert", 0),
                updated=counts.get("update", 0),
                deleted=counts.get("delete", 0),
            )

        try:
            return commit()
        except _CommitConflictError as error:
            raise LakeError(
                f"table {name}, bank {bank}: another writer kept committing ({COMMIT_ATTEMPTS} tries). "
                f"Run one ingestion of a bank at a time, then run again: nothing was written. {error}"
            ) from error

    def _commit(self, table: Table, bank: str, changes: pl.DataFrame) -> int:
        from deltalake.exceptions import CommitFailedError, DeltaError

        try:
            delta = self._create(table)
            if changes.height == 0:
                return delta.version()
            on = " AND ".join(f"t.{key} = s.{key}" for key in table.key)
            values = {column: f"s.{column}" for column in table.schema}
            (
                delta.merge(
                    source=changes,
                    predicate=f"t.bank_id = '{bank.replace(chr(39), chr(39) * 2)}' AND {on}",
                    source_alias="s",
                    target_alias="t",
                )
                .when_matched_delete(predicate=f"s.{_OPERATION} = 'delete'")
                .when_matched_update(updates=values)
                .when_not_matched_insert(updates=values)
                .execute()
            )
            return delta.version()
        except CommitFailedError as error:
            raise _CommitConflictError(str(error)) from error
        except (DeltaError, OSError) as error:
            raise LakeError(
                f"table {table.name} of bank {bank} under {self.root} cannot be written: {error}"
            ) from error

    def _create(self, table: Table) -> DeltaTable:
        from deltalake import DeltaTable

        delta = self.delta(table.name)
        if delta is not None:
            return delta
        return DeltaTable.create(
            self.uri(table.name),
            schema=table.empty().to_arrow().schema,
            mode="ignore",
            partition_by=["bank_id"],
            name=table.name,
            description=table.description,
            configuration={"delta.enableChangeDataFeed": "true"},
            storage_options=self.storage_options,
        )


def _check_rows(frame: pl.DataFrame, table: Table, bank: str) -> None:
    others = frame.filter(pl.col("bank_id").ne_missing(bank)).height
    if others:
        raise LakeError(f"table {table.name}: {others} row(s) are not of bank {bank}; a write is for one bank")
    keys = list(table.keys)
    nulls = frame.filter(pl.any_horizontal(pl.col(keys).is_null())).height
    twice = frame.height - frame.n_unique(keys) if frame.height else 0
    if nulls or twice:
        raise LakeError(f"table {table.name}, bank {bank}: {nulls} row(s) without a key, {twice} repeated key(s)")


def _difference(frame: pl.DataFrame, stored: pl.DataFrame, table: Table, *, ignored: tuple[str, ...]) -> pl.DataFrame:
    """Returns the rows to write, with `_operation` insert, update or delete."""
    keys = list(table.keys)
    compared = [column for column in table.schema if column not in keys and column not in ignored]
    inserted = frame.join(stored.select(keys), on=keys, how="anti")
    deleted = stored.join(frame.select(keys), on=keys, how="anti")
    both = frame.join(stored, on=keys, how="inner", suffix="__stored")
    if compared:
        differs = [pl.col(column).ne_missing(pl.col(f"{column}__stored")) for column in compared]
        both = both.filter(pl.any_horizontal(differs))
    else:
        both = both.clear()
    updated = both.select(list(table.schema))
    parts = [(inserted, "insert"), (updated, "update"), (deleted, "delete")]
    return pl.concat([part.with_columns(pl.lit(operation).alias(_OPERATION)) for part, operation in parts])

"""The fact index of a bank: one folder, built once, opened in milliseconds, never changed.

It holds a Tantivy index (BM25, one segment, statistics of this bank alone) and the facts themselves as an uncompressed
Arrow file that readers map into memory. Rows stand in tie order (`updated_at` newest first, undated last, then
`fact_id`), so that a row number is at once an address and the last word on ties.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from tierlake.errors import LakeError
from tierlake.read.analysis import TermWriter, bank_languages, query_terms
from transforms.schemas import FACTS, conform

if TYPE_CHECKING:
    import tantivy

# Part of an index's name: raise it with every change of what is written here or of how text is analyzed.
INDEX_VERSION: Final = "1"
# Equal weights: a word of the title also stands in the body, which already counts it twice.
FIELDS: Final = {"title": 1.0, "body": 1.0, "speaker": 1.0, "entities": 1.0, "date": 1.0}

_META: Final = "tierlake.json"
_FACTS: Final = "facts.arrow"
_TEXT: Final = "text"
# Tokens come ready made and separated by spaces.
_TOKENIZER: Final = "whitespace"
# One thread that never has to flush gives one segment in the order of the rows; memory is taken only as needed.
_WRITER_BYTES: Final = 3_500_000_000
# Bounds the memory of the analysis, which is a multiple of the text that it holds at once.
_BATCH: Final = 50_000
_DATE_FORMATS: Final = {"year": "%Y", "month": "%B %Y", "quarter": "%B %Y"}
_DAY: Final = "%A %-d %B %Y"


@dataclass(frozen=True)
class Matches:
    """Facts that match a query, all of them.

    Attributes:
        rows: Row numbers in `FactIndex.facts`, ascending.
        scores: BM25 of each, above 0.
    """

    rows: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]


def build_index(facts: pl.DataFrame, directory: Path) -> None:
    """Writes the index of a bank's facts: complete or not at all.

    Args:
        facts: All facts of one bank, with the columns of the table `facts`.
        directory: Where; it must not exist, unless it holds the index of the same facts.

    Raises:
        LakeError: The facts are of several banks, or the folder holds something else.
    """
    rows = tie_order(conform(facts, FACTS))
    if rows["bank_id"].n_unique() > 1:
        raise LakeError(f"an index is of one bank, not of {sorted(rows['bank_id'].unique())}")
    if directory.exists():
        if not FactIndex.open(directory).facts.equals(rows):
            raise LakeError(f"{directory} holds the index of other facts, and an index never changes: remove it first")
        return
    waiting = directory.with_name(f".{directory.name}.{os.getpid()}")
    shutil.rmtree(waiting, ignore_errors=True)
    (waiting / _TEXT).mkdir(parents=True)
    languages = bank_languages(rows["language"])
    # One record batch, so that a row number finds its row in constant time.
    rows.rechunk().write_ipc(waiting / _FACTS, compression="uncompressed", record_batch_size=max(1, rows.height))
    _write_text(rows, waiting / _TEXT)
    tiers = sorted(rows["tier"].drop_nulls().unique())
    meta = {"index_version": INDEX_VERSION, "languages": languages, "tiers": tiers, "facts": rows.height}
    (waiting / _META).write_text(json.dumps(meta, sort_keys=True), encoding="utf-8")
    waiting.rename(directory)


def tie_order(facts: pl.DataFrame) -> pl.DataFrame:
    """Returns facts sorted newest first (undated last), ties by `fact_id`: the order of an index's rows."""
    return facts.sort("updated_at", "fact_id", descending=[True, False], nulls_last=[True, False])


def _mapped(file: Path) -> pl.DataFrame:
    """Returns an Arrow file as a frame over the mapped file; Polars' own reader copies all of it into memory."""
    import pyarrow as pa

    with pa.memory_map(str(file)) as source:
        frame = pl.from_arrow(pa.ipc.open_file(source).read_all())
    if not isinstance(frame, pl.DataFrame) or frame.schema != FACTS.schema:
        raise ValueError(f"{file} does not hold the columns of the table facts")
    return frame


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    for field in FIELDS:
        # Frequencies are all that BM25 needs; positions would double the size.
        builder.add_text_field(field, stored=False, tokenizer_name=_TOKENIZER, index_option="freq")
    builder.add_text_field("tier", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("row", stored=False, indexed=False, fast=True)
    return builder.build()


def _write_text(rows: pl.DataFrame, directory: Path) -> None:
    import tantivy

    writer = tantivy.Index(_schema(), path=str(directory)).writer(heap_size=_WRITER_BYTES, num_threads=1)
    analyze = TermWriter()
    main = _main_language(rows)
    numbered = rows.with_row_index("row")
    for start in range(0, rows.height, _BATCH):
        batch = _texts(numbered.slice(start, _BATCH), main)
        terms = batch.select(
            "row", "tier", *[analyze(batch[field], batch["language"]).alias(field) for field in FIELDS]
        )
        # Tantivy's Python package takes one document a call.
        for line in terms.write_ndjson().removesuffix("\n").split("\n"):
            writer.add_json(line)
    writer.commit()
    writer.wait_merging_threads()


def _main_language(rows: pl.DataFrame) -> str:
    """Returns the language that facts of unknown language are stemmed in: the one that most of the bank's have."""
    known = rows.filter(pl.col("language").is_not_null() & (pl.col("language") != "und"))
    counted = known.group_by("language").len().sort("len", "language", descending=[True, False])
    return str(counted["language"][0]) if counted.height else "und"


def _texts(rows: pl.DataFrame, main_language: str) -> pl.DataFrame:
    """Returns the text of each field; the date of a fact in words, as exact as it is known."""
    occurred = pl.col("occurred_start")
    happened = pl.coalesce(
        *[
            pl.when(pl.col("occurred_precision") == precision).then(occurred.dt.strftime(form))
            for precision, form in _DATE_FORMATS.items()
        ],
        occurred.dt.strftime(_DAY),
    )
    said = pl.col("mentioned_at").dt.strftime(_DAY)
    known = pl.col("language").is_not_null() & (pl.col("language") != "und")
    return rows.select(
        "row",
        pl.when(known).then(pl.col("language")).otherwise(pl.lit(main_language)).alias("language"),
        pl.col("tier").fill_null(""),
        "title",
        "body",
        "speaker",
        pl.col("entities").list.eval(pl.element().struct.field("surface")).list.join(" ").alias("entities"),
        pl.when(happened == said)
        .then(said)
        .otherwise(pl.concat_str(happened, said, separator=" ", ignore_nulls=True))
        .alias("date"),
    )


class FactIndex:
    """The open index of a bank. Thread-safe: nothing in it changes after opening.

    Attributes:
        facts: All facts of the bank in tie order, mapped from disk: reading a row touches only its pages.
        languages: The languages of the facts.
        tiers: The tiers of the facts.
    """

    def __init__(
        self, facts: pl.DataFrame, index: tantivy.Index, *, languages: Sequence[str], tiers: Sequence[str]
    ) -> None:
        self.facts = facts
        self.languages = tuple(languages)
        self.tiers = tuple(tiers)
        self._schema = index.schema
        self._searcher = index.searcher()

    @classmethod
    def open(cls, directory: Path) -> FactIndex:
        """Returns the index of a folder.

        Raises:
            LakeError: The folder holds no complete index, or one of another version.
        """
        import tantivy

        advice = "run `tierlake run` to build it again"
        try:
            meta = json.loads((directory / _META).read_text(encoding="utf-8"))
            if meta["index_version"] != INDEX_VERSION:
                found = f"is of version {meta['index_version']}, this tierlake reads {INDEX_VERSION}"
                raise LakeError(f"the index {directory} {found}; {advice}")
            index = tantivy.Index.open(str(directory / _TEXT))
            return cls(_mapped(directory / _FACTS), index, languages=meta["languages"], tiers=meta["tiers"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise LakeError(f"the index {directory} cannot be opened: {error}; {advice}") from error

    def search(self, query: str, *, tiers: Collection[str] | None = None) -> Matches:
        """Returns every fact that matches a query, with its BM25 score; nothing is cut.

        Args:
            query: Words; never query syntax.
            tiers: Only facts of these tiers are scored; None scores those of all. Statistics are always the bank's.
        """
        parsed = self._query(query, tiers)
        if parsed is None or self.facts.height == 0:
            return Matches(np.empty(0, np.int64), np.empty(0, np.float64))
        hits = self._searcher.search(parsed, limit=self.facts.height, count=False).hits
        if self._searcher.num_segments == 1:
            addresses = [address.doc for _, address in hits]
        else:
            addresses = [int(row or 0) for row in self._searcher.fast_field_values("row", [at for _, at in hits])]
        rows = np.array(addresses, dtype=np.int64)
        order = np.argsort(rows)
        return Matches(rows[order], np.array([score for score, _ in hits], dtype=np.float64)[order])

    def _query(self, query: str, tiers: Collection[str] | None) -> tantivy.Query | None:
        from tantivy import Occur, Query

        def spelling(field: str, terms: tuple[str, ...]) -> Query:
            found = [Query.term_query(self._schema, field, term, "freq") for term in terms]
            # Stems of one word in several languages are one word: the best counts.
            return found[0] if len(found) == 1 else Query.disjunction_max_query(found)

        words = query_terms(query, self.languages)
        scored = [
            (Occur.Should, Query.boost_query(spelling(field, terms), boost))
            for terms in words
            for field, boost in FIELDS.items()
        ]
        if not scored:
            return None
        parsed = Query.boolean_query(scored)
        if tiers is None:
            return parsed
        wanted = Query.boolean_query(
            [(Occur.Should, Query.term_query(self._schema, "tier", tier, "basic")) for tier in sorted(tiers)]
        )
        return Query.boolean_query([(Occur.Must, parsed), (Occur.Must, Query.const_score_query(wanted, 0.0))])

"""Gold sets: queries and graded spans of documents, as people wrote them down.

A folder holds `queries.jsonl` (query_id, bank, query, ids, options) and `judgements.jsonl` (query_id, uri, start, end,
grade, quote). Grades are of spans and not of facts, so that they outlive any extractor.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from tierlake.errors import TierlakeError, UnknownNameError
from transforms.ids import stable_id
from transforms.schemas import EVALUATION_JUDGEMENTS, EVALUATION_QUERIES, conform

QUERIES_FILE: Final = "queries.jsonl"
JUDGEMENTS_FILE: Final = "judgements.jsonl"

_Name = Annotated[str, StringConstraints(min_length=1)]
_Model = TypeVar("_Model", bound=BaseModel)


class GoldError(TierlakeError):
    """A gold set cannot be used; carries every fault at once."""

    def __init__(self, folder: Path, faults: Iterable[str]) -> None:
        self.folder = folder
        self.faults = list(faults)
        listing = "\n".join(f"  - {fault}" for fault in self.faults)
        super().__init__(f"{folder}: {len(self.faults)} fault(s) in the gold set\n{listing}")


class _Options(BaseModel):
    """Options of `read` that a query may set; a misspelled one would silently measure something else."""

    model_config = ConfigDict(extra="forbid", strict=True)

    max_results: int | None = None
    tier_weights: dict[str, float] | None = None
    tier_floors: dict[str, int] | None = None
    include_zero_weight_entities: bool | None = None
    pre_filter_limit: int | None = None
    hybrid_weight: float | None = None
    filters: dict[str, Any] | None = None
    include_entities: bool | None = None
    expand: int | None = None


class _Query(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    query_id: _Name
    bank: _Name
    query: Annotated[str, StringConstraints(strip_whitespace=False, pattern=r"\S")]
    ids: Annotated[list[_Name], Field(min_length=1)]
    options: _Options = _Options()


class _Judgement(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    query_id: _Name
    uri: _Name
    start: Annotated[int, Field(ge=0)]
    end: int
    grade: Annotated[int, Field(ge=0, le=3)]
    quote: str | None = None

    @model_validator(mode="after")
    def _span_is_whole(self) -> _Judgement:
        if self.end <= self.start:
            raise ValueError(f"end {self.end} is not after start {self.start}")
        if self.quote is not None and len(self.quote) != self.end - self.start:
            raise ValueError(f"the quote has {len(self.quote)} characters, its span {self.end - self.start}")
        return self


@dataclass(frozen=True)
class Gold:
    """The labeled queries of one bank.

    Attributes:
        dataset: Name of the set.
        bank: The bank.
        queries: Frame of `schemas.EVALUATION_QUERIES`.
        judgements: Frame of `schemas.EVALUATION_JUDGEMENTS`, and `quote`: the words at the span, where they were given.
        moved: Judgements left out because their document does not hold the quote at the span, or is not there.
    """

    dataset: str
    bank: str
    queries: pl.DataFrame
    judgements: pl.DataFrame
    moved: int = 0

    def fingerprint(self) -> str:
        """Returns a hash of queries and judgements, the same for any order of lines in the files."""
        # Both are sorted by key.
        return stable_id(self.queries.write_ndjson(), self.judgement_rows().write_ndjson())

    def judgement_rows(self) -> pl.DataFrame:
        """Returns the judgements as rows of their table, without quotes."""
        return conform(self.judgements.drop("quote"), EVALUATION_JUDGEMENTS)


def load_gold(folder: Path, bank: str, *, dataset: str | None = None) -> Gold:
    """Returns the labeled queries of a bank.

    Args:
        folder: Where the two files are.
        bank: The bank; queries of other banks are checked, and left out.
        dataset: Name of the set; default: the folder's name.

    Raises:
        GoldError: A file is missing or has faults; all of them are listed, with file and line.
        UnknownNameError: The set has no query for the bank.
    """
    faults: list[str] = []
    queries = list(_read(folder / QUERIES_FILE, _Query, faults))
    judgements = list(_read(folder / JUDGEMENTS_FILE, _Judgement, faults))
    faults += _inconsistencies(queries, judgements)
    if faults:
        raise GoldError(folder, faults)
    mine = [query for query in queries if query.bank == bank]
    if not mine:
        raise UnknownNameError("bank in the gold set", bank, sorted({query.bank for query in queries}))
    name = dataset or folder.resolve().name
    ids = {query.query_id for query in mine}
    common = {"bank_id": bank, "dataset": name}
    query_rows = [
        {**common, **query.model_dump(exclude={"bank"}), "options": query.options.model_dump_json(exclude_unset=True)}
        for query in mine
    ]
    judgement_rows = [{**common, **judged.model_dump()} for judged in judgements if judged.query_id in ids]
    schema = {**EVALUATION_JUDGEMENTS.schema, "quote": pl.String()}
    return Gold(
        dataset=name,
        bank=bank,
        queries=conform(pl.DataFrame(query_rows, schema=EVALUATION_QUERIES.schema), EVALUATION_QUERIES),
        judgements=pl.DataFrame(judgement_rows, schema=schema).sort(list(EVALUATION_JUDGEMENTS.keys)),
    )


def _read(file: Path, model: type[_Model], faults: list[str]) -> Iterator[_Model]:
    """Yields the valid rows of a file of JSON lines, and adds what is wrong with the others to `faults`."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        faults.append(f"{file.name}: cannot be read: {error}")
        return
    # A line ends with a line feed only: other line breaks may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield model.model_validate(json.loads(line))
        except json.JSONDecodeError as error:
            faults.append(f"{file.name}, line {number}: not JSON: {error}")
        except ValidationError as error:
            where = f"{file.name}, line {number}"
            faults += [f"{where}: {'.'.join(map(str, each['loc'])) or 'row'}: {each['msg']}" for each in error.errors()]


def _inconsistencies(queries: list[_Query], judgements: list[_Judgement]) -> list[str]:
    known = Counter(query.query_id for query in queries)
    spans = Counter((judged.query_id, judged.uri, judged.start, judged.end) for judged in judgements)
    strangers = {judged.query_id for judged in judgements} - set(known)
    faults = [f"{QUERIES_FILE}: query_id {name!r} stands {count} times" for name, count in known.items() if count > 1]
    faults += [
        f"{JUDGEMENTS_FILE}: query {name!r} has {count} grades for {uri}, {start} to {end}"
        for (name, uri, start, end), count in spans.items()
        if count > 1
    ]
    # Without a valid line of queries every judgement would be a stranger: the faults of the lines say enough.
    if known:
        faults += [f"{JUDGEMENTS_FILE}: query_id {name!r} is not in {QUERIES_FILE}" for name in sorted(strangers)]
    return faults


def keep_verified(gold: Gold, documents: pl.DataFrame) -> Gold:
    """Returns the gold set without judgements that the documents no longer bear out, which it counts as `moved`.

    A span without a quote is kept where its document is long enough for it.

    Args:
        gold: The gold set.
        documents: Frame with `uri` and `text`: the bank's documents.
    """
    texts = documents.select("uri", "text").unique("uri", keep="any")
    placed = gold.judgements.join(texts, on="uri", how="left")
    found = pl.col("text").str.slice(pl.col("start"), pl.col("end") - pl.col("start"))
    long_enough = pl.col("text").str.len_chars() >= pl.col("end")
    verified = pl.when(pl.col("quote").is_null()).then(long_enough).otherwise(found == pl.col("quote"))
    kept = placed.filter(verified.fill_null(value=False)).drop("text").sort(list(EVALUATION_JUDGEMENTS.keys))
    return replace(gold, judgements=kept, moved=gold.moved + gold.judgements.height - kept.height)

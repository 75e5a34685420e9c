"""Runs an extractor over chunks: each content once, kept in the cache, failures kept in quarantine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import polars as pl

from tierlake.errors import ExtractorError
from tierlake.extractors.base import ExtractionRequest, ExtractionResult, Extractor
from tierlake.progress import progress
from tierlake.quarantine import FAILURE
from transforms.chunking import ChunkingConfig, extractor_input
from transforms.ids import stable_id
from transforms.payload import Extraction
from transforms.schemas import EXTRACTION_CACHE

# Results are kept after so many, so that a run that is killed repeats little.
SAVE_EVERY = 64


@dataclass(frozen=True)
class ExtractionRun:
    """What extraction left.

    Attributes:
        cache: Frame of `schemas.EXTRACTION_CACHE`: all that the bank's chunks still need, and output of other models
            for the same content.
        extractions: Extraction by input hash.
        failures: Frame of `quarantine.FAILURE`.
        called: Chunks that were given to the extractor in this run.
        tokens_in: Tokens sent in this run.
        tokens_out: Tokens received in this run.
        cost_usd: Cost of this run.
    """

    cache: pl.DataFrame
    extractions: dict[str, Extraction]
    failures: pl.DataFrame
    called: int
    tokens_in: int
    tokens_out: int
    cost_usd: float


def code_version(extractor: Extractor) -> str:
    """Returns what decides whether a failed chunk is tried again: the extractor, its model and its version."""
    return f"{extractor.name}/{extractor.model}/{extractor.version}"


def extract_chunks(
    documents: pl.DataFrame,
    chunks: pl.DataFrame,
    extractor: Extractor,
    *,
    cache: pl.DataFrame,
    known_failures: pl.DataFrame,
    save: Callable[[pl.DataFrame], object],
    config: ChunkingConfig | None = None,
) -> ExtractionRun:
    """Returns the extraction of every chunk, calling the extractor only for content that has none.

    Args:
        documents: Frame of `schemas.DOCUMENTS`.
        chunks: Frame of `schemas.CHUNKS`.
        extractor: The extractor.
        cache: The bank's stored cache.
        known_failures: Rows of quarantine whose chunks are not tried again.
        save: Called with new rows of the cache, some at a time.
        config: Sizes that `chunks` was made with.
    """
    cache = cache.join(chunks.select("input_hash"), on="input_hash", how="semi")
    cached = cached_extractions(cache, chunks, extractor)
    settled = {*cached, *known_failures["content_hash"].to_list()}
    wanted = chunks.filter(~pl.col("input_hash").is_in(list(settled)))
    requests = _requests(documents, wanted, config or ChunkingConfig())
    results = _call(extractor, requests, save=lambda done: save(_cache_rows(done, documents, extractor)))
    good = [result for result in results if result.extraction is not None]
    extractions = cached | {result.input_hash: result.extraction for result in good if result.extraction is not None}
    return ExtractionRun(
        cache=pl.concat([cache, _cache_rows(good, documents, extractor)]),
        extractions=extractions,
        failures=_failures(results, documents, chunks, known_failures),
        called=len(requests),
        tokens_in=sum(result.tokens_in for result in results),
        tokens_out=sum(result.tokens_out for result in results),
        cost_usd=sum(result.cost_usd for result in results),
    )


def _requests(documents: pl.DataFrame, chunks: pl.DataFrame, config: ChunkingConfig) -> list[ExtractionRequest]:
    """Returns one request for each content, in the order of its hash: no order of documents shows."""
    by_id = {row["document_id"]: row for row in documents.iter_rows(named=True)}
    first = chunks.unique("input_hash", keep="any").sort("input_hash")
    return [
        ExtractionRequest(**extractor_input(by_id[document_id], start, end, config))
        for document_id, start, end in first.select("document_id", "start", "end").iter_rows()
    ]


def _call(
    extractor: Extractor, requests: list[ExtractionRequest], *, save: Callable[[list[ExtractionResult]], object]
) -> list[ExtractionResult]:
    results: list[ExtractionResult] = []
    unsaved: list[ExtractionResult] = []
    if not requests:
        return results
    with progress(f"extracting ({extractor.name})", len(requests)) as advance:
        for result in extractor.extract(requests, lambda _: advance()):
            results.append(result)
            if result.extraction is not None:
                unsaved.append(result)
            if len(unsaved) >= SAVE_EVERY:
                save(unsaved)
                unsaved = []
    if unsaved:
        save(unsaved)
    return sorted(results, key=lambda result: result.input_hash)


def _cache_rows(results: Iterable[ExtractionResult], documents: pl.DataFrame, extractor: Extractor) -> pl.DataFrame:
    bank = documents["bank_id"].first()
    rows = [
        {
            "bank_id": bank,
            "cache_key": stable_id(result.input_hash, extractor.name, extractor.model, extractor.version),
            "input_hash": result.input_hash,
            "extractor": extractor.name,
            "model": extractor.model,
            "prompt_version": extractor.version,
            "output": result.extraction.model_dump_json(exclude_defaults=True),
            "tokens_in": result.tokens_in,
            "tokens_out": result.tokens_out,
            "cost_usd": result.cost_usd,
        }
        for result in results
        if result.extraction is not None
    ]
    return pl.DataFrame(rows, schema=EXTRACTION_CACHE.schema)


def _failures(
    results: list[ExtractionResult], documents: pl.DataFrame, chunks: pl.DataFrame, known: pl.DataFrame
) -> pl.DataFrame:
    """Returns a row for each chunk (or rejected fact) that stands failed, known ones of live chunks included."""
    uris = documents.select("document_id", "uri")
    places = chunks.join(uris, on="document_id").select(
        "bank_id", "uri", "document_id", "chunk_id", pl.col("input_hash").alias("content_hash")
    )
    new = [
        {
            "content_hash": result.input_hash,
            "reason": failure.reason,
            "detail": failure.detail,
            "transient": failure.transient,
            "part": stable_id(failure.item) if failure.item else "",
        }
        for result in results
        for failure in result.failures
    ]
    schema = {"content_hash": pl.String, "reason": pl.String, "detail": pl.String, "transient": pl.Boolean}
    fresh = pl.DataFrame(new, schema={**schema, "part": pl.String})
    # The part of a known failure stands behind its chunk's id, so that it holds for every chunk of that content.
    old = known.with_columns(pl.col("item").str.split(":").list.get(1, null_on_oob=True).fill_null("").alias("part"))
    failures = pl.concat([frame.select(list(fresh.schema)) for frame in (fresh, old)])
    failures = failures.join(places, on="content_hash").with_columns(
        pl.when(pl.col("part") == "").then("chunk_id").otherwise(pl.format("{}:{}", "chunk_id", "part")).alias("item")
    )
    return failures.select(list(FAILURE)).unique("item", keep="first").sort("item")


def refuse_to_empty(stored_facts: int, chunks: pl.DataFrame, run: ExtractionRun) -> None:
    """Raises where a passing failure would take most of a memory away: the tables stay as they were.

    A few chunks that wait in quarantine cost a few facts. An endpoint that cannot be reached at all, after a change of
    extractor, would cost them all.

    Args:
        stored_facts: Facts that the bank has now.
        chunks: Frame of `schemas.CHUNKS`.
        run: What extraction left.

    Raises:
        ExtractorError: More than half of the chunks failed and would be tried again, in a bank that has facts.
    """
    waiting = run.failures.filter("transient")
    failed = waiting["chunk_id"].n_unique()
    if stored_facts and failed * 2 > chunks.height:
        reasons = ", ".join(waiting["reason"].unique().sort().to_list())
        raise ExtractorError(
            f"{failed} of {chunks.height} chunks could not be extracted ({reasons}): publishing that would take most "
            "of the bank's facts away, so the tables stay as they were. See `tierlake quarantine`, mend the endpoint "
            "in [extractor], and run again: what was extracted is kept."
        )


def cached_extractions(cache: pl.DataFrame, chunks: pl.DataFrame, extractor: Extractor) -> dict[str, Extraction]:
    """Returns what the cache holds for the chunks from this extractor, by input hash; nothing is called."""
    mine = (pl.col("extractor") == extractor.name) & (pl.col("model") == extractor.model)
    mine &= pl.col("prompt_version") == extractor.version
    rows = cache.filter(mine).join(chunks.select("input_hash"), on="input_hash", how="semi")
    return {
        key: Extraction.model_validate_json(output) for key, output in rows.select("input_hash", "output").iter_rows()
    }

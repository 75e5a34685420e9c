"""Sources into documents: what each bank's files say now, read anew only where something changed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import polars as pl

from tierlake.config import Settings, SourceSettings
from tierlake.errors import ConfigError, LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.discovery import FoundFile, find_files, printable, read_file
from tierlake.loaders.language import detect_language
from tierlake.loaders.records import COPIES, language_code
from tierlake.loaders.registry import LOADER_VERSION, code_version, load_bytes, option_faults
from transforms.ids import stable_id
from transforms.schemas import DOCUMENTS

__all__ = ["FAILURES", "LOADER_VERSION", "LoadedSources", "load_documents", "source_state"]

FAILURES: Final = pl.Schema(dict.fromkeys(("bank_id", "item", "uri", "reason", "detail", "content_hash"), pl.String))
_SCHEMA: Final = pl.Schema({name: dtype for name, dtype in DOCUMENTS.schema.items() if name != "ingested_at"})
# The mark of code, settings and completeness under which a row was read; no part of what a document says.
_MARK: Final = "_loader"


@dataclass(frozen=True)
class LoadedSources:
    """What the sources of a bank hold.

    Attributes:
        documents: Table `documents` without `ingested_at`, sorted by key.
        failures: `bank_id, item, uri, reason, detail, content_hash`, sorted by item: what could not be read.
        counts: `files` found; `records` in them (a file that cannot be read is one); of these `documents`, `failed`,
            `expired` and `duplicates` (the same id and content again), which add up to `records`; and `reused`, the
            documents that were taken over without parsing.
    """

    documents: pl.DataFrame
    failures: pl.DataFrame
    counts: dict[str, int]


@dataclass
class _Reading:
    """What has been read so far; filled file by file."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    failures: list[tuple[str, dict[str, Any]]] = field(default_factory=list)  # source name, row
    reused: list[tuple[str, str]] = field(default_factory=list)  # source name, path
    files: int = 0


def load_documents(settings: Settings, bank: str, previous: pl.DataFrame | None = None) -> LoadedSources:
    """Returns the documents of a bank's sources, and what could not be read.

    The result depends on the files and the settings alone; `previous` only saves parsing. A bank without a source has
    no documents.

    Args:
        settings: The configuration.
        bank: The bank.
        previous: The stored documents of the bank, if any: rows of files that are the same, under the same settings
            and code, are taken from there.

    Raises:
        SourceMissingError: A source's path is not there.
        ConfigError: A source has options that its loader does not know.
    """
    sources = [source for source in settings.sources if source.bank == bank]
    faults = [
        f"source {source.name!r}: {fault}"
        for source in sources
        for fault in option_faults(source.loader, source.options)
    ]
    if faults:
        raise ConfigError(settings.base / "tierlake.toml", faults)
    # All of them, before anything is read: a missing source must not leave half a bank.
    found = [(source, find_files(settings, source)) for source in sources]
    stored = _stored(previous)
    known = _reusable(stored)
    reading = _Reading()
    # A file at a time: files are what is read, parsed and fails.
    for source, files in found:
        mark = _settings_mark(settings, source)
        for file in files:
            _read(reading, settings, source, file, mark=mark, known=known)
    return _result(settings, bank, reading, stored)


def source_state(settings: Settings, bank: str) -> dict[str, str]:
    """Returns path to size and time of change of each file of a bank's sources: cheap, and different after a change.

    Raises:
        SourceMissingError: A source's path is not there.
    """
    state = {}
    for source in settings.sources:
        if source.bank == bank:
            for file in find_files(settings, source):
                status = file.path.stat() if file.fault is None else file.path.lstat()
                state[file.uri] = f"{status.st_size}:{status.st_mtime_ns}"
    return state


def _settings_mark(settings: Settings, source: SourceSettings) -> str:
    decisive = source.model_dump(mode="json", exclude={"bank"})
    return stable_id(code_version(), json.dumps(decisive, sort_keys=True), *settings.tiers)


def _stored(previous: pl.DataFrame | None) -> pl.DataFrame:
    frame = previous.select(list(_SCHEMA)) if previous is not None else pl.DataFrame(schema=_SCHEMA)
    return frame.with_columns(pl.col("metadata").str.json_path_match(f"$.{_MARK}").alias(_MARK))


def _reusable(stored: pl.DataFrame) -> dict[tuple[str, str], str]:
    """Returns (source, path) to the hash and mark that a file must still have for its stored rows to stand.

    The mark holds the number of the file's rows: where some are missing (expired, forgotten) it is read anew.
    """
    whole = stored.group_by("source", "path").agg(
        pl.len().cast(pl.String).alias("rows"),
        pl.col("file_hash").min(),
        pl.col(_MARK).min(),
        same=(pl.col("file_hash").n_unique() == 1) & (pl.col(_MARK).n_unique() == 1),
    )
    counted = pl.col(_MARK).str.split(":").list.last() == pl.col("rows")
    kept = whole.filter(pl.col("same") & counted)
    return {
        (source, path): f"{file_hash} {mark}"
        for source, path, file_hash, mark in kept.select("source", "path", "file_hash", _MARK).iter_rows()
    }


def _read(
    reading: _Reading,
    settings: Settings,
    source: SourceSettings,
    file: FoundFile,
    *,
    mark: str,
    known: dict[tuple[str, str], str],
) -> None:
    reading.files += 1
    file_hash = ""
    try:
        data = read_file(file, source.max_bytes)
        file_hash = hashlib.sha256(data).hexdigest()
        if known.get((source.name, file.uri), "").rpartition(":")[0] == f"{file_hash} {mark}":
            reading.reused.append((source.name, file.uri))
            return
        items = load_bytes(data, name=printable(file.path.name), loader=source.loader, options=source.options)
    except LoadError as error:
        # Without bytes the reason stands in for the content: another reason is another failure.
        content = file_hash or stable_id(error.reason, error.detail)
        reading.failures.append((source.name, _failure(source, file, file.uri, error, content)))
        return
    documents = [item for item in items if isinstance(item, LoadedDocument) and item.text.strip()]
    # A file with failures gets a mark that never fits, for its failures have to be found again.
    mark = f"{mark}:{len(documents)}" if len(documents) == len(items) else f"{mark}:incomplete"
    reading.rows += [_row(settings, source, file, document, file_hash=file_hash, mark=mark) for document in documents]
    reading.failures += [
        (source.name, _failure(source, file, _uri(file, item.key), _reason(item), file_hash))
        for item in items
        if isinstance(item, BadRecord) or not item.text.strip()
    ]


def _reason(item: LoadedDocument | BadRecord) -> LoadError:
    if isinstance(item, BadRecord):
        return LoadError(item.reason, item.detail)
    return LoadError("empty", "there is no text in it")


def _uri(file: FoundFile, key: str) -> str:
    return f"{file.uri}#{key}" if key else file.uri


def _failure(source: SourceSettings, file: FoundFile, item: str, error: LoadError, content: str) -> dict[str, Any]:
    return {
        "bank_id": source.bank,
        "item": item,
        "uri": file.uri,
        "reason": error.reason,
        "detail": error.detail.encode("utf-8", "backslashreplace").decode("utf-8"),
        "content_hash": content,
    }


def _row(
    settings: Settings, source: SourceSettings, file: FoundFile, document: LoadedDocument, *, file_hash: str, mark: str
) -> dict[str, Any]:
    title = document.title or printable(file.path.stem).replace("_", " ").replace("-", " ").strip()
    declared = document.language or language_code(source.language)
    metadata = {**document.metadata}
    if "tags" in metadata:
        metadata["tags"] = _tags(metadata["tags"])
    row: dict[str, Any] = {
        "title": title,
        "text": document.text,
        "tier": _tier(settings, source, metadata.get("tier")),
        "language": declared or detect_language(f"{title}\n{document.text}"),
        "author": document.author,
        "authored_at": document.authored_at,
        "turns": [
            {"start": turn.start, "end": turn.end, "speaker": turn.speaker, "at": turn.at} for turn in document.turns
        ],
    }
    said = {name: value for name, value in metadata.items() if name != COPIES}
    told = json.dumps({**row, "metadata": said}, sort_keys=True, default=str)  # default: the times
    return row | {
        "bank_id": source.bank,
        "document_id": stable_id(source.name, file.relative, document.key),
        "uri": _uri(file, document.key),
        "source": source.name,
        "path": file.uri,
        "file_hash": file_hash,
        "media_type": document.media_type,
        "content_hash": stable_id(told),
        "metadata": json.dumps({**metadata, _MARK: mark}, sort_keys=True, ensure_ascii=False),
    }


def _tags(value: Any) -> list[str]:
    """Returns tags as a sorted list; text is split at commas and semicolons."""
    several = value if isinstance(value, list) else str(value or "").replace(";", ",").split(",")
    return sorted({str(tag).strip() for tag in several if tag is not None and str(tag).strip()})


def _tier(settings: Settings, source: SourceSettings, claimed: Any) -> str:
    """Returns the document's tier: it may lower itself; only a trusted one may raise itself."""
    order = list(settings.tiers)
    if not isinstance(claimed, str) or claimed not in order:
        return source.tier
    lower = order.index(claimed) > order.index(source.tier)
    return claimed if lower or source.trust_front_matter else source.tier


def _result(settings: Settings, bank: str, reading: _Reading, stored: pl.DataFrame) -> LoadedSources:
    keys = pl.DataFrame(reading.reused, schema={"source": pl.String, "path": pl.String}, orient="row")
    kept = stored.drop(_MARK).join(keys, on=["source", "path"], how="semi")
    read = pl.concat([pl.DataFrame(reading.rows, schema=_SCHEMA), kept])
    documents = read.filter(~_expired(settings, read)).sort("document_id")
    failures = pl.DataFrame(list(_distinct(reading.failures)), schema=FAILURES).sort("item")
    copies = pl.col("metadata").str.json_path_match(f"$.{COPIES}").cast(pl.Int64, strict=False).fill_null(1)
    duplicates = int(read.select((copies - 1).sum()).item() or 0)
    counts = {
        "files": reading.files,
        "records": read.height + failures.height + duplicates,
        "documents": documents.height,
        "failed": failures.height,
        "expired": read.height - documents.height,
        "duplicates": duplicates,
        "reused": kept.height,
    }
    return LoadedSources(documents.with_columns(pl.lit(bank).alias("bank_id")), failures, counts)


def _expired(settings: Settings, read: pl.DataFrame) -> pl.Expr:
    """Returns which rows are past their tier's `ttl_days`, counted from the bank's newest document, not the clock."""
    newest = read.get_column("authored_at").max()
    expired = pl.lit(value=False)
    for tier, its in settings.tiers.items():
        if its.ttl_days is not None and newest is not None:
            limit = pl.lit(newest, dtype=_SCHEMA["authored_at"]) - timedelta(days=its.ttl_days)
            expired = expired | ((pl.col("tier") == tier) & (pl.col("authored_at") < limit)).fill_null(value=False)
    return expired


def _distinct(failures: list[tuple[str, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yields the failures with one item each: those that share one (a file in two sources) are told apart by source."""
    times = Counter(row["item"] for _, row in failures)
    seen: Counter[str] = Counter()
    # By content, so that the numbers do not depend on the order of sources.
    for source, row in sorted(failures, key=lambda one: (one[1]["item"], one[0], one[1]["reason"], one[1]["detail"])):
        item = row["item"]
        seen[item] += 1
        yield row if times[item] == 1 else {**row, "item": f"{item} ({source}, {seen[item]})"}

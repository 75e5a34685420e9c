"""Records of a file: their fields, keys and JSON values, and what happens to records that share a key."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final, Self

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.dates import note_date
from tierlake.loaders.decoding import clean_line, clean_text
from transforms.ids import stable_id

# Deeper values are attacks; what they hold stays readable as text.
_MAX_DEPTH: Final = 20
# Python refuses to print longer integers (its own guard against quadratic conversion).
_MAX_INTEGER_BITS: Final = 4096
_MAX_KEY: Final = 200  # longer keys make unusable uris: their hash stands in
_SHOWN_HASH: Final = 12
# Metadata: how often the record stands in its file; no part of what it says.
COPIES: Final = "_copies"

# Field -> names that are tried in order where the options name none.
DEFAULT_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "text": ("text", "body", "content"),
    "id": ("id",),
    "title": ("title", "subject"),
    "date": ("date", "created_at", "timestamp"),
    "author": ("author", "from"),
    "language": ("language", "lang"),
}
FIELD_OPTIONS: Final = frozenset(f"{field}_field" for field in DEFAULT_FIELDS)


@dataclass(frozen=True)
class Fields:
    """Names under which a record's text, id, title, date, author and language are looked for, in order."""

    text: tuple[str, ...]
    id: tuple[str, ...]
    title: tuple[str, ...]
    date: tuple[str, ...]
    author: tuple[str, ...]
    language: tuple[str, ...]

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        """Returns the names that the source's options give (`text_field`, `id_field`, ...), else the usual ones."""
        named = {field: options.get(f"{field}_field") for field in DEFAULT_FIELDS}
        return cls(**{field: (str(name),) if name else DEFAULT_FIELDS[field] for field, name in named.items()})


def first_named(record: dict[str, Any], names: Sequence[str]) -> tuple[str | None, Any]:
    """Returns the first of `names` that has a value in the record, with the value; (None, None) where none has.

    Example:
        >>> first_named({"body": "", "content": "x"}, ("text", "body", "content"))
        ('content', 'x')
    """
    for name in names:
        if record.get(name) not in (None, ""):
            return name, record[name]
    return None, None


def record_document(record: dict[str, Any], text: str, fields: Fields, media_type: str) -> LoadedDocument:
    """Returns a record as a document; what no field takes goes to the metadata.

    Raises:
        LoadError: `invalid_record`: the id is neither text nor a whole number.
    """
    taken = {}
    used = set()
    for field in ("id", "title", "date", "author", "language"):
        name, taken[field] = first_named(record, getattr(fields, field))
        used.add(name)
    used.add(first_named(record, fields.text)[0])
    metadata = {str(name): json_value(value) for name, value in record.items() if name not in used}
    key = taken["id"]
    if key is not None and (isinstance(key, bool) or not isinstance(key, str | int)):
        raise LoadError("invalid_record", f"the id must be text or a whole number, not {type(key).__name__}")
    return LoadedDocument(
        key=record_key(str(key)) if key is not None else f"sha-{content_key(record)}",
        title=clean_line(str(taken["title"])) if taken["title"] is not None else "",
        text=clean_text(text),
        media_type=media_type,
        authored_at=note_date(taken["date"], metadata),
        author=names_line(taken["author"]),
        language=language_code(taken["language"]),
        metadata=metadata,
    )


def names_line(value: Any) -> str | None:
    """Returns one or several names as a line; None where there is none.

    Example:
        >>> names_line(["Ada", "Bob"])
        'Ada, Bob'
    """
    if value is None:
        return None
    several = value if isinstance(value, list | tuple) else [value]
    return clean_line(", ".join(str(json_value(name)) for name in several)) or None


def language_code(value: Any) -> str | None:
    """Returns the language of a declared tag such as `pt-BR`; None where it is not one.

    Example:
        >>> language_code("pt-BR"), language_code("English")
        ('pt', None)
    """
    code = str(value or "").replace("_", "-").split("-")[0].strip().lower()
    return code if code.isascii() and code.isalpha() and len(code) in (2, 3) else None


def record_key(text: str) -> str:
    """Returns a record's key as it stands in a uri: one clean line; a hash where it is longer than 200 characters.

    `sha-` is the mark of records without an id of their own, which an id cannot take.

    Example:
        >>> record_key("PROJ-102"), record_key("sha-1")
        ('PROJ-102', 'id:sha-1')
    """
    key = clean_line(text) if len(text) <= _MAX_KEY else ""
    return f"id:{key or stable_id(text)}" if not key or key.startswith("sha-") else key


def content_key(record: Any) -> str:
    """Returns a hash of a record's content, whatever the order of its fields."""
    return stable_id(json.dumps(json_value(record), sort_keys=True))


def json_value(value: Any, depth: int = 0) -> Any:
    """Returns a value that JSON and Arrow can hold: clean text, plain numbers, lists and tables of them.

    Example:
        >>> json_value({"n": float("nan"), 1: ("a", None)})
        {'n': 'nan', '1': ['a', None]}
    """
    if isinstance(value, dict | list | tuple | set | frozenset):
        return _container(value, depth) if depth < _MAX_DEPTH else "..."
    return _scalar(value)


def _container(value: Any, depth: int) -> Any:
    if isinstance(value, dict):
        return {clean_text(str(_scalar(name))): json_value(item, depth + 1) for name, item in value.items()}
    return [json_value(item, depth + 1) for item in value]


def _scalar(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= _MAX_INTEGER_BITS else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return clean_text(value.isoformat() if isinstance(value, datetime | date) else str(value))


def fingerprint(document: LoadedDocument) -> str:
    """Returns a hash of all that the loader read of a document."""
    turns = [[turn.start, turn.end, turn.speaker, turn.at and turn.at.isoformat()] for turn in document.turns]
    authored = document.authored_at.isoformat() if document.authored_at else ""
    return stable_id(
        document.title, document.text, document.media_type, document.author or "", document.language or "", authored,
        json.dumps(turns), json.dumps(document.metadata, sort_keys=True),
    )  # fmt: skip


def settle_keys(items: Iterable[LoadedDocument | BadRecord]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields the items with one document a key and no key twice, whatever their order in the file.

    Records without an id of their own (`sha-` keys) that are alike are separate records: the n-th gets `~n`.
    Records that share an id and all content are one document with `_copies` in its metadata. Of those that share an id
    and differ, the newest by its date stays, then the smallest by content; the others are `duplicate_id`.
    """
    grouped: dict[str, list[LoadedDocument]] = {}
    seen: Counter[str] = Counter()
    for item in items:
        if isinstance(item, BadRecord):
            seen[item.key] += 1
            yield item if seen[item.key] == 1 else replace(item, key=f"{item.key}~{seen[item.key]}")
        else:
            # Ours alone: a document that claims copies would upset the counts.
            metadata = {name: value for name, value in item.metadata.items() if name != COPIES}
            grouped.setdefault(item.key, []).append(replace(item, metadata=metadata))
    for key, documents in grouped.items():
        if key.startswith("sha-"):
            yield from (replace(item, key=key if n == 1 else f"{key}~{n}") for n, item in enumerate(documents, 1))
        elif len(documents) == 1:
            yield documents[0]
        else:
            yield from _settle(key, documents)


def _settle(key: str, documents: list[LoadedDocument]) -> Iterator[LoadedDocument | BadRecord]:
    copies = Counter(fingerprint(document) for document in documents)
    ranked = sorted(
        documents,
        key=lambda item: (-(item.authored_at.timestamp() if item.authored_at else -math.inf), fingerprint(item)),
    )
    kept = ranked[0]
    chosen = fingerprint(kept)
    if copies[chosen] > 1:
        kept = replace(kept, metadata={**kept.metadata, COPIES: copies[chosen]})
    yield kept
    for mark in sorted(copies.keys() - {chosen}):
        for n in range(1, copies[mark] + 1):
            suffix = mark[:_SHOWN_HASH] if n == 1 else f"{mark[:_SHOWN_HASH]}~{n}"
            detail = f"another record has the id {key!r} and is newer or comes first by content: give each its own id"
            yield BadRecord(f"{key}:{suffix}", "duplicate_id", detail)

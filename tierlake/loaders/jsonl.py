"""JSON Lines: one document a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.decoding import decode
from tierlake.loaders.records import Fields, first_named, record_document
from transforms.ids import stable_id

_MEDIA_TYPE: Final = "application/jsonl"


def load_jsonl(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields a document or a bad record for each line that is not blank; see `tierlake.loaders.base.Loader`."""
    del name
    fields = Fields.from_options(options)
    encoding = options.get("encoding")
    if encoding or data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        data = decode(data, forced=encoding).encode("utf-8", "surrogatepass")
    # A line at a time: one broken line, in its bytes or its JSON, costs no other.
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield _document(line, fields)
        except LoadError as error:
            key = f"line-{stable_id(line.hex())}"
            yield BadRecord(key, error.reason, f"line {number}: {error.detail}")


def _document(line: bytes, fields: Fields) -> LoadedDocument:
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LoadError("encoding", f"not UTF-8 ({error.reason} at byte {error.start})") from error
    except (ValueError, RecursionError) as error:  # RecursionError: nested too deep
        raise LoadError("invalid_record", f"not JSON: {error}") from error
    if not isinstance(record, dict):
        raise LoadError("invalid_record", f"a JSON object is needed, not {type(record).__name__}")
    found, text = first_named(record, fields.text)
    if not isinstance(text, str):
        known = ", ".join(sorted(map(str, record))[:20])
        wanted = " or ".join(fields.text)
        problem = f"{found!r} is not text" if found else f"no text under {wanted}"
        raise LoadError("invalid_record", f"{problem}; it has {known or 'nothing'}: set options.text_field")
    return record_document(record, text, fields, _MEDIA_TYPE)

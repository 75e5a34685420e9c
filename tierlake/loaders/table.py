"""CSV: one document a row."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.decoding import clean_line, clean_text, decode
from tierlake.loaders.records import Fields, first_named, record_document
from transforms.ids import stable_id

_DELIMITERS: Final = (",", ";", "\t", "|")
_MEDIA_TYPE: Final = "text/csv"
_NO_LIMIT: Final = 2**31 - 1  # the largest that the module takes everywhere; the source's max_bytes is the real limit


def load_csv(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields a document or a bad record for each row that is not blank; see `tierlake.loaders.base.Loader`.

    Raises:
        LoadError: `invalid_record`: the header does not have the column that the options name as the text.
    """
    del name
    fields = Fields.from_options(options)
    text = decode(data, forced=options.get("encoding")).lstrip("\ufeff")
    if not text.strip():
        return
    csv.field_size_limit(_NO_LIMIT)  # process-wide; the default stops at 128 kB cells
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text, options), strict=True)
    header: list[str] | None = None
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield _bad(text, start, f"not CSV: {error}")
            continue
        if row is None:
            return
        if not any(cell.strip() for cell in row):
            continue
        if header is None:
            header = _header(row, options)
            continue
        if len(row) != len(header):
            detail = (
                f"line {start}: {len(row)} cells where the header has {len(header)}: quote cells that hold a delimiter"
            )
            yield BadRecord(f"row-{stable_id(*row)}", "invalid_record", detail)
            continue
        yield _document(dict(zip(header, row, strict=True)), fields)


def _delimiter(text: str, options: dict[str, Any]) -> str:
    named = options.get("delimiter")
    if named is not None:
        return str(named)
    first = next((line for line in text.splitlines() if line.strip()), "")
    # The commonest in the header; max keeps the first of equals, hence the comma.
    return max(_DELIMITERS, key=first.count)


def _header(row: list[str], options: dict[str, Any]) -> list[str]:
    names: list[str] = []
    seen: Counter[str] = Counter()
    for place, cell in enumerate(row, 1):
        name = clean_line(cell) or f"column {place}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    wanted = options.get("text_field")
    if wanted is not None and wanted not in names:
        raise LoadError("invalid_record", f"no column {wanted!r} (options.text_field); there are {', '.join(names)}")
    return names


def _document(record: dict[str, str], fields: Fields) -> LoadedDocument:
    if any(name in record for name in fields.text):
        return record_document(record, first_named(record, fields.text)[1] or "", fields, _MEDIA_TYPE)
    # No text column: the row itself is the text. Its id is a key and states nothing.
    lines = [
        f"{name}: {' '.join(cell.split())}" for name, cell in record.items() if cell.strip() and name not in fields.id
    ]
    return record_document(record, "\n".join(lines), fields, _MEDIA_TYPE)


def _bad(text: str, start: int, detail: str) -> BadRecord:
    raw = "\n".join(text.splitlines()[start - 1 : start + 1])
    return BadRecord(f"row-{stable_id(clean_text(raw))}", "invalid_record", f"line {start}: {detail}")

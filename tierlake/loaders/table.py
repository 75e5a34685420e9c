"""CSV: one document a row."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.decoding import clean_line, decode
from tierlake.loaders.records import Fields, first_named, record_document
from transforms.ids import stable_id

_DELIMITERS: Final = (",", ";", "\t", "|")
_MEDIA_TYPE: Final = "text/csv"
_KEPT: Final = frozenset({"tier", "tags", "date_ignored"})
# Each restart after a broken quote may read the rest of the file once.
_MAX_RESTARTS: Final = 100
_NO_LIMIT: Final = 2**31 - 1  # the largest that the module takes everywhere; the source's max_bytes is the real limit


def load_csv(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields a document or a bad record for each row that is not blank; see `tierlake.loaders.base.Loader`.

    Raises:
        LoadError: `invalid_record`: the header does not have the column that the options name as the text.
    """
    del name
    fields = Fields.from_options(options)
    text = decode(data, forced=options.get("encoding")).lstrip("\ufeff")
    csv.field_size_limit(_NO_LIMIT)  # process-wide; the default stops at 128 kB cells
    header: list[str] | None = None
    for number, row in _rows(text, _delimiter(text, options)):
        if isinstance(row, BadRecord):
            yield row
        elif header is None:
            header = _header(row, options)
        elif len(row) != len(header):
            detail = f"line {number}: {len(row)} cells where the header has {len(header)}: quote cells with a delimiter"
            yield BadRecord(f"row-{stable_id(*row)}", "invalid_record", detail)
        else:
            yield _document(dict(zip(header, row, strict=True)), fields)


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | BadRecord]]:
    """Yields the rows that are not blank, with their first line; a line that opens a quote wrongly is a bad record.

    An unpaired quote would swallow every row up to the next one. A row over several lines that breaks the syntax or
    has not the header's number of cells therefore costs its first line only: reading starts again at the second.
    """
    lines = list(io.StringIO(text, newline=""))
    place, restarts = 0, 0
    width: int | None = None
    reader = csv.reader(iter(lines), delimiter=delimiter, strict=True)
    offset = 0
    # A row at a time: that is how far the reader's state goes.
    while place < len(lines):
        fault = None
        row: list[str] = []
        try:
            row = next(reader, [])
        except csv.Error as error:
            fault = str(error)
        end = offset + reader.line_num
        if fault is None and width not in (None, len(row)) and end > place + 1:
            fault = f"{len(row)} cells over several lines, where the header has {width}"
        if fault is not None:
            # Beyond the limit (each restart may read to the end) all that the faulty row took is one bad record.
            restarts += 1
            stop = place + 1 if restarts <= _MAX_RESTARTS else max(end, place + 1)
            raw = "".join(lines[place:stop])
            yield place + 1, BadRecord(f"row-{stable_id(raw)}", "invalid_record", f"line {place + 1}: not CSV: {fault}")
            place = offset = stop
            reader = csv.reader(iter(lines[stop:]), delimiter=delimiter, strict=True)
            continue
        if any(cell.strip() for cell in row):
            width = width if width is not None else len(row)
            yield place + 1, row
        place = max(end, place + 1)


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
    document = record_document(record, "\n".join(lines), fields, _MEDIA_TYPE)
    # The text has every cell already; what is looked up by name stays.
    return replace(document, metadata={name: document.metadata[name] for name in _KEPT & document.metadata.keys()})

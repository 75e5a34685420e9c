"""Plain text: the title is a short first line, the date a leading `Date:` line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.dates import read_date
from tierlake.loaders.decoding import clean_line, clean_text, decode

_DATE_LINE: Final = re.compile(r"date\s*:\s*(.+)", re.IGNORECASE)
# A longer line is a sentence rather than a title; one that ends like a sentence is one.
_TITLE_LIMIT: Final = 80
_SENTENCE_ENDS: Final = ".!?;:,…。！？؟।"


def load_text(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields the file as one document; see `tierlake.loaders.base.Loader`."""
    del name
    lines = clean_text(decode(data, forced=options.get("encoding"))).split("\n")
    place, written = _date_line(lines)
    if place is not None:
        del lines[place]
    yield LoadedDocument(
        key="",
        title=_title(lines),
        text=clean_text("\n".join(lines)),
        media_type="text/plain",
        authored_at=read_date(written),
    )


def _date_line(lines: list[str]) -> tuple[int | None, str | None]:
    # The first line, or the first after a title line: a `Date:` further down belongs to what the text tells.
    filled = [place for place, line in enumerate(lines[:4]) if line.strip()][:2]
    for place in filled:
        found = _DATE_LINE.fullmatch(lines[place].strip())
        if found and read_date(found.group(1)) is not None:
            return place, found.group(1)
    return None, None


def _title(lines: list[str]) -> str:
    text = "\n".join(lines).strip()
    first, _, rest = text.partition("\n")
    stands_alone = rest.startswith("\n") and not _DATE_LINE.match(first)
    if stands_alone and len(first) <= _TITLE_LIMIT and not first.rstrip().endswith(tuple(_SENTENCE_ENDS)):
        return clean_line(first)
    return ""

"""PDF: text of its pages, with paragraphs put together from lines."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.dates import note_date
from tierlake.loaders.decoding import clean_line, clean_text
from tierlake.loaders.records import names_line

if TYPE_CHECKING:
    from pypdf import PdfReader

_PAGE_NUMBER: Final = re.compile(r"(page\s+)?[-–]?\s*\d{1,4}\s*[-–]?((\s+of|\s*/)\s*\d{1,4})?", re.IGNORECASE)
_ITEM: Final = re.compile(r"([•◦▪‣*–-]|\(?\d{1,3}[.)])\s")
_HYPHEN: Final = re.compile(r"[^\W\d_][-\u2010]$")
_SENTENCE_END: Final = re.compile(r"""[.!?:;。！？]["'”’)\]]*$""")
# A line that leaves this share of the page's width empty was ended by the writer, not by the margin.
_FULL_LINE: Final = 0.75


def load_pdf(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields the file as one document; see `tierlake.loaders.base.Loader`."""
    del options
    from pypdf import PdfReader  # slow to import
    from pypdf.errors import FileNotDecryptedError, WrongPasswordError

    # It logs each oddity of a file that it then reads well; what it cannot read it raises.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    if not data:
        return
    try:
        reader = PdfReader(io.BytesIO(data))
        # Many files are locked for changes only: the empty password opens them.
        opened = not reader.is_encrypted or bool(reader.decrypt(""))
        document = _document(reader) if opened else None
    except (FileNotDecryptedError, WrongPasswordError):
        document = None
    except Exception as error:  # damage makes pypdf raise nearly anything; none of it is ours
        raise LoadError("damaged", f"{name} is not a readable PDF ({type(error).__name__}: {error})") from error
    if document is None:
        raise LoadError("password", f"{name} needs a password: save a copy without one")
    yield document


def _document(reader: PdfReader) -> LoadedDocument:
    pages = [page.extract_text() for page in reader.pages]
    info = reader.metadata
    metadata: dict[str, Any] = {"pages": len(pages)}
    created = info.get("/CreationDate") if info else None
    return LoadedDocument(
        key="",
        title=clean_line(str((info and info.get("/Title")) or "")),
        text=clean_text("\n\n".join(filter(None, map(page_text, pages)))),
        media_type="application/pdf",
        authored_at=note_date(_iso(str(created)) if created is not None else None, metadata),
        author=names_line((info and info.get("/Author")) or None),
        metadata=metadata,
    )


def _iso(written: str) -> str:
    """Returns a PDF date (`D:20250304101500+01'00'`) in ISO 8601, other text as it stands."""
    found = re.fullmatch(
        r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?.*", written
    )
    if found is None:
        return written
    year, month, day, hour, minute, second, _, sign, zone_hours, zone_minutes = found.groups()
    zone = f"{sign}{zone_hours}:{zone_minutes or '00'}" if sign else "+00:00"
    return f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:{second or '00'}{zone}"


def page_text(raw: str) -> str:
    r"""Returns a page's text with the lines of each paragraph joined, hyphenation mended and page numbers dropped.

    A paragraph ends at an empty line, at a line that leaves a quarter of the page's width free after a sentence's end,
    and before a list item. A hyphen at a line's end before a small letter is taken for hyphenation, which also closes
    up the odd compound that was written with one.

    Example:
        >>> page_text("The deploy process takes ten min-\nutes, all told.\nThen it ends.\n3")
        'The deploy process takes ten minutes, all told.\n\nThen it ends.'
    """
    lines = [line.strip() for line in clean_text(raw).split("\n")]
    lines = _without_page_number(lines)
    width = max(map(len, lines), default=0)
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if not line or (paragraphs[-1] and _starts_anew(paragraphs[-1][-1], line, width)):
            paragraphs.append([])
        if line:
            paragraphs[-1].append(line)
    return "\n\n".join(_join(paragraph) for paragraph in paragraphs if paragraph)


def _without_page_number(lines: list[str]) -> list[str]:
    filled = [place for place, line in enumerate(lines) if line]
    outer = {filled[0], filled[-1]} if len(filled) > 1 else set()
    return [line for place, line in enumerate(lines) if place not in outer or not _PAGE_NUMBER.fullmatch(line)]


def _starts_anew(before: str, line: str, width: int) -> bool:
    if _ITEM.match(line):
        return True
    short = len(before) < _FULL_LINE * width
    ended = _SENTENCE_END.search(before) is not None
    return short and (ended or not line[:1].islower())


def _join(lines: list[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        hyphenated = _HYPHEN.search(text) and line[:1].islower()
        text = text[:-1] + line if hyphenated else f"{text} {line}"
    return text

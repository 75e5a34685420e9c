"""Which loader reads which file, and the one door through which all of them are called."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import PurePath
from typing import Any, Final

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument, Loader
from tierlake.loaders.chat import load_chat
from tierlake.loaders.jsonl import load_jsonl
from tierlake.loaders.mail import load_eml, load_mbox
from tierlake.loaders.markdown import load_markdown
from tierlake.loaders.pdf import load_pdf
from tierlake.loaders.plain import load_text
from tierlake.loaders.records import FIELD_OPTIONS, settle_keys
from tierlake.loaders.table import load_csv
from tierlake.loaders.web import load_html

LOADERS: Final[dict[str, Loader]] = {
    "markdown": load_markdown,
    "text": load_text,
    "html": load_html,
    "jsonl": load_jsonl,
    "csv": load_csv,
    "eml": load_eml,
    "mbox": load_mbox,
    "chat": load_chat,
    "pdf": load_pdf,
}
EXTENSIONS: Final[dict[str, str]] = {
    ".md": "markdown", ".markdown": "markdown",
    ".txt": "text", ".text": "text",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".csv": "csv", ".tsv": "csv",
    ".eml": "eml", ".mbox": "mbox", ".json": "chat", ".pdf": "pdf",
}  # fmt: skip
OPTIONS: Final[dict[str, frozenset[str]]] = {
    "jsonl": FIELD_OPTIONS | {"encoding"},
    "csv": FIELD_OPTIONS | {"encoding", "delimiter"},
    **dict.fromkeys(("markdown", "text", "html", "chat"), frozenset({"encoding"})),
    **dict.fromkeys(("eml", "mbox", "pdf"), frozenset[str]()),
}
# Raise it with every change of what a loader makes of the same bytes: stored documents are then read anew.
LOADER_VERSION: Final = "1"
# Their releases change what is read, too.
_LIBRARIES: Final = (
    "charset-normalizer", "dateparser", "python-dateutil", "inscriptis", "lxml", "markdown-it-py", "py3langid", "pypdf",
    "python-frontmatter", "PyYAML",
)  # fmt: skip
_DETAIL_LIMIT: Final = 500  # a library's message may repeat the document


@cache
def code_version() -> str:
    """Returns a hash of the loaders' version and of the libraries that they read with."""
    parts = [LOADER_VERSION, *(f"{name}={version(name)}" for name in _LIBRARIES)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def option_faults(loader: str, options: dict[str, Any]) -> list[str]:
    """Returns what is wrong with a source's `options` table; empty where nothing is.

    Example:
        >>> option_faults("csv", {"text_feild": "notes", "delimiter": ";"})
        ["unknown option 'text_feild'; csv knows author_field, date_field, delimiter, encoding, id_field, \
language_field, text_field, title_field"]
    """
    known = OPTIONS.get(loader, frozenset().union(*OPTIONS.values()))
    listing = ", ".join(sorted(known)) or "none"
    faults = [f"unknown option {name!r}; {loader} knows {listing}" for name in sorted(options.keys() - known)]
    faults += [f"option {name!r} must be text" for name in sorted(options) if not isinstance(options[name], str)]
    if isinstance(options.get("delimiter"), str) and len(options["delimiter"]) != 1:
        faults.append("option 'delimiter' must be one character")
    return faults


def loader_name(name: str, loader: str = "auto") -> str:
    """Returns the loader to use for a file: `loader`, else the one that its extension tells.

    Raises:
        LoadError: `unknown_format`: the extension is not known; the message lists those that are.

    Example:
        >>> loader_name("Notes.MD"), loader_name("export.json", "jsonl")
        ('markdown', 'jsonl')
    """
    if loader != "auto":
        return loader
    extension = PurePath(name).suffix.lower()
    if extension not in EXTENSIONS:
        known = ", ".join(EXTENSIONS)
        raise LoadError("unknown_format", f"no loader for {extension or name!r}; known: {known}. Or set `loader`.")
    return EXTENSIONS[extension]


def load_bytes(
    data: bytes, *, name: str, loader: str = "auto", options: dict[str, Any] | None = None
) -> list[LoadedDocument | BadRecord]:
    """Returns the documents and bad records of a file, each with a key of its own.

    Args:
        data: The file's bytes.
        name: File name: its extension chooses the loader, and messages name it.
        loader: A name of `LOADERS`, or `auto`.
        options: The source's `options` table.

    Raises:
        LoadError: The file as a whole cannot be read, or holds nothing (`empty`). Nothing else is ever raised on
            account of its content.
    """
    read = LOADERS[loader_name(name, loader)]
    try:
        items = list(settle_keys(read(data, name=name, options=options or {})))
    except LoadError as error:
        raise LoadError(error.reason, " ".join(error.detail.split())[:_DETAIL_LIMIT]) from error
    except Exception as error:  # documents are hostile data, and no parser of them keeps to its declared errors
        detail = f"the loader failed on {name} ({type(error).__name__}: {error})"
        raise LoadError("damaged", " ".join(detail.split())[:_DETAIL_LIMIT]) from error
    if not items:
        raise LoadError("empty", "the file holds no document")
    return items

"""HTML pages, and the way from markup to plain text that Markdown and mail use too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.dates import note_date
from tierlake.loaders.decoding import clean_line, clean_text, decode
from tierlake.loaders.records import language_code, names_line

if TYPE_CHECKING:
    from inscriptis.model.config import ParserConfig
    from lxml.etree import _Element

# A noncharacter that `clean_text` removes from every input: a cell's end that no document can forge.
_CELL: Final = "\ufdd0"
_CELL_SPACES: Final = re.compile(f"[ ]*{_CELL}[ ]*")
_LIST_ITEM: Final = re.compile(r"^ {1,2}(?=([*+o-]|\d+\.) )", re.MULTILINE)
_DECLARED: Final = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{2,40})""", re.IGNORECASE)
_HEAD: Final = 4096  # the standard asks for the declaration in the first 1024 bytes; some pages are late
_UNREADABLE: Final = (
    "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "math", "canvas",
    "select", "textarea", "button",
)  # fmt: skip
# Blocks that inscriptis' own profile leaves in the running line.
_BLOCKS: Final = ("section", "dl", "dt", "dd", "details", "summary", "fieldset", "form", "center", "caption")
_DATES: Final = (
    "//meta[@property='article:published_time']/@content",
    "//meta[translate(@name,'DATE','date')='date' or @name='dcterms.created' or @name='dc.date']/@content",
    "//meta[@itemprop='datePublished']/@content",
    "//time/@datetime",
)
_AUTHORS: Final = "//meta[translate(@name,'AUTHOR','author')='author' or @property='article:author']/@content"


def load_html(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields the page as one document; see `tierlake.loaders.base.Loader`."""
    del name
    declared = _DECLARED.search(data[:_HEAD])
    encoding = declared.group(1).decode("ascii", "replace") if declared else None
    tree = parse(decode(data, declared=encoding, forced=options.get("encoding")))
    metadata: dict[str, Any] = {}
    if tree is None:
        yield LoadedDocument(key="", title="", text="", media_type="text/html")
        return
    title = _first(tree, "//title/text()") or _first(tree, "string(//h1)")
    written = next((found for path in _DATES if (found := _first(tree, path))), None)
    yield LoadedDocument(
        key="",
        title=clean_line(title or ""),
        authored_at=note_date(written, metadata),
        author=names_line(_first(tree, _AUTHORS)),
        language=language_code(_first(tree, "/html/@lang")),
        text=tree_text(tree),
        media_type="text/html",
        metadata=metadata,
    )


def markup_text(markup: str) -> str:
    r"""Returns the plain text of markup: each block a paragraph, list items and table rows a line each.

    Raises:
        LoadError: `damaged`: nested deeper than the parser's limit.

    Example:
        >>> markup_text("<h1>Plan</h1><ul><li>one<li>two</ul><table><tr><td>a<td>b</table>")
        'Plan\n\n* one\n* two\n\na | b'
    """
    tree = parse(markup)
    return "" if tree is None else tree_text(tree)


def parse(markup: str) -> _Element | None:
    """Returns the tree of a page, without scripts, styles and comments; None where there is nothing in it.

    Raises:
        LoadError: `damaged`: the parser gave up half-way (nesting or size), so that text would be lost silently.
    """
    from lxml import etree, html  # slow to import

    cleaned = clean_text(markup)
    if not cleaned.strip():
        return None
    # HTML knows no entity definitions; the network is shut all the same.
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        tree = html.document_fromstring(cleaned.encode("utf-8"), parser=parser)
    except etree.ParserError:  # nothing but comments or broken tags
        tree = None
    fatal = [entry.message for entry in parser.error_log if entry.type_name == "ERR_RESOURCE_LIMIT"]
    if fatal:
        raise LoadError("damaged", f"the markup goes beyond the parser's limits: {fatal[0]}")
    if tree is not None:
        etree.strip_elements(tree, *_UNREADABLE, with_tail=False)
    return tree


def tree_text(tree: _Element) -> str:
    """Returns the plain text of a tree, in the normal form."""
    from inscriptis import Inscriptis  # slow to import
    from lxml import etree

    for code in list(tree.iterfind(".//pre//code")):
        code.drop_tag()  # type: ignore[attr-defined]  # an lxml.html element; inside <code> inscriptis joins the lines
    # A list or table that stands in no other one becomes a paragraph of its own.
    for block in list(tree.iter("ul", "ol", "table")):
        parent = block.getparent()
        if parent is not None and not any(True for _ in block.iterancestors("ul", "ol", "table", "li")):
            paragraph = etree.Element("p")
            paragraph.tail, block.tail = block.tail, None
            parent.replace(block, paragraph)
            paragraph.append(block)
    text = Inscriptis(tree, _config()).get_text()
    return clean_text(_LIST_ITEM.sub("", _CELL_SPACES.sub(" | ", text)))


@cache
def _config() -> ParserConfig:
    from inscriptis.css_profiles import CSS_PROFILES  # slow to import
    from inscriptis.html_properties import Display, WhiteSpace
    from inscriptis.model.config import ParserConfig
    from inscriptis.model.html_element import HtmlElement

    block = HtmlElement(display=Display.block)
    paragraph = HtmlElement(display=Display.block, margin_before=1, margin_after=1)
    code = HtmlElement(display=Display.block, whitespace=WhiteSpace.pre, margin_before=1, margin_after=1)
    css = {**CSS_PROFILES["strict"], **dict.fromkeys(_BLOCKS, block), "blockquote": paragraph, "pre": code}
    return ParserConfig(css=css, table_cell_separator=_CELL)


def _first(tree: _Element, path: str) -> str | None:
    found = tree.xpath(path)
    texts = found if isinstance(found, list) else [found]
    return next((str(text) for text in texts if str(text).strip()), None)

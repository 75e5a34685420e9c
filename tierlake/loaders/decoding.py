"""Bytes to text, and text to the one normal form that spans and quotes point into."""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from functools import cache
from typing import Final

from tierlake.errors import LoadError
from tierlake.loaders.language import likeliest_language

_BREAKS: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Control characters, the soft hyphen and the byte order mark say nothing; the bidirectional overrides (U+202A-202E,
# U+2066-2069) only make text look other than it is; U+FDD0 is a noncharacter that the HTML path uses as a mark.
_DROPPED: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u202a-\u202e\u2066-\u2069\ufeff\ufdd0]",
)
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_MARKS: Final = 30
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_SPACES: Final = re.compile(r"\s+")
_TITLE_LIMIT: Final = 300  # a longer title or name is not one; it would only repeat the text

_BYTE_ORDER_MARKS: Final = (
    # UTF-32 first: its little-endian mark starts with UTF-16's.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Seven-bit encodings: their bytes are valid UTF-8 too, so that here the declaration is the only witness.
_SEVEN_BIT: Final = ("iso-2022", "iso2022", "hz", "utf-7")
# The encodings that the web's standard knows for legacy text; with all of Python's, a short text is read as anything.
_LEGACY: Final = [
    "cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256",
    "cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "cp949",
]  # fmt: skip
_WIDE: Final = ["utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be"]
# Western text in UTF-16 without a mark is about half NULs, text that happens to hold some has fewer.
_WIDE_NUL_SHARE: Final = 0.25


def decode(data: bytes, *, declared: str | None = None, forced: str | None = None) -> str:
    """Returns the text that `data` encodes, not yet normalized.

    A byte order mark decides; then UTF-8, since what is valid UTF-8 is hardly ever anything else; then the encoding
    that the file declares; then a guess by charset-normalizer.

    Args:
        data: The bytes.
        declared: Encoding that the file itself names; used where it fits.
        forced: Encoding that the configuration names; nothing else is tried.

    Raises:
        LoadError: `encoding`: no encoding fits.

    Example:
        >>> decode("Größe".encode("utf-16"))
        'Größe'
        >>> decode("Der Käufer".encode("cp1252"))
        'Der Käufer'
    """
    if forced is not None:
        return _decode_forced(data, forced)
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_forced(data, name)
    wide = data.count(0) > len(data) * _WIDE_NUL_SHARE
    encodings = [declared] if declared and declared.lower().startswith(_SEVEN_BIT) else []
    encodings += [] if wide else ["utf-8"]
    encodings += [declared] if declared else []
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except (UnicodeError, LookupError):
            continue
    return _guess(data, _WIDE if wide else _LEGACY)


def _decode_forced(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except LookupError as error:
        raise LoadError(
            "encoding", f"there is no encoding {encoding!r}: name another in the source's options"
        ) from error
    except UnicodeError as error:
        raise LoadError("encoding", f"the bytes are not {encoding}: {error}; convert the file to UTF-8") from error


def _guess(data: bytes, encodings: list[str]) -> str:
    from charset_normalizer import from_bytes  # slow to import, rarely needed

    lenient = data.decode("utf-8", "replace")
    bad = lenient.count("\ufffd")
    if sum(1 for char in lenient if char > "\x7f" and char != "\ufffd") > bad:
        # Mostly valid UTF-8: any other reading would turn all of it into garbage to save a few characters.
        raise LoadError("encoding", f"UTF-8 with {bad} broken sequence(s): repair the file or set options.encoding")
    matches = from_bytes(data, cp_isolation=encodings)
    best = matches.best()
    if best is None:
        raise LoadError("encoding", "no known text encoding fits: convert the file to UTF-8 or set options.encoding")
    # Readings without a mark of garbage can be several; the one that reads most like some language is taken.
    texts = {match.encoding: str(match) for match in matches if match.chaos <= best.chaos}
    if len(texts) == 1:
        return str(best)
    return texts[max(texts, key=lambda name: (likeliest_language(texts[name])[1], -encodings.index(name)))]


def clean_text(text: str) -> str:
    r"""Returns the normal form of a text: what is stored, and what quotes and spans point into.

    Line ends are `\n`, control characters and bidirectional overrides are gone, lone surrogates are U+FFFD, letters
    are composed (NFC), no line ends in spaces, and at most one empty line stands in a row.

    Example:
        >>> clean_text("One \r\n\r\n\r\n\r\nTwo\x00\n")
        'One\n\nTwo'
    """
    text = _DROPPED.sub("", _BREAKS.sub("\n", text))
    if not text.isascii():
        text = unicodedata.normalize("NFC", _long_marks().sub(r"\1", _SURROGATES.sub("\ufffd", text)))
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", text).strip("\n")


@cache
def _long_marks() -> re.Pattern[str]:
    # Normalization sorts a run of combining marks in quadratic time; Unicode's stream-safe format allows 30 (UAX 15).
    marks = "".join(re.escape(chr(code)) for code in range(sys.maxunicode + 1) if unicodedata.combining(chr(code)))
    return re.compile(f"([{marks}]{{{_MARKS}}})[{marks}]+")


def clean_line(text: str) -> str:
    r"""Returns a title, name or key: the normal form on one line, single spaces, at most 300 characters.

    Example:
        >>> clean_line("Deploy\n  runbook ")
        'Deploy runbook'
    """
    return _SPACES.sub(" ", clean_text(text[: 2 * _TITLE_LIMIT])).strip()[:_TITLE_LIMIT].strip()

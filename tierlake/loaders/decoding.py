"""Bytes to text, and text to the one normal form that spans and quotes point into."""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import Final

from tierlake.errors import LoadError

_BREAKS: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Control characters, the soft hyphen and the byte order mark say nothing; the bidirectional overrides (U+202A-202E,
# U+2066-2069) only make text look other than it is; U+FDD0 is a noncharacter that the HTML path uses as a mark.
_DROPPED: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u202a-\u202e\u2066-\u2069\ufeff\ufdd0]",
)
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
# Normalisation sorts a run of combining marks in quadratic time; Unicode's stream-safe format allows 30 (UAX 15).
_MARKS: Final = (
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_LONG_MARKS: Final = re.compile(f"({_MARKS}{{30}}){_MARKS}+")
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
# Text in UTF-16 without a mark is about half NULs, text that happens to hold some has fewer.
_WIDE_NUL_SHARE: Final = 0.1
# Coherence is a share of expected letters; below this difference two readings of a short text are as good.
_COHERENCE_TIE: Final = 0.05


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
    for match in matches:
        # Western text is the commonest legacy text; a tie goes to it.
        if (
            match.encoding == "cp1252"
            and match.chaos <= best.chaos
            and match.coherence >= best.coherence - _COHERENCE_TIE
        ):
            return str(match)
    return str(best)


def clean_text(text: str) -> str:
    r"""Returns the normal form of a text: what is stored, and what quotes and spans point into.

    Line ends are `\n`, control characters and bidirectional overrides are gone, lone surrogates are U+FFFD, letters
    are composed (NFC), no line ends in spaces, and at most one empty line stands in a row.

    Example:
        >>> clean_text("One \r\n\r\n\r\n\r\nTwo\x00\n")
        'One\n\nTwo'
    """
    text = _DROPPED.sub("", _BREAKS.sub("\n", text))
    text = unicodedata.normalize("NFC", _LONG_MARKS.sub(r"\1", _SURROGATES.sub("\ufffd", text)))
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", text).strip("\n")


def clean_line(text: str) -> str:
    r"""Returns a title, name or key: the normal form on one line, single spaces, at most 300 characters.

    Example:
        >>> clean_line("Deploy\n  runbook ")
        'Deploy runbook'
    """
    return _SPACES.sub(" ", clean_text(text[: 2 * _TITLE_LIMIT])).strip()[:_TITLE_LIMIT].strip()

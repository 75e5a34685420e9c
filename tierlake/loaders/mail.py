"""Mail: .eml (one message) and .mbox (many)."""

from __future__ import annotations

import mailbox
import re
import tempfile
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import getaddresses
from typing import Any, Final

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.dates import note_date
from tierlake.loaders.decoding import clean_line, clean_text, decode
from tierlake.loaders.records import record_key
from tierlake.loaders.web import markup_text
from transforms.ids import stable_id

_MEDIA_TYPE: Final = "message/rfc822"
# What the standard library's parser raises on hostile headers, besides its own MessageError (a ValueError is common).
_PARSER_ERRORS: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_QUOTED: Final = re.compile(r"\s{0,3}>")
# A line that introduces a quote ends in a colon and names the writer's address or the time: "On ... wrote:".
_ATTRIBUTION: Final = re.compile(r"(?=.*[\d@]).*[::]$")
_ATTRIBUTION_LINES: Final = 2  # mail programs wrap it once
_FORWARDED: Final = re.compile(
    r"-{2,}\s*(original message|ursprüngliche nachricht|message d'origine)\s*-{2,}", re.IGNORECASE
)
_SIGNATURE: Final = re.compile(r"^--[ ]?$")
_SIGNATURE_LINES: Final = 10  # RFC 3676 asks for four; with more it may be a rule in the text
_FROM_QUOTED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)


def load_eml(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields the message as one document; see `tierlake.loaders.base.Loader`."""
    del name, options
    yield _document(data, key="")


def load_mbox(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields a document or a bad record for each message; see `tierlake.loaders.base.Loader`.

    The key is the Message-ID, else a hash of the message.
    """
    del options
    if not data.lstrip(b"\r\n").startswith(b"From "):
        raise LoadError("damaged", f"{name} is not an mbox: its first line does not start with 'From '")
    for raw in _messages(data.lstrip(b"\r\n")):
        key = f"sha-{stable_id(raw.hex())}"
        try:
            yield _document(_FROM_QUOTED.sub(rb"\1", raw), key=None)
        except LoadError as error:
            yield BadRecord(key, error.reason, error.detail)


def _messages(data: bytes) -> list[bytes]:
    # The standard library's reader wants a file.
    with tempfile.NamedTemporaryFile(suffix=".mbox") as file:
        file.write(data)
        file.flush()
        box = mailbox.mbox(file.name, create=False)
        try:
            return [box.get_bytes(key) for key in box.iterkeys()]
        finally:
            box.close()


def _document(raw: bytes, *, key: str | None) -> LoadedDocument:
    """Returns the document of one message; `key` None: its Message-ID is the key."""
    try:
        message = message_from_bytes(raw, policy=policy.default)
        if not isinstance(message, EmailMessage) or not message.keys():
            raise LoadError("damaged", "no mail header: the file does not start with lines such as 'From: ...'")
        identity = str(message.get("Message-ID") or "").strip().strip("<>")
        if key is None:
            key = record_key(identity) if identity else f"sha-{stable_id(raw.hex())}"
        metadata = _headers(message)
        return LoadedDocument(
            key=key,
            title=clean_line(str(message.get("Subject") or "")),
            authored_at=note_date(str(message.get("Date") or ""), metadata),
            author=_author(message),
            text=_body(message),
            media_type=_MEDIA_TYPE,
            metadata=metadata,
        )
    except _PARSER_ERRORS as error:
        raise LoadError("damaged", f"not readable as mail ({type(error).__name__}: {error})") from error


def _author(message: EmailMessage) -> str | None:
    for name, address in getaddresses([str(message.get("From") or "")]):
        found = clean_line(name) or clean_line(address)
        if found:
            return found
    return None


def _headers(message: EmailMessage) -> dict[str, Any]:
    """Returns the properties that a reader may ask for: addresses, thread and the number of attachments."""
    metadata: dict[str, Any] = {}
    senders = [address for _, address in getaddresses([str(message.get("From") or "")]) if address]
    if senders:
        metadata["author_address"] = clean_line(senders[0]).lower()
    for header in ("To", "Cc"):
        people = getaddresses([str(value) for value in message.get_all(header, [])])
        shown = [clean_line(f"{name} <{address}>" if name else address) for name, address in people if address]
        if shown:
            metadata[header.lower()] = shown
    for header, field in (("Message-ID", "message_id"), ("In-Reply-To", "in_reply_to")):
        value = clean_line(str(message.get(header) or "")).strip("<>")
        if value:
            metadata[field] = value
    attachments = sum(1 for part in message.walk() if part.is_attachment())
    if attachments:
        metadata["attachments"] = attachments
    return metadata


def _body(message: EmailMessage) -> str:
    # Some programs send a plain part without a word beside the HTML that holds the text.
    return _part_text(message, "plain") or _part_text(message, "html")


def _part_text(message: EmailMessage, kind: str) -> str:
    part = message.get_body(preferencelist=(kind,))
    payload = part.get_payload(decode=True) if part is not None else None
    if part is None or not isinstance(payload, bytes):
        return ""
    text = decode(payload, declared=part.get_content_charset())
    if kind == "html":
        return markup_text(text)
    if str(part.get_param("format", "")).lower() == "flowed":
        text = _unflow(text)
    return own_words(text)


def _unflow(text: str) -> str:
    """Returns `format=flowed` text with its soft line breaks joined (RFC 3676): a line that ends in a space goes on."""
    lines = [""]
    for line in text.replace("\r\n", "\n").split("\n"):
        goes_on = lines[-1].endswith(" ") and lines[-1] != "-- " and not _QUOTED.match(line) and line != "-- "
        if goes_on and not _QUOTED.match(lines[-1]):
            lines[-1] += line
        else:
            lines.append(line)
    return "\n".join(lines[1:])


def own_words(text: str) -> str:
    r"""Returns a mail's text without quoted replies, forwarded originals below a marker, and the signature.

    Only what is marked beyond doubt goes: lines that start with `>` with the line that introduces them, all below
    "Original Message", and at most ten lines below `--`. Where nothing else is left, the text stays whole.

    Example:
        >>> own_words("Agreed.\n\nOn 4 March Bob <b@x.org> wrote:\n> Ship it?\n-- \nAda")
        'Agreed.'
    """
    lines = clean_text(text).split("\n")
    for place, line in enumerate(lines):
        if _FORWARDED.fullmatch(line.strip()) and any(rest.strip() for rest in lines[:place]):
            lines = lines[:place]
            break
    for place in range(len(lines) - 1, max(len(lines) - 2 - _SIGNATURE_LINES, -1), -1):
        if _SIGNATURE.match(lines[place]):
            lines = lines[:place]
            break
    kept: list[str] = []
    for line in lines:
        if _QUOTED.match(line):
            _drop_attribution(kept)
        else:
            kept.append(line)
    return clean_text("\n".join(kept)) or clean_text(text)


def _drop_attribution(kept: list[str]) -> None:
    """Takes the line that introduces a quote off the end of `kept`."""
    while kept and not kept[-1].strip():
        kept.pop()
    for count in range(1, _ATTRIBUTION_LINES + 1):
        last = kept[-count:]
        # It stands alone between empty lines, so that a sentence that ends in a colon is never taken for it.
        alone = len(kept) == count or (len(kept) > count and not kept[-count - 1].strip())
        if len(last) == count and alone and _ATTRIBUTION.fullmatch(" ".join(last)):
            del kept[-count:]
            return

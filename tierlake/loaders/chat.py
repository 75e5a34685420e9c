"""Chat exports in JSON: `{"channel", "messages": [{"user", "ts", "text"}]}`, a bare list of messages, or Slack's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from html import unescape
from typing import Any, Final

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument, Turn
from tierlake.loaders.dates import read_date
from tierlake.loaders.decoding import clean_line, clean_text, decode
from tierlake.loaders.records import content_key, first_named, json_value, language_code

_MEDIA_TYPE: Final = "application/json"
_SPEAKERS: Final = ("user", "author", "from", "sender", "username", "name")
_TIMES: Final = ("ts", "timestamp", "date", "time", "at")
_TEXTS: Final = ("text", "body", "content", "message")
_NAMES: Final = ("channel", "title", "name")
# Slack writes these as messages; nobody said them.
_NOTICES: Final = frozenset({"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name"})
_SLACK_MENTION: Final = re.compile(r"<@([A-Z0-9]{1,30})(?:\|([^<>]{0,200}))?>")
_SLACK_LINK: Final = re.compile(r"<([^<>|\s]{1,2000})(?:\|([^<>]{0,500}))?>")


def load_chat(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields the file as one document, a paragraph and a turn a message; see `tierlake.loaders.base.Loader`.

    The order is the file's. `authored_at` is the time of the newest message. A message that is not one becomes a bad
    record; one without words (a joined channel, a bare file) is left out and counted in the metadata.
    """
    chat = _read(data, name, options)
    messages = chat.pop("messages")
    people = _people(messages)
    paragraphs: list[str] = []
    turns: list[Turn] = []
    start = skipped = 0
    for number, message in enumerate(messages, 1):
        if not isinstance(message, dict) or not isinstance(first_named(message, _TEXTS)[1] or "", str):
            detail = f"message {number} is not an object with a text"
            yield BadRecord(f"message-{content_key(message)}", "invalid_record", detail)
            continue
        speaker, said = _speaker(message, people), _said(message, people)
        if not said:
            skipped += 1
            continue
        paragraph = f"{speaker}: {said}" if speaker else said
        paragraphs.append(paragraph)
        turns.append(Turn(start, start + len(paragraph), speaker, _time(message)))
        start += len(paragraph) + 2  # the empty line between paragraphs
    _, title = first_named(chat, _NAMES)
    metadata = {str(key): json_value(value) for key, value in chat.items() if key not in ("language", "title")}
    if skipped:
        metadata["skipped_messages"] = skipped
    yield LoadedDocument(
        key="",
        title=clean_line(str(title)) if isinstance(title, str) else "",
        text="\n\n".join(paragraphs),
        media_type=_MEDIA_TYPE,
        authored_at=max((turn.at for turn in turns if turn.at), default=None),
        language=language_code(chat.get("language")),
        turns=tuple(turns),
        metadata=metadata,
    )


def _read(data: bytes, name: str, options: dict[str, Any]) -> dict[str, Any]:
    text = decode(data, forced=options.get("encoding"))
    if not text.strip():
        return {"messages": []}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LoadError("damaged", f"{name} is not JSON: {error}") from error
    if isinstance(found, list):
        return {"messages": found}
    if isinstance(found, dict) and isinstance(found.get("messages"), list):
        return found
    shape = '{"channel": "...", "messages": [{"user": "...", "ts": "...", "text": "..."}]}'
    raise LoadError("invalid_record", f"{name} is no chat: a list of messages or {shape} is needed")


def _people(messages: list[Any]) -> dict[str, str]:
    """Returns Slack's user ids with the names that their messages carry."""
    people: dict[str, str] = {}
    for message in messages:
        if isinstance(message, dict) and isinstance(message.get("user"), str):
            name = _profile_name(message)
            if name:
                # Of several names of one id the smallest, so that the order of messages does not matter.
                people[message["user"]] = min(name, people.get(message["user"], name))
    return people


def _profile_name(message: dict[str, Any]) -> str:
    for field in ("user_profile", "bot_profile"):
        profile = message.get(field)
        if isinstance(profile, dict):
            _, name = first_named(profile, ("real_name", "display_name", "name"))
            if isinstance(name, str):
                return clean_line(name)
    return ""


def _speaker(message: dict[str, Any], people: dict[str, str]) -> str:
    _, named = first_named(message, _SPEAKERS)
    if isinstance(named, dict):
        _, named = first_named(named, ("real_name", "name", "username"))
    speaker = clean_line(named) if isinstance(named, str) else ""
    return _profile_name(message) or people.get(speaker, speaker)


def _said(message: dict[str, Any], people: dict[str, str]) -> str:
    if message.get("subtype") in _NOTICES:
        return ""
    text = str(first_named(message, _TEXTS)[1] or "")
    if message.get("type") == "message":  # Slack's own marks
        text = _SLACK_MENTION.sub(lambda found: "@" + (people.get(found[1]) or found[2] or found[1]), text)
        text = unescape(_SLACK_LINK.sub(lambda found: (found[2] or found[1]).lstrip("!"), text))
    # One paragraph a message: its own empty lines would part it.
    return "\n".join(line for line in clean_text(text).split("\n") if line.strip()).strip()


def _time(message: dict[str, Any]) -> datetime | None:
    return read_date(first_named(message, _TIMES)[1])

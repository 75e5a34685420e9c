"""Puts the labels of the sample where its documents now hold them; run it after a document or a label changed.

Usage: python data/gold/anchor.py

Writes `mentions.jsonl` anew from `names.toml`, and the offsets in `judgements.jsonl` anew from each row's quote
(a row may be written by hand without `start` and `end`). Fails, and writes nothing, where a name cannot be read or
a quote is gone.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tierlake.config import load_settings
from tierlake.sources import load_documents

HERE: Final = Path(__file__).resolve().parent
PROJECT: Final = HERE.parents[1]
# A letter, digit or underscore that a name may not touch. Han writing sets no spaces, so its characters may be touched.
WORD: Final = r"[^\W\u4e00-\u9fff]"

Row = dict[str, Any]
Texts = Mapping[str, Mapping[str, str]]  # bank -> uri -> text


def load_texts() -> Texts:
    """Returns the loaded text of every document of the sample, by bank and uri."""
    settings = load_settings(PROJECT / "tierlake.toml")
    texts = {}
    for bank in settings.banks:
        documents = load_documents(settings, bank).documents
        texts[bank] = dict(zip(documents["uri"], documents["text"], strict=True))
    return texts


def read_rows(name: str) -> list[Row]:
    """Returns the rows of a JSON Lines file of this folder."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def _spellings(kinds: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[tuple[str, str]]:
    """Yields every spelling of a bank's entities, with its entity."""
    for entities in kinds.values():
        for entity, others in entities.items():
            yield from ((surface, entity) for surface in (entity, *others))


def find_mentions(names: Mapping[str, Any], texts: Texts) -> tuple[list[Row], list[str]]:
    """Returns every mention of a known entity in document order, and what could not be read.

    Args:
        names: The content of `names.toml`.
        texts: Text by bank and uri.
    """
    rows: list[Row] = []
    faults: list[str] = []
    for bank, kinds in names["entities"].items():
        kind_of = {entity: kind for kind, entities in kinds.items() for entity in entities}
        owner: dict[str, str] = {}
        for surface, name in _spellings(kinds):
            if owner.setdefault(surface, name) != name:
                faults.append(f"{bank}: {surface!r} belongs to {owner[surface]} and {name}: read it by document")
        readings = {
            (reading["surface"], uri): reading["entity"]
            for reading in names["readings"]
            if reading["bank"] == bank
            for uri in reading["documents"]
        }
        by_hand = {surface for surface, _ in readings}
        # Longest first: "Lantern 2.3" is not a mention of Lantern.
        surfaces = sorted(owner.keys() | by_hand, key=lambda surface: (-len(surface), surface))
        # A name may be broken over two lines.
        spellings = "|".join(re.escape(surface).replace(r"\ ", r"\s+") for surface in surfaces)
        pattern = re.compile(rf"(?<!{WORD})(?:{spellings})(?!{WORD})")
        for uri, text in sorted(texts[bank].items()):
            for match in pattern.finditer(text):
                surface = " ".join(match.group().split())
                entity = readings.get((surface, uri)) if surface in by_hand else owner[surface]
                if entity is None:
                    faults.append(f"{uri}: {surface!r} at {match.start()} has no reading in names.toml")
                elif entity:
                    span = {"uri": uri, "start": match.start(), "end": match.end(), "surface": match.group()}
                    rows.append({"bank": bank, "entity": entity, "kind": kind_of[entity], **span})
    return rows, faults


def place_quotes(rows: Sequence[Row], texts: Texts) -> tuple[list[Row], list[str]]:
    """Returns the judgements with the offsets of their quotes, and the rows whose quote is gone.

    A quote that stands more than once in its document is taken where it is nearest to its old place.

    Args:
        rows: Judgements; `start` and `end` may be missing.
        texts: Text by bank and uri.
    """
    text_of = {uri: text for documents in texts.values() for uri, text in documents.items()}
    placed: list[Row] = []
    faults: list[str] = []
    for row in rows:
        query_id, uri, quote = row["query_id"], row["uri"], row["quote"]
        starts = [match.start() for match in re.finditer(re.escape(quote), text_of.get(uri, ""))]
        if not starts:
            faults.append(f"{query_id}: {uri} does not hold {quote!r}")
            continue
        old = row.get("start", 0)
        start = min(starts, key=lambda place: abs(place - old))
        span = {"start": start, "end": start + len(quote)}
        placed.append({"query_id": query_id, "uri": uri, **span, "grade": row["grade"], "quote": quote})
    return sorted(placed, key=lambda row: (row["query_id"], row["uri"], row["start"])), faults


def main() -> int:
    """Returns 0 after writing both files, 1 after printing what is wrong."""
    texts = load_texts()
    names = tomllib.loads((HERE / "names.toml").read_text(encoding="utf-8"))
    mentions, unread = find_mentions(names, texts)
    judgements, gone = place_quotes(read_rows("judgements.jsonl"), texts)
    for fault in (*unread, *gone):
        print(fault, file=sys.stderr)  # noqa: T201 - a command's messages
    if unread or gone:
        return 1
    for name, rows in (("mentions.jsonl", mentions), ("judgements.jsonl", judgements)):
        lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        (HERE / name).write_text(lines, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

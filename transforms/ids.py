"""Ids: hashes of where a thing stands and what it says, never random."""

from __future__ import annotations

import hashlib
from typing import Final

# 128 bits: no collision is expected below 10^18 rows of a table.
ID_BYTES: Final = 16


def stable_id(*parts: str | int) -> str:
    """Returns a 32-digit hexadecimal id of the parts, in order, with no ambiguity between neighbors.

    Example:
        >>> stable_id("a", "bc") == stable_id("ab", "c")
        False
        >>> len(stable_id("handbook", "deploy.md"))
        32
    """
    digest = hashlib.blake2b(digest_size=ID_BYTES)
    for part in parts:
        data = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()

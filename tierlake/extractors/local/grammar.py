"""Small words of English grammar: agreement of verbs, capitals, full stops, short titles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tierlake.extractors.local.lexicon import CONNECTIVE

if TYPE_CHECKING:
    from spacy.tokens import Token

_IRREGULAR: Final = {"am": "is", "are": "is", "'m": " is", "’m": " is", "'re": " is", "’re": " is", "have": "has", "'ve": " has", "’ve": " has", "do": "does", "go": "goes", "were": "was", "'ll": " will", "’ll": " will"}  # fmt: skip  # noqa: E501
# Not underscores: they are part of code (`__init__`).
_MARKUP: Final = re.compile(r"\*\*|~~|`")
# A title is a short clause (spec: extraction): what fits on one line of a list.
MAX_TITLE: Final = 80
_CUT: Final = re.compile(r"(?:[,;:(–—]| - )\s*|\s(?=(?:because|which|who|so that|while|although|since|after|before|when|if|until|and|but|with|by|for|in|on|at|from|to)\s)")  # fmt: skip  # noqa: E501
_MIN_TITLE: Final = 24


def singular_verb(verb: Token) -> str | None:
    """Returns the third person singular of a finite verb or auxiliary; None where it has none that is known."""
    word = verb.lower_
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if verb.tag_ == "MD":
        return None if word in {"'d", "’d"} else str(verb.text)
    if verb.tag_ == "VBD":
        return str(verb.text)
    if verb.tag_ != "VBP" or not word.isalpha():
        return None
    return third_person(word)


def third_person(word: str) -> str:
    """Returns the third person singular of a regular verb.

    Example:
        >>> [third_person(word) for word in ("use", "carry", "play", "watch", "fix")]
        ['uses', 'carries', 'plays', 'watches', 'fixes']
    """
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    if re.search(r"(?:s|x|z|ch|sh|o)$", word):
        return f"{word}es"
    return f"{word}s"


def capital(text: str) -> str:
    """Returns the text with a capital first letter, but leaves words like `iOS` and `gRPC` alone.

    Example:
        >>> capital("the bake"), capital("iOS is out")
        ('The bake', 'iOS is out')
    """
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    if any(character.isupper() for character in first[1:]) or "." in first[:-1] or "_" in first:
        return text
    return text[:1].upper() + text[1:]


def sentence(text: str, keep: str | None = None) -> str:
    """Returns the words as one sentence: no markup, no connective before it, a capital, a full stop.

    Args:
        text: The words.
        keep: A name (a handle) that keeps its small letter where the sentence starts with it.

    Example:
        >>> sentence("and the **bake** is short,")
        'The bake is short.'
    """
    plain = " ".join(_MARKUP.sub("", text).split())
    connective = CONNECTIVE.match(plain)
    plain = plain[connective.end() if connective else 0 :].strip(" ,;:–—-")
    if plain.endswith(("...", "…")):
        plain = plain.rstrip(".…").rstrip()
    if not plain.endswith((".", "!", "?", "。", "！", '."', ".”", "!”", '!"')):
        plain += "."
    return plain if keep and plain.startswith(keep) else capital(plain)


def short_title(body: str) -> str:
    """Returns a short clause: the body without its full stop, cut at a joint of the sentence where it is long.

    Example:
        >>> short_title("Slipway switches all traffic.")
        'Slipway switches all traffic'
    """
    title = body.rstrip(".。").strip()
    if len(title) <= MAX_TITLE:
        return title
    joints = [match.start() for match in _CUT.finditer(title) if _MIN_TITLE <= match.start() < MAX_TITLE]
    cut = joints[-1] if joints else title.rfind(" ", 0, MAX_TITLE)
    return title[: cut if cut > 0 else MAX_TITLE - 1].rstrip(" ,;:–—(-") + "…"

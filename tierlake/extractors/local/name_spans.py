"""Where names may stand in parsed English text: what the tagger saw, shapes, teams, and capitalized nouns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tierlake.extractors.local import lexicon as words
from tierlake.extractors.local.blocks import Block
from transforms.payload import EntityKind

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

LABELS: Final[dict[str, EntityKind]] = {
    "PERSON": "person",
    "ORG": "organization",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "NORP": "place",  # Berliners, German: what they name is a place, in the resolver's eyes
    "PRODUCT": "product",
    "WORK_OF_ART": "product",
    "LANGUAGE": "concept",
    # A label is a named thing that is none of the other kinds and is itself only under exactly this name: events, laws,
    # tickets, sprints, versions.
    "EVENT": "label",
    "LAW": "label",
}
_POSSESSIVE: Final = re.compile(r"['’`]s?$|['’]$")
PROPER: Final = frozenset({"NNP", "NNPS"})
_JOINERS: Final = frozenset({"de", "von", "van", "der", "&", "di", "la", "le"})
_INITIAL: Final = re.compile(r"[A-ZÀ-Þ]\.$")
_MAX_NAME: Final = 80
# "Lantern 2.4" and "PostgreSQL 16" are names of their own: another version is another thing. A year is no version.
DOTTED_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)+$")
_YEAR_TAIL: Final = re.compile(r"(?:1[89]|20)\d\d$")


@dataclass(frozen=True)
class Candidate:
    """A span of a block that may be a name. `label` is the tagger's or the shape's kind, None where unknown."""

    block: Block
    doc: Doc
    first: int
    last: int
    kind: EntityKind | None
    is_sure: bool = False

    @property
    def text(self) -> str:
        """Returns the name as written."""
        return str(self.doc[self.first : self.last].text)


def shapes_in(block: Block, doc: Doc) -> Iterable[Candidate]:
    """Yields tickets, numbered things, versions (labels) and words with capitals inside (products)."""
    for pattern in (words.TICKET, words.NUMBERED, words.VERSION):
        for match in pattern.finditer(doc.text):
            span = doc.char_span(match.start(), match.end(), alignment_mode="expand")
            if span is not None and span.text == match.group():
                yield Candidate(block, doc, span.start, span.end, "label", is_sure=True)
    for token in doc:
        if words.CAMEL.match(token.text) and not token.like_url and not token.like_email and "_" not in token.text:
            first = token.i
            surname = bool(words.SURNAME_CAMEL.match(token.text))
            if surname or token.ent_type_ == "PERSON" or _in_longer_name(token):
                continue
            yield Candidate(block, doc, first, token.i + 1, "product")


def _in_longer_name(token: Token) -> bool:
    """Returns True where capitalized words stand beside the token as parts of one name (`GitHub Actions`)."""
    neighbors = [token.doc[i] for i in (token.i - 1, token.i + 1) if 0 <= i < len(token.doc)]
    return any(
        n.tag_ in PROPER
        and n.text[:1].isupper()
        and n.dep_ in {"compound", token.dep_}
        and (n.head == token or token.head == n)
        for n in neighbors
    ) or (
        token.ent_type_ != ""
        and any(n.ent_type_ == token.ent_type_ and (n.ent_iob_ == "I" or token.ent_iob_ == "I") for n in neighbors)
    )


def teams_in(block: Block, doc: Doc) -> Iterable[Candidate]:
    """Yields team names: `Platform team`, `Team A`, `data team` after an article."""
    for token in doc:
        lower = token.lower_
        if lower in words.TEAM_NOUNS and token.text[:1].isupper() and token.i + 1 < len(doc):
            after = doc[token.i + 1]
            if after.text[:1].isupper() or after.like_num:
                yield Candidate(block, doc, token.i, token.i + 2, "organization", is_sure=True)
                continue
        if lower not in words.TEAM_NOUNS and lower.rstrip("s") not in words.TEAM_NOUNS:
            continue
        first = token.i
        while first > 0 and _may_name_team(doc[first - 1]):
            first -= 1
        has_article = first > 0 and doc[first - 1].lower_ in {"the", "our", "their", "this"}
        modifiers = doc[first : token.i]
        is_capital = any(part.text[:1].isupper() and part.i > 0 for part in modifiers)
        if first < token.i and (is_capital or (has_article and lower in words.TEAM_NOUNS)):
            yield Candidate(block, doc, first, token.i + 1, "organization", is_sure=True)


def _may_name_team(token: Token) -> bool:
    if token.lower_ in words.VAGUE or token.pos_ in {
        "DET",
        "PRON",
        "NUM",
        "ADP",
        "VERB",
        "AUX",
        "CCONJ",
        "PUNCT",
        "ADV",
        "PART",
        "SPACE",
    }:
        return False
    return token.is_alpha or "-" in token.text


def entities_in(block: Block, doc: Doc) -> Iterable[Candidate]:
    """Yields what the tagger saw, cleaned of what is not part of the name."""
    for entity in doc.ents:
        kind = LABELS.get(entity.label_)
        if kind is None:
            continue
        last = entity.end
        if entity.label_ in {"ORG", "PERSON", "PRODUCT"}:
            # "rewrote Acme Go in Swift": two names that the tagger took for one; the preposition belongs to the verb.
            last = next((t.i for t in entity if t.i > entity.start and t.dep_ == "prep" and t.head not in entity), last)
        if entity.label_ == "PERSON":
            while last < len(doc) and _goes_on(doc[last - 1], doc[last]):
                last += 1
        span = _clean(doc, entity.start, last)
        if span is not None:
            yield Candidate(block, doc, *_extend(doc, *span), kind)


def _goes_on(token: Token, after: Token) -> bool:
    """Returns True where the next word is the rest of a person's name that the tagger cut off."""
    is_part = after.tag_ in PROPER and after.is_title and after.is_alpha and not after.ent_type_
    return is_part and after in {token.head, *token.children} and after.lower_ not in words.NO_NAMES


def _extend(doc: Doc, first: int, last: int) -> tuple[int, int]:
    """Returns the span with the organization suffix or version after it and the honorific before it."""
    if last < len(doc) and DOTTED_VERSION.match(doc[last].text) and not doc[last - 1].is_punct:
        last += 1
    while last < len(doc) and (doc[last].lower_ in words.ORGANIZATION_SUFFIX) and doc[last].text[:1].isupper():
        last += 1
    while first > 0 and _INITIAL.match(doc[first - 1].text):
        first -= 1
    if first > 0 and doc[first - 1].lower_ in words.HONORIFICS and doc[first - 1].text[:1].isupper():
        first -= 1
    return first, last


def _clean(doc: Doc, first: int, last: int) -> tuple[int, int] | None:
    """Returns the span without determiners, possessives, punctuation and years; None where no name is left."""
    while first < last and (
        doc[first].pos_ in {"DET", "PRON", "PUNCT", "SPACE", "ADP", "CCONJ"}
        or doc[first].text in {"#", "@", "’s", "'s", "*"}
    ):
        first += 1
    # "Backups of PostgreSQL" at the start of a sentence: a common noun that the tagger took along.
    is_long = last - first > len(("noun", "of"))
    if (
        is_long
        and doc[first].is_sent_start
        and doc[first].tag_ not in PROPER
        and doc[first + 1].lower_ in {"of", "for"}
    ):
        first += 2
    while last > first and (
        doc[last - 1].text in {"'s", "’s", "'", "’", "s", "#"}
        or doc[last - 1].pos_ in {"PUNCT", "SPACE", "ADP", "CCONJ"}
        or (doc[last - 1].like_num and doc[last - 1].is_lower)
    ):
        last -= 1
    if last - first > 1 and _YEAR_TAIL.match(doc[last - 1].text):
        last -= 1
    span = doc[first:last]
    if first >= last or len(span.text) > _MAX_NAME or not _is_name(doc, first, last):
        return None
    return first, last


def _is_name(doc: Doc, first: int, last: int) -> bool:
    """Returns True where the span has a capital (or no case at all), and is not only dates, roles or numbers."""
    parts = [token for token in doc[first:last] if not token.is_punct]
    text = doc[first:last].text
    if not any(c.isalpha() for c in text) or any(t.like_url or t.like_email for t in parts):
        return False
    if not any(c.isupper() or (c.isalpha() and c.lower() == c.upper()) for c in text):
        return False
    if all(t.lower_ in words.NO_NAMES or t.like_num or t.pos_ in {"VERB", "AUX", "PRON"} for t in parts):
        return False
    if words.NUMBERED.fullmatch(text) or words.TICKET.fullmatch(text) or words.VERSION.fullmatch(text):
        return False
    if all(t.lower_ in words.PERSON_NOUNS | words.ROLE_WORDS or t.lower_ == "of" for t in parts):
        return False
    # One common word that is capitalized because it starts the sentence.
    is_lone = len(parts) == 1 and parts[0].is_sent_start
    return not (is_lone and parts[0].tag_ not in PROPER)


def capitals_in(block: Block, doc: Doc, seen: Counter[str]) -> Iterable[Candidate]:
    """Yields runs of capitalized nouns that the tagger left out."""
    index = 0
    while index < len(doc):
        if not _is_capital(doc[index], seen):
            index += 1
            continue
        last = index + 1
        while last < len(doc) and (
            _is_capital(doc[last], seen)
            or (doc[last].lower_ in _JOINERS and last + 1 < len(doc) and _is_capital(doc[last + 1], seen))
        ):
            last += 1
        span = _clean(doc, index, last)
        if span is not None:
            yield Candidate(block, doc, *_extend(doc, *span), None)
        index = last


def _is_capital(token: Token, seen: Counter[str]) -> bool:
    if (
        not token.text[:1].isupper()
        or token.lower_ in words.NO_NAMES
        or token.ent_type_ in {"DATE", "TIME", "MONEY", "PERCENT", "CARDINAL", "ORDINAL"}
    ):
        return False
    if token.tag_ not in PROPER:
        return False
    is_first = token.is_sent_start or token.i == 0
    if not is_first:
        return True
    if seen[token.text]:
        return True
    # Alone at the start of a sentence: a name where it is a bare subject, its possessor, or part of a longer run.
    follows = token.i + 1 < len(token.doc) and token.doc[token.i + 1].tag_ in PROPER
    return follows or token.dep_ in {"nsubj", "nsubjpass", "poss"}

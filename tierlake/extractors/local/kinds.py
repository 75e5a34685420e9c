"""What kind of thing a name is: votes of the tagger, the shape and the words beside every occurrence in a chunk."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tierlake.extractors.local import lexicon as words
from tierlake.extractors.local.name_spans import DOTTED_VERSION, Candidate
from transforms.payload import EntityKind

if TYPE_CHECKING:
    from spacy.tokens import Token

# Ties go to the kind that is named first: people and organizations are what a wrong kind hurts most.
ORDER: Final[tuple[EntityKind, ...]] = ("person", "organization", "product", "place", "label", "concept")
# Weights of the votes: a shape decides; a word beside the name outweighs one label of the tagger, not two.
SHAPE: Final = 12
KNOWN: Final = 6
NOUN: Final = 4
VERB: Final = 3
LABEL: Final = 2
HINT: Final = 1
_USED_IN: Final = frozenset({"in", "with", "on", "to", "from", "through", "via"})
Votes = Counter[EntityKind]


def decide_kinds(candidates: Sequence[Candidate], *, known: tuple[str, ...]) -> dict[str, EntityKind]:
    """Returns the kind of each surface.

    Args:
        candidates: All candidates of a chunk.
        known: Names of people (author, speakers).
    """
    votes: defaultdict[str, Votes] = defaultdict(Counter)
    people = {part for name in known for part in (name, *name.split())}
    for candidate in candidates:
        own = votes[candidate.text]
        if candidate.kind is not None:
            own[candidate.kind] += SHAPE if candidate.is_sure else LABEL
        _shape_votes(candidate, own)
        _context_votes(candidate, own)
        if candidate.text in people:
            own["person"] += KNOWN
        if candidate.block.label.casefold() in words.PERSON_LABELS and candidate.kind != "place":
            own["person"] += VERB
        own["person"] += _given(candidate)
        # "Tollgate 5.1": a name with a version after it is software, and so is the name without.
        base, _, tail = candidate.text.rpartition(" ")
        if base and DOTTED_VERSION.match(tail):
            own["product"] += SHAPE
            votes[base]["product"] += NOUN
    kinds = {surface: _winner(surface, counted) for surface, counted in votes.items()}
    return {surface: _by_longer(surface, kind, votes, kinds) for surface, kind in kinds.items()}


def _given(candidate: Candidate) -> int:
    """Returns the vote of a common given name at its start, where the tagger saw a name that is no product."""
    parts = candidate.text.casefold().split()
    # Arizona and India are given names too; "Marcus Okafor" is no place.
    is_place = candidate.kind == "place" and (len(parts) == 1 or parts[-1] in words.PLACE_NOUNS)
    return LABEL if candidate.kind != "product" and not is_place and parts[0] in given_names() else 0


@lru_cache(maxsize=1)
def given_names() -> frozenset[str]:
    """Returns common given names in lower case, from the `nicknames` package; place names among them do not count."""
    from nicknames import NickNamer

    return frozenset(NickNamer.default_lookup())


def _winner(surface: str, votes: Votes) -> EntityKind:
    best = max(votes.values(), default=0)
    if best == 0:
        # Nothing says what it is: capitals alone are mostly organizations, several words mostly a body, one a product.
        return "organization" if surface.isupper() or " " in surface else "product"
    return next(kind for kind in ORDER if votes[kind] == best)


def _by_longer(surface: str, kind: EntityKind, votes: dict[str, Votes], kinds: dict[str, EntityKind]) -> EntityKind:
    """Returns the kind of the fuller name in the chunk that this one is a part of ("Okafor" of "Marcus Okafor")."""
    if " " in surface or kind == "label":
        return kind
    for longer in sorted(kinds):
        parts = longer.split()
        if (
            len(parts) > 1
            and kinds[longer] == "person"
            and surface in parts
            and max(votes[surface].values(), default=0) < SHAPE
        ):
            return "person"
        if len(parts) > 1 and parts[0] == surface and parts[-1].casefold() in words.ORGANIZATION_SUFFIX:
            return "organization"
    return kind


def _shape_votes(candidate: Candidate, votes: Votes) -> None:
    parts = candidate.text.split()
    last = parts[-1].casefold()
    if parts[0].casefold() in words.HONORIFICS and len(parts) > 1:
        votes["person"] += SHAPE
    if last in words.ORGANIZATION_SUFFIX and len(parts) > 1:
        votes["organization"] += SHAPE
    if last.rstrip("s") in words.UNIT_NOUNS and len(parts) > 1:
        votes["organization"] += SHAPE
    if len(parts) == 1 and words.CAMEL.match(parts[0]) and not words.SURNAME_CAMEL.match(parts[0]):
        votes["product"] += VERB
    if any(character.isdigit() for character in candidate.text) and candidate.kind is None:
        votes["product"] += VERB
    if len(parts) > 1 and last in words.PLACE_NOUNS:
        votes["place"] += VERB
    if len(parts) > 1 and last in words.PRODUCT_NOUNS:
        votes["product"] += VERB
    if len(parts) > 1 and candidate.kind == "person":
        votes["person"] += HINT


def _context_votes(candidate: Candidate, votes: Votes) -> None:
    head = candidate.doc[candidate.first : candidate.last].root
    governor = head.head
    if head.dep_ in {"nsubj", "nsubjpass"} and governor.pos_ in {"VERB", "AUX"}:
        _as_subject(candidate, governor, votes, is_passive=head.dep_ == "nsubjpass")
    elif head.dep_ == "compound" and head.i < governor.i and governor.pos_ == "NOUN":
        _vote_noun(governor, votes)
    elif head.dep_ == "pobj" and governor.lower_ == "of" and governor.head.lemma_.casefold() in words.DEPLOYED:
        votes["product"] += VERB
    elif head.dep_ == "appos" or (head.dep_ == "pobj" and governor.lower_ == "of" and governor.head.lower_ == "name"):
        _vote_noun(governor, votes)
    elif head.dep_ in {"dobj", "pobj", "conj", "nsubjpass"}:
        _governed(head, votes, is_place=candidate.kind == "place")
    for child in head.children:
        if child.dep_ == "appos" or (child.dep_ == "compound" and child.i < candidate.first):
            _vote_noun(child, votes)


def _as_subject(candidate: Candidate, verb: Token, votes: Votes, *, is_passive: bool) -> None:
    lemma = verb.lemma_.casefold()
    if is_passive:
        # "Slipway is written in Go", "Acme Go was released": software; people are born and hired.
        if lemma in words.PRODUCT_VERBS | words.SOFTWARE_WORK:
            votes["product"] += VERB
        elif lemma in {"bear", "hire", "promote", "marry"}:
            votes["person"] += VERB
        return
    is_word = " " not in candidate.text and not candidate.text.isupper()
    if lemma in words.PERSON_VERBS:
        # Places and products do not write or marry: there the tagger is wrong. States ask and agree, as bodies do.
        is_human = lemma in words.HUMAN_VERBS or (lemma == "lead" and not is_word)
        votes["person"] += VERB if is_human and candidate.kind in {"place", "product"} else HINT
    elif candidate.kind == "organization" and is_word and _promises(verb):
        votes["person"] += LABEL
    if lemma == "be":
        _vote_noun(next((child for child in verb.children if child.dep_ == "attr"), None), votes)


def _promises(verb: Token) -> bool:
    return any(child.dep_ == "aux" and child.lower_ in {"will", "must", "should"} for child in verb.children)


def _governed(head: Token, votes: Votes, *, is_place: bool) -> None:
    """Adds what the verb and preposition over an object say: works *at* X, uses X, migrates *to* X."""
    while head.dep_ == "conj":
        head = head.head
    preposition = head.head if head.dep_ == "pobj" else None
    verb = preposition.head if preposition is not None else head.head
    lemma = verb.lemma_.casefold()
    small = preposition.lower_ if preposition is not None else ""
    if preposition is None and head.dep_ in {"dobj", "nsubjpass"}:
        # What a team owns is software; what a company owns may be a company.
        owned = lemma == "own" and any(child.lower_ in words.TEAM_NOUNS for child in verb.children)
        if lemma in words.PRODUCT_VERBS or owned:
            votes["product"] += VERB
        elif lemma in {"join", "found", "acquire"}:
            votes["organization"] += VERB
        elif lemma in {"meet", "marry", "ask", "thank", "tell", "invite", "hire", "promote"}:
            votes["person"] += HINT
    elif small in _USED_IN and not (is_place and small in {"in", "from"}) and lemma in words.SOFTWARE_WORK:
        votes["product"] += VERB
    elif small in {"at", "for", "by"} and lemma in {
        "work",
        "employ",
        "hire",
        "intern",
        "engineer",
        "developer",
        "start",
    }:
        if small == "at" or verb.pos_ == "VERB":
            votes["organization"] += VERB
    elif small == "in" and lemma in {"live", "bear", "reside", "settle", "base", "locate", "grow"}:
        votes["place"] += VERB


def _vote_noun(noun: Token | None, votes: Votes) -> None:
    if noun is None:
        return
    lemma = noun.lemma_.casefold()
    tables: tuple[tuple[EntityKind, frozenset[str]], ...] = (
        ("person", words.PERSON_NOUNS),
        ("organization", words.ORGANIZATION_NOUNS),
        ("product", words.PRODUCT_NOUNS),
        ("place", words.PLACE_NOUNS),
    )
    for kind, nouns in tables:
        if lemma in nouns:
            votes[kind] += NOUN

"""Step 0: within a document, a shorter form of a name means the fuller one that stands there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from transforms.names import NameFeatures
from transforms.resolution.blocking import Candidates

# Persons by part, initial, nickname and title; everything else only by acronym and organization form: "New York" is
# not "New York Times".
_PERSON_RELATIONS: Final = frozenset({"part", "initial", "middle", "nickname", "title", "variant"})
_OTHER_RELATIONS: Final = frozenset({"acronym", "variant"})


def fullness(f: NameFeatures) -> tuple[int, int, bool, bool, int, str]:
    """Returns how full a name is: words, initials, a title, an organization form, letters; then the key, for order."""
    words = sum(len(word) > 1 for word in f.core)
    return words, len(f.core) - words, f.titled, f.formed, len(f.squashed), f.key


def fuller_names(
    present: Iterable[int],
    kinds: Mapping[int, str | None],
    candidates: Candidates,
    *,
    is_written_large: Callable[[int], bool],
    is_forbidden: Callable[[int, int], bool],
) -> dict[int, int]:
    """Returns, for each name of one document that is a shorter form, the fuller name that it means there.

    A name with two fuller names that are not the same one stays as it is.

    Args:
        present: Numbers of the names in the document.
        kinds: Their kinds in the document.
        candidates: Candidates of the bank.
        is_written_large: Whether a name stands in capitals in the document, as an acronym does.
        is_forbidden: Whether an override keeps two names apart.
    """
    table = candidates.names.features
    here = set(present)
    roots: dict[int, int] = {}
    # From the fullest down, so that a fuller name already knows what it means itself.
    for name in sorted(here, key=lambda n: fullness(table[n]), reverse=True):
        meant = {
            roots[other]
            for other, _, relation in candidates.of[name]
            if other in roots
            and fullness(table[other]) > fullness(table[name])
            and _is_short_form(relation, kinds[name], kinds[other], large=is_written_large(name))
        }
        root = meant.pop() if len(meant) == 1 else name
        roots[name] = root
        # Mr. and Mrs. Smith cannot both be Pat Smith: where short forms of one name conflict, none of them is it.
        conflicting = [
            other
            for other in roots
            if roots[other] == root != name
            and other != name
            and (candidates.compare(name, other).guard is not None or is_forbidden(name, other))
        ]
        if conflicting:
            roots.update({other: other for other in [*conflicting, name]})
    return {name: root for name, root in roots.items() if root != name}


def _is_short_form(relation: str, kind: str | None, other: str | None, *, large: bool) -> bool:
    if relation == "acronym":
        return large and "person" not in {kind, other}
    if kind in {"person", None} and other in {"person", None}:
        return relation in _PERSON_RELATIONS
    return kind == other and relation in _OTHER_RELATIONS

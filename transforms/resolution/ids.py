"""Step 6: entity ids, kept from the last run by largest overlap of mentions, and redirects for those that vanished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from transforms.ids import stable_id


@dataclass(frozen=True)
class LastRun:
    """What the last run of a bank said: mention to entity, and old id to live id."""

    entity_of: Mapping[str, str] = field(default_factory=dict)
    redirects: Mapping[str, str] = field(default_factory=dict)


def assign_ids(bank_id: str, clusters: Sequence[Sequence[str]], last: LastRun) -> tuple[list[str], dict[str, str]]:
    """Returns the id of each cluster, and the redirects.

    An old id goes to the cluster that shares most mentions with it, one id a cluster; ties by the order of clusters,
    then of their mentions. A new id is a hash of the cluster's first mention. An id that vanished redirects to the
    cluster with most of its mentions; where none of them is left, to nothing.

    Args:
        bank_id: The bank.
        clusters: Mention ids of each entity in canonical order, entities in order of their first mention.
        last: The last run.

    Example:
        >>> ids, redirects = assign_ids("b", [["m1", "m2", "m3"]], LastRun({"m1": "old", "m2": "kept", "m3": "kept"}))
        >>> ids, redirects
        (['kept'], {'old': 'kept'})
    """
    overlaps: Counter[tuple[int, str]] = Counter()
    first_shared: dict[tuple[int, str], int] = {}
    for at, mentions in enumerate(clusters):
        for place, mention in enumerate(mentions):
            old = last.entity_of.get(mention)
            if old is not None:
                overlaps[at, old] += 1
                first_shared.setdefault((at, old), place)
    kept: dict[int, str] = {}
    homes: dict[str, int] = {}
    taken: set[str] = set()
    for at, old in sorted(overlaps, key=lambda pair: (-overlaps[pair], pair[0], first_shared[pair])):
        homes.setdefault(old, at)
        if at not in kept and old not in taken:
            kept[at] = old
            taken.add(old)
    used = set(last.entity_of.values()) | last.redirects.keys()
    ids = [kept.get(at) or _new_id(bank_id, mentions[0], used) for at, mentions in enumerate(clusters)]
    return ids, _redirects(ids, homes, last.redirects)


def _new_id(bank_id: str, mention: str, used: set[str]) -> str:
    # A mention may have founded an entity that lives on elsewhere: then the hash is taken once more.
    turn = 0
    while True:
        found = stable_id("entity", bank_id, mention, turn)
        if found not in used:
            return found
        turn += 1


def _redirects(ids: Sequence[str], homes: Mapping[str, int], earlier: Mapping[str, str]) -> dict[str, str]:
    live = set(ids)
    vanished = {old: ids[at] for old, at in homes.items() if old not in live}
    followed = {old: vanished.get(target, target) for old, target in earlier.items() if old not in live}
    return {old: target for old, target in (followed | vanished).items() if target in live}

"""Step 5: human decisions, read from rows of `overrides`, in force unless undone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from transforms.names import name_key


@dataclass(frozen=True)
class Decisions:
    """What the overrides of one bank say.

    Attributes:
        aliases: Name key to the key it stands for.
        blocked: Keys that are no entity.
        same: Mention id to the group of mentions that are one entity.
        sides: Mention id to the (row, side) pairs of `different`: two sides of one row never meet.
        apart: Pairs of name keys (smaller first) that differ.
        labels: Name key or mention id to the name to show.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)
    blocked: frozenset[str] = frozenset()
    same: Mapping[str, int] = field(default_factory=dict)
    sides: Mapping[str, frozenset[tuple[int, int]]] = field(default_factory=dict)
    apart: frozenset[tuple[str, str]] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)

    def keeps_apart(self, one: str, other: str) -> bool:
        """Returns whether `different` was said of two name keys."""
        return (min(one, other), max(one, other)) in self.apart


@dataclass(frozen=True)
class Override:
    """One row in force: what is said, of what, and for `label` the name to show."""

    what: str
    which: tuple[str, ...]
    value: str | None


def rows_in_force(overrides: pl.DataFrame | None, bank_id: str) -> list[Override]:
    """Returns the rows of a bank that nobody has undone, sorted by content: their order decides nothing."""
    if overrides is None:
        return []
    rows = overrides.filter((pl.col("bank_id") == bank_id) & pl.col("undone_by").is_null())
    found = {
        Override(what, tuple(which), value)
        for what, which, value in rows.select("what", "which", "value").iter_rows()
        if what in {"alias", "same", "different", "block", "label"}
    }
    return sorted(found, key=lambda row: (row.what, row.which, row.value or ""))


def decide(rows: Sequence[Override], mentions: Mapping[str, str], members: Mapping[str, frozenset[str]]) -> Decisions:
    """Returns what the rows say of the mentions of a bank.

    Args:
        rows: Rows in force.
        mentions: Mention id to its name key.
        members: Entity id of the last run (and ids that redirect to it) to its mentions. An entry of `which` is an
            entity id or a mention id where one is known, else a name.
    """
    by_key: dict[str, set[str]] = defaultdict(set)
    for mention, key in mentions.items():
        by_key[key].add(mention)

    def meant(entry: str) -> frozenset[str]:
        if entry in members:
            return members[entry] & mentions.keys()
        if entry in mentions:
            return frozenset({entry})
        return frozenset(by_key.get(name_key(entry), ()))

    different = [row for row in rows if row.what == "different"]
    sides: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for at, row in enumerate(different):
        for side, entry in enumerate(row.which):
            for mention in meant(entry):
                sides[mention].add((at, side))
    return Decisions(
        aliases=_aliases([row for row in rows if row.what == "alias"], by_key.keys()),
        blocked=frozenset(name_key(entry) for row in rows if row.what == "block" for entry in row.which),
        same=_groups(frozenset().union(*map(meant, row.which)) for row in rows if row.what == "same"),
        sides={mention: frozenset(found) for mention, found in sides.items()},
        apart=frozenset(
            (min(one, other), max(one, other))
            for row in different
            for one in map(name_key, row.which)
            for other in map(name_key, row.which)
            if one != other
        ),
        labels={
            target: row.value
            for row in rows
            if row.what == "label" and row.value
            for entry in row.which
            for target in (sorted(meant(entry)) if entry in members or entry in mentions else [name_key(entry)])
        },
    )


def _aliases(rows: Sequence[Override], present: Iterable[str]) -> dict[str, str]:
    # Names that alias rows connect stand for the smallest of them that occurs, so that the order of rows is nothing.
    here = set(present)
    groups = _groups(frozenset(map(name_key, row.which)) for row in rows)
    members: dict[int, list[str]] = defaultdict(list)
    for key, group in groups.items():
        members[group].append(key)
    roots = {group: min((key for key in keys if key in here), default=min(keys)) for group, keys in members.items()}
    return {key: roots[group] for key, group in groups.items() if key != roots[group]}


def _groups(sets: Iterable[frozenset[str]]) -> dict[str, int]:
    """Returns each member with the number of its group; sets that share a member are one group."""
    groups: list[set[str]] = []
    for members in sets:
        touching = [group for group in groups if group & members]
        groups = [group for group in groups if not group & members]
        groups.append(set(members).union(*touching))
    ordered = sorted(filter(None, groups), key=min)
    return {member: number for number, group in enumerate(ordered) for member in group}

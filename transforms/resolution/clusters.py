"""What has been gathered for one entity while it is being put together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from transforms.resolution.bank import majority

DAY: float = 86_400_000_000.0
"""Microseconds of a day."""


@dataclass(eq=False)
class Cluster:
    """An entity in the making.

    Attributes:
        index: Its place in order of creation, which is the canonical order of its first mention.
        names: Numbers of its names.
        neighbors: Numbers of what stood beside it.
        mentions: Rows of its mentions.
        kinds: How often each kind was said.
        first: Earliest date, in microseconds; None while undated.
        last: Latest date.
        sides: Sides of `different` overrides that its mentions are on.
    """

    index: int
    names: set[int] = field(default_factory=set)
    neighbors: set[int] = field(default_factory=set)
    mentions: list[int] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    first: int | None = None
    last: int | None = None
    sides: set[tuple[int, int]] = field(default_factory=set)
    kind: str | None = None

    def see(self, at: int | None) -> None:
        """Takes a date into the span."""
        if at is not None:
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)

    def count_kinds(self, kinds: Counter[str]) -> None:
        """Takes kinds into the vote."""
        self.kinds.update(kinds)
        self.kind = majority(self.kinds)

    def absorb(self, other: Cluster) -> None:
        """Takes all that another cluster has."""
        self.names |= other.names
        self.neighbors |= other.neighbors
        self.mentions += other.mentions
        self.sides |= other.sides
        self.count_kinds(other.kinds)
        self.see(other.first)
        self.see(other.last)

    def conflicts(self, sides: frozenset[tuple[int, int]] | set[tuple[int, int]]) -> bool:
        """Returns whether an override says that something on `sides` is not this entity."""
        return bool(sides) and any(row == other and side != there for row, side in sides for other, there in self.sides)


def closeness(gap: float | None, window_days: float) -> float:
    """Returns the seed's temporal part for a gap in microseconds: 1 at once, 0 from the window on and where undated."""
    return 0.0 if gap is None else max(0.0, 1.0 - abs(gap) / (window_days * DAY))

"""Steps 1 and 2: each mention, in canonical order, is scored against the entities seen so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from transforms.resolution.bank import Bank
from transforms.resolution.clusters import DAY, Cluster, closeness
from transforms.resolution.config import ResolutionConfig
from transforms.resolution.guards import MEANING, Guard, equal_names_conflict, kinds_conflict

SPECIFIC_KINDS = frozenset({"organization", "place", "product"})
"""Kinds whose names are given to one thing; first names are given to many."""


@dataclass(frozen=True)
class Parts:
    """A score and its parts."""

    total: float
    name: float
    cooccurrence: float
    temporal: float
    shared: float


@dataclass(frozen=True)
class Verdict:
    """Where a mention went, and why. `parts` is None where nothing was scored."""

    method: str
    reason: str
    parts: Parts | None = None
    runner_up: Cluster | None = None
    runner_up_total: float | None = None


def is_specific(bank: Bank, name: int) -> bool:
    """Returns whether a name is specific: several words, or an organization, place or product."""
    names = bank.candidates.names
    return len(names.features[name].core) > 1 or names.kinds[name] in SPECIFIC_KINDS


class Resolver:
    """Goes through the mentions of one bank once, in canonical order."""

    def __init__(self, bank: Bank, config: ResolutionConfig) -> None:
        self.bank = bank
        self.config = config
        self.clusters: list[Cluster] = []
        self.by_name: list[list[Cluster]] = [[] for _ in bank.candidates.names.keys]
        self.verdicts: list[Verdict] = []
        self._in_document: dict[tuple[str, int], Cluster] = {}
        self._same: dict[int, Cluster] = {}
        self._specific = [is_specific(bank, name) for name in range(len(self.by_name))]
        self._seen_like: dict[str, int] = {}

    def run(self) -> None:
        """Places every mention. A loop over rows: each decision depends on those before it."""
        for i in range(len(self.bank.rows)):
            cluster, verdict = self._decide(i)
            self.verdicts.append(verdict)
            self._link(i, cluster)

    def _link(self, i: int, cluster: Cluster) -> None:
        bank = self.bank
        for name in (bank.meant[i], bank.own[i]):
            if name not in cluster.names:
                cluster.names.add(name)
                self.by_name[name].append(cluster)
        cluster.neighbors.update(bank.neighbors[i])
        cluster.mentions.append(i)
        kind = bank.rows.kind[i]
        if kind is not None:
            if cluster.kind is None or cluster.kind != kind:
                cluster.count_kinds(Counter({kind: 1}))
            else:
                cluster.kinds[kind] += 1
        cluster.see(bank.rows.at[i])
        self._in_document[bank.rows.document[i], bank.meant[i]] = cluster
        mention = bank.rows.mention[i]
        if bank.decisions.sides:
            cluster.sides |= bank.decisions.sides.get(mention, frozenset())
        if mention in bank.decisions.same:
            self._same.setdefault(bank.decisions.same[mention], cluster)

    def _decide(self, i: int) -> tuple[Cluster, Verdict]:
        bank = self.bank
        sides = bank.decisions.sides.get(bank.rows.mention[i], frozenset()) if bank.decisions.sides else frozenset()
        forced = self._same.get(bank.decisions.same.get(bank.rows.mention[i], -1)) if bank.decisions.same else None
        if forced is not None:
            similarity = max(bank.candidates.compare(bank.meant[i], name).similarity for name in forced.names)
            parts = self._parts(i, forced, similarity)
            return forced, Verdict("override", "an override says that they are the same", parts)
        name = bank.meant[i]
        equal = [(self._parts(i, c, 1.0), c) for c in self.by_name[name] if not c.conflicts(sides)]
        accepted = [(parts, c) for parts, c in equal if self._equal_name_holds(i, parts, c)]
        there = self._in_document.get((bank.rows.document[i], name)) if bank.in_document[i] else None
        if there is not None and not there.conflicts(sides):
            accepted = [(parts, c) for parts, c in equal if c is there]
        if accepted:
            parts, cluster = max(accepted, key=_rank)
            others = [(p, c) for p, c in equal if c is not cluster]
            return cluster, self._with_runner_up(i, self._equal_verdict(i, parts), others, cluster)
        similar = self._similar(i, sides, exclude={c.index for _, c in equal})
        passing = [(parts, c) for parts, c in similar if parts.total > self.config.threshold]
        if passing:
            parts, cluster = max(passing, key=_rank)
            others = [(p, c) for p, c in similar + equal if c is not cluster]
            verdict = Verdict("score", self._why_scored(i, cluster, parts), parts)
            return cluster, self._with_runner_up(i, verdict, others, cluster, rest=False)
        cluster = Cluster(len(self.clusters))
        self.clusters.append(cluster)
        verdict = Verdict("new", self._why_new(i, equal, similar))
        return cluster, self._with_runner_up(i, verdict, similar + equal, cluster, rest=False)

    def _parts(self, i: int, cluster: Cluster, name: float) -> Parts:
        bank = self.bank
        beside = bank.neighbors[i]
        known = cluster.neighbors
        weight = bank.weight
        shared = 0.0
        for neighbor in beside:
            if neighbor in known:
                shared += weight[neighbor]
        cooccurrence = min(1.0, shared / bank.neighbor_weight[i]) if shared else 0.0
        at = bank.rows.at[i]
        gap = None if at is None or cluster.last is None else at - cluster.last
        temporal = closeness(gap, self.config.window_days)
        return Parts(self.config.total(name, cooccurrence, temporal), name, cooccurrence, temporal, shared)

    def _equal_name_holds(self, i: int, parts: Parts, cluster: Cluster) -> bool:
        name = self.bank.meant[i]
        if self._kinds_conflict(i, cluster) and parts.shared < self.config.shared_weight:
            return False
        at = self.bank.rows.at[i]
        gap = None if at is None or cluster.last is None else abs(at - cluster.last)
        sizes = len(self.bank.neighbors[i]), len(cluster.neighbors)
        return equal_name_holds(parts, gap, sizes, specific=self._specific[name], config=self.config)

    def _kinds_conflict(self, i: int, cluster: Cluster) -> bool:
        name = self.bank.candidates.names.features[self.bank.meant[i]]
        return equal_names_conflict(name, self.bank.rows.kind[i], cluster.kind)

    def _similar(self, i: int, sides: frozenset[tuple[int, int]], exclude: set[int]) -> list[tuple[Parts, Cluster]]:
        found: dict[int, tuple[float, Cluster]] = {}
        # Most similar first, so the first similarity seen for a cluster is that of its closest name.
        for other, similarity, _ in self.bank.candidates.of[self.bank.meant[i]]:
            for cluster in self.by_name[other]:
                if cluster.index not in exclude and cluster.index not in found:
                    found[cluster.index] = (similarity, cluster)
        return [
            (self._parts(i, cluster, similarity), cluster)
            for similarity, cluster in found.values()
            if self._guard(i, cluster) is None and not cluster.conflicts(sides)
        ]

    def _why_scored(self, i: int, cluster: Cluster, parts: Parts) -> str:
        candidates = self.bank.candidates
        closest = next(other for other, _, _ in candidates.of[self.bank.meant[i]] if other in cluster.names)
        relation = candidates.compare(self.bank.meant[i], closest).relation or "shared context"
        return f"{relation} of {candidates.names.keys[closest]!r}: {parts.total:.3f} above {self.config.threshold}"

    def _guard(self, i: int, cluster: Cluster) -> Guard | None:
        if kinds_conflict(self.bank.rows.kind[i], cluster.kind):
            return "kinds"
        compare = self.bank.candidates.compare
        guards = (
            compare(self.bank.meant[i], name).guard for name in sorted(cluster.names) if name != self.bank.meant[i]
        )
        return next((guard for guard in guards if guard is not None), None)

    def _equal_verdict(self, i: int, parts: Parts) -> Verdict:
        bank = self.bank
        own, name = bank.own[i], bank.meant[i]
        if own == name:
            return Verdict("exact", "equal name", parts)
        keys = bank.candidates.names.keys
        similarity = bank.candidates.compare(own, name).similarity
        total = self.config.total(similarity, parts.cooccurrence, parts.temporal)
        parts = Parts(total, similarity, parts.cooccurrence, parts.temporal, parts.shared)
        if bank.in_document[i]:
            return Verdict("document", f"means {keys[name]!r}, the only fuller name in its document", parts)
        return Verdict("override", f"an override says that it is an alias of {keys[name]!r}", parts)

    def _with_runner_up(
        self, i: int, verdict: Verdict, others: list[tuple[Parts, Cluster]], chosen: Cluster, *, rest: bool = True
    ) -> Verdict:
        if rest and self.bank.candidates.of[self.bank.meant[i]]:
            taken = {c.index for _, c in others} | {chosen.index}
            others = others + self._similar(i, frozenset(), exclude=taken)
        if not others:
            return verdict
        parts, cluster = max(others, key=_rank)
        return Verdict(verdict.method, verdict.reason, verdict.parts, cluster, parts.total)

    def _why_new(self, i: int, equal: list[tuple[Parts, Cluster]], similar: list[tuple[Parts, Cluster]]) -> str:
        bank = self.bank
        keys = bank.candidates.names.keys
        name = bank.meant[i]
        if any(self._kinds_conflict(i, c) for _, c in equal):
            return f"guard kinds: {MEANING['kinds']} ({keys[name]!r} is {bank.rows.kind[i]} here)"
        if equal:
            return f"equal name, but other neighbors at another time: best total {max(p.total for p, _ in equal):.3f}"
        guard = self._guard_met(name)
        if guard is not None:
            return f"guard {guard[0]}: {MEANING[guard[0]]} ({keys[guard[1]]!r})"
        if similar:
            return f"best total {max(p.total for p, _ in similar):.3f}, not above {self.config.threshold}"
        return "no candidate"

    def _guard_met(self, name: int) -> tuple[Guard, int] | None:
        """Returns a guard that keeps the name from one seen before: a candidate's, else of a name of the same form."""
        found = next(((guard, n) for n, guard in self.bank.candidates.forbidden[name] if self.by_name[n]), None)
        for form in forms(self.bank.candidates.names.features[name].core):
            other = self._seen_like.get(form, name)
            if found is None and other != name:
                guard_met = self.bank.candidates.compare(name, other).guard
                found = None if guard_met is None else (guard_met, other)
            self._seen_like[form] = name
        return found


def forms(core: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what a name shares with names that guards keep from it: it without numbers and letters, its last word.

    Example:
        >>> forms(("sprint", "14")), forms(("team", "a"))
        (('sprint #', '* 14'), ('team @', '* a'))
    """
    plain = ("#" if word[0].isdecimal() else "@" if len(word) == 1 else word for word in core)
    return (" ".join(plain), f"* {core[-1]}") if len(core) > 1 else (core[0],)


def equal_name_holds(
    parts: Parts, gap: int | None, neighbors: tuple[int, int], *, specific: bool, config: ResolutionConfig
) -> bool:
    """Returns whether an equal name makes one entity, under the policy `same_name` (step 4).

    Args:
        parts: The score.
        gap: Microseconds between the two; None where one is undated.
        neighbors: How many neighbors each side has.
        specific: The name is specific.
        config: The policy and its numbers.
    """
    if config.same_name == "context":
        return parts.total > config.threshold
    if config.same_name == "specific":
        return specific or parts.total > config.threshold
    if config.same_name == "unify":
        return True
    enough = config.specific_neighbors if specific else config.enough_neighbors
    is_apart = gap is not None and gap > config.window_days * DAY
    return not (is_apart and min(neighbors) >= enough and parts.shared < config.shared_weight)


def _rank(scored: tuple[Parts, Cluster]) -> tuple[float, float, int, int]:
    parts, cluster = scored
    return parts.total, parts.name, len(cluster.mentions), -cluster.index

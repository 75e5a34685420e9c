"""Step 3: entities that are candidates for one another are scored on all their evidence, and merged best first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import combinations

from transforms.resolution.bank import Bank
from transforms.resolution.clusters import Cluster, closeness
from transforms.resolution.config import ResolutionConfig
from transforms.resolution.guards import equal_names_conflict, kinds_conflict
from transforms.resolution.sequential import Parts, Resolver, Verdict, equal_name_holds, is_specific


class Reconciler:
    """Merges the clusters of one bank. What a cluster became is looked up with `final`."""

    def __init__(self, resolver: Resolver, config: ResolutionConfig) -> None:
        self.bank: Bank = resolver.bank
        self.config = config
        self.resolver = resolver
        self.clusters = resolver.clusters
        self.verdicts: list[Verdict] = resolver.verdicts
        self._into: dict[int, Cluster] = {}
        self._partners: dict[int, set[int]] = {}
        self._version = [0] * len(self.clusters)
        self._queue: list[tuple[tuple[float, ...], int, int, int, int]] = []

    def final(self, cluster: Cluster) -> Cluster:
        """Returns the cluster that this one is part of now."""
        while cluster.index in self._into:
            cluster = self._into[cluster.index]
        return cluster

    def run(self) -> None:
        """Merges best first until no pair is above the threshold; each merge gives its neighbors a new score."""
        for one, other in sorted(set(self._pairs())):
            self._partners.setdefault(one, set()).add(other)
            self._partners.setdefault(other, set()).add(one)
            self._offer(one, other)
        while self._queue:
            _, one, other, version_one, version_other = heapq.heappop(self._queue)
            if (self._version[one], self._version[other]) == (version_one, version_other):
                self._merge(one, other)

    def _pairs(self) -> Iterator[tuple[int, int]]:
        by_name = self.resolver.by_name
        for name, holders in enumerate(by_name):
            if not holders:
                continue
            yield from combinations(sorted(c.index for c in holders), 2)
            for other, _, _ in self.bank.candidates.of[name]:
                for one in holders:
                    yield from (
                        (min(one.index, c.index), max(one.index, c.index)) for c in by_name[other] if c is not one
                    )

    def _offer(self, one: int, other: int) -> None:
        a, b = self.clusters[one], self.clusters[other]
        parts = self.score(a, b)
        if parts is None:
            return
        rank = (-parts.total, -parts.name, -float(len(a.mentions) + len(b.mentions)))
        heapq.heappush(self._queue, (rank, one, other, self._version[one], self._version[other]))

    def score(self, a: Cluster, b: Cluster) -> Parts | None:
        """Returns the parts of two clusters that may be merged; None where score, guard or override forbids it."""
        if a.conflicts(b.sides):
            return None
        common = a.names & b.names
        candidates = self.bank.candidates
        # Names are few; the closest pair counts, as for a single mention.
        name = 1.0 if common else max(candidates.similarity(x, y) for x in a.names for y in b.names)
        few, many = sorted((a, b), key=lambda c: (len(c.neighbors), c.index))
        apart = a.names | b.names
        beside = sorted(few.neighbors - apart)
        shared = sum(self.bank.weight[n] for n in beside if n in many.neighbors)
        whole = max(1.0, sum(self.bank.weight[n] for n in beside))
        cooccurrence = min(1.0, shared / whole)
        gap = _gap(a, b)
        temporal = closeness(gap, self.config.window_days)
        parts = Parts(self.config.total(name, cooccurrence, temporal), name, cooccurrence, temporal, shared)
        if not self._may_merge(a, b, parts, gap, common):
            return None
        return parts

    def _may_merge(self, a: Cluster, b: Cluster, parts: Parts, gap: int | None, common: set[int]) -> bool:
        table = self.bank.candidates.names.features
        # One name in common that may be both kinds is enough, unless there is none.
        conflict = kinds_conflict(a.kind, b.kind) and all(
            equal_names_conflict(table[n], a.kind, b.kind) for n in common
        )
        if conflict and (not common or parts.shared < self.config.shared_weight):
            return False
        if common:
            sizes = len(a.neighbors), len(b.neighbors)
            # Ambiguous as soon as one of the common names is: the specific one may have come by a short form.
            specific = all(is_specific(self.bank, n) for n in common)
            if not equal_name_holds(parts, gap, sizes, specific=specific, config=self.config):
                return False
        elif parts.total <= self.config.threshold:
            return False
        compare = self.bank.candidates.compare
        return all(compare(x, y).guard is None for x in a.names for y in b.names if x != y)

    def _merge(self, one: int, other: int) -> None:
        a, b = self.clusters[one], self.clusters[other]
        parts = self.score(a, b)
        founder = b.mentions[0]
        verdict = self.verdicts[founder]
        keys = self.bank.candidates.names.keys
        reason = f"{self._shown(b, keys)} joined {self._shown(a, keys)} on all their evidence"
        runner_up = None if verdict.runner_up is a else verdict.runner_up
        total = None if runner_up is None else verdict.runner_up_total
        self.verdicts[founder] = Verdict("reconcile", reason, parts, runner_up, total)
        a.absorb(b)
        self._into[other] = a
        self._version[one] += 1
        self._version[other] = -1
        partners = (self._partners.pop(other, set()) | self._partners.get(one, set())) - {one, other}
        self._partners[one] = partners
        for partner in sorted(partners):
            self._partners[partner].discard(other)
            self._partners[partner].add(one)
            self._offer(min(one, partner), max(one, partner))

    def _shown(self, cluster: Cluster, keys: tuple[str, ...]) -> str:
        return repr(keys[self.bank.own[cluster.mentions[0]]])


def _gap(a: Cluster, b: Cluster) -> int | None:
    if a.first is None or a.last is None or b.first is None or b.last is None:
        return None
    return max(0, b.first - a.last, a.first - b.last)

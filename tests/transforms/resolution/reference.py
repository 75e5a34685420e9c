"""The procedure, slow and plain: all pairs, no blocking, everything counted anew each time. The oracle of the fast one.

It shares with the fast one what a pair of names is worth (`compare`), which is tested by tables, and nothing else.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from transforms.names import features, name_key
from transforms.resolution import ResolutionConfig
from transforms.resolution.documents import fullness
from transforms.resolution.guards import equal_names_conflict, kinds_conflict
from transforms.resolution.similarity import compare

DAY = 86_400
SPECIFIC = {"organization", "place", "product"}


def most(kinds: list[str | None]) -> str | None:
    count = Counter(kind for kind in kinds if kind is not None)
    return min(count, key=lambda kind: (-count[kind], kind)) if count else None


@dataclass
class Group:
    order: int
    mentions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        return {m[which] for m in self.mentions for which in ("key", "meant")}

    @property
    def beside(self) -> set[str]:
        return {name for m in self.mentions for name in m["beside"]}

    @property
    def kind(self) -> str | None:
        return most([m["kind"] for m in self.mentions])

    @property
    def dates(self) -> list[float]:
        return [m["seconds"] for m in self.mentions if m["seconds"] is not None]


class Reference:
    """One bank. `partition` is the set of groups, each a set of mention ids."""

    def __init__(self, rows: list[dict[str, Any]], config: ResolutionConfig) -> None:
        self.config = config
        self.rows = [self._prepared(row) for row in rows if name_key(row["surface"])]
        self.kinds = {key: most([m["kind"] for m in self.rows if m["key"] == key]) for key in self._keys()}
        self.terms = {key: {t for m in self.rows if m["key"] == key for t in m["context"]} for key in self._keys()}
        self._replace_short_forms()
        facts = {fact: {m["meant"] for m in self.rows if m["fact_id"] == fact} for fact in self._values("fact_id")}
        for m in self.rows:
            m["beside"] = (facts[m["fact_id"]] - {m["meant"]}) | {("term", t) for t in m["context"]}
        self.rows.sort(key=self._canonical)
        self.groups: list[Group] = []
        for m in self.rows:
            self._place(m)
        self._reconcile()
        self.partition = {frozenset(m["mention_id"] for m in group.mentions) for group in self.groups}
        self.methods = {m["mention_id"]: m["method"] for m in self.rows}
        self.totals = {m["mention_id"]: m["total"] for m in self.rows}

    def _prepared(self, row: dict[str, Any]) -> dict[str, Any]:
        seconds = None if row["at"] is None else row["at"].timestamp()
        key = name_key(row["surface"])
        return row | {"key": key, "meant": key, "seconds": seconds, "context": set(row.get("context") or [])}

    def _keys(self) -> set[str]:
        return {m["key"] for m in self.rows}

    def _values(self, column: str) -> set[str]:
        return {m[column] for m in self.rows}

    def _canonical(self, m: dict[str, Any]) -> tuple[Any, ...]:
        undated = m["seconds"] is None
        fact = sorted(n["key"] for n in self.rows if n["fact_id"] == m["fact_id"])
        place = (undated, m["seconds"] or 0.0, m["document_id"], m["position"], m["key"], m["surface"])
        return (*place, m["kind"] is None, m["kind"] or "", fact, sorted(m["context"]), m["mention_id"])

    def _shared_terms(self, one: str, other: str) -> int:
        common = self.terms[one] & self.terms[other]
        return sum(sum(term in held for held in self.terms.values()) <= self.config.rare_names for term in common)

    def pair(self, one: str, other: str) -> tuple[float, str, str | None]:
        """Similarity (0: no candidates), relation and guard of two names."""
        if one == other:
            return 1.0, "equal", None
        shared = self._shared_terms(one, other)
        vouched = shared > 0 and shared >= min(2, len(self.terms[one]), len(self.terms[other]))
        found = compare(features(one), features(other), kinds=(self.kinds[one], self.kinds[other]), vouched=vouched)
        candidates = (found.relation or shared) and found.guard is None
        return (found.similarity if candidates else 0.0), found.relation, found.guard

    def _replace_short_forms(self) -> None:
        for document in self._values("document_id"):
            here = [m for m in self.rows if m["document_id"] == document]
            kinds = {m["key"]: most([n["kind"] for n in here if n["key"] == m["key"]]) for m in here}
            means: dict[str, str] = {}
            for short in sorted(kinds, key=lambda key: fullness(features(key)), reverse=True):
                fuller = {means[full] for full in means if self._is_short(short, full, kinds, here)}
                root = fuller.pop() if len(fuller) == 1 else short
                rivals = [o for o in means if means[o] == root != short and self.pair(o, short)[2] is not None]
                means[short] = root
                means |= {name: name for name in [*rivals, short] if rivals}
            for m in here:
                m["meant"] = means[m["key"]]

    def _is_short(self, short: str, full: str, kinds: dict[str, str | None], here: list[dict[str, Any]]) -> bool:
        similarity, relation, _ = self.pair(short, full)
        if similarity == 0.0 or fullness(features(full)) <= fullness(features(short)):
            return False
        if relation == "acronym":
            large = any(m["surface"].isupper() for m in here if m["key"] == short)
            return large and "person" not in (kinds[short], kinds[full])
        if {kinds[short], kinds[full]} <= {"person", None}:
            return relation in {"part", "initial", "middle", "nickname", "title", "variant"}
        return kinds[short] == kinds[full] and relation == "variant"

    def _weight(self, name: Any) -> float:
        facts = len({m["fact_id"] for m in self.rows if self._stands(name, m)})
        if not self.config.hub_damping or facts < self.config.free_facts:
            return 1.0
        bucket = 1
        while bucket * 2 <= facts:
            bucket *= 2
        return min(1.0, (self.config.free_facts / bucket) ** 2)

    def _stands(self, name: Any, m: dict[str, Any]) -> bool:
        return name[1] in m["context"] if isinstance(name, tuple) else m["meant"] == name

    def _share(self, beside: set[Any], known: set[Any]) -> tuple[float, float]:
        shared = sum(self._weight(name) for name in beside & known)
        return shared, min(1.0, shared / max(1.0, sum(map(self._weight, beside))))

    def _score(self, name: float, share: float, days: float | None) -> float:
        temporal = 0.0 if days is None else max(0.0, 1 - days / self.config.window_days)
        return round(0.5 * name + 0.3 * share + 0.2 * temporal, 9)

    def _holds(
        self, total: float, shared: float, days: float | None, sizes: tuple[int, int], *, specific: bool
    ) -> bool:
        policy = self.config.same_name
        if policy == "unify" or (policy == "specific" and specific):
            return True
        if policy in {"context", "specific"}:
            return total > self.config.threshold
        enough = self.config.specific_neighbors if specific else self.config.enough_neighbors
        apart = days is not None and days > self.config.window_days
        return not (apart and min(sizes) >= enough and shared < self.config.shared_weight)

    def _is_specific(self, key: str) -> bool:
        return len(features(key).core) > 1 or self.kinds[key] in SPECIFIC

    def _place(self, m: dict[str, Any]) -> None:
        equal, similar, taken = [], [], None
        for group in self.groups:
            days = None if m["seconds"] is None or not group.dates else (m["seconds"] - max(group.dates)) / DAY
            shared, share = self._share(m["beside"], group.beside)
            conflict = kinds_conflict(m["kind"], group.kind)
            if m["meant"] in group.names:
                conflict = equal_names_conflict(features(m["meant"]), m["kind"], group.kind)
                total = self._score(1.0, share, days)
                sizes = (len(m["beside"]), len(group.beside))
                specific = self._is_specific(m["meant"])
                agrees = not (conflict and shared < self.config.shared_weight)
                if agrees and self._holds(total, shared, days, sizes, specific=specific):
                    equal.append((total, 1.0, len(group.mentions), -group.order, group))
                there = [n for n in group.mentions if (n["document_id"], n["meant"]) == (m["document_id"], m["meant"])]
                if m["meant"] != m["key"] and there:
                    latest = max(self.rows.index(n) for n in there)
                    taken = max(taken or (-1,), (latest, total, 1.0, group), key=lambda found: found[0])
            elif not conflict and all(self.pair(m["meant"], name)[2] is None for name in group.names):
                name = max(self.pair(m["meant"], name)[0] for name in group.names)
                total = self._score(name, share, days)
                if name > 0 and total > self.config.threshold:
                    similar.append((total, name, len(group.mentions), -group.order, group))
        if taken is not None:
            m["method"], best = "document", (taken[1], taken[2], 0, 0, taken[3])
        elif equal:
            best = max(equal, key=lambda found: found[:4])
            m["method"] = "exact" if m["meant"] == m["key"] else "document"
        elif similar:
            m["method"], best = "score", max(similar, key=lambda found: found[:4])
        else:
            m["method"], best = "new", (None, 0.0, 0, 0, Group(len(self.groups)))
            self.groups.append(best[4])
        m["total"] = best[0]
        best[4].mentions.append(m)

    def _reconcile(self) -> None:
        while True:
            scored = [(rank, a, b) for a, b in combinations(self.groups, 2) if (rank := self._rank(a, b)) is not None]
            if not scored:
                return
            rank, a, b = max(scored, key=lambda found: found[0])
            founder = min(b.mentions, key=self.rows.index)
            founder["method"], founder["total"] = "reconcile", rank[0]
            a.mentions += b.mentions
            self.groups.remove(b)

    def _rank(self, a: Group, b: Group) -> tuple[float, float, int, int, int] | None:
        common = a.names & b.names
        name = max(self.pair(x, y)[0] for x in a.names for y in b.names)
        if name == 0.0 or any(self.pair(x, y)[2] is not None for x in a.names for y in b.names):
            return None
        few, many = sorted((a, b), key=lambda g: (len(g.beside), g.order))
        shared, share = self._share(few.beside - a.names - b.names, many.beside)
        days = None
        if a.dates and b.dates:
            days = max(0.0, min(b.dates) - max(a.dates), min(a.dates) - max(b.dates)) / DAY
        total = self._score(name, share, days)
        conflict = kinds_conflict(a.kind, b.kind)
        if common:
            conflict = all(equal_names_conflict(features(n), a.kind, b.kind) for n in common)
        if conflict and (not common or shared < self.config.shared_weight):
            return None
        if common:
            sizes = (len(a.beside), len(b.beside))
            specific = all(map(self._is_specific, common))
            if not self._holds(total, shared, days, sizes, specific=specific):
                return None
        elif total <= self.config.threshold:
            return None
        return total, name, len(a.mentions) + len(b.mentions), -a.order, -b.order

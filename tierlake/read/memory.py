"""`Memory`: a bank as readers see it, one published set of tables and its index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from tierlake.errors import InvalidReadOptions, LakeError, TierlakeError, UnknownNameError
from tierlake.lake import Lake
from tierlake.manifest import published_banks, read_published
from tierlake.read.bundle import Bundle, Explanation, Fact
from tierlake.read.filters import Filters, parse_filters
from tierlake.read.index import FactIndex
from tierlake.read.options import DEFAULT_MAX_RESULTS, finite, parse_count, parse_tiers
from tierlake.read.retrieval import Question, Retrieval
from tierlake.read.tables import PublishedTables
from tierlake.read.work import entities_of, events_of, tasks_of

__all__ = ["Bundle", "Explanation", "Fact", "Filters", "Memory"]

_FACT_COLUMNS: Final = (
    "fact_id", "tier", "title", "body", "kind", "confidence", "tags", "updated_at", "mentioned_at", "occurred_start",
    "occurred_end", "occurred_precision", "speaker", "entities", "quote", "quote_start", "quote_end", "document_id",
    "superseded_by",
)  # fmt: skip


class Memory:
    """Reads one bank. Thread-safe, and reading changes nothing: no later ranking, no file.

    It stays on the set of versions that was published when it was opened; open another to see a later run.
    """

    def __init__(self, bank: str, index: FactIndex, tables: PublishedTables) -> None:
        self.bank = bank
        self._facts = index.facts
        self._tables = tables
        self._retrieval = Retrieval(index, tables)

    @classmethod
    def open(cls, root: str | Path, *, bank: str | None = None, as_of: object = None) -> Memory:
        """Returns the memory of a bank as it was last published.

        Args:
            root: The lake's root, a folder.
            bank: The bank; may be left out where the lake has one.
            as_of: Not yet: reading the memory as it was comes with the history of publishing.

        Raises:
            UnknownNameError: The bank was never published, or there are several and none was named.
            LakeError: What was published cannot be read.
            TierlakeError: `as_of` was given.
        """
        if as_of is not None:
            raise TierlakeError(
                f"as_of={as_of!r}: reading the memory as it was comes with publishing history; leave as_of out to read "
                "what is published now"
            )
        banks = published_banks(root)
        if not banks:
            raise LakeError(f"nothing is published under {root} yet: run `tierlake run` first")
        if bank is None and len(banks) == 1:
            bank = banks[0]
        if bank is None or bank not in banks:
            what = "default bank (name one with bank=)" if bank is None else "published bank"
            raise UnknownNameError(what, bank or "", banks)
        published = read_published(root, bank)
        if published is None:
            raise LakeError(f"bank {bank} was withdrawn from {root} while it was opened; run `tierlake run`")
        index = FactIndex.open(Path(root) / published.index)
        return cls(bank, index, PublishedTables(Lake(str(root)), published, index.facts["fact_id"]))

    def read(
        self,
        ids: str | Iterable[str],
        query: str,
        *,
        max_results: float = DEFAULT_MAX_RESULTS,
        tier_weights: Mapping[str, Any] | None = None,
        tier_floors: Mapping[str, Any] | None = None,
        include_zero_weight_entities: bool = False,
        pre_filter_limit: float | None = None,
        hybrid_weight: float | None = None,  # noqa: ARG002  # takes effect where a bank has embeddings
        filters: Filters | Mapping[str, Any] | None = None,
        include_entities: bool = False,
        expand: float = 0,
    ) -> Bundle:
        """Returns the facts that answer a query best, across tiers and entities, with what belongs to them.

        Args:
            ids: Tiers (`tier_...`) and entity ids; an old entity id follows its redirect, an unknown one gives nothing.
            query: Words. Empty: the newest facts, without scores; weights and floors are not used.
            max_results: How many facts; truncated, at least 0.
            tier_weights: Id to weight: missing or not finite is 1.0, negative is 0.
            tier_floors: Id to the number of places that it is sure of, as far as it has matches.
            include_zero_weight_entities: Let facts of zero-weight ids fill up after all others.
            pre_filter_limit: Keep the best N by keyword score over all ids, before weights and floors.
            hybrid_weight: 0 keyword only to 1 semantic only; without effect in a bank without embeddings.
            filters: Conditions on the facts (see `Filters`); they apply before any cut.
            include_entities: Also the entities of the facts, with their current observations.
            expand: Also the facts of the N entities that co-occur most strongly with those of the top facts.

        Raises:
            InvalidReadOptions: The options contradict each other; raised before anything is read.
        """
        if not isinstance(query, str):
            raise InvalidReadOptions("query", f"{query!r} is not a string")
        limit = finite(pre_filter_limit)
        question = Question(
            query=query,
            words=query.strip(),
            tiers=parse_tiers(
                ids=ids,
                max_results=max_results,
                tier_weights=tier_weights,
                tier_floors=tier_floors,
                include_zero_weight_entities=include_zero_weight_entities,
                check_floors=bool(query.strip()),
            ),
            filters=parse_filters(filters),
            pre_filter_limit=None if limit is None else parse_count("pre_filter_limit", limit),
            expand=parse_count("expand", expand),
            include_entities=include_entities,
        )
        return self._answer(question)

    def _answer(self, question: Question) -> Bundle:
        ids = question.tiers.ids
        metadata = {
            "query": question.query,
            "entity_ids": list(ids),
            "tier_weights": dict(question.tiers.weights),
            "tier_floors": dict(question.tiers.floors),
        }
        if not ids:
            return Bundle(metadata=metadata)
        bundle, rows = self._ranked(question) if question.words else self._newest(question)
        entity_ids = [self._tables.resolve(name) for name in ids if not self._retrieval.is_tier(name)]
        return replace(
            bundle,
            metadata=metadata,
            tasks=tasks_of(self._tables, ids, entity_ids),
            events=events_of(self._tables, ids, entity_ids),
            entities=entities_of(self._tables, rows) if question.include_entities else {},
        )

    def _newest(self, question: Question) -> tuple[Bundle, list[int]]:
        """Returns the newest facts of all ids: rows stand in that order already."""
        every = np.arange(self._facts.height, dtype=np.int64)
        members = {name: self._retrieval.members(name, every) for name in question.tiers.ids}
        rows = self._retrieval.filtered(every[np.logical_or.reduce(list(members.values()))], question.filters)
        rows = rows[: question.tiers.max_results]
        # A fact of several ids stands under the first that was asked for.
        under = {int(row): next(name for name in question.tiers.ids if members[name][row]) for row in rows}
        facts = self._records(under)
        explanations = {
            fact.fact_id: Explanation(
                None, None, None, question.tiers.weights[fact.entity_id], None, "rank", fact.superseded_by
            )
            for fact in facts
        }
        return Bundle(facts=facts, explanations=explanations), list(under)

    def _ranked(self, question: Question) -> tuple[Bundle, list[int]]:
        candidates, ranked = self._retrieval.rank(question)
        places = candidates.select("fact_id", "row", "keyword", "graph").unique("fact_id", keep="any")
        ranked = ranked.join(places, on="fact_id", how="left", maintain_order="left")
        under = dict(ranked.select("row", "tier").iter_rows())
        facts = self._records(under)
        # One explanation a returned fact.
        explanations = {
            fact.fact_id: Explanation(
                keyword=row["keyword"],
                semantic=None,
                base=row["base_score"],
                weight=row["weight"],
                final=row["score"],
                reason="graph" if row["graph"] and row["weight"] > 0 else row["reason"],
                superseded_by=fact.superseded_by,
            )
            for fact, row in zip(facts, ranked.iter_rows(named=True), strict=True)
        }
        scores = dict(ranked.select("fact_id", "score").iter_rows())
        return Bundle(facts=facts, fact_scores=scores, explanations=explanations), list(under)

    def _records(self, under: Mapping[int, str]) -> list[Fact]:
        """Returns the facts at the given rows, in their order, each with the id that it was ranked under."""
        found = self._facts.select(_FACT_COLUMNS)[np.fromiter(under, np.int64)]
        uris = self._tables.uris(found["document_id"])
        facts = []
        # Records of the returned facts: at most max_results.
        for row, entity_id in zip(found.iter_rows(named=True), under.values(), strict=True):
            span = (row.pop("quote_start"), row.pop("quote_end"))
            names = [entity["surface"] for entity in row.pop("entities") or []]
            tags = row.pop("tags") or []
            uri = uris.get(row["document_id"], "")
            facts.append(Fact(**row, entity_id=entity_id, span=span, entities=names, tags=tags, uri=uri))
        return facts

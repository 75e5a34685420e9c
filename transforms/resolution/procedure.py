"""The resolution procedure: mentions in, entities out.

Source: the seed's section "Entity Resolution" (50 % name, 30 % co-occurrence, 20 % closeness in time, above 60 %), and
the procedure around it: short forms within a document, equal names first, guards, reconciliation, overrides, ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from transforms.resolution.bank import MentionRows, prepare_bank
from transforms.resolution.config import ResolutionConfig
from transforms.resolution.ids import LastRun, assign_ids
from transforms.resolution.intake import canonical_rows
from transforms.resolution.overrides import Decisions, decide, rows_in_force
from transforms.resolution.reconcile import Reconciler
from transforms.resolution.sequential import Resolver
from transforms.resolution.tables import BankOutput, dropped_frame, entities_frame, redirects_frame, resolutions_frame


@dataclass(frozen=True)
class ResolutionResult:
    """What `resolve_mentions` found; the first three frames follow `transforms.schemas`.

    Attributes:
        resolutions: Which entity each mention went to, and why.
        entities: The entities.
        redirects: Where ids that vanished live now.
        dropped: Mentions that are no entity (`bank_id, mention_id, reason`): nameless, or blocked by an override.
    """

    resolutions: pl.DataFrame
    entities: pl.DataFrame
    redirects: pl.DataFrame
    dropped: pl.DataFrame = field(default_factory=lambda: dropped_frame([]))


def resolve_mentions(
    mentions: pl.DataFrame,
    *,
    config: ResolutionConfig | None = None,
    overrides: pl.DataFrame | None = None,
    previous: ResolutionResult | None = None,
) -> ResolutionResult:
    """Returns the entities of all banks in a frame of mentions, each bank by itself.

    Pure: the order of rows decides nothing, and nothing in one bank changes another.

    Args:
        mentions: `bank_id, mention_id, fact_id, document_id, position, surface, kind, at`, and optionally `context`;
            one row a distinct name in a fact.
        config: The numbers; the default is the seed's.
        overrides: Rows of the table `overrides`.
        previous: The last result: its ids are kept where their mentions are.

    Raises:
        ValueError: A column is missing, or a mention id occurs twice in a bank.

    Example:
        >>> from datetime import UTC, datetime
        >>> rows = [("b", f"m{i}", f"f{i}", f"d{i}", 0, s, "person", datetime(2025, 1, i, tzinfo=UTC))
        ...         for i, s in enumerate(["Dr. Ada King", "dr ada king"], start=1)]
        >>> columns = ["bank_id", "mention_id", "fact_id", "document_id", "position", "surface", "kind", "at"]
        >>> result = resolve_mentions(pl.DataFrame(rows, schema=columns, orient="row"))
        >>> result.entities["canonical_name"].to_list(), result.resolutions["method"].to_list()
        (['Dr. Ada King'], ['new', 'exact'])
    """
    config = config or ResolutionConfig()
    rows = canonical_rows(mentions)
    outputs = [_resolve_bank(bank, config, overrides, previous) for bank in rows]
    return ResolutionResult(
        resolutions=resolutions_frame(outputs),
        entities=entities_frame(outputs),
        redirects=redirects_frame(outputs),
        dropped=dropped_frame(outputs),
    )


def _resolve_bank(
    rows: MentionRows, config: ResolutionConfig, overrides: pl.DataFrame | None, previous: ResolutionResult | None
) -> BankOutput:
    last = _last_run(rows.bank_id, previous)
    decisions = _decisions(rows, overrides, last)
    named = [bool(key) and key not in decisions.blocked for key in rows.key]
    kept = rows.filter(named) if not all(named) else rows
    dropped = [
        (mention, "blocked" if key else "nameless")
        for mention, key, stays in zip(rows.mention, rows.key, named, strict=True)
        if not stays
    ]
    bank = prepare_bank(kept, decisions, config)
    resolver = Resolver(bank, config)
    resolver.run()
    reconciler = Reconciler(resolver, config)
    reconciler.run()
    clusters = [cluster for cluster in resolver.clusters if reconciler.final(cluster) is cluster]
    members = [sorted(cluster.mentions) for cluster in clusters]
    ids, redirects = assign_ids(rows.bank_id, [[kept.mention[i] for i in found] for found in members], last)
    index = {cluster.index: id_ for cluster, id_ in zip(clusters, ids, strict=True)}
    entity_of = {cluster.index: index[reconciler.final(cluster).index] for cluster in resolver.clusters}
    return BankOutput(bank, clusters, members, ids, entity_of, reconciler.verdicts, redirects, dropped)


def _last_run(bank_id: str, previous: ResolutionResult | None) -> LastRun:
    if previous is None:
        return LastRun()
    of_bank = pl.col("bank_id") == bank_id
    links = previous.resolutions.filter(of_bank).select("mention_id", "entity_id")
    redirects = previous.redirects.filter(of_bank).select("old_entity_id", "entity_id")
    return LastRun(dict(links.iter_rows()), dict(redirects.iter_rows()))


def _decisions(rows: MentionRows, overrides: pl.DataFrame | None, last: LastRun) -> Decisions:
    in_force = rows_in_force(overrides, rows.bank_id)
    if not in_force:
        return Decisions()
    members: dict[str, set[str]] = {}
    for mention, entity in last.entity_of.items():
        members.setdefault(entity, set()).add(mention)
    for old, entity in last.redirects.items():
        members.setdefault(old, set()).update(members.get(entity, ()))
    keys = dict(zip(rows.mention, rows.key, strict=True))
    return decide(in_force, keys, {entity: frozenset(found) for entity, found in members.items()})

"""Frames of the result, from what was gathered for each bank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from transforms.resolution.bank import Bank
from transforms.resolution.clusters import Cluster
from transforms.resolution.documents import fullness
from transforms.resolution.sequential import Verdict
from transforms.schemas import ENTITIES, ENTITY_KINDS, ENTITY_REDIRECTS, RESOLUTIONS, Table, conform


@dataclass(frozen=True)
class BankOutput:
    """All that is known of one bank after the procedure.

    Attributes:
        bank: The prepared bank.
        clusters: Its entities, in order of their first mention.
        members: Rows of each, in canonical order.
        ids: Their ids.
        entity_of: Index of any cluster, merged ones too, to the id it lives under.
        verdicts: For each row where it went and why.
        redirects: Old id to live id.
        dropped: Mention id and reason of what is no entity.
    """

    bank: Bank
    clusters: Sequence[Cluster]
    members: Sequence[Sequence[int]]
    ids: Sequence[str]
    entity_of: Mapping[int, str]
    verdicts: Sequence[Verdict]
    redirects: Mapping[str, str]
    dropped: Sequence[tuple[str, str]]


def _frame(table: Table, columns: dict[str, list[Any]]) -> pl.DataFrame:
    return conform(pl.DataFrame(columns, schema=table.schema), table)


def resolutions_frame(outputs: Sequence[BankOutput]) -> pl.DataFrame:
    """Returns the table `resolutions`."""
    columns: dict[str, list[Any]] = {name: [] for name in RESOLUTIONS.columns}
    for output in outputs:
        rows = output.bank.rows
        entity = [""] * len(rows)
        for id_, members in zip(output.ids, output.members, strict=True):
            for i in members:
                entity[i] = id_
        columns["bank_id"] += [rows.bank_id] * len(rows)
        columns["mention_id"] += rows.mention
        columns["fact_id"] += rows.fact
        columns["entity_id"] += entity
        _add_verdicts(columns, output, entity)
    return _frame(RESOLUTIONS, columns)


def _add_verdicts(columns: dict[str, list[Any]], output: BankOutput, entity: Sequence[str]) -> None:
    for verdict, mine in zip(output.verdicts, entity, strict=True):
        parts = verdict.parts
        columns["method"].append(verdict.method)
        columns["reason"].append(verdict.reason)
        columns["total"].append(None if parts is None else parts.total)
        columns["name"].append(None if parts is None else parts.name)
        columns["cooccurrence"].append(None if parts is None else parts.cooccurrence)
        columns["temporal"].append(None if parts is None else parts.temporal)
        # A runner-up that was merged into the entity afterwards is none.
        runner_up = None if verdict.runner_up is None else output.entity_of[verdict.runner_up.index]
        is_other = runner_up is not None and runner_up != mine
        columns["runner_up"].append(runner_up if is_other else None)
        columns["runner_up_total"].append(verdict.runner_up_total if is_other else None)


def entities_frame(outputs: Sequence[BankOutput]) -> pl.DataFrame:
    """Returns the table `entities`, counted from the links: nothing is incremented."""
    columns: dict[str, list[Any]] = {name: [] for name in ENTITIES.columns}
    for output in outputs:
        rows = output.bank.rows
        for id_, cluster, members in zip(output.ids, output.clusters, output.members, strict=True):
            name, aliases = display_names(output, members)
            columns["bank_id"].append(rows.bank_id)
            columns["entity_id"].append(id_)
            columns["canonical_name"].append(name)
            columns["kind"].append(_kind(cluster.kinds))
            columns["aliases"].append(aliases)
            columns["mention_count"].append(len(members))
            columns["fact_count"].append(len({rows.fact[i] for i in members}))
            columns["first_seen"].append(cluster.first)
            columns["last_seen"].append(cluster.last)
    return _frame(ENTITIES, columns)


def _kind(kinds: Counter[str]) -> str | None:
    known = {kind: count for kind, count in kinds.items() if kind in ENTITY_KINDS}
    return min(known, key=lambda kind: (-known[kind], ENTITY_KINDS.index(kind))) if known else None


def display_names(output: BankOutput, members: Sequence[int]) -> tuple[str, list[str]]:
    """Returns the most frequent spelling of the fullest name, and the other spellings, sorted.

    Fullest: most words, then most mentions. Ties go to the spelling that stands first in canonical order.
    """
    bank = output.bank
    spellings: dict[int, Counter[str]] = {}
    for i in members:
        # White space inside a name is layout, not spelling.
        spellings.setdefault(bank.own[i], Counter())[" ".join(bank.rows.surface[i].split())] += 1
    table = bank.candidates.names.features
    fullest = max(spellings, key=lambda n: (fullness(table[n])[0], spellings[n].total(), fullness(table[n])))
    name = spellings[fullest].most_common(1)[0][0]  # insertion order is canonical, and the sort is stable
    labels = bank.decisions.labels
    wanted = (labels.get(bank.rows.mention[i]) or labels.get(bank.rows.key[i]) for i in members)
    name = next(filter(None, wanted), name)
    return name, sorted({spelling for count in spellings.values() for spelling in count} - {name})


def redirects_frame(outputs: Sequence[BankOutput]) -> pl.DataFrame:
    """Returns the table `entity_redirects`."""
    rows = [(output.bank.rows.bank_id, old, new) for output in outputs for old, new in output.redirects.items()]
    return conform(pl.DataFrame(rows, schema=ENTITY_REDIRECTS.schema, orient="row"), ENTITY_REDIRECTS)


def dropped_frame(outputs: Sequence[BankOutput]) -> pl.DataFrame:
    """Returns the mentions that are no entity, with the reason."""
    rows = [(output.bank.rows.bank_id, mention, reason) for output in outputs for mention, reason in output.dropped]
    schema = {"bank_id": pl.String, "mention_id": pl.String, "reason": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("bank_id", "mention_id")

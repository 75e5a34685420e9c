"""Which fact a newer one supersedes: same entity, predicate head and kind, another value."""

from __future__ import annotations

import polars as pl

from transforms.names import name_key


def mark_superseded(facts: pl.DataFrame) -> pl.DataFrame:
    """Returns the facts with `superseded_by` set where a later fact gives another value.

    Facts agree where the subject's name key, the predicate and the kind are equal; a fact's time is `occurred_start`,
    else `mentioned_at`, and undated facts neither supersede nor are superseded. The mark names the next later fact
    with another value. It is a mark only: it changes no score.

    Args:
        facts: Frame of `schemas.FACTS`.
    """
    comparable = facts.filter(
        pl.col("subject").is_not_null() & pl.col("predicate").is_not_null() & pl.col("value").is_not_null()
    ).with_columns(pl.coalesce("occurred_start", "mentioned_at").alias("at"))
    comparable = comparable.filter(pl.col("at").is_not_null())
    marks: dict[str, str] = {}
    groups: dict[tuple[str, str, str, str], list[tuple[object, str, str]]] = {}
    # A loop over the few facts with such a predicate: name keys are a Python function.
    for bank, subject, predicate, kind, value, at, fact_id in comparable.select(
        "bank_id", "subject", "predicate", "kind", "value", "at", "fact_id"
    ).iter_rows():
        group = groups.setdefault((bank, name_key(subject), predicate, kind), [])
        group.append((at, fact_id, name_key(value) or value))
    for group in groups.values():
        group.sort(key=lambda item: (item[0], item[1]))
        for index, (at, fact_id, value) in enumerate(group):
            later = (other for other in group[index + 1 :] if other[2] != value and other[0] != at)
            newer = next(later, None)
            if newer is not None:
                marks[fact_id] = newer[1]
    table = pl.DataFrame(
        {"fact_id": list(marks), "newer": list(marks.values())}, schema={"fact_id": pl.String, "newer": pl.String}
    )
    marked = facts.join(table, on="fact_id", how="left")
    return marked.with_columns(pl.col("newer").alias("superseded_by")).drop("newer")

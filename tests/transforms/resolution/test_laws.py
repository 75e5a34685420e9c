"""Laws of resolution: agreement with the plain reference, order, isolation, removal, kept ids."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.transforms.resolution.banks import groups, random_mentions
from tests.transforms.resolution.reference import Reference
from transforms.resolution import ResolutionConfig, resolve_mentions

LAW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
POLICIES = ("context", "unify", "specific", "evidence")


@LAW
@given(mentions=random_mentions(), policy=st.sampled_from(POLICIES), damping=st.booleans())
def test_agrees_with_the_plain_reference(mentions, policy, damping):
    config = ResolutionConfig(same_name=policy, hub_damping=damping)
    result = resolve_mentions(mentions, config=config)
    expected = Reference(mentions.to_dicts(), config)
    assert groups(result, mentions) == expected.partition
    assert dict(result.resolutions.select("mention_id", "method").iter_rows()) == expected.methods
    # The fast one reports a short form's own similarity; the total of all other methods is the reference's.
    scored = result.resolutions.filter(pl.col("method") != "document").select("mention_id", "total")
    assert dict(scored.iter_rows()) == {m: t for m, t in expected.totals.items() if expected.methods[m] != "document"}


@LAW
@given(mentions=random_mentions(), data=st.data())
def test_the_order_of_rows_decides_nothing(mentions, data):
    shuffled = mentions[data.draw(st.permutations(range(mentions.height)))]
    one, other = resolve_mentions(mentions), resolve_mentions(shuffled)
    assert one.resolutions.equals(other.resolutions)
    assert one.entities.equals(other.entities)


@LAW
@given(first=random_mentions(bank_id="a"), second=random_mentions(bank_id="b"))
def test_banks_do_not_touch_each_other(first, second):
    both = resolve_mentions(pl.concat([first, second]))
    for mentions, bank_id in ((first, "a"), (second, "b")):
        alone = resolve_mentions(mentions)
        assert both.resolutions.filter(pl.col("bank_id") == bank_id).equals(alone.resolutions)
        assert both.entities.filter(pl.col("bank_id") == bank_id).equals(alone.entities)


@LAW
@given(mentions=random_mentions(), document=st.integers(0, 3))
def test_removing_a_document_is_never_having_had_it(mentions, document):
    rest = mentions.filter(pl.col("document_id") != f"d{document}")
    after = resolve_mentions(rest, previous=resolve_mentions(mentions))
    fresh = resolve_mentions(rest)
    assert groups(after, rest) == groups(fresh, rest)
    scores = ["mention_id", "method", "total", "name", "cooccurrence", "temporal", "runner_up_total"]
    assert after.resolutions.select(scores).equals(fresh.resolutions.select(scores))
    assert set(after.redirects["entity_id"]) <= set(after.entities["entity_id"])


@LAW
@given(mentions=random_mentions())
def test_running_again_changes_nothing(mentions):
    once = resolve_mentions(mentions)
    again = resolve_mentions(mentions, previous=once)
    assert again.resolutions.equals(once.resolutions)
    assert again.entities.equals(once.entities)
    assert again.redirects.is_empty()


@LAW
@given(mentions=random_mentions())
def test_every_mention_is_resolved_or_dropped_with_a_reason(mentions):
    nameless = mentions.head(1).with_columns(pl.lit("???").alias("surface"), pl.lit("nameless").alias("mention_id"))
    result = resolve_mentions(pl.concat([mentions, nameless]))
    assert set(result.resolutions["mention_id"]) == set(mentions["mention_id"])
    assert result.dropped.select("mention_id", "reason").rows() == [("nameless", "nameless")]
    assert result.entities["mention_count"].sum() == mentions.height


def test_a_mention_id_that_occurs_twice_is_refused():
    row = pl.DataFrame({name: ["x"] for name in ("bank_id", "mention_id", "fact_id", "document_id", "surface", "kind")})
    row = row.with_columns(pl.lit(0).alias("position"), pl.lit(None).alias("at"))
    with pytest.raises(ValueError, match="more than once"):
        resolve_mentions(pl.concat([row, row]))
    with pytest.raises(ValueError, match="lack kind, at"):
        resolve_mentions(row.drop("kind", "at"))

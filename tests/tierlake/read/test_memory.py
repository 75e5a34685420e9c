"""`Memory.read` over real tables and a real index."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tierlake.read.lakes import DEPLOYS, day, fact, publish_lake
from tierlake import Memory, TierlakeError, format_context
from tierlake.errors import LakeError, UnknownNameError
from tierlake.manifest import Published, publish

TIERS = ["tier_wisdom", "tier_fact", "tier_working"]


def ids(bundle):
    return [found.fact_id for found in bundle.facts]


def reasons(bundle):
    return {fact_id: why.reason for fact_id, why in bundle.explanations.items()}


def test_the_seeds_call(deploys):
    bundle = deploys.read(
        TIERS,
        "deploy process",
        max_results=8,
        tier_weights={"tier_wisdom": 2, "tier_fact": 1, "tier_working": 0.25},
        tier_floors={"tier_wisdom": 1, "tier_fact": 1},
        include_entities=True,
    )
    assert set(ids(bundle)) == {"w1", "w2", "f1", "f2", "k1", "k2"}
    assert list(bundle.fact_scores) == ids(bundle)
    assert list(bundle.fact_scores.values()) == sorted(bundle.fact_scores.values(), reverse=True)
    assert bundle.metadata == {
        "query": "deploy process",
        "entity_ids": TIERS,
        "tier_weights": {"tier_wisdom": 2.0, "tier_fact": 1.0, "tier_working": 0.25},
        "tier_floors": {"tier_wisdom": 1, "tier_fact": 1},
    }
    for found in bundle.facts:
        why = bundle.explanations[found.fact_id]
        assert why.final == bundle.fact_scores[found.fact_id] == why.base * why.weight
        assert (why.base, why.semantic, why.reason) == (why.keyword, None, "rank")
        assert found.entity_id == found.tier


def test_a_fact_tells_where_it_stands(deploys):
    found = deploys.read("tier_fact", "trains").facts[0]
    assert (found.fact_id, found.uri, found.quote, found.span) == ("f1", "log.csv#7", DEPLOYS[2]["body"], (0, 35))
    assert (found.kind, found.updated_at, found.superseded_by) == ("experience", day(7), None)


def test_a_superseded_fact_is_marked_and_scored_as_ever(deploys):
    bundle = deploys.read("tier_wisdom", "blue green")
    assert bundle.facts[0].superseded_by == bundle.explanations["w1"].superseded_by == "f1"


def test_floors_bring_in_and_say_so(deploys):
    alone = deploys.read(TIERS, "deploy process", max_results=2, tier_weights={"tier_wisdom": 0.01})
    assert not {"w1", "w2"} & set(ids(alone))
    floored = deploys.read(
        TIERS, "deploy process", max_results=2, tier_weights={"tier_wisdom": 0.01}, tier_floors={"tier_wisdom": 1}
    )
    assert list(reasons(floored).values()) == ["rank", "floor"]
    assert ids(floored)[0] == ids(alone)[0]


def test_zero_weight_skips_or_fills(deploys):
    weights = {"tier_working": 0}
    assert not {"k1", "k2"} & set(ids(deploys.read(TIERS, "deploy process", tier_weights=weights)))
    filled = deploys.read(TIERS, "deploy process", tier_weights=weights, include_zero_weight_entities=True)
    assert ids(filled)[-2:] == ["k1", "k2"]
    assert [filled.fact_scores[fact_id] for fact_id in ("k1", "k2")] == [0.0, 0.0]
    assert [filled.explanations[fact_id].reason for fact_id in ("k1", "k2")] == ["filler", "filler"]
    assert filled.explanations["k1"].base > filled.explanations["k2"].base > 0


def test_what_does_not_match_is_no_match(deploys):
    bundle = deploys.read(TIERS, "deploy", tier_floors={"tier_fact": 5})
    assert "f3" not in ids(bundle)
    assert deploys.read(TIERS, "xylophone").facts == []


def test_no_query_is_newest_first_without_scores(deploys):
    bundle = deploys.read(["tier_fact", "tier_working"], "  ", max_results=4, tier_floors={"typo": 9})
    assert ids(bundle) == ["f1", "f2", "f3", "k1"]
    assert bundle.fact_scores == {}
    assert {why.final for why in bundle.explanations.values()} == {None}
    assert bundle.metadata["query"] == "  "
    assert ids(deploys.read(TIERS, "", max_results=99)) == ["w1", "w2", "f1", "f2", "f3", "k1", "k2"]


def test_no_ids_is_an_empty_bundle(deploys):
    bundle = deploys.read([], "deploy")
    assert (bundle.facts, bundle.tasks, bundle.events) == ([], [], [])
    assert bundle.metadata["entity_ids"] == []


def test_unknown_ids_give_nothing_and_no_error(deploys):
    assert ids(deploys.read(["tier_nowhere", "nobody"], "deploy")) == []
    assert ids(deploys.read(["tier_nowhere", "alice"], "deploy", tier_floors={"tier_nowhere": 1})) == ["f2", "w2"]


@pytest.mark.parametrize("name", ["alice", "alicia", "al"])
def test_an_entity_or_an_old_id_of_it(deploys, name):
    bundle = deploys.read(name, "deploy")
    assert ids(bundle) == ["f2", "w2"]
    assert {found.entity_id for found in bundle.facts} == {name}
    assert [task.task_id for task in bundle.tasks] == ["t3", "t2"]


def test_a_circle_of_redirects_ends(deploys):
    assert ids(deploys.read("round", "deploy")) == []


def test_a_fact_of_a_tier_and_an_entity_is_ranked_once_under_the_higher_weight(deploys):
    bundle = deploys.read(["tier_fact", "alice"], "deploy", tier_weights={"alice": 3})
    assert sorted(ids(bundle)) == ["f1", "f2", "w2"]
    assert {found.fact_id: found.entity_id for found in bundle.facts} == {
        "f1": "tier_fact", "f2": "alice", "w2": "alice",
    }  # fmt: skip
    assert bundle.explanations["f2"].weight == 3
    # With the tier's facts alone in it, the floor of both is met by the one fact that belongs to both.
    both = deploys.read(["tier_fact", "alice"], "deploy", max_results=2, tier_floors={"tier_fact": 1, "alice": 1})
    assert "f2" in ids(both)


def test_the_pre_filter_comes_before_weights_and_floors(deploys):
    best = ids(deploys.read(TIERS, "deploy process", max_results=1))
    options = {"tier_weights": {"tier_wisdom": 100}, "tier_floors": {"tier_wisdom": 1}}
    assert ids(deploys.read(TIERS, "deploy process", pre_filter_limit=1, **options)) == best
    assert ids(deploys.read(TIERS, "deploy process", pre_filter_limit=0)) == []
    for ignored in (None, float("nan"), float("inf"), "3"):
        assert len(ids(deploys.read(TIERS, "deploy process", pre_filter_limit=ignored))) == 6


def test_tasks_and_events_come_with_every_id_even_at_weight_zero(deploys):
    bundle = deploys.read(TIERS, "xylophone", max_results=0, tier_weights=dict.fromkeys(TIERS, 0))
    assert [task.task_id for task in bundle.tasks] == ["t3", "t2", "t1"]
    assert bundle.tasks[2].uri == "log.csv#7"
    assert [event.event_id for event in bundle.events] == [f"e{number:02d}" for number in range(1, 16)]
    one = deploys.read("tier_fact", "xylophone")
    assert [event.event_id for event in one.events] == [f"e{number:02d}" for number in range(6, 16)]
    assert len(deploys.read(["tier_fact", "ghost"], "").events) == 15


@pytest.mark.parametrize(("names", "tasks", "events"), [(1, 50, 10), (2, 40, 20), (12, 50, 50)])
def test_caps(tmp_path, names, tasks, events):
    memory = publish_lake(
        tmp_path,
        tasks=[
            {"task_id": f"t{number:02d}", "tier": "tier_fact", "description": "x", "priority": 1, "status": "pending"}
            for number in range(50)
        ],
        events=[
            {"event_id": f"e{number:02d}", "tier": "tier_fact", "summary": "x", "at": day(1)} for number in range(50)
        ],
    )
    asked = ["tier_fact", *(f"tier_ghost{number}" for number in range(names - 1))]
    bundle = memory.read(asked, "x")
    assert (len(bundle.tasks), len(bundle.events)) == (tasks, events)
    assert bundle.tasks[0].task_id == "t00"


def test_entities_with_their_observations(deploys):
    bundle = deploys.read(TIERS, "deploy", include_entities=True)
    alice = bundle.entities["alice"]
    assert (alice.canonical_name, alice.kind, alice.aliases) == ("Alice Chen", "person", ["Alice"])
    assert [(note.text, note.source_fact_ids) for note in alice.observations] == [("Alice owns the dashboard.", ["f2"])]
    assert bundle.entities["review"].observations == []
    assert "canteen" not in bundle.entities
    assert deploys.read(TIERS, "deploy").entities == {}
    first = {"f2": "alice", "f1": "trains", "w2": "alice"}
    seen = list(dict.fromkeys(first[fact_id] for fact_id in ids(bundle) if fact_id in first))
    assert [entity_id for entity_id in bundle.entities if entity_id in seen] == seen


def test_expand_brings_indirect_connections_at_a_quarter(deploys):
    plain = deploys.read(TIERS, "dashboard")
    assert ids(plain) == ["f2"]
    one = deploys.read(TIERS, "dashboard", expand=1)
    assert reasons(one) == {"f2": "rank", "w2": "graph"}
    assert one.fact_scores["w2"] == pytest.approx(plain.fact_scores["f2"] / 4)
    assert one.explanations["w2"].keyword == 0.0
    two = deploys.read(TIERS, "dashboard", expand=2, tier_weights={"tier_fact": 2})
    assert reasons(two) == {"f2": "rank", "f3": "graph", "w2": "graph"}
    assert two.fact_scores["f3"] == pytest.approx(plain.fact_scores["f2"] / 2)
    assert set(ids(deploys.read(TIERS, "dashboard", expand=9))) == {"f2", "w2", "f3", "k2"}


def test_expand_stays_within_ids_filters_and_the_pre_filter(deploys):
    assert ids(deploys.read("tier_fact", "dashboard", expand=9)) == ["f2", "f3"]
    assert ids(deploys.read(TIERS, "dashboard", expand=9, filters={"kind": "opinion"})) == []
    assert ids(deploys.read(TIERS, "dashboard", expand=9, filters={"tags": "people"})) == ["f2"]
    assert ids(deploys.read(TIERS, "dashboard", expand=9, pre_filter_limit=1)) == ["f2"]
    assert ids(deploys.read(TIERS, "xylophone", expand=9)) == []


def test_json(deploys):
    answer = deploys.read(TIERS, "deploy", include_entities=True, expand=1).to_dict()
    assert json.loads(json.dumps(answer)) == answer
    assert list(answer) == ["facts", "tasks", "events", "entities", "fact_scores", "metadata", "explanations"]
    assert {"fact_id", "tier", "title", "body", "confidence", "tags", "updated_at", "quote", "uri", "span"} <= set(
        answer["facts"][0]
    )
    assert answer["events"][0]["at"] == "2026-05-01T00:00:00Z"
    assert set(answer["explanations"][ids(deploys.read(TIERS, "deploy"))[0]]) >= {
        "keyword", "semantic", "base", "weight", "final", "reason",
    }  # fmt: skip


def test_a_bundle_and_its_json_give_one_context(deploys):
    bundle = deploys.read(TIERS, "blue green", tier_weights={"tier_wisdom": 2})
    options = {"include_fact_scores": True, "include_entity_ids": True, "include_sources": True, "max_events": 1}
    text = format_context(bundle, **options)
    assert text == format_context(bundle.to_dict(), **options)
    score = f"{bundle.fact_scores['w1']:.4f}"
    assert (
        "- **Uses blue/green deploys** (certain) [ops] {entity_id=tier_wisdom} {score=" + score + "} "
        "{source=notes/doc.md#0-37}\n  We deploy with blue/green and a bake.\n"
    ) in text
    assert "- [release @ 2026-05-15T00:00:00.000Z] Release 15" in text


def test_nothing_in_one_bank_changes_a_score_in_another(tmp_path):
    alone = publish_lake(tmp_path / "alone", facts=DEPLOYS).read(TIERS, "deploy process").to_dict()
    shared = tmp_path / "shared"
    publish_lake(shared, "acme", facts=DEPLOYS)
    publish_lake(shared, "other", facts=[*DEPLOYS, *(fact(f"x{n}", "deploy " * 9) for n in range(20))])
    assert Memory.open(shared, bank="acme").read(TIERS, "deploy process").to_dict() == alone
    assert len(Memory.open(shared, bank="other").read(TIERS, "deploy process", max_results=99).facts) == 26


def test_the_bank_may_be_left_out_where_there_is_one(tmp_path):
    publish_lake(tmp_path, facts=DEPLOYS)
    assert Memory.open(tmp_path).bank == "acme"
    publish_lake(tmp_path, "other", facts=DEPLOYS)
    with pytest.raises(UnknownNameError, match="Available: acme, other"):
        Memory.open(tmp_path)
    for wrong in ("acmee", "../acme", ""):
        with pytest.raises(UnknownNameError, match="Available: acme, other"):
            Memory.open(tmp_path, bank=wrong)


def test_an_empty_lake_says_that_nothing_is_published(tmp_path):
    with pytest.raises(LakeError, match="run `tierlake run` first"):
        Memory.open(tmp_path)


def test_a_lost_index_says_what_to_do(tmp_path):
    publish(tmp_path, Published("acme", {}, {}, "_index/acme/lost", "run", "2026-05-31T00:00:00+00:00"))
    with pytest.raises(LakeError, match="run `tierlake run`"):
        Memory.open(tmp_path)


def test_as_of_is_refused_until_there_is_history(tmp_path):
    publish_lake(tmp_path, facts=DEPLOYS)
    with pytest.raises(TierlakeError, match="comes with publishing history"):
        Memory.open(tmp_path, as_of=3)


def test_an_open_memory_stays_on_what_was_published(tmp_path):
    before = publish_lake(tmp_path, facts=DEPLOYS, tasks=[])
    publish_lake(tmp_path, facts=[fact("new", "deploy")], documents=[])
    assert ids(Memory.open(tmp_path).read(TIERS, "deploy")) == ["new"]
    found = before.read(TIERS, "deploy")
    assert "new" not in ids(found)
    # Loaded only now, from the version that was published then.
    assert {one.uri for one in found.facts if one.document_id == "doc"} == {"notes/doc.md"}


def test_a_bank_without_facts_or_tables_answers(tmp_path):
    memory = publish_lake(tmp_path, facts=[])
    bundle = memory.read([*TIERS, "anyone"], "deploy", include_entities=True, expand=3, filters={"entities": "x"})
    assert (bundle.facts, bundle.entities, bundle.tasks) == ([], {}, [])


queries = st.one_of(st.sampled_from(["deploy", "process Bob", "", "猫"]), st.text(max_size=30))


@settings(max_examples=40, deadline=None)
@given(queries, st.integers(0, 5), st.dictionaries(st.sampled_from(TIERS), st.floats(-1, 3)))
def test_reading_is_a_function(deploys, query, max_results, weights):
    """Any query is safe; the same call gives the same answer; the order of ids changes no score."""
    options = {"max_results": max_results, "tier_weights": weights, "expand": 1}
    bundle = deploys.read(TIERS, query, **options)
    assert deploys.read(TIERS, query, **options) == bundle
    other = deploys.read(TIERS[::-1], query, **options)
    assert other.fact_scores == bundle.fact_scores
    assert ids(other) == ids(bundle)
    assert len(bundle.facts) <= max_results
    assert set(bundle.explanations) == set(ids(bundle))


def test_threads_share_one_memory(tmp_path):
    memory = publish_lake(
        tmp_path,
        facts=DEPLOYS,
        resolutions=[{"mention_id": "m", "fact_id": "f2", "entity_id": "alice"}],
        entities=[{"entity_id": "alice", "canonical_name": "Alice", "kind": "person", "aliases": []}],
    )
    asked = ["deploy", "process", "dashboard", "", "Bob"] * 8

    def answer(query: str):
        return memory.read([*TIERS, "alice"], query, include_entities=True, expand=2)

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(answer, asked))
    assert together == [answer(query) for query in asked]


def test_reading_writes_nothing(tmp_path):
    memory = publish_lake(tmp_path, facts=DEPLOYS)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    memory.read(TIERS, "deploy", include_entities=True, expand=2)
    Memory.open(tmp_path).read(TIERS, "")
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == before

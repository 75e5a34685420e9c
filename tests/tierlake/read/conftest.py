"""A memory that the tests of reading share."""

from __future__ import annotations

import pytest

from tests.tierlake.read.lakes import DEPLOYS, day, publish_lake
from tierlake import Memory


@pytest.fixture(scope="session")
def deploys(tmp_path_factory) -> Memory:
    """The memory of a bank with facts of three tiers, four entities, tasks and events."""
    links = {"f2": ["alice"], "k2": ["bob"], "w2": ["alice", "review"], "f3": ["canteen"], "f1": ["trains"]}
    return publish_lake(
        tmp_path_factory.mktemp("deploys"),
        documents=[{"document_id": "doc", "uri": "notes/doc.md"}, {"document_id": "log", "uri": "log.csv#7"}],
        facts=DEPLOYS,
        resolutions=[
            {"mention_id": f"{fact_id}-{entity}", "fact_id": fact_id, "entity_id": entity}
            for fact_id, entities in links.items()
            for entity in entities
        ],
        entities=[
            {"entity_id": "alice", "canonical_name": "Alice Chen", "kind": "person", "aliases": ["Alice"]},
            {"entity_id": "bob", "canonical_name": "Bob", "kind": "person", "aliases": []},
            {"entity_id": "review", "canonical_name": "Review", "kind": "concept", "aliases": []},
            {"entity_id": "canteen", "canonical_name": "Canteen", "kind": "place", "aliases": []},
            {"entity_id": "trains", "canonical_name": "Trains", "kind": "concept", "aliases": []},
        ],
        entity_redirects=[
            {"old_entity_id": "al", "entity_id": "alicia"},
            {"old_entity_id": "alicia", "entity_id": "alice"},
            {"old_entity_id": "round", "entity_id": "about"},
            {"old_entity_id": "about", "entity_id": "round"},
        ],
        observations=[
            {"observation_id": "o", "entity_id": "alice", "text": "Alice owns the dashboard.",
             "source_fact_ids": ["f2"], "observed_through": day(6)},
        ],
        cooccurrences=[
            {"entity_id_a": "alice", "entity_id_b": "canteen", "fact_count": 3, "npmi": 0.5},
            {"entity_id_a": "alice", "entity_id_b": "bob", "fact_count": 2, "npmi": 0.1},
            {"entity_id_a": "alice", "entity_id_b": "review", "fact_count": 9, "npmi": 0.9},
        ],
        tasks=[
            {"task_id": "t1", "tier": "tier_fact", "entity_ids": ["bob"], "description": "Write", "priority": 5,
             "status": "pending", "at": day(2), "fact_id": "f1", "document_id": "log"},
            {"task_id": "t2", "tier": "tier_fact", "entity_ids": ["alice"], "description": "Fix", "priority": 5,
             "status": "in_progress", "at": day(1), "fact_id": "f2", "document_id": "doc"},
            {"task_id": "t3", "tier": "tier_working", "entity_ids": ["alice"], "description": "Page",
             "priority": 9, "status": "pending", "at": None, "fact_id": "k1", "document_id": "doc"},
            {"task_id": "t4", "tier": "tier_fact", "entity_ids": [], "description": "Gone", "priority": 10,
             "status": "done", "at": day(1), "fact_id": "f2", "document_id": "doc"},
        ],
        events=[
            {"event_id": f"e{number:02d}", "tier": "tier_fact", "entity_ids": ["trains"], "event_type": "release",
             "summary": f"Release {number}", "at": day(number), "precision": "day", "fact_id": "f1",
             "document_id": "log"}
            for number in range(1, 16)
        ],
    )  # fmt: skip

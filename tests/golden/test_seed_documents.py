"""The seed's own examples, through the whole pipeline: a folder of sentences in, entities and an observation out."""

from __future__ import annotations

import pytest

from tests.laws.world import World


@pytest.fixture
def world(tmp_path) -> World:
    return World(tmp_path / "world")


def test_two_sentences_give_the_four_entities_and_kinds(world):
    world.put({"tier_fact/alice.txt": "Alice works at Google in Mountain View. She specializes in TensorFlow."})
    world.run()
    entities = world.lake.read("entities", "acme").sort("canonical_name").select("canonical_name", "kind").rows()
    assert entities == [
        ("Alice", "person"), ("Google", "organization"), ("Mountain View", "place"), ("TensorFlow", "product"),
    ]  # fmt: skip
    facts = world.lake.read("facts", "acme").sort("position")
    assert facts["body"].to_list() == ["Alice works at Google in Mountain View.", "Alice specializes in TensorFlow."]
    assert facts["quote"].to_list() == ["Alice works at Google in Mountain View.", "She specializes in TensorFlow."]
    mentions = world.lake.read("mentions", "acme").join(facts.select("fact_id", "quote"), on="fact_id")
    spans = {(row["quote"][:3], row["surface"]): row["span_start"] for row in mentions.iter_rows(named=True)}
    assert spans == {
        ("Ali", "Alice"): 0, ("Ali", "Google"): 15, ("Ali", "Mountain View"): 25,
        ("She", "Alice"): None, ("She", "TensorFlow"): 59,
    }  # fmt: skip


def test_five_facts_give_one_sentence_with_all_of_them(world):
    text = (
        "Alice works at Google. Alice is a software engineer. Alice specializes in ML. "
        "Alice joined Google in 2020. Alice leads the search team."
    )
    world.put({"tier_fact/alice.txt": text})
    world.run()
    entities = world.lake.read("entities", "acme").filter(canonical_name="Alice")
    observation = world.lake.read("observations", "acme").join(entities, on="entity_id").row(0, named=True)
    assert len(observation["source_fact_ids"]) == 5
    assert observation["text"].count(".") == 1
    for words in (
        "works at Google",
        "software engineer",
        "specializes in ML",
        "joined Google in 2020",
        "leads the search team",
    ):
        assert words in observation["text"]


def test_removing_a_document_leaves_no_row_of_it(world):
    kept = "Alice Chen works at Google. Alice Chen leads the search team."
    gone = "Zoltan Varga works at Initech in Budapest. Zoltan Varga met Alice Chen. Zoltan Varga leads sales."
    world.put({"tier_fact/kept.txt": kept, "tier_fact/gone.txt": gone})
    world.run()
    names = set(world.lake.read("entities", "acme")["canonical_name"])
    assert {"Alice Chen", "Google", "Zoltan Varga", "Initech"} <= names
    world.put({"tier_fact/kept.txt": kept})
    world.run()
    left = {name: str(rows) for name, rows in world.tables().items()}
    assert [name for name, rows in left.items() if "Zoltan" in rows or "Initech" in rows or "gone.txt" in rows] == []
    assert set(world.lake.read("entities", "acme")["canonical_name"]) <= {"Alice Chen", "Google", "search team"}

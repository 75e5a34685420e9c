"""The pipeline with a model behind HTTP: cached, failures kept with their reason and tried again, the rest unharmed."""

from __future__ import annotations

import json

import pytest

from tests.laws.world import World
from tests.openai_server import OpenAIServer, completion, failure
from tierlake.config import load_settings
from tierlake.errors import ExtractorError
from tierlake.manifest import read_published

FACT = {
    "number": 1, "title": "Alice works at Google",
    "body": "Alice works at Google.", "kind": "world", "confidence": "certain",
    "quote": "Alice works at Google.", "when": None, "when_direction": None, "tags": [], "subject": "Alice",
    "entities": [{"surface": "Alice", "kind": "person"}, {"surface": "Google", "kind": "organization"}],
}  # fmt: skip


@pytest.fixture
def world(tmp_path) -> World:
    world = World(tmp_path / "world")
    assert world.settings.extractor.name == "local"
    return world


def use(world: World, server: OpenAIServer) -> None:
    """Makes the world extract with the model behind the server, without waits between tries."""
    file = world.root / "tierlake.toml"
    text = file.read_text(encoding="utf-8")
    model = f'name = "openai"\nmodel = "m"\nbase_url = "{server.base_url}"\nmax_retries = 0\n'
    file.write_text(text + f"[extractor]\n{model}", encoding="utf-8")
    assert load_settings(file).extractor.name == "openai"


def test_each_chunk_is_asked_once_and_again_only_where_it_failed(world):
    down = {"yes": True}

    def answer(request):
        asked = json.dumps(request)
        if "Carol" in asked and down["yes"]:
            return failure(503)
        facts = [FACT] if "Alice works at Google." in asked else []
        return completion({"facts": facts, "tasks": [], "events": []})

    with OpenAIServer(answer) as server:
        use(world, server)
        world.put({"tier_fact/a.txt": "Alice works at Google.", "tier_fact/b.txt": "Carol is away."})
        world.run()
        assert world.lake.read("facts", "acme")["body"].to_list() == ["Alice works at Google."]
        waiting = world.lake.read("quarantine", "acme").row(0, named=True)
        assert (waiting["stage"], waiting["transient"], waiting["attempts"]) == ("extract", True, 1)
        asked = len(server.requests)
        world.run()
        assert len(server.requests) == asked + 1
        assert world.lake.read("quarantine", "acme")["attempts"].to_list() == [2]
        down["yes"] = False
        world.run()
        assert world.lake.read("quarantine", "acme").is_empty()
        asked, versions = len(server.requests), world.versions()
        world.run()
        assert (len(server.requests), world.versions()) == (asked, versions)


def test_an_endpoint_that_is_down_takes_no_facts_away(world):
    world.put({"tier_fact/a.txt": "Alice works at Google.", "tier_fact/b.txt": "Bob lives in Berlin."})
    world.run()
    facts, published = world.lake.read("facts", "acme"), read_published(world.lake.root, "acme")
    assert facts.height == 2
    with OpenAIServer(lambda _: failure(503)) as server:
        use(world, server)
        with pytest.raises(ExtractorError, match="2 of 2 chunks could not be extracted"):
            world.run()
    assert world.lake.read("facts", "acme").equals(facts)
    assert read_published(world.lake.root, "acme") == published
    assert world.lake.read("quarantine", "acme")["stage"].to_list() == ["extract", "extract"]

"""Context for a prompt and the librarian's helpers: examples of this project, and the recorded vectors."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tierlake
from tierlake import (
    DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT,
    format_context,
    hydrate_librarian_prompt,
    map_librarian_options_to_read_options,
    validate_librarian_prompt_template,
)
from tierlake.read.context import estimate_tokens

DATA = Path(__file__).parent / "data" / "format_context.jsonl"
SHARED = Path(os.environ.get("TIERLAKE_SHARED") or Path(__file__).parents[2].parent / "shared")
VECTORS = SHARED / "golden" / "format_and_librarian.jsonl"

NO_CONTEXT = "Custom Librarian systemPrompt omits {{context}}; retrieved memory will not be injected."
NO_QUERY = "Custom Librarian systemPrompt omits {{query}}; the original request will not be injected."
NO_TASKS = "Custom Librarian systemPrompt omits {{tasks}} while retrieved tasks are available."
VALUES = {"query": "QUERY", "context": "CONTEXT", "tasks": "TASKS"}


def lines(file: Path):
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line] if file.exists() else []


@pytest.mark.parametrize("case", lines(DATA), ids=lambda case: case["case"])
def test_format_context(case):
    assert format_context(case["bundle"], **case["options"]) == case["text"]


def test_there_are_examples():
    assert len(lines(DATA)) > 30


@dataclass
class _Record:
    title: str = "Bakes"
    body: str = "Ten minutes."
    confidence: str = "certain"
    tags: tuple[str, ...] = ()
    updated_at: datetime = datetime(2026, 5, 1, tzinfo=UTC)


@dataclass
class _Event:
    event_type: str = "release"
    summary: str = "Canary started"
    at: datetime = datetime(2026, 5, 1, 0, 0, 0, 123456, tzinfo=UTC)


@dataclass
class _Answer:
    facts: tuple[_Record, ...]
    events: tuple[_Event, ...]
    tasks: tuple[object, ...] = ()


def test_objects_are_read_as_mappings_are():
    expected = (
        "KNOWN FACTS:\nBakes (certain): Ten minutes.\n"
        "RECENT EVENTS:\n[release @ 2026-05-01T00:00:00.123Z] Canary started"
    )
    assert format_context(_Answer((_Record(),), (_Event(),)), format="plain") == expected


@pytest.mark.parametrize("option", ["max_facts", "max_tasks", "max_events", "token_budget"])
def test_a_negative_limit_is_refused(option):
    with pytest.raises(ValueError, match=f"{option} is -1"):
        format_context({"facts": [], "tasks": [], "events": []}, **{option: -1})


def test_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="format is 'html'"):
        format_context({"facts": [], "tasks": [], "events": []}, format="html")


texts = st.text(st.sampled_from("ab{=}\n\r\u0085\u2028\u2029#-*") | st.characters(codec="utf-8"), max_size=40)
facts = st.fixed_dictionaries({"title": texts, "body": texts, "tags": st.lists(texts, max_size=2)})


@settings(max_examples=60, deadline=None)
@given(st.lists(facts, max_size=6), st.integers(0, 120), st.sampled_from(["markdown", "plain"]))
def test_a_budget_holds_and_every_item_is_whole_or_counted(rows, budget, style):
    bundle = {"facts": rows, "tasks": [], "events": []}
    text = format_context(bundle, style, token_budget=budget)
    unlimited = format_context(bundle, style)
    if estimate_tokens(unlimited) <= budget:
        assert text == unlimited
        return
    note = estimate_tokens("\n\n_6 more left out: token budget_")
    assert estimate_tokens(text) <= max(budget, note)
    shown = [row for row in rows if format_context({**bundle, "facts": [row]}, style).split("\n", 3)[-1] in text]
    dropped = int(text.rsplit("\n", 1)[-1].strip("_( ").split()[0])
    assert len(rows) - len(shown) <= dropped <= len(rows)


@settings(max_examples=60, deadline=None)
@given(facts, st.sampled_from(["markdown", "plain"]))
def test_stored_text_cannot_begin_a_line_of_the_frame(row, style):
    text = format_context({"facts": [row], "tasks": [], "events": []}, style, include_entity_ids=True)
    head = "## Memory\n\n### Known Facts\n- " if style == "markdown" else "KNOWN FACTS:\n"
    assert text.startswith(head)
    assert all(line.startswith("  ") for line in text.removeprefix(head).split("\n")[1:])
    # Of the frame's own marks there is one, and it is not escaped.
    assert text.replace("\\{entity_id=", "").count("{entity_id=") == 1


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("Q={{query}} C={{context}} T={{tasks}}", VALUES, "Q=QUERY C=CONTEXT T=TASKS"),
        ("{{query}}{{query}}", VALUES, "QUERYQUERY"),
        ("{{Query}} {{ query }} {query}", VALUES, "{{Query}} {{ query }} {query}"),
        ("{{{query}}}", VALUES, "{QUERY}"),
        ("{{context}}|{{tasks}}", {"context": "{{tasks}}", "tasks": "{{context}}"}, "{{tasks}}|{{context}}"),
        ("{{query}}", {"query": r"\1 \g<0> $& %s {0}"}, r"\1 \g<0> $& %s {0}"),
        ("{{query}} {{tasks}}", {"query": None, "tasks": 5}, "null 5"),
        ("[{{query}}]", {"query": ""}, "[]"),
        ("no placeholder", VALUES, "no placeholder"),
        ("{{query}} {{events}}", {**VALUES, "events": "E"}, "QUERY {{events}}"),
    ],
)
def test_hydrate(template, values, expected):
    assert hydrate_librarian_prompt(template, values) == expected


def test_hydrate_names_what_is_missing():
    with pytest.raises(ValueError, match=r"holds \{\{tasks\}\} but values have only \['query'\]"):
        hydrate_librarian_prompt("{{tasks}}", {"query": "q"})


@pytest.mark.parametrize(
    ("template", "custom", "task_count", "expected"),
    [
        ("nothing", False, 9, []),
        ("nothing", True, 1, [NO_CONTEXT, NO_QUERY, NO_TASKS]),
        ("nothing", True, 0, [NO_CONTEXT, NO_QUERY]),
        ("{{query}} {{tasks}}", True, 1, [NO_CONTEXT]),
        ("{{context}} {{tasks}}", True, 1, [NO_QUERY]),
        ("{{context}} {{query}}", True, 1, [NO_TASKS]),
        ("{{context}} {{query}}", True, -1, []),
        ("{{ context }} {{Query}}", True, 0, [NO_CONTEXT, NO_QUERY]),
        ("{{{context}}} {{query}}", True, 0, []),
        ("", True, 0, [NO_CONTEXT, NO_QUERY]),
    ],
)
def test_validate(template, custom, task_count, expected):
    assert validate_librarian_prompt_template(template, custom=custom, task_count=task_count) == expected


def test_the_default_prompt_is_valid():
    template = DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT
    assert validate_librarian_prompt_template(template, custom=True, task_count=1) == []
    filled = hydrate_librarian_prompt(template, VALUES)
    assert [filled.count(value) for value in VALUES.values()] == [1, 1, 1]
    assert "{{" not in filled


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"entity_weights": {"a": 2}, "include_zero_weight_entities": True},
         {"tier_weights": {"a": 2}, "include_zero_weight_entities": True}),
        ({}, {}),
        ({"include_zero_weight_entities": False}, {"include_zero_weight_entities": False}),
        ({"entity_weights": None}, {"tier_weights": None}),
        ({"max_results": 3}, {}),
    ],
)  # fmt: skip
def test_map_options(options, expected):
    assert map_librarian_options_to_read_options(options) == expected


@pytest.mark.skipif(not VECTORS.exists(), reason=f"the recorded vectors are not at {VECTORS.parent.name}/")
def test_recorded_vectors():
    wrong, cases = {}, lines(VECTORS)
    for case in cases:
        expected = case["expect"]
        try:
            got = {"value": _call(case)}
        except ValueError:
            got = {"error": "ValueError"}
        if "text" in expected:
            expected = {"value": expected["text"]}
        if got != expected:
            wrong[case["case"]] = got
    assert wrong == {}
    assert len(cases) == 51


def _call(case):
    helper = getattr(tierlake, case["helper"])
    if case["helper"] == "format_context":
        parts = {name: case[name] for name in ("facts", "tasks", "events", "fact_scores")}
        return helper(parts, **case["options"])
    first, *rest = case["args"]
    return helper(first, **rest[0]) if case["helper"].startswith("validate") else helper(first, *rest)

"""The evaluation of a published bank: real tables, a real index, a real reader."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from tierlake.config import Settings
from tierlake.errors import LakeError
from tierlake.evaluation.report import BASELINE, SYSTEM
from tierlake.evaluation.run import evaluate_bank, store_report
from tierlake.lake import Lake
from tierlake.publish import publish_bank
from transforms.schemas import TABLES

MAY = datetime(2026, 5, 1, tzinfo=UTC)
SENTENCES = {
    "tier_fact": ["The deploy takes an hour.", "Deploy on Monday.", "Tea is in the kitchen."],
    "tier_wisdom": ["Never deploy on a Friday evening without a second person."],
}


def _fill(lake: Lake, bank: str = "acme") -> None:
    documents, facts = [], []
    for tier, sentences in SENTENCES.items():
        text = " ".join(sentences)
        documents.append(
            {
                "bank_id": bank, "document_id": tier, "uri": f"{tier}.md", "source": "s", "path": f"{tier}.md",
                "file_hash": "0", "title": tier, "media_type": "text/plain", "text": text, "content_hash": "0",
                "tier": tier, "language": "en", "turns": [], "ingested_at": MAY, "metadata": "{}",
            }
        )  # fmt: skip
        for position, sentence in enumerate(sentences):
            start = text.index(sentence)
            facts.append(
                {
                    "bank_id": bank, "fact_id": f"{tier}-{position}", "document_id": tier, "chunk_id": "c",
                    "position": position, "title": sentence[:12], "body": sentence, "kind": "world", "tier": tier,
                    "confidence": "certain", "quote": sentence, "quote_start": start,
                    "quote_end": start + len(sentence), "tags": [], "language": "en", "entities": [],
                }
            )  # fmt: skip
    lake.write("documents", bank, pl.DataFrame(documents, schema=TABLES["documents"].schema))
    lake.write("facts", bank, pl.DataFrame(facts, schema=TABLES["facts"].schema))
    publish_bank(lake, bank, run_id="r", config_hash="c", started_at=MAY, now=MAY)


def _settings(tmp_path: Path) -> Settings:
    """Returns settings beside a gold set where the curated note answers, which is long and so scores low by words."""
    both = ["tier_wisdom", "tier_fact"]
    queries = [
        {
            "query_id": "1",
            "bank": "acme",
            "query": "deploy",
            "ids": both,
            "options": {"tier_weights": {"tier_wisdom": 9}},
        },
        {"query_id": "2", "bank": "acme", "query": "tea kitchen", "ids": both, "options": {}},
        {"query_id": "3", "bank": "acme", "query": "coffee", "ids": both, "options": {"max_results": 3}},
    ]
    judgements = [
        {"query_id": "1", "uri": "tier_wisdom.md", "start": 0, "end": 5, "grade": 3, "quote": "Never"},
        {"query_id": "2", "uri": "tier_fact.md", "start": 44, "end": 47, "grade": 3, "quote": "Tea"},
        {"query_id": "3", "uri": "tier_fact.md", "start": 0, "end": 5, "grade": 3, "quote": "moved"},
        {"query_id": "3", "uri": "tier_fact.md", "start": 4, "end": 10, "grade": 1, "quote": "deploy"},
    ]
    folder = tmp_path / "gold"
    folder.mkdir()
    for name, rows in (("queries", queries), ("judgements", judgements)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return Settings.model_validate({"evaluation": {"gold": "gold"}, "base": tmp_path})


def test_a_weight_shows_beside_the_baseline_and_nothing_is_written_twice(tmp_path: Path) -> None:
    lake, settings = Lake(str(tmp_path / "lake")), _settings(tmp_path)
    _fill(lake)
    report = evaluate_bank(lake, settings, "acme")
    values = {
        name: dict(each.results.filter(pl.col("metric") == "MRR@10").select("query_id", "value").iter_rows())
        for name, each in ((SYSTEM, report.system), (BASELINE, report.baseline))
    }
    assert values == {SYSTEM: {"1": 1.0, "2": 1.0, "3": 0.0}, BASELINE: {"1": 1 / 3, "2": 1.0, "3": 0.0}}
    assert report.gold.moved == 1
    first = store_report(lake, report)
    assert [(each.table, each.inserted) for each in first] == [
        ("evaluation_queries", 3), ("evaluation_judgements", 3), ("evaluation_metrics", 10), ("evaluation_results", 30),
    ]  # fmt: skip
    again = evaluate_bank(lake, settings, "acme")
    assert again.evaluation_id == report.evaluation_id
    assert [(each.changed, each.version) for each in store_report(lake, again)] == [(0, each.version) for each in first]


def test_other_settings_are_another_evaluation_beside_the_first(tmp_path: Path) -> None:
    lake, settings = Lake(str(tmp_path / "lake")), _settings(tmp_path)
    _fill(lake)
    store_report(lake, evaluate_bank(lake, settings, "acme"))
    changed = settings.model_copy(update={"tiers": {}})
    results = {each.table: each for each in store_report(lake, evaluate_bank(lake, changed, "acme"))}
    assert (results["evaluation_metrics"].inserted, results["evaluation_metrics"].deleted) == (10, 0)
    assert results["evaluation_queries"].changed == 0
    assert lake.read("evaluation_metrics", "acme")["evaluation_id"].n_unique() == 2


def test_a_bank_that_is_not_published_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="run `tierlake run --bank acme` first"):
        evaluate_bank(Lake(str(tmp_path / "lake")), _settings(tmp_path), "acme")

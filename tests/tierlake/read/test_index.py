"""The fact index: what matches, what it scores, and that it is complete, immutable and apart from other banks."""

from __future__ import annotations

import math
import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tierlake.read.lakes import day, fact, facts_frame
from tierlake.errors import LakeError
from tierlake.read import index as index_module
from tierlake.read.index import FactIndex, build_index

LANGUAGES = [
    fact("en", "We are deploying with blue/green. It's Alice's.", language="en"),
    fact("en2", "Bob was here", language="en"),
    fact("de", "Die Kosten steigen", language="de"),
    fact("fr", "Le déploiement au Café", language="fr"),
    fact("ru", "Развёртывание сервиса", language="ru"),
    fact("ja", "黒猫がいた", language="ja"),
    fact("ko", "서울에서 배포했다", language="ko"),
    fact("th", "แมวดำอยู่ที่นี่", language="th"),
    fact("und", "Deployments v2.3", language="und"),
]


@pytest.fixture(scope="module")
def languages(tmp_path_factory) -> FactIndex:
    folder = tmp_path_factory.mktemp("languages") / "index"
    build_index(facts_frame(LANGUAGES), folder)
    return FactIndex.open(folder)


def found(index: FactIndex, query: str, **options) -> set[str]:
    return set(index.facts["fact_id"].gather(index.search(query, **options).rows))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("deploys", {"en", "und"}),
        ("DEPLOYED", {"en", "und"}),
        ("green", {"en"}),
        ("alice", {"en"}),
        ("Alice's", {"en"}),
        ("s", set()),
        ("kosten steigt", {"de"}),
        ("cafe", {"fr"}),
        ("café", {"fr"}),
        ("ＣＡＦＥ", {"fr"}),
        ("развертывания", {"ru"}),
        ("猫", {"ja"}),
        ("黒猫", {"ja"}),
        ("白猫", set()),
        ("서울", {"ko"}),
        ("แมว", {"th"}),
        ("V2", {"und"}),
        ("nothing of the kind", set()),
    ],
)
def test_words_are_found_in_every_script(languages, query, expected):
    assert found(languages, query) == expected


@pytest.mark.parametrize(
    "query",
    ["", "   ", "\x00", '+-&&||!(){}[]^"~*?:\\/', "title:(", "\ud800", "'\"`", "a" * 200_000, "猫" * 50_000,
     " ".join(str(number) for number in range(5_000)), "AND OR NOT", "{{query}}", "\u202e\u200b"],
)  # fmt: skip
def test_any_query_is_safe(languages, query):
    matches = languages.search(query)
    assert (matches.scores > 0).all()
    assert len(matches.rows) == len(matches.scores)


def test_operators_are_words(languages):
    assert found(languages, "deploying AND nothing") == found(languages, "nothing deploying")
    assert found(languages, "-deploying") == found(languages, "deploying")
    assert found(languages, "body:kosten") == {"de"}


FIELDS = [
    fact("title", "x", title="zebra"),
    fact("speaker", "x", speaker="Zebra"),
    fact("entity", "x", entities=[{"surface": "Zebra", "kind": "product", "start": None, "end": None}]),
    fact("said", "x", mentioned_at=day(5)),
    fact("month", "x", occurred_start=day(1), occurred_precision="month"),
    fact("year", "x", occurred_start=day(1), occurred_precision="year"),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("zebras", {"title", "speaker", "entity"}),
        ("tuesday", {"said"}),
        ("May", {"said", "month"}),
        ("2026", {"said", "month", "year"}),
    ],
)
def test_every_field_is_searched(tmp_path, query, expected):
    build_index(facts_frame(FIELDS), tmp_path / "index")
    assert found(FactIndex.open(tmp_path / "index"), query) == expected


def test_the_score_is_bm25_over_the_bank(tmp_path):
    # Length is what the field holds; k1 = 1.2 and b = 0.75 are the engine's, lengths below 40 words are kept exactly.
    bodies = ["one two", "one one three four", "five six seven"]
    build_index(facts_frame([fact(f"f{number}", body) for number, body in enumerate(bodies)]), tmp_path / "index")
    index = FactIndex.open(tmp_path / "index")
    matches = index.search("one")
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))

    def bm25(frequency, length):
        return idf * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / 3))

    assert dict(zip(index.facts["fact_id"].gather(matches.rows), matches.scores, strict=True)) == {
        "f0": pytest.approx(bm25(1, 2), rel=1e-5),
        "f1": pytest.approx(bm25(2, 4), rel=1e-5),
    }


def test_scores_of_some_tiers_are_the_scores_of_all(tmp_path):
    rows = [fact(f"f{number}", f"word {'word ' * number}", f"tier_{number % 3}") for number in range(9)]
    build_index(facts_frame(rows), tmp_path / "index")
    index = FactIndex.open(tmp_path / "index")
    every, some = index.search("word"), index.search("word", tiers=["tier_1"])
    assert some.rows.tolist() == [row for row in every.rows if index.facts["tier"][int(row)] == "tier_1"]
    assert some.scores.tolist() == every.scores[np.isin(every.rows, some.rows)].tolist()
    assert index.search("word", tiers=["tier_9"]).rows.size == 0


words = st.lists(st.sampled_from(["deploy", "train", "猫犬", "Ünit", "release", "the"]), max_size=6).map(" ".join)


@settings(max_examples=15, deadline=None)
@given(st.lists(words, min_size=1, max_size=8), words, st.randoms(use_true_random=False))
def test_the_order_of_facts_and_words_does_not_matter(tmp_path_factory, bodies, query, shuffler: random.Random):
    folder = tmp_path_factory.mktemp("shuffled")
    rows = [fact(f"f{number}", body, updated_at=day(1 + number % 2)) for number, body in enumerate(bodies)]
    build_index(facts_frame(rows), folder / "a")
    shuffler.shuffle(rows)
    build_index(facts_frame(rows).reverse(), folder / "b")
    first, second = FactIndex.open(folder / "a"), FactIndex.open(folder / "b")
    mixed = query.split()
    shuffler.shuffle(mixed)
    one, other = first.search(query), second.search(" ".join(mixed))
    assert first.facts.equals(second.facts)
    assert one.rows.tolist() == other.rows.tolist()
    assert one.scores.tolist() == other.scores.tolist()


def test_facts_stand_in_tie_order_and_as_they_were(tmp_path):
    rows = [fact("b", "x", updated_at=day(1)), fact("a", "x"), fact("c", "x", updated_at=day(2)),
            fact("d", "x", updated_at=day(1), tags=["t"])]  # fmt: skip
    frame = facts_frame(rows)
    build_index(frame, tmp_path / "index")
    stored = FactIndex.open(tmp_path / "index").facts
    assert stored["fact_id"].to_list() == ["c", "b", "d", "a"]
    assert stored.sort("fact_id").equals(frame.sort("fact_id"))


def test_batches_and_segments_change_nothing(tmp_path, monkeypatch):
    rows = facts_frame([fact(f"f{number:03d}", f"deploy number {number % 7}") for number in range(60)])
    build_index(rows, tmp_path / "one")
    monkeypatch.setattr(index_module, "_BATCH", 7)
    build_index(rows, tmp_path / "many")
    one, many = (FactIndex.open(tmp_path / name).search("deploy 3") for name in ("one", "many"))
    assert one.rows.tolist() == many.rows.tolist()
    assert one.scores.tolist() == many.scores.tolist()


def test_a_bank_without_facts_has_an_index(tmp_path):
    build_index(facts_frame([]), tmp_path / "index")
    index = FactIndex.open(tmp_path / "index")
    assert index.facts.height == 0
    assert index.search("anything").rows.size == 0


def test_an_index_never_changes(tmp_path):
    rows = facts_frame([fact("a", "x")])
    build_index(rows, tmp_path / "index")
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "index").rglob("*")}
    build_index(rows, tmp_path / "index")
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "index").rglob("*")} == before
    with pytest.raises(LakeError, match="holds the index of other facts"):
        build_index(facts_frame([fact("a", "y")]), tmp_path / "index")
    assert [file.name for file in tmp_path.iterdir()] == ["index"]


def test_an_index_is_of_one_bank(tmp_path):
    two = pl.concat([facts_frame([fact("a", "x")]), facts_frame([fact("a", "x")], "other")])
    with pytest.raises(LakeError, match=r"not of \['acme', 'other'\]"):
        build_index(two, tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lost", ["tierlake.json", "facts.arrow", "text"])
def test_a_damaged_index_says_what_to_do(tmp_path, lost):
    build_index(facts_frame([fact("a", "x")]), tmp_path / "index")
    (tmp_path / "index" / lost).rename(tmp_path / "elsewhere")
    with pytest.raises(LakeError, match=r"cannot be opened: .*; run `tierlake run` to build it again"):
        FactIndex.open(tmp_path / "index")


def test_an_index_of_another_version_is_refused(tmp_path, monkeypatch):
    build_index(facts_frame([fact("a", "x")]), tmp_path / "index")
    monkeypatch.setattr(index_module, "INDEX_VERSION", "999")
    with pytest.raises(LakeError, match="this tierlake reads 999"):
        FactIndex.open(tmp_path / "index")

"""Other languages and scripts: sentences, names, dates, pronouns where they are plain, tasks, events."""

from __future__ import annotations

import pytest

from tests.tierlake.extractors.local.reading import bodies, names, read
from tierlake.extractors.local.scripts import engine_of

CASES = [
    (
        "ru",
        "Алиса Петрова работает в компании «Яндекс» в Москве. Она отвечает за PostgreSQL.",
        ["Алиса Петрова работает в компании «Яндекс» в Москве.", "Алиса Петрова отвечает за PostgreSQL."],
        {"Алиса Петрова": "person", "Яндекс": "organization", "Москве": "place", "PostgreSQL": "product"},
    ),
    (
        "ru",
        "Релиз вышел 3 марта 2026 г. в Риге. Кто отвечает?",
        ["Релиз вышел 3 марта 2026 г. в Риге."],
        {"Риге": "place"},
    ),
    (
        "zh",
        "王小明在北京的谷歌公司工作。他负责数据平台。谁知道？",
        ["王小明在北京的谷歌公司工作。", "王小明负责数据平台。"],
        {"王小明": "person", "北京": "place", "谷歌公司": "organization"},
    ),
    ("zh", "Grace Chen将通过视频参加会议。", ["Grace Chen将通过视频参加会议。"], {"Grace Chen": "person"}),
    (
        "de",
        "Jürgen Weiß arbeitet bei der Müller GmbH in München. Er leitet das Lager seit 2021.",
        ["Jürgen Weiß arbeitet bei der Müller GmbH in München.", "Jürgen Weiß leitet das Lager seit 2021."],
        {"Jürgen Weiß": "person", "Müller GmbH": "organization", "München": "place"},
    ),
    (
        "de",
        "Die Kühlung wurde am 3. Februar 2026 geprüft. Wir verwenden PostgreSQL.",
        ["Die Kühlung wurde am 3. Februar 2026 geprüft.", "Wir verwenden PostgreSQL."],
        {"PostgreSQL": "product"},
    ),
    (
        "es",
        "María López trabaja en Madrid desde 2020. Ella dirige el equipo de datos.",
        ["María López trabaja en Madrid desde 2020.", "María López dirige el equipo de datos."],
        {"María López": "person", "Madrid": "place"},
    ),
    (
        "ja",
        "田中さんは東京の株式会社サンプルで働いています。",
        ["田中さんは東京の株式会社サンプルで働いています。"],
        {"田中": "person", "株式会社サンプル": "organization"},
    ),
    ("el", "Η Άννα μένει στην Αθήνα. Πού είναι;", ["Η Άννα μένει στην Αθήνα."], {"Αθήνα": "label"}),
]


@pytest.mark.parametrize(("language", "text", "statements", "expected"), CASES)
def test_statements_and_names(language, text, statements, expected):
    extraction = read(text, language=language)
    assert bodies(extraction) == statements
    assert names(extraction) == expected


@pytest.mark.parametrize(
    ("language", "text", "when", "direction", "event_type"),
    [
        ("ru", "Релиз вышел 3 марта 2026 года.", "3 марта 2026 года", "past", "release"),
        ("zh", "系统于2026年3月3日上线。", "2026年3月3日", "past", "release"),
        ("de", "Elena Petrova besuchte uns am 5. Februar 2026.", "5. Februar 2026", "past", "meeting"),
        ("es", "Lucía Fernández firmó dos contratos en mayo de 2026.", "mayo de 2026", "past", "decision"),
    ],
)
def test_dated_happenings(language, text, when, direction, event_type):
    extraction = read(text, language=language)
    assert (extraction.facts[0].when, extraction.facts[0].when_direction) == (when, direction)
    assert [event.event_type for event in extraction.events] == [event_type]


@pytest.mark.parametrize(
    ("language", "text", "due"),
    [
        ("zh", "请在下周完成报告。", "下周"),
        ("ru", "Нужно обновить сертификат до пятницы.", "пятницы"),
        ("de", "Bitte schickt den Bericht bis Freitag.", "Freitag"),
    ],
)
def test_tasks(language, text, due):
    assert [task.due for task in read(text, language=language).tasks] == [due]


@pytest.mark.parametrize(
    ("language", "text", "kind", "confidence"),
    [
        ("ru", "Я думаю, что база слишком медленная.", "opinion", "certain"),
        ("ru", "Возможно, встреча будет позже.", "world", "tentative"),
        ("zh", "我认为这个数据库最好。", "opinion", "certain"),
        ("zh", "他可能明天来。", "world", "tentative"),
        ("de", "Wahrscheinlich war die Platte voll.", "world", "inferred"),
        ("es", "Quizás la reunión sea en junio.", "world", "tentative"),
    ],
)
def test_kind_and_confidence(language, text, kind, confidence):
    fact = read(text, language=language).facts[0]
    assert (fact.kind, fact.confidence) == (kind, confidence)


@pytest.mark.parametrize(
    ("text", "language", "engine"),
    [
        ("The deploy is done.", "de", "english"),
        ("Das ist gut.", "de", "latin"),
        ("Релиз PostgreSQL вышел.", "en", "russian"),
        ("系统 PostgreSQL 上线", "en", "chinese"),
        ("新しいシステム", "zh", "japanese"),
        ("السلام عليكم", "ar", "other"),
        ("", "und", "other"),
    ],
)
def test_the_script_chooses_the_engine(text, language, engine):
    assert engine_of(text, language) == engine

"""The words of dates: month and weekday names, numbers, and the patterns built from them.

English is spelled out here; other languages have their month names from `dateparser` and only their few relative words
here. Patterns hold named groups that `transforms.dates` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun",
            "july jul", "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            "monday mon", "tuesday tues tue", "wednesday wed", "thursday thurs thur thu",
            "friday fri", "saturday sat", "sunday sun",
        )
    )
    for name in names.split()
}  # fmt: skip
NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "couple of": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
QUARTERS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}


def any_of(words: Iterable[str]) -> str:
    """Returns an alternation of the words, longest first, any white space for a space."""
    return "|".join(
        re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=lambda word: (-len(word), word))
    )


# "may" and "mar" and "sun" are words of their own: where no day or year stands beside a name, only full names count,
# capitalized, and `may` needs a preposition (see BARE_MONTH).
MONTH_NAMES: Final = any_of(MONTHS)
MONTH: Final = rf"(?P<month>{MONTH_NAMES})\b\.?"
FULL_MONTH: Final = "(?P<month>" + "|".join(name for name in MONTHS if len(name) > 4) + "|june|july)\\b"  # noqa: PLR2004
WEEKDAY: Final = rf"(?P<weekday>{any_of(WEEKDAYS)})\b\.?"
FULL_WEEKDAY: Final = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
DAY: Final = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?!\d)"
YEAR: Final = r"(?P<year>(?:19|20)\d\d|2100)(?!\d|[.,:]\d|-\w)"
NUMBER: Final = rf"(?P<number>\d{{1,4}}|{any_of(NUMBERS)})"
UNIT: Final = r"(?P<unit>minute|hour|day|week|month|quarter|year)s?"
# "in 30 minutes" mostly tells how long something took.
LONG_UNIT: Final = r"(?P<unit>day|week|month|year)s?"
SPAN_UNIT: Final = r"(?P<unit>week|month|quarter|year)"
CLOCK: Final = (
    r"(?:(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?\s?(?P<half>[ap]\.?m\.?)?"
    r"|(?P<hour12>1[0-2]|0?[1-9])\s?(?P<half12>[ap]\.?m\.?)|(?P<noon>noon|midday|midnight))"
    r"(?:\s?(?P<zone>utc|gmt|z|[+-]\d\d:?\d\d)\b)?"
)

# One relative word or phrase to a number of days from the anchor, per language.
DAY_WORDS: Final[dict[str, dict[str, int]]] = {
    "en": {
        "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "yesterday": -1,
        "yesterday morning": -1, "yesterday afternoon": -1, "yesterday evening": -1, "last night": -1, "tomorrow": 1,
        "tomorrow morning": 1, "tomorrow afternoon": 1, "the day before yesterday": -2, "the day after tomorrow": 2,
        "day before yesterday": -2, "day after tomorrow": 2, "end of day": 0, "eod": 0, "cob": 0,
    },
    "de": {"heute": 0, "gestern": -1, "vorgestern": -2, "morgen": 1, "übermorgen": 2},
    "es": {"hoy": 0, "ayer": -1, "anteayer": -2, "mañana": 1, "pasado mañana": 2},
    "fr": {"aujourd'hui": 0, "hier": -1, "avant-hier": -2, "demain": 1, "après-demain": 2},
    "ru": {"сегодня": 0, "вчера": -1, "позавчера": -2, "завтра": 1, "послезавтра": 2},
    "zh": {"今天": 0, "昨天": -1, "前天": -2, "明天": 1, "后天": 2},
    "ja": {"今日": 0, "昨日": -1, "明日": 1},
}  # fmt: skip
# Phrases for a whole week, month or year next to the anchor's: (unit, offset).
SPAN_WORDS: Final[dict[str, dict[str, tuple[str, int]]]] = {
    "de": {
        "letzte woche": ("week", -1), "nächste woche": ("week", 1), "diese woche": ("week", 0),
        "letzten monat": ("month", -1), "nächsten monat": ("month", 1), "letztes jahr": ("year", -1),
        "nächstes jahr": ("year", 1),
    },
    "es": {
        "la semana pasada": ("week", -1), "la próxima semana": ("week", 1), "la semana que viene": ("week", 1),
        "esta semana": ("week", 0), "el mes pasado": ("month", -1), "el próximo mes": ("month", 1),
        "el año pasado": ("year", -1), "el próximo año": ("year", 1),
    },
    "fr": {
        "la semaine dernière": ("week", -1), "la semaine prochaine": ("week", 1), "le mois dernier": ("month", -1),
        "le mois prochain": ("month", 1), "l'année dernière": ("year", -1),
    },
    "ru": {
        "на прошлой неделе": ("week", -1), "на следующей неделе": ("week", 1), "на этой неделе": ("week", 0),
        "в прошлом месяце": ("month", -1), "в следующем месяце": ("month", 1), "в прошлом году": ("year", -1),
        "в следующем году": ("year", 1),
    },
    "zh": {
        "上周": ("week", -1), "下周": ("week", 1), "本周": ("week", 0), "上个月": ("month", -1), "下个月": ("month", 1),
        "去年": ("year", -1), "明年": ("year", 1), "今年": ("year", 0),
    },
    "ja": {"先週": ("week", -1), "来週": ("week", 1), "先月": ("month", -1), "来月": ("month", 1)},
}  # fmt: skip
# Month names of other languages, January first; every pattern takes all forms of the name.
OTHER_MONTHS: Final[dict[str, tuple[str, ...]]] = {
    "de": (
        "januar|jänner|jan\\.", "februar|feb\\.", "märz", "april|apr\\.", "mai", "juni", "juli", "august|aug\\.",
        "september|sept\\.", "oktober|okt\\.", "november|nov\\.", "dezember|dez\\.",
    ),
    "es": (
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre|setiembre", "octubre",
        "noviembre", "diciembre",
    ),
    "fr": (
        "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
        "décembre",
    ),
    "ru": (
        "январ[ьяе]", "феврал[ьяе]", "март[ае]?", "апрел[ьяе]", "ма[йяе]", "июн[ьяе]", "июл[ьяе]", "август[ае]?",
        "сентябр[ьяе]", "октябр[ьяе]", "ноябр[ьяе]", "декабр[ьяе]",
    ),
}  # fmt: skip
OTHER_WEEKDAYS: Final[dict[str, tuple[str, ...]]] = {
    "de": ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    "fr": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    "ru": (
        "понедельник[ау]?", "вторник[ау]?", "сред[аыуе]", "четверг[ау]?", "пятниц[аыуе]", "суббот[аыуе]",
        "воскресень[ею]",
    ),
    "zh": tuple(f"(?:周|星期){name}" for name in ("一", "二", "三", "四", "五", "六", "[日天]")),
    "ja": tuple(f"{name}曜日?" for name in "月火水木金土日"),
}  # fmt: skip

"""The few words of other languages that the rules need: pronouns, the first person, doubt, opinion, work, events."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tierlake.extractors.local.scripts import Engine

_NEVER: Final = re.compile(r"(?!)")


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@dataclass(frozen=True)
class Idiom:
    """What the rules know of a language.

    Attributes:
        language: Code for the date rules.
        stop: The full stop.
        pronoun: A personal pronoun that opens a sentence as its subject.
        first_person: Words of the first person.
        opinion: Marks of an opinion.
        tentative: Marks of a guess.
        inferred: Marks of a conclusion.
        task: Marks of work to do.
        future: Marks of what is to come.
        past: Marks of what has been.
        events: Stems of happenings and their type; the first that stands in a sentence counts.
    """

    language: str
    stop: str = "."
    pronoun: re.Pattern[str] = _NEVER
    first_person: re.Pattern[str] = _NEVER
    opinion: re.Pattern[str] = _NEVER
    tentative: re.Pattern[str] = _NEVER
    inferred: re.Pattern[str] = _NEVER
    task: re.Pattern[str] = _NEVER
    future: re.Pattern[str] = _NEVER
    past: re.Pattern[str] = _NEVER
    events: tuple[tuple[re.Pattern[str], str], ...] = ()


_RUSSIAN: Final = Idiom(
    language="ru",
    pronoun=_re(r"(?:он|она)(?=\s)"),
    first_person=_re(r"\b(?:я|мы|мне|меня|мой|моя|моё|мои|нам|нас|наш\w*)\b"),
    opinion=_re(r"\b(?:я (?:думаю|считаю|полагаю|предпочитаю)|мы (?:думаем|считаем)|по-моему|мне (?:кажется"
        r"|нравится)|на мой взгляд|(?:самый|самая) (?:лучш|худш)\w+)\b"),
    tentative=_re(r"\b(?:возможно|может быть|не уверен[аы]?|не подтвержден[оаы]?|под вопросом)\b"),
    inferred=_re(r"\b(?:вероятно|наверное|видимо|похоже|судя по|по слухам|кажется)\b"),
    task=_re(r"\b(?:нужно|необходимо|надо|долж(?:ен|на|ны)|сделать:|просьба|пожалуйста)\b"),
    future=_re(r"\b(?:будет|будут|будем|планиру\w+|завтра|следующ\w+|нужно|необходимо|должн?[аыен]*)\b"),
    past=_re(r"\w{2,}(?:ал|ил|ел|ял|ыл|ул|ёл|шел|шёл)(?:[аои]|с[ья]|ась|ось|ись)?\b"),
    events=(
        (_re(r"\b(?:сбо[йяеию]|авари\w+|отказ\w*|инцидент\w*)\b"), "incident"),
        (_re(r"\b(?:релиз\w*|выпуст\w+|выпущен\w*)\b"), "release"),
        (_re(r"\b(?:запуст\w+|запуск\w*|запущен\w*|откры(?:ли|л|т|лся|ла|лась)\w*)\b"), "launch"),
        (_re(r"\b(?:перенес\w+|перенёс|переш\w+|переезд\w*|миграци\w+)\b"), "migration"),
        (_re(r"\b(?:встреч\w+|встретил\w*|совещани\w+|собрани\w+)\b"), "meeting"),
        (_re(r"\b(?:решил\w*|решени\w+|договорил\w+|утвердил\w*|подписал\w*)\b"), "decision"),
        (_re(r"\b(?:присоединил\w+|нанял\w*|вышел на работу)\b"), "hiring"),
        (_re(r"\b(?:ушёл|ушел|ушла|уволил\w+)\b"), "departure"),
        (_re(r"\b(?:переименова\w+)\b"), "rename"),
        (_re(r"\w{2,}(?:ал|ил|ел|ял|ыл)(?:[аои]|с[ья]|ась|ось|ись)?\b"), "event"),
    ),
)  # fmt: skip
_CHINESE: Final = Idiom(
    language="zh",
    stop="。",
    pronoun=_re(r"(?:他|她)(?!们)"),
    first_person=_re(r"我|我们|咱们"),
    opinion=_re(r"我(?:们)?(?:认为|觉得|相信|喜欢|建议)|在我看来|最好的|最差的|依我看"),
    tentative=_re(r"也许|可能|或许|不确定|尚未确认|待定"),
    inferred=_re(r"大概|似乎|好像|应该是|据说|看来|估计"),
    task=_re(r"请(?!假|求|问)|需要(?:在|于)|必须|待办|务必"),
    future=_re(r"将|会在|计划|打算|明天|下周|下个月|明年|即将|请|需要"),
    past=_re(r"了|已|曾|昨天|上周|去年|于\d{4}年"),
    events=(
        (_re(r"故障|事故|中断|宕机|停机"), "incident"),
        (_re(r"发布|上线"), "release"),
        (_re(r"部署"), "deployment"),
        (_re(r"迁移|搬迁|搬到"), "migration"),
        (_re(r"会议|开会|会面|见面|评审会|参观|访问"), "meeting"),
        (_re(r"决定|批准|同意|签署|签订|签了"), "decision"),
        (_re(r"加入|入职|聘用"), "hiring"),
        (_re(r"离职|离开"), "departure"),
        (_re(r"更名|改名"), "rename"),
        (_re(r"启动|开业|成立|开始"), "launch"),
        (_re(r"升级|更新"), "upgrade"),
        (_re(r"完成|举行|结束"), "event"),
    ),
)
_JAPANESE: Final = Idiom(
    language="ja",
    stop="。",
    first_person=_re(r"私|僕|我々|私たち"),
    opinion=_re(r"と思(?:う|います|っている)|が好き|べき"),
    tentative=_re(r"かもしれ|未定|未確認"),
    inferred=_re(r"らしい|ようだ|ようです|おそらく|たぶん|でしょう"),
    task=_re(r"してください|必要があ|なければな"),
    future=_re(r"予定|明日|来週|来月|してください"),
    past=_re(r"した|ました|昨日|先週"),
    events=(
        (_re(r"リリース|公開"), "release"),
        (_re(r"障害|停止"), "incident"),
        (_re(r"会議|ミーティング"), "meeting"),
    ),
)
_GERMAN: Final = Idiom(
    language="de",
    pronoun=_re(r"(?:er|sie)(?=\s\w+(?:t|te|et|ete|at|ar|ug)\b)"),
    first_person=_re(r"\b(?:ich|mir|mich|mein\w*|wir|uns|unser\w*)\b"),
    opinion=_re(r"\b(?:ich (?:finde|glaube|denke|meine|bevorzuge)|meiner meinung nach|wir (?:finden|glauben)"
        r"|am besten|(?:der|die|das) beste)\b"),
    tentative=_re(r"\b(?:vielleicht|möglicherweise|eventuell|unklar|unbestätigt|noch nicht sicher|könnte[n]?)\b"),
    inferred=_re(r"\b(?:wahrscheinlich|vermutlich|anscheinend|offenbar|scheinbar|angeblich|wohl)\b"),
    task=_re(r"\b(?:bitte|muss bis|müssen bis|soll bis|sollen bis|wird bis)\b"),
    future=_re(r"\b(?:wird|werden|soll|sollen|muss|müssen|plant|planen|morgen|nächste\w*|geplant)\b(?! (?:von"
        r"|durch))"),
    past=_re(r"\b(?:wurde[n]?|war(?:en)?|hat|haben|hatte[n]?|ist \w+ ge\w+|gestern|letzte\w*|\w{3,}te[n]?)\b"),
    events=(
        (_re(r"\b(?:ausfall\w*|störung\w*|vorfall\w*|ausgefallen)\b"), "incident"),
        (_re(r"\b(?:release\w*|veröffentlicht\w*|ausgeliefert)\b"), "release"),
        (_re(r"\b(?:umgezogen|umzug\w*|migriert\w*|migration\w*|verlegt\w*)\b"), "migration"),
        (_re(r"\b(?:treffen|trafen|traf|besuch\w*|sitzung\w*|besprechung\w*|meeting\w*|begehung\w*)\b"), "meeting"),
        (_re(r"\b(?:entschied\w*|entschieden|beschloss\w*|beschlossen|genehmigt\w*|unterschrieb\w*"
            r"|unterzeichnet\w*)\b"), "decision"),
        (_re(r"\b(?:eingestellt|begann|beginnt|startet\w*|eröffnet\w*)\b"), "launch"),
        (_re(r"\b(?:umbenannt)\b"), "rename"),
        (_re(r"\b(?:wurde[n]?|hat|haben)\b"), "event"),
    ),
)  # fmt: skip
_SPANISH: Final = Idiom(
    language="es",
    pronoun=_re(r"(?:él|ella)(?=\s)"),
    first_person=_re(r"\b(?:yo|nosotr[oa]s|mi|mis|nuestr[oa]s?)\b"),
    opinion=_re(r"\b(?:creo que|pienso que|prefiero|en mi opinión|me gusta|a mi juicio|el mejor|la mejor|el peor"
        r"|la peor)\b"),
    tentative=_re(r"\b(?:quizás?|tal vez|a lo mejor|posiblemente|sin confirmar|podrían?)\b"),
    inferred=_re(r"\b(?:probablemente|seguramente|parece que|al parecer|por lo visto|supuestamente)\b"),
    task=_re(r"\b(?:por favor|debe(?:n)? \w+ antes|hay que|tiene(?:n)? que)\b"),
    future=_re(r"\b(?:\w{2,}(?:ará|erá|irá|arán|erán|irán|aremos|eremos|iremos)|va a|van a|mañana|próxim[oa])\b"),
    past=_re(r"\b(?:\w{2,}(?:ó|aron|ieron|amos|imos)|fue|fueron|ayer|pasad[oa])\b"),
    events=(
        (_re(r"\b(?:incidente\w*|fallo\w*|caída\w*|cayó|avería\w*)\b"), "incident"),
        (_re(r"\b(?:lanz(?:ó|aron|amos|amiento)|public(?:ó|aron|amos))\b"), "release"),
        (_re(r"\b(?:reuni(?:ón|ones|mos|eron)|reunió|visit(?:ó|aron|amos|a))\b"), "meeting"),
        (_re(r"\b(?:decid(?:ió|ieron|imos)|aprob(?:ó|aron|amos)|firm(?:ó|aron|amos)|acord(?:ó|aron"
            r"|amos))\b"), "decision"),
        (_re(r"\b(?:migr(?:ó|aron|amos|ación)|traslad(?:ó|aron|amos))\b"), "migration"),
        (_re(r"\b(?:abr(?:ió|ieron|imos)|empez(?:ó|aron)|comenz(?:ó|aron))\b"), "launch"),
        (_re(r"\b\w{2,}(?:ó|aron|ieron)\b"), "event"),
    ),
)  # fmt: skip
_BY_LANGUAGE: Final = {"de": _GERMAN, "es": _SPANISH, "ru": _RUSSIAN}
_BY_ENGINE: Final[dict[Engine, Idiom]] = {"russian": _RUSSIAN, "chinese": _CHINESE, "japanese": _JAPANESE}


def idiom_of(engine: Engine, language: str) -> Idiom:
    """Returns what is known of a language; nothing but its date rules where there is no more."""
    return _BY_ENGINE.get(engine) or _BY_LANGUAGE.get(language) or Idiom(language=language)

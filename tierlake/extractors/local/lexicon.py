"""The word lists of the rules: closed classes and general vocabulary of English, never names."""

from __future__ import annotations

import re
from typing import Final


def word_set(text: str) -> frozenset[str]:
    """Returns the words of a text."""
    return frozenset(text.split())


# Words that stand before a colon and label what follows; none of them speaks.
LABEL_WORDS: Final = word_set(
    "action actions agenda agreed answer assigned attendees author background blocker blockers cause cc channel"
    " comment conclusion contact context cost cover customer date deadline decision decisions description details"
    " done due duration email eta example fact facts fix follow-up from goal goals highlight highlights idea"
    " impact info issue key link links location minutes name next note notes outcome owner owners p.s. phone place"
    " present priority problem product progress ps purpose question reason reference regrets related release"
    " remark reporter result retro risk risks root rule scope severity source start status step steps subject"
    " summary tag tags task tasks team time timeline tip title tldr to todo topic type update url version warning"
    " what when where who why wip"
)
TASK_LABEL: Final = re.compile(
    r"(?:(?P<done>DONE|\[done\])|TO-?DO|Todo|todo|FIXME|Action(?: item| point)?s?|ACTION|AI|Follow[- ]?up"
    r"|Next step|Task)"
    r"(?:\s*\((?P<owner>[^)\n]{1,40})\))?\s*[:：]\s*(?=\S)"
)
TASK_HEADING: Final = re.compile(
    r"(?:#+\s*)?(?:(?:open|new|our|remaining)\s+)?(?:action (?:items|points)|actions|to-?dos?|todo list"
    r"|next steps|follow[- ]?ups"
    r"|tasks|open (?:points|items)|checklist of work|offene punkte|aufgaben|tareas|задачи|待办(?:事项)?|任务)\W*$",
    re.IGNORECASE,
)
# An item with an owner, a due date or a priority, or "Tom to review the runbook".
ASSIGNED: Final = re.compile(
    r"\b(?:owner|assignee|assigned to|due)\b:?|\bP[0-4]\b|^[A-Z]\w+(?: [A-Z]\w+)? to [a-z]+ \w"
)
GREETING: Final = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|greetings|welcome|hallo|liebe[rs]?"
    r"|guten (?:tag|morgen)"
    r"|hola|buenos días|querid[oa]s?|bonjour|здравствуйте|привет|добрый (?:день|вечер)|уважаем\w+|你好|您好"
    r"|大家好)\b[^.?]{0,60}$",
    re.IGNORECASE,
)
SIGN_OFF: Final = re.compile(
    r"(?:(?:best|kind|warm|many)(?: regards| wishes| thanks)?|regards|cheers|thanks?(?: you)?(?: (?:all|everyone"
    r"|again|a lot"
    r"|so much|for .{1,60}))?|sincerely|yours(?: \w+)?|all the best|see you(?: \w+){0,3}|take care|viele grüße"
    r"|liebe grüße"
    r"|mit freundlichen grüßen|saludos|un saludo|atentamente|с уважением|спасибо|此致|谢谢)[\s,.!]*(?:\n.{0,60})?$",
    re.IGNORECASE,
)
# Connectives that tie a sentence to the one before it: a statement that stands alone does without.
CONNECTIVE: Final = re.compile(
    r"(?:(?:however|moreover|furthermore|therefore|thus|hence|nevertheless|nonetheless|besides|in addition"
    r"|additionally"
    r"|as a result|consequently|for example|for instance|in short|in fact|of course|also|then|so|still|yes|no|ok"
    r"|okay|well"
    r"|anyway|btw|by the way|fyi|to be clear|that said|on the other hand|meanwhile|instead|overall|sure|right|update"
    r"|sorry|agreed|good|great|true|correction|oh|hm+|ah),\s+|(?:and|but|so|or|yet|also|btw)\s+)(?=\S)",
    re.IGNORECASE,
)

# Kind and confidence (schemas.FACT_KINDS, schemas.CONFIDENCES).
OPINION_VERBS: Final = word_set(
    "think believe feel prefer like love hate dislike hope guess suppose doubt recommend suggest wish enjoy favor"
    " fear assume disagree trust"
)
OPINION_PHRASE: Final = re.compile(
    r"\b(?:in my (?:opinion|view|experience)|imo|imho|to me|for me|i'd rather|would rather|personally"
    r"|my favou?rite|my preference"
    r"|if you ask me|frankly|honestly)\b",
    re.IGNORECASE,
)
VALUE_WORDS: Final = word_set(
    "best worst better worse good great bad terrible awful excellent amazing wonderful nice ugly beautiful"
    " overrated underrated annoying boring confusing elegant pleasant painful stupid silly ridiculous fantastic"
    " horrible sensible unacceptable impressive disappointing unfair simplistic brilliant"
)
TENTATIVE: Final = re.compile(
    r"\b(?:maybe|perhaps|possibly|unconfirmed|not (?:yet )?(?:sure|certain|clear|confirmed)|unclear|tbd|tbc"
    r"|to be (?:confirmed"
    r"|decided)|unsure|undecided|no idea|(?:a )?rumou?rs?|in doubt)\b|\?\)",
    re.IGNORECASE,
)
INFERRED: Final = re.compile(
    r"\b(?:probably|presumably|likely|unlikely|apparently|seemingly|seems?|seemed|appears? to|appeared to"
    r"|reportedly|allegedly"
    r"|supposedly|i (?:think|guess|believe|suppose|assume)|we (?:think|believe|assume|suspect)|suspects? that|roughly"
    r"|looks like|as far as i know|afaik|suggests that)\b",
    re.IGNORECASE,
)
TENTATIVE_MODALS: Final = word_set("might may could")

# Priority words (0 whenever, 10 now; 5 where nothing is said): the first that stands in the statement.
PRIORITIES: Final = (
    (re.compile(r"\b(?:P0|urgent(?:ly)?|asap|critical|blocker|immediately|emergency|right away|срочно|dringend"
        r"|urgente)\b|紧急", re.IGNORECASE), 9),
    (re.compile(r"\b(?:P1|high[- ]prio(?:rity)?|important|top priority|priority: high|wichtig|важно)\b"
        r"|重要", re.IGNORECASE), 8),
    (re.compile(r"\b(?:P2)\b", re.IGNORECASE), 6),
    (re.compile(r"\b(?:P3)\b", re.IGNORECASE), 4),
    (re.compile(r"\b(?:P4|low[- ]prio(?:rity)?|nice[- ]to[- ]have|someday|some day|whenever|no rush|not urgent"
        r"|minor)\b", re.IGNORECASE), 2),
)  # fmt: skip
STATUSES: Final = (
    (re.compile(r"(?:^|[(\[]|[-–:] )(?:wip|in progress|ongoing|started)(?:[)\].,:]"
        r"|$)", re.IGNORECASE), "in_progress"),
    (re.compile(r"(?:^|[(\[]|[-–:] )(?:cancell?ed|dropped|won't do|wontfix|obsolete)(?:[)\].,:]"
        r"|$)", re.IGNORECASE), "cancelled"),
    (re.compile(r"(?:[(\[]|[-–:] )(?:done|completed|finished|closed)(?:[)\].,\s]|$)", re.IGNORECASE), "done"),
)  # fmt: skip

# What kind of event a lemma tells of; the first that stands in the statement's verb or its nouns.
EVENT_TYPES: Final = {
    lemma: event_type
    for event_type, lemmas in {
        "outage": "outage downtime",
        "incident": "incident crash fail failure break leak corrupt breach postmortem",
        "rollback": "rollback revert",
        "release": "release ship publish",
        "launch": "launch introduce open announce start found",
        "deployment": "deploy deployment rollout",
        "migration": "migrate migration move switch relocate",
        "upgrade": "upgrade update patch",
        "meeting": "meet meeting workshop retro retrospective standup offsite gather visit interview conference",
        "decision": "decide decision agree approve reject choose adopt vote sign",
        "hiring": "hire join onboard recruit",
        "departure": "leave resign retire departure quit depart",
        "promotion": "promote appoint promotion",
        "rename": "rename rebrand",
        "review": "review audit inspect assess test",
        "deadline": "deadline due expire",
        "purchase": "buy purchase acquire acquisition order",
        "merger": "merge merger",
        "removal": "remove delete retire deprecate shut decommission sunset cancel",
        "fix": "fix repair resolve restore mend",
        "award": "win award",
        "payment": "pay donate invoice donation grant",
    }.items()
    for lemma in reversed(lemmas.split())
}
# Verbs of state: a dated sentence with one of them tells no happening.
STATIVE: Final = word_set(
    "be have own use need want like love hate prefer know believe think mean seem appear contain consist belong"
    " cost depend exist include involve lack matter owe possess require resemble remain stay live work lie stand"
    " hold weigh last keep lead manage equal understand remember see hear feel support allow enable do get"
    " specialize"
)
FUTURE_LEMMAS: Final = word_set("plan intend schedule expect aim")

# Words by which the kind of a name shows.
PRODUCT_VERBS: Final = word_set(
    "use install deploy upgrade patch configure restart benchmark adopt migrate specialize run maintain operate"
    " rewrite reboot containerize integrate release ship launch"
)
# What is done in, with, on or through software.
SOFTWARE_WORK: Final = word_set(
    "build write specialize specialise migrate upgrade rewrite implement host run port deploy deployment keep"
    " store rollback log account access monitor configure query"
)
PERSON_VERBS: Final = word_set(
    "say think write join lead live meet ask prefer marry study graduate resign retire suggest explain mention"
    " promise worry hope feel believe like love hate want tell email speak travel visit born die disagree"
)
PERSON_NOUNS: Final = word_set(
    "engineer manager lead leader director developer designer analyst officer head chief founder ceo cto cfo"
    " president chair chairman chairwoman secretary treasurer teacher doctor nurse lawyer author writer artist"
    " actor singer player coach captain colleague volunteer intern student scientist researcher professor"
    " architect consultant administrator assistant coordinator owner contact man woman boy girl brother sister"
    " mother father son daughter wife husband friend politician king queen minister mayor candidate employee"
    " contractor programmer"
)
HUMAN_VERBS: Final = word_set(
    "say think write marry study graduate resign retire email sit walk die feel love hate tell speak worry hope call"
    " thank"
)
ORGANIZATION_NOUNS: Final = word_set(
    "company customer vendor supplier foundation agency startup bank team organization organisation department"
    " university school institute council committee alliance association club charity union firm partner provider"
    " subsidiary employer party band newspaper league museum hospital ministry board group consultancy insurer"
    " publisher"
)
PRODUCT_NOUNS: Final = word_set(
    "service tool app application database library gateway product system pipeline dashboard framework language"
    " cluster server api plugin cache queue client sdk engine compiler package module platform software website"
    " portal game model device phone car printer warehouse scheduler proxy editor browser script bot feature"
    " instance topic console connector operator runtime firmware release deployment deploy upgrade migration"
)
# "the deploy of X": X is software.
DEPLOYED: Final = word_set(
    "deploy deployment release upgrade migration rollback rollout version build installation configuration"
    " instance maintainer developer user api source uptime downtime"
)
PERSON_LABELS: Final = word_set(
    "owner owners author assigned attendees present contact reporter who from name responsible regrets"
)
PLACE_NOUNS: Final = word_set(
    "city town country village region river island mountain street square district province county airport"
    " capital continent lake valley port suburb"
)
ORGANIZATION_SUFFIX: Final = word_set(
    "inc inc. gmbh ltd ltd. llc ag corp corp. corporation co. foundation university institute college group bank"
    " trust labs association council committee alliance agency ministry department society s.a. plc kg bv b.v. oy"
    " ab sarl srl llp company holding holdings partners consortium"
)
TEAM_NOUNS: Final = word_set("team squad guild crew")
UNIT_NOUNS: Final = TEAM_NOUNS | word_set("department division committee board council")
# Adjectives before `team` that do not name it.
VAGUE: Final = word_set(
    "whole entire new same other small big large great good own full current old former first second third next"
    " last final different several many few some such certain various main only single late early recent previous"
    " more most less possible similar important real right wrong able different local free best better high low"
    " short long"
)
# Capitalized roles before or instead of a name.
ROLE_WORDS: Final = word_set(
    "prime vice deputy senior junior general colonel major lieutenant sergeant governor emperor empress prince"
    " princess senator representative ambassador premier commissioner judge bishop pope government"
)
HONORIFICS: Final = word_set("dr dr. mr mr. mrs mrs. ms ms. prof prof. professor sir dame lord lady frau herr")
NUMBERED: Final = re.compile(
    r"\b(?:Sprint|Milestone|Phase|Epic|Ticket|Iteration|Release|Incident|RFC|ADR|PR|Room|Building|Gate|Level"
    r"|Tier|Stage|Wave"
    r"|Version|Build|Batch)\s#?\d+(?:\.\d+)*\b"
)
TICKET: Final = re.compile(r"(?<![\w/-])[A-Z][A-Z0-9]{1,9}-\d{1,7}(?![\w-])")
VERSION: Final = re.compile(r"(?<![\w.])[vV]\d+(?:\.\d+)+(?:-?(?:rc|beta|alpha)\.?\d*)?(?![\w])")
# HttpCache, iOS, gRPC, PostgreSQL, GitHub: capitals inside a word. Capitals and digits alone (an acronym) are not.
CAMEL: Final = re.compile(r"(?:[A-Z]+[a-z]+\d*[A-Z]|[a-z]+[A-Z])\w*$")
SURNAME_CAMEL: Final = re.compile(r"(?:Mc|Mac|O['’]|De|Di|La|Le|Van|Fitz)[A-Z][a-z]+$")
CALENDAR: Final = word_set(
    "january february march april may june july august september october november december monday tuesday"
    " wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu"
    " fri sat sun today tomorrow yesterday tonight spring summer autumn winter christmas easter utc gmt cet cest"
    " am pm"
)
# Capitalized words that name nothing.
NO_NAMES: Final = CALENDAR | word_set(
    "i ok okay yes no todo fixme done tbd tbc asap fyi eta eod eow faq hi hello dear thanks note notes update"
    " please ps regards cheers ceo cto cfo coo vp hr pm qa api url http https html css json xml csv pdf sql ui ux"
    " id ids cpu gpu ram ssd usb wip p0 p1 p2 p3 p4 q1 q2 q3 q4 h1 h2 mr mrs ms dr prof sir attendees agenda"
    " decision decisions action actions owner status summary minutes monthly weekly daily none null true false kpi"
    " okr sla slo etc vs re fwd part chapter section figure table appendix page step steps internet web everyone"
    " everybody somebody someone nobody god"
)
# Nouns that measure, count or point; as the head of a phrase they make no concept.
EMPTY_NOUNS: Final = word_set(
    "day days week weeks month months year years hour hours minute minutes second seconds time times morning"
    " afternoon evening night moment date today thing things lot lots kind kinds sort type types way ways number"
    " numbers part parts piece bit set sets group groups couple pair rest case cases example examples one ones"
    " people person man woman men women percent percentage euro euros dollar dollars half quarter quarters end"
    " start beginning middle side top bottom line fact idea reason point points place places amount total list"
    " something anything everything nothing somebody someone anybody everyone nobody everybody version versions"
    " weekend weekends century decade note notes all others other"
)
ABSTRACT: Final = re.compile(r"[a-z]{3,}(?:tion|sion|ment|ness|ity|ship|ance|ence|ism|acy|hood)s?$")

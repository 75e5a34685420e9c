"""Which language a text is in, told offline."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

UNKNOWN: Final = "und"
# The first pages decide; a longer text only costs time.
_SAMPLE: Final = 5_000
# Fewer letters than a short sentence has: a heading, a number, a name.
_MIN_LETTERS: Final = 10
# Share of all 114 languages' probability. Lists of names and codes stay below 0.1, the shortest plain sentences
# ("Alice joined Google.") come to 0.3.
_MIN_CONFIDENCE: Final = 0.25
_ISO_639_1_LENGTH: Final = 2
# The identifier keeps counters while it classifies; Dagster may run assets in threads.
_LOCK: Final = threading.Lock()


def detect_language(text: str) -> str:
    """Returns the ISO 639-1 code of a text's language; `und` where the text does not tell.

    Example:
        >>> detect_language("Der Dienst wurde am Freitag neu gestartet.")
        'de'
        >>> detect_language("INC-47")
        'und'
    """
    if sum(map(str.isalpha, text[:_SAMPLE])) < _MIN_LETTERS:
        return UNKNOWN
    code, confidence = likeliest_language(text)
    return code if confidence >= _MIN_CONFIDENCE else UNKNOWN


def likeliest_language(text: str) -> tuple[str, float]:
    """Returns the likeliest language of a text and its share of the probability, 0 to 1."""
    with _LOCK:
        code, confidence = _identifier().classify(text[:_SAMPLE])
    return str(code), float(confidence)


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # half a second to load

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([code for code in identifier.labels if len(code) == _ISO_639_1_LENGTH])
    return identifier

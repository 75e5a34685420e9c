"""Structured answers from any OpenAI-compatible endpoint: retried, repaired once, counted, with every fault named."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from tierlake.background import stream
from tierlake.config import ModelSettings
from tierlake.errors import ExtractorError
from tierlake.extractors.base import Failure

if TYPE_CHECKING:
    import openai

Answer = TypeVar("Answer", bound=BaseModel)
Item = TypeVar("Item")
Result = TypeVar("Result")
Message = dict[str, str]
Shape = Literal["json_schema", "json_object", "text"]

# What a server may say when it does not know strict schemas: some answer 400, some 500.
_SCHEMA_WORDS: Final = ("response_format", "json_schema", "json_object", "grammar")
_FILTER_WORDS: Final = ("content_filter", "content_policy", "content management policy")
_LENGTH_WORDS: Final = ("context_length", "context length", "maximum context", "too many tokens")
# A server's message is shown in quarantine: enough to act on, too little to hold a document.
MAX_MESSAGE: Final = 200
# A faulty answer is shown to the model again; a runaway one only in part.
MAX_ANSWER_SHOWN: Final = 8000
MAX_FAULTS_SHOWN: Final = 5
# The client wants some key; servers without accounts ignore it.
NO_KEY: Final = "none"
# Output that another try, or a shorter text, may get right.
UNUSABLE: Final = ("invalid_output", "truncated", "too_long")


@dataclass(frozen=True)
class Usage:
    """Tokens of one or more calls, failed ones included."""

    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Returns the sum."""
        return Usage(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out)

    def cost(self, settings: ModelSettings) -> float:
        """Returns the cost in US dollars.

        Example:
            >>> Usage(1_000_000, 500_000).cost(
            ...     ModelSettings(usd_per_million_tokens_in=0.4, usd_per_million_tokens_out=1.6)
            ... )
            1.2
        """
        dollars = self.tokens_in * settings.usd_per_million_tokens_in
        return (dollars + self.tokens_out * settings.usd_per_million_tokens_out) / 1_000_000


@dataclass(frozen=True)
class Reply(Generic[Answer]):
    """What came of asking.

    Attributes:
        value: The answer; None where there is none.
        failure: Why there is none.
        usage: Tokens of all calls.
        raw: The model's words, for a repair.
    """

    value: Answer | None
    failure: Failure | None
    usage: Usage
    raw: str = ""


@dataclass
class _Abilities:
    """What the server has been seen to refuse; learnt once an endpoint."""

    shape: Shape = "json_schema"
    has_temperature: bool = True


@dataclass(frozen=True)
class Session:
    """One open connection to an endpoint; lives inside `Endpoint.stream`."""

    client: openai.AsyncOpenAI
    settings: ModelSettings
    key: str
    abilities: _Abilities

    async def ask(self, messages: Sequence[Message], answer: type[Answer]) -> Reply[Answer]:
        """Returns the model's answer to one question, without a repair.

        Busy and broken servers are tried again by the client, with backoff and jitter, honoring `retry-after`.

        Raises:
            ExtractorError: The key or the model is refused: no other question would fare better.
        """
        import openai

        # At most as often as there is something to give up: a shape, another, the temperature.
        while True:
            tried = (self.abilities.shape, self.abilities.has_temperature)
            try:
                body = await self._call(messages, answer, *tried)
            except openai.APIStatusError as error:
                if self._gives_up_an_ability(error, tried):
                    continue
                return Reply(None, self._status_failure(error), Usage())
            except openai.APITimeoutError:
                detail = f"no answer within {self.settings.timeout_seconds:g} s; tried again in the next run"
                return Reply(None, Failure("timeout", detail, transient=True), Usage())
            except openai.APIConnectionError:
                detail = "the endpoint cannot be reached or dropped the connection; tried again in the next run"
                return Reply(None, Failure("connection", detail, transient=True), Usage())
            return _read(body, answer)

    async def ask_with_repair(self, messages: Sequence[Message], answer: type[Answer]) -> Reply[Answer]:
        """Returns the answer, after one more try with the error shown where the first cannot be used."""
        first = await self.ask(messages, answer)
        if first.failure is None or first.failure.reason not in UNUSABLE[:2]:
            return first
        second = await self.ask(repair(messages, first.raw, first.failure.detail), answer)
        return Reply(second.value, second.failure, first.usage + second.usage, second.raw)

    async def _call(
        self, messages: Sequence[Message], answer: type[BaseModel], shape: Shape, has_temperature: bool  # noqa: FBT001
    ) -> Any:  # fmt: skip  # the flag is one of the two abilities that were tried, passed on as a pair
        # Extraction is no place for invention: the most likely words.
        options: dict[str, Any] = {"temperature": 0} if has_temperature else {}
        completions = self.client.chat.completions.with_raw_response
        typed: Any = list(messages)  # plain dictionaries, where the client's types want one class for each role
        # The raw response keeps the token counts of answers that cannot be used.
        if shape == "json_schema":
            raw = await completions.parse(model=self.settings.model, messages=typed, response_format=answer, **options)
            return _decoded(raw.text)
        if shape == "json_object":
            options["response_format"] = {"type": "json_object"}
        typed = with_schema(messages, answer)
        plain = await completions.create(model=self.settings.model, messages=typed, **options)
        return _decoded(plain.text)

    def _gives_up_an_ability(self, error: openai.APIStatusError, tried: tuple[Shape, bool]) -> bool:
        """Returns True where the server refused the form of the question and a plainer form is left to try."""
        if error.status_code not in (400, 404, 422, 500, 501):
            return False
        text = _message(error).lower()
        if "temperature" in text and tried[1] and error.status_code != 500:  # noqa: PLR2004  # HTTP's number
            self.abilities.has_temperature = False
            return True
        if not any(word in text for word in _SCHEMA_WORDS) or tried[0] == "text":
            return False
        if self.abilities.shape == tried[0]:
            self.abilities.shape = "json_object" if tried[0] == "json_schema" else "text"
        return True

    def _status_failure(self, error: openai.APIStatusError) -> Failure:
        status, model = error.status_code, self.settings.model
        if status in (401, 403):
            # The server's own message may hold a part of the key.
            message = f"the endpoint refused the key ({status}); check {self.settings.api_key_env} and its rights"
            raise ExtractorError(message) from None
        said = _message(error).replace(self.key, "***")[:MAX_MESSAGE]
        if status == 404:  # noqa: PLR2004  # HTTP's number
            raise ExtractorError(f"the endpoint knows no model {model!r} or no such path (404): {said}") from None
        if status == 429:  # noqa: PLR2004  # HTTP's number
            return Failure("rate_limit", f"{model}: too many requests (429), after all retries", transient=True)
        if status in (408, 409) or status >= 500:  # noqa: PLR2004  # HTTP's numbers
            return Failure("server_error", f"{model}: the server failed ({status}), after all retries", transient=True)
        lowered = said.lower()
        if any(word in lowered for word in _FILTER_WORDS):
            return Failure("content_filter", f"{model}: the server's filter refused the text", transient=False)
        if status == 413 or any(word in lowered for word in _LENGTH_WORDS):  # noqa: PLR2004  # HTTP's number
            return Failure("too_long", f"{model}: the text is too long for the model", transient=False)
        return Failure("bad_request", f"{model}: the server refused the request ({status}): {said}", transient=False)


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible endpoint as the settings describe it.

    Raises:
        ExtractorError: There is no key, and no `base_url` of a server that may need none.
    """

    settings: ModelSettings
    role: str
    key: str = field(init=False, repr=False)
    abilities: _Abilities = field(default_factory=_Abilities, init=False, repr=False)

    def __post_init__(self) -> None:
        key = self.settings.api_key()
        if key is None and self.settings.base_url is None:
            raise ExtractorError(
                f"the {self.role} 'openai' needs a key: set the environment variable {self.settings.api_key_env}, "
                f'or [{self.role}] base_url for a server that needs none, or [{self.role}] name = "local"'
            )
        object.__setattr__(self, "key", key or NO_KEY)

    def stream(self, items: Sequence[Item], work: Callable[[Session, Item], Awaitable[Result]]) -> Iterator[Result]:
        """Yields the result of each item as it comes, with `max_concurrency` in flight.

        Closing the iterator cancels what is in flight.

        Raises:
            ExtractorError: The key or the model is refused.
        """
        return stream(items, self._open(), work, at_once=self.settings.max_concurrency)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Session]:
        import openai

        async with openai.AsyncOpenAI(
            api_key=self.key,
            base_url=self.settings.base_url,
            timeout=self.settings.timeout_seconds,
            max_retries=self.settings.max_retries,
        ) as client:
            yield Session(client, self.settings, self.key, self.abilities)


def repair(messages: Sequence[Message], raw: str, error: str) -> list[Message]:
    """Returns the conversation with the faulty answer and what is wrong with it."""
    complaint = f"That answer cannot be used: {error}\nAnswer again, complete and corrected, with the JSON object only."
    answered = [{"role": "assistant", "content": raw[:MAX_ANSWER_SHOWN]}] if raw else []
    return [*messages, *answered, {"role": "user", "content": complaint}]


def with_schema(messages: Sequence[Message], answer: type[BaseModel]) -> list[Message]:
    """Returns the messages with the answer's schema in the system prompt, for servers that do not enforce one."""
    schema = json.dumps(answer.model_json_schema(), ensure_ascii=False)
    first, *rest = messages
    words = f"{first['content']}\n\nAnswer with one JSON object that fits this JSON schema, and nothing else:\n{schema}"
    return [{**first, "content": words}, *rest]


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _read(body: Any, answer: type[Answer]) -> Reply[Answer]:
    """Returns what a response body holds: the answer, or why there is none."""
    usage = _usage(body)
    choices = body.get("choices") if isinstance(body, Mapping) else None
    if not (isinstance(choices, list) and choices and isinstance(choices[0], Mapping)):
        detail = "the endpoint's response is not a chat completion; is base_url right?"
        return Reply(None, Failure("bad_response", detail, transient=True), usage)
    message = choices[0].get("message") or {}
    reason, raw = choices[0].get("finish_reason"), message.get("content") or ""
    if reason == "content_filter":
        return Reply(None, Failure("content_filter", "the answer was withheld by a filter", transient=False), usage)
    if message.get("refusal"):
        detail = f"the model declined: {str(message['refusal'])[:MAX_MESSAGE]}"
        return Reply(None, Failure("refusal", detail, transient=False), usage)
    if reason == "length":
        detail = "the answer was cut off at the model's limit; write less"
        return Reply(None, Failure("truncated", detail, transient=False), usage, raw)
    try:
        return Reply(answer.model_validate_json(_unfenced(raw)), None, usage, raw)
    except ValidationError as error:
        return Reply(None, Failure("invalid_output", _faults(error), transient=False), usage, raw)


def _usage(body: Any) -> Usage:
    counts = body.get("usage") if isinstance(body, Mapping) else None
    if not isinstance(counts, Mapping):
        return Usage()
    return Usage(int(counts.get("prompt_tokens") or 0), int(counts.get("completion_tokens") or 0))


def _unfenced(raw: str) -> str:
    """Returns the JSON inside a Markdown fence, where a server without schemas put one around it."""
    text = raw.strip()
    if text.startswith("```") and text.endswith("```"):
        return text[3:-3].removeprefix("json").strip()
    return text


def _faults(error: ValidationError) -> str:
    """Returns where the answer breaks the schema; never the values, which are the document's."""
    listed = error.errors(include_input=False, include_url=False, include_context=False)[:MAX_FAULTS_SHOWN]
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'answer'}: {fault['msg']}" for fault in listed)


def _message(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, Mapping):
        return " ".join(str(body.get(name) or "") for name in ("code", "message")).strip() or str(dict(body))
    return str(body or "")

"""A real HTTP server on loopback that speaks the wire format of /v1/chat/completions, and fails in every known way.

It holds no logic of the client: what it answers is scripted, by order or by a rule over the request.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Request = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """One HTTP response.

    Attributes:
        status: HTTP status.
        body: JSON body; bytes go out as they are.
        headers: Further headers.
        delay: Seconds before it is sent.
        drops: True to close the connection without a response.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drops: bool = False


def completion(
    content: Any,
    *,
    finish: str = "stop",
    refusal: str | None = None,
    tokens: tuple[int, int] = (100, 20),
    delay: float = 0,
) -> Answer:
    """Returns a chat completion; `content` that is no string is sent as JSON."""
    text = content if isinstance(content, str) or content is None else json.dumps(content, ensure_ascii=False)
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "test-model",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "logprobs": None,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
            }
        ],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }
    return Answer(body=body, delay=delay)


def failure(
    status: int, message: str = "failed", *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """Returns an error in the API's form."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    return Answer(status=status, body=body, headers=headers or {})


def busy(milliseconds: int = 10) -> Answer:
    """Returns a 429 that asks to wait."""
    return failure(429, "slow down", code="rate_limit_exceeded", headers={"retry-after-ms": str(milliseconds)})


def broken(status: int = 500, milliseconds: int = 10) -> Answer:
    """Returns a server error that may be retried at once."""
    return failure(status, "internal error", headers={"retry-after-ms": str(milliseconds)})


def in_turn(*answers: Answer) -> Callable[[Request], Answer]:
    """Returns a rule that gives the answers one after another, and the last one for ever."""
    remaining = list(answers)
    lock = threading.Lock()

    def rule(_: Request) -> Answer:
        with lock:
            return remaining.pop(0) if len(remaining) > 1 else remaining[0]

    return rule


def last_message(request: Request) -> str:
    """Returns what was said to the model last."""
    return str(request["messages"][-1]["content"])


class OpenAIServer:
    """The server; use it as a context manager.

    Attributes:
        rule: Request body to answer; may be exchanged at any time.
        requests: Bodies of all requests, in order of arrival.
        headers: Their headers.
        most_at_once: Most requests that were open at one time.
    """

    def __init__(self, rule: Callable[[Request], Answer]) -> None:
        self.rule = rule
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        self._open = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._handle(self)

            def log_message(self, *_: object) -> None:
                """Keeps the test output quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        """Returns the address for `base_url`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        """Starts serving."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops serving."""
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        request = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        with self._lock:
            self.requests.append(request)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            answer = self.rule(request) if handler.path == "/v1/chat/completions" else failure(404, "no such path")
            time.sleep(answer.delay)
        finally:
            with self._lock:
                self._open -= 1
        handler.close_connection = answer.drops
        if answer.drops:
            return
        data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        try:
            handler.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                handler.send_header(name, value)
            handler.send_header("content-length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            # The client gave up waiting: that is what a test of time-outs asks for.
            handler.close_connection = True

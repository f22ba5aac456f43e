"""The HTTP side: receive requests, record every one of them, answer from the script or misbehave as it says."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from .anthropic import AnthropicMessages
from .conversation import Conversation, Dialect
from .openai import OpenAIResponses
from .script import JSON, Fault, Refuse, Reply, Say, Script

DIALECTS: tuple[Dialect, ...] = (AnthropicMessages(), OpenAIResponses())

_RUBBISH = b"event: message_start\ndata: {oops\n\n<html>502 Bad Gateway</html>\n\ndata: ]]\n\n"


@dataclass(frozen=True, slots=True)
class Received:
    """A request to the model. `auxiliary` ones (no tools offered: titles, quota probes) do not use the script up."""

    dialect: str
    path: str
    headers: Mapping[str, str]
    body: JSON
    conversation: Conversation
    auxiliary: bool

    @property
    def everything(self) -> str:
        """All that was sent, as text: where a canary is looked for."""
        return json.dumps(self.body, ensure_ascii=False)


class ModelServer:
    """A model API on 127.0.0.1 that answers from scripts. A context manager; one thread per connection.

    Args:
        scripts: what to answer; see `script.Script` for how one is chosen.
        port: 0 takes a free one.
        auxiliary: the text of answers to requests that offer no tools.
    """

    def __init__(self, scripts: Iterable[Script], *, port: int = 0, auxiliary: str = '{"title": "A title"}') -> None:
        self.scripts = tuple(scripts)
        self.requests: list[Received] = []
        self.others: list[str] = []  # every other request: method and target
        self.closing = threading.Event()
        self._auxiliary = Say(auxiliary)
        self._used: dict[int, int] = {}
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", port), type("Handler", (_Handler,), {"model": self}))
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def main(self) -> list[Received]:
        """The requests that used the script up, in their order."""
        return [r for r in self.requests if not r.auxiliary]

    def receive(self, request: Received) -> Reply:
        """Record a request and return what to answer."""
        with self._lock:
            self.requests.append(request)
            if request.auxiliary:
                return self._auxiliary
            fits = [(request.conversation.last_said(s.when), n) for n, s in enumerate(self.scripts)]
            position, chosen = max(fits, key=lambda f: (f[0], -f[1]), default=(-1, -1))
            if position < 0:
                return Refuse(404, {"error": {"message": "no script fits this conversation"}})
            used = self._used.get(chosen, 0)
            self._used[chosen] = used + 1
            replies = self.scripts[chosen].replies
            answer = replies[min(used, len(replies) - 1)]
        return answer(request.conversation) if callable(answer) else answer


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ModelServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing: requests are recorded, not printed."""

    def do_GET(self) -> None:
        self.model.others.append(f"{self.command} {self.path}")
        self._document(404, {"error": {"message": "nothing here"}}, {})

    do_HEAD = do_PUT = do_DELETE = do_CONNECT = do_GET

    def do_POST(self) -> None:
        raw = self._read()
        path = urlsplit(self.path).path
        dialect = next((d for d in DIALECTS if d.answers(path)), None)
        if dialect is None:
            self.model.others.append(f"POST {self.path}")
            self._document(404, {"error": {"message": "nothing here"}}, {})
            return
        body = json.loads(raw)
        c = dialect.read(body)
        reply = self.model.receive(Received(dialect.name, self.path, dict(self.headers), body, c, not c.tools))
        try:
            self._answer(dialect, c, reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _answer(self, dialect: Dialect, c: Conversation, reply: Reply) -> None:
        match reply:
            case Refuse(status, body, headers):
                self._document(status, body, headers)
            case Say() if not c.stream:
                self.model.closing.wait(reply.delay)
                self._document(200, dialect.whole(c, reply), {})
            case Say():
                self.model.closing.wait(reply.delay)
                self._begin()
                for event in dialect.stream(c, reply):
                    self._event(event)
                    self.model.closing.wait(reply.pace)
                self._chunk(b"")
            case Fault():
                self._misbehave(dialect, c, reply)

    def _misbehave(self, dialect: Dialect, c: Conversation, fault: Fault) -> None:
        if fault.kind == "error" and not c.stream:
            self._document(500, fault.error, {})
            return
        if fault.kind in ("hang", "disconnect"):
            if fault.kind == "hang":
                self.model.closing.wait()
            self._drop()
            return
        self._begin()
        if fault.kind == "malformed":
            self._chunk(_RUBBISH)
            self._chunk(b"")
        elif fault.kind == "error":
            for event in dialect.failing(c, fault.error):
                self._event(event)
            self._chunk(b"")
        else:
            events = list(dialect.stream(c, Say("This sentence will never come to its end.")))
            for event in events[: len(events) // 2]:
                self._event(event)
            if fault.kind == "stall":
                self.model.closing.wait()
            self._drop()

    def _read(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        match self.headers.get("content-encoding"):
            case "gzip":
                return gzip.decompress(raw)
            case "deflate":
                return zlib.decompress(raw)
        return raw

    def _document(self, status: int, body: JSON, headers: Mapping[str, str]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers, "content-length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _event(self, event: tuple[str, JSON]) -> None:
        name, data = event
        self._chunk(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _drop(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):  # the other side may have gone first
            self.connection.shutdown(socket.SHUT_RDWR)

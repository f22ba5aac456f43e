"""The scripted model itself, asked over plain HTTP."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from model_server import Fault, ModelServer, Refuse, Reply, Say, Script, Tokens, Use, load

READ = {"name": "Read", "input_schema": {"properties": {"file_path": {"type": "string"}}, "required": ["file_path"]}}
SHELL = {"type": "function", "name": "shell", "parameters": {"properties": {"command": {"type": "array"}}}}
PATCH = {"type": "custom", "name": "apply_patch"}


def anthropic(*said: str, tools: Any = (READ,), stream: bool = True) -> tuple[str, dict[str, Any]]:
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": [{"type": "text", "text": t}]} for n, t in enumerate(said)]
    return "/v1/messages?beta=true", {"model": "m", "messages": messages, "tools": list(tools), "stream": stream}


def responses(*said: str, tools: Any = (SHELL, PATCH), stream: bool = True) -> tuple[str, dict[str, Any]]:
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": t}]} for t in said]
    return "/v1/responses", {"model": "m", "input": items, "tools": list(tools), "stream": stream}


def post(server: ModelServer, request: tuple[str, dict[str, Any]], *, compressed: bool = False) -> tuple[int, str]:
    path, body = request
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
    data = json.dumps(body).encode()
    headers = {"content-encoding": "gzip"} if compressed else {}
    connection.request("POST", path, gzip.compress(data) if compressed else data, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def events(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def test_replies_come_in_order_and_the_last_one_repeats() -> None:
    with ModelServer((Script((Say("one"), Say("two"))),)) as server:
        answers = [post(server, anthropic("hi", stream=False))[1] for _ in range(3)]
    assert [json.loads(a)["content"][0]["text"] for a in answers] == ["one", "two", "two"]
    assert len(server.main) == 3


def test_the_script_whose_words_were_said_last_is_chosen() -> None:
    scripts = (Script((Say("A"),), when="alpha"), Script((Say("B"),), when="beta"))
    with ModelServer(scripts) as server:
        said = [("alpha",), ("alpha", "A", "beta"), ("beta", "B", "alpha"), ("gamma",)]
        answers = [post(server, anthropic(*words, stream=False)) for words in said]
    assert [status for status, _ in answers] == [200, 200, 200, 404]
    assert [json.loads(a)["content"][0]["text"] for _, a in answers[:3]] == ["A", "B", "A"]


def test_a_request_without_tools_does_not_use_the_script_up() -> None:
    with ModelServer((Script((Say("one"), Say("two"))),), auxiliary="title") as server:
        post(server, anthropic("hi", tools=(), stream=False))
        _, text = post(server, anthropic("hi", stream=False), compressed=True)
    assert json.loads(text)["content"][0]["text"] == "one"
    assert [r.auxiliary for r in server.requests] == [True, False]


def test_a_stream_says_the_same_as_a_document() -> None:
    say = Say("a longer sentence than fits into one piece", (Use("read", path="/x"),), tokens=Tokens(7, 8, 9))
    with ModelServer((Script((say,)),)) as server:
        whole = json.loads(post(server, anthropic("hi", stream=False))[1])
        streamed = list(events(post(server, anthropic("hi"))[1]))
    text = "".join(e["delta"].get("text", "") for e in streamed if e["type"] == "content_block_delta")
    arguments = "".join(e["delta"].get("partial_json", "") for e in streamed if e["type"] == "content_block_delta")
    assert text == whole["content"][0]["text"]
    assert json.loads(arguments) == whole["content"][1]["input"] == {"file_path": "/x"}
    assert streamed[-2]["usage"] == whole["usage"]
    assert streamed[-1]["type"] == "message_stop"


def test_uses_are_put_in_the_words_of_the_cli() -> None:
    uses = (Use("read", path="/x"), Use("write", path="/y", content="a\nb"), Use("call", name="z", arguments={"k": 1}))
    with ModelServer((Script((Say(uses=uses),)),)) as server:
        output = json.loads(post(server, responses("hi", stream=False))[1])["output"]
    assert json.loads(output[0]["arguments"]) == {"command": ["sh", "-c", "cat /x"]}
    assert output[1]["input"] == "*** Begin Patch\n*** Add File: /y\n+a\n+b\n*** End Patch\n"
    assert (output[2]["name"], json.loads(output[2]["arguments"])) == ("z", {"k": 1})


def test_a_conversation_is_read_alike_in_every_dialect() -> None:
    with ModelServer((Script((Say("x"),)),)) as server:
        path, body = anthropic("hi")
        post(server, (path, {**body, "system": "be good", "output_config": {"effort": "low"}}))
        path, body = responses("hi")
        post(server, (path, {**body, "instructions": "be good", "reasoning": {"effort": "low"}}))
    one, other = (r.conversation for r in server.requests)
    assert (one.system, one.effort, one.model, one.turns) == (other.system, other.effort, other.model, other.turns)


@pytest.mark.parametrize("request_", [anthropic("hi"), responses("hi")], ids=["anthropic", "responses"])
@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        (Fault("malformed"), "<html>"),
        (Fault("error", {"message": "boom"}), "boom"),
        (Fault("truncate"), None),
        (Fault("disconnect"), None),
    ],
    ids=lambda f: getattr(f, "kind", ""),
)
def test_faults_are_what_they_are_called(fault: Reply, seen: str | None, request_: Any) -> None:
    with ModelServer((Script((fault,)),)) as server:
        if seen is None:
            with pytest.raises((http.client.HTTPException, ConnectionError)):
                post(server, request_)
        else:
            status, text = post(server, request_)
            assert status == 200
            assert seen in text


@pytest.mark.parametrize("kind", ["hang", "stall"])
def test_a_hanging_answer_ends_with_the_server(kind: Any) -> None:
    ended: list[BaseException] = []

    def ask(server: ModelServer) -> None:
        try:
            post(server, anthropic("hi"))
        except (http.client.HTTPException, ConnectionError) as e:
            ended.append(e)

    with ModelServer((Script((Fault(kind),)),)) as server:
        waiting = threading.Thread(target=ask, args=(server,))
        waiting.start()
        while not server.requests:
            waiting.join(0.01)
        assert waiting.is_alive()
    waiting.join(10)
    assert len(ended) == 1


def test_errors_carry_status_headers_and_body_and_other_requests_are_noted() -> None:
    with ModelServer((Script((Refuse(429, {"e": 1}, {"retry-after": "3"}),)),)) as server:
        assert post(server, anthropic("hi")) == (429, '{"e": 1}')
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
        connection.request("GET", "http://example.org/x")
        assert connection.getresponse().status == 404
        connection.close()
    assert server.others == ["GET http://example.org/x"]


def test_it_runs_by_hand_from_a_file(tmp_path: Path) -> None:
    script = [
        {"when": "a", "replies": [{"text": "x", "uses": [{"do": "shell", "command": "ls"}], "tokens": {"input": 5}}]},
        {"replies": [{"status": 529}, {"fault": "hang"}]},
    ]
    assert load(script) == (
        Script((Say("x", (Use("shell", command="ls"),), tokens=Tokens(5)),), when="a"),
        Script((Refuse(529), Fault("hang"))),
    )
    (tmp_path / "s.json").write_text(json.dumps(script))
    tests = str(Path(__file__).parents[1])
    argv = [sys.executable, "-m", "model_server", "--script", str(tmp_path / "s.json")]
    process = subprocess.Popen(
        argv, env={**os.environ, "PYTHONPATH": tests}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None and process.stdout is not None
        url = process.stderr.readline().strip()
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
        path, body = anthropic("b", stream=False)
        connection.request("POST", path, json.dumps(body))
        assert connection.getresponse().status == 529
        assert json.loads(process.stdout.readline())["body"]["model"] == "m"
        connection.close()
    finally:
        process.terminate()
        process.communicate()

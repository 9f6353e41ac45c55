"""The service of the guide answers wrong requests with an error, and many clients at once."""

from __future__ import annotations

import importlib.util
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest

from spanrs.crf import CRF

SERVE = Path(__file__).parents[2] / "examples" / "serve" / "serve.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("serve", SERVE)
    serve = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(serve)
    model = tmp_path_factory.mktemp("serve") / "model"
    CRF(template="ner").fit([["Ada", "sleeps"], ["in", "Rio"]], [["B-PER", "O"], ["O", "B-LOC"]]).save(
        model
    )
    server = serve.make_server(model)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def post(server, body):
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request("POST", "/", body)
    answer = connection.getresponse()
    content = json.loads(answer.read())
    connection.close()
    return answer.status, content


def test_spans_are_answered(server):
    spans = [[{"type": "PER", "start": 0, "end": 1}], []]
    assert post(server, b'{"tokens": [["Ada", "sleeps"], []]}') == (200, {"spans": spans})
    assert post(server, b'{"tokens": []}') == (200, {"spans": []})


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[1]",
        b'{"tokens": null}',
        b'{"tokens": {"a": 1}}',
        b'{"tokens": [[["Ada"]]]}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_wrong_requests_are_answered_with_what_was_expected(server, body):
    assert post(server, body) == (400, {"error": 'expected {"tokens": [["a", "sentence"], ...]}'})


@pytest.mark.parametrize(("length", "status"), [(b"-1", b"411"), (b"9" * 9, b"413"), (b"x", b"411")])
def test_lengths_are_checked_before_reading(server, length, status):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as client:
        client.sendall(b"POST / HTTP/1.1\r\nContent-Length: " + length + b"\r\n\r\n")
        assert client.recv(100).split()[1] == status


def test_many_clients_are_answered(server):
    with ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(lambda _: post(server, b'{"tokens": [["in", "Rio"]]}'), range(300)))
    assert answers == [(200, {"spans": [[{"type": "LOC", "start": 1, "end": 2}]]})] * 300

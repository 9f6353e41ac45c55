"""Serve a tagger over HTTP: `python serve.py MODEL [PORT]`.

POST a JSON object with `tokens`, a list of lists of words; the answer has the spans of each list, with token numbers
from 0 and exclusive ends.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from spanrs import tags
from spanrs.crf import CRF

LARGEST = 1 << 20  # Bytes of a request.
EXPECTED = 'expected {"tokens": [["a", "sentence"], ...]}'


class Server(ThreadingHTTPServer):
    """A server with a thread for each connection."""

    daemon_threads = True
    request_queue_size = 128  # Clients that wait for a thread.


def read_sentences(body):
    """Return the sentences of a request; ValueError if it has none."""
    try:
        sentences = json.loads(body)["tokens"]
    except (KeyError, TypeError, RecursionError, ValueError) as error:
        raise ValueError(EXPECTED) from error
    if not isinstance(sentences, list) or not all(
        isinstance(row, list) and all(isinstance(token, str) for token in row) for row in sentences
    ):
        raise ValueError(EXPECTED)
    return sentences


def make_server(model, port=0):
    """Return a server on localhost; port 0 is any free port. A model is immutable, so all threads share it."""
    crf = CRF.load(model)

    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # Seconds without data, after which a connection is closed.

        def do_POST(self):
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdecimal()):
                return self.answer(411, {"error": "a Content-Length is needed"})
            if int(length) > LARGEST:
                return self.answer(413, {"error": f"more than {LARGEST} bytes"})
            try:
                predicted = crf.predict(read_sentences(self.rfile.read(int(length))))
            except ValueError as error:
                return self.answer(400, {"error": str(error)})
            spans = [
                [
                    {"type": span.type, "start": span.start, "end": span.end}
                    for span in tags.tags_to_spans(row)
                ]
                for row in predicted
            ]
            return self.answer(200, {"spans": spans})

        def answer(self, status, content):
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Do not print each request."""

    return Server(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python serve.py MODEL [PORT]")
    server = make_server(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8000)
    print(f"listening on http://127.0.0.1:{server.server_port}")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()

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


def make_server(model, port=0):
    """Return a server on localhost; port 0 is any free port. A model is immutable, so all threads share it."""
    crf = CRF.load(model)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            try:
                size = int(self.headers["Content-Length"])
                if size > LARGEST:
                    return self.answer(413, {"error": f"more than {LARGEST} bytes"})
                sentences = json.loads(self.rfile.read(size))["tokens"]
                predicted = crf.predict(sentences)
            except (KeyError, TypeError, ValueError) as error:
                return self.answer(400, {"error": f'expected {{"tokens": [["a", "sentence"]]}}: {error}'})
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

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    server = make_server(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8000)
    print(f"listening on http://127.0.0.1:{server.server_port}")
    server.serve_forever()

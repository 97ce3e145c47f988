"""A server for poi-sync in memory, for the cases of scripts/fault_cases.py, and by itself for tests.

    fault_server.py ADDRESS FILE    serves the records of FILE, lines of JSON, and writes its address to the file ADDRESS;
                                    POST /restore forgets what was pushed
"""

import http.server
import json
import re
import sys
import threading


class Server(http.server.ThreadingHTTPServer):
    """Records by id; a case sets them again before each of its runs. A file is there as it is."""

    daemon_threads = True

    def __init__(self, records, file=b""):
        super().__init__(("127.0.0.1", 0), Handler)
        self.first, self.file, self.lock = records, file, threading.RLock()
        self.restore()
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def restore(self):
        """Forgets what was pushed."""
        with self.lock:
            self.records = {record["id"]: (version, record) for version, record in enumerate(self.first, 1)}
            self.last = len(self.first)

    def pull(self, checkpoint, limit):
        news = sorted((pair for pair in self.records.values() if pair[0] > checkpoint), key=lambda pair: pair[0])
        page = [record | {"_version": version} for version, record in news[:limit]]
        last = page[-1]["_version"] if page else checkpoint
        return {"documents": page, "checkpoint": str(last), "epoch": "one"}

    def items(self, page):
        """A page of all records, without the protocol."""
        records = [record for _, record in sorted(self.records.values(), key=lambda pair: pair[0])]
        rest = page * 60 + 60 < len(records)
        return {"items": records[page * 60:page * 60 + 60], "next": f"/items?page={page + 1}" if rest else None}

    def push(self, document):
        base = document.pop("_version", None)
        version, there = self.records.get(document["id"], (None, None))
        if base != version:
            return {"conflict": there | {"_version": version}} if there else {"unknown": True}
        self.last += 1
        self.records[document["id"]] = self.last, document
        return {"version": self.last}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        words = dict(re.findall(r"(\w+)=(\d+)", self.path))
        if self.path == "/file":
            return self.send(self.server.file)
        if self.path.startswith("/items"):
            return self.answer(lambda: self.server.items(int(words.get("page", 0))))
        if self.path == "/ids":
            return self.answer(lambda: [number for number in self.server.records if number % 50])
        self.answer(lambda: self.server.pull(int(words.get("checkpoint", 0)), int(words["limit"])))

    def do_POST(self):
        if self.path == "/restore":
            return self.answer(self.server.restore)
        documents = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["documents"]
        self.answer(lambda: {"outcomes": [self.server.push(document) for document in documents]})

    def answer(self, act):
        with self.server.lock:
            body = json.dumps(act()).encode()
        self.send(body)

    def send(self, body):
        try:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # curl was killed.


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        server = Server([json.loads(line) for line in file])
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(server.address)
    threading.Event().wait()

"""A server for poi-sync, over a SQLite database: what a back end has to offer, in two routes.

usage: server.py ADDRESS DATABASE KEY    keeps records by their member KEY in the file DATABASE, listens on a free
                                         port of this machine, and writes its address to the file ADDRESS"""
import http.server
import json
import sqlite3
import sys
import urllib.parse

ADDRESS, DATABASE, KEY = sys.argv[1:]
db = sqlite3.connect(DATABASE, isolation_level=None)
# A version is never used again, also after records are gone. Another database has another epoch.
db.execute("CREATE TABLE IF NOT EXISTS record (version INTEGER PRIMARY KEY AUTOINCREMENT, key UNIQUE, document TEXT)")
db.execute("CREATE TABLE IF NOT EXISTS epoch (name TEXT)")
db.execute("INSERT INTO epoch SELECT hex(randomblob(8)) WHERE NOT EXISTS (SELECT 1 FROM epoch)")


def pull(query):
    """The records and removals behind a checkpoint, in the order of their versions."""
    last, limit = int(query.get("checkpoint", ["0"])[0]), min(int(query["limit"][0]), 10_000)
    rows = db.execute("SELECT version, document FROM record WHERE version > ? ORDER BY version LIMIT ?", [last, limit])
    page = [json.loads(document) | {"_version": version} for version, document in rows]
    last, epoch = page[-1]["_version"] if page else last, db.execute("SELECT name FROM epoch").fetchone()[0]
    return {"documents": page, "checkpoint": str(last), "epoch": epoch}


def push(document):
    """Takes a record or a removal if it replaces the version that is there."""
    base = document.pop("_version", None)
    there = db.execute("SELECT version, document FROM record WHERE key = ?", [document[KEY]]).fetchone()
    if not there and base is not None:
        return {"unknown": True}
    if there and base != there[0]:
        return {"conflict": json.loads(there[1]) | {"_version": there[0]}}
    db.execute("DELETE FROM record WHERE key = ?", [document[KEY]])
    row = [document[KEY], json.dumps(document)]
    return {"version": db.execute("INSERT INTO record (key, document) VALUES (?, ?)", row).lastrowid}


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(pull(urllib.parse.parse_qs(self.path.partition("?")[2])))

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        db.execute("BEGIN IMMEDIATE")
        outcomes = [push(document) for document in request["documents"]]
        db.execute("COMMIT")
        self.answer({"outcomes": outcomes})

    def answer(self, result):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(result).encode())


with http.server.HTTPServer(("127.0.0.1", 0), Server) as server, open(ADDRESS, "w", encoding="utf-8") as file:
    print(f"http://127.0.0.1:{server.server_port}", end="", file=file, flush=True)
    server.serve_forever()

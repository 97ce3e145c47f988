"""A server for poi-sync, over a PostgreSQL database (version 13 or later): it answers several requests at once.

usage: postgres.py ADDRESS DSN KEY    works as server.py, with the records in the database that DSN names"""
import contextlib
import http.server
import json
import sys
import urllib.parse
import psycopg2

ADDRESS, DSN, KEY = sys.argv[1:]
# After a restore from a backup run DELETE FROM epoch, and start the server again. A new epoch numbers the transactions
# of all rows again, as a dump may come from another cluster, and takes versions from the clock: none is used again.
SCHEMA = """SELECT pg_advisory_xact_lock(1); CREATE TABLE IF NOT EXISTS epoch (name text);
    CREATE TABLE IF NOT EXISTS record (key text PRIMARY KEY, version bigserial, document text,
        xid xid8 DEFAULT pg_current_xact_id(), UNIQUE (xid, key));
    UPDATE record SET xid = DEFAULT WHERE NOT EXISTS (TABLE epoch);
    SELECT setval('record_version_seq', extract(epoch FROM now())::bigint * 1000000) WHERE NOT EXISTS (TABLE epoch);
    INSERT INTO epoch SELECT gen_random_uuid() WHERE NOT EXISTS (TABLE epoch)"""
# A page ends before the oldest transaction that is not over: what that one commits comes behind the checkpoint.
PAGE = """SELECT document, version, xid, key FROM record
    WHERE (xid, key) > (%s::xid8, %s) AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid, key LIMIT %s"""
# Both statements wait for another transaction that writes the same key, and then see what it committed.
INSERT = "INSERT INTO record (key, document) VALUES (%(key)s, %(document)s) ON CONFLICT DO NOTHING RETURNING version"
UPDATE = """UPDATE record SET version = DEFAULT, xid = DEFAULT, document = %(document)s
    WHERE key = %(key)s AND version::text = %(base)s RETURNING version"""


def pull(db, query):
    """The records and removals behind a checkpoint, in the order of their transactions and keys."""
    last, limit = json.loads(query.get("checkpoint", ['["0", ""]'])[0]), min(int(query["limit"][0]), 10_000)
    db.execute("SELECT name FROM epoch")
    epoch = db.fetchone()[0]
    db.execute(PAGE, [*last, limit])
    rows = db.fetchall()
    page = [json.loads(document) | {"_version": version} for document, version, *_ in rows]
    return {"documents": page, "checkpoint": json.dumps(rows[-1][2:] if rows else last), "epoch": epoch}


def push(db, documents):
    """Takes what replaces the version that is there, in the order of keys: two requests never wait for each other."""
    outcomes = [{"unknown": True}] * len(documents)
    for key, index in sorted((json.dumps(document[KEY]), index) for index, document in enumerate(documents)):
        base = documents[index].pop("_version", None)
        row = {"key": key, "base": str(base), "document": json.dumps(documents[index])}
        db.execute(INSERT if base is None else UPDATE, row)
        if taken := db.fetchone():
            outcomes[index] = {"version": taken[0]}
            continue
        db.execute("SELECT document, version FROM record WHERE key = %(key)s", row)
        if there := db.fetchone():
            outcomes[index] = {"conflict": json.loads(there[0]) | {"_version": there[1]}}
    return {"outcomes": outcomes}


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(pull, urllib.parse.parse_qs(self.path.partition("?")[2]))

    def do_POST(self):
        self.answer(push, json.loads(self.rfile.read(int(self.headers["Content-Length"])))["documents"])

    def answer(self, work, request):
        with contextlib.closing(psycopg2.connect(DSN)) as connection, connection, connection.cursor() as db:
            result = work(db, request)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(result).encode())


with contextlib.closing(psycopg2.connect(DSN)) as opening, opening, opening.cursor() as tables:
    tables.execute(SCHEMA)
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server, open(ADDRESS, "w", encoding="utf-8") as file:
    print(f"http://127.0.0.1:{server.server_port}", end="", file=file, flush=True)
    server.serve_forever()

"""A server of playgrounds for the guide "Work with a server": it keeps the newest version of each, in memory.

usage: server.py ADDRESS RECORDS    begins with the playgrounds in the file RECORDS, listens on a free port of this
                                    machine, and writes its address to the file ADDRESS
"""
import datetime
import http.server
import json
import sys

# By id: the number of the last change, and the record.
playgrounds = {}


def rank(record):
    return datetime.datetime.fromisoformat(record["changed"]), record.get("removed", False)


def keep(record):
    last = max((number for number, _ in playgrounds.values()), default=0)
    playgrounds[record["id"]] = last + 1, record


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        """/?since=N: what changed after change N, and the number of the last change."""
        since = int(self.path.partition("=")[2] or 0)
        changes = sorted(playgrounds.values(), key=lambda change: change[0])
        news = [record for number, record in changes if number > since]
        self.reply(json.dumps({"playgrounds": news, "next": str(changes[-1][0] if changes else 0)}))

    def do_POST(self):
        """The lines of `poi-export --unsent`. The answer is what `poi-import --acknowledge` reads."""
        answers = []
        for line in self.rfile.read(int(self.headers["Content-Length"])).splitlines():
            change = json.loads(line)
            record = change.get("record") or change["removed"] | {"removed": True}
            answer = {"key": {"id": record["id"]}, "edition": change["edition"]}
            stored = playgrounds.get(record["id"], (0, None))[1]
            if stored and rank(stored) > rank(record):
                answer["record"] = stored
            elif stored != record:
                keep(record)
            answers.append(json.dumps(answer) + "\n")
        self.reply("".join(answers))

    def reply(self, text):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())


with open(sys.argv[2], encoding="utf-8") as file:
    for playground in json.load(file)["playgrounds"]:
        keep(playground)
server = http.server.HTTPServer(("127.0.0.1", 0), Server)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write(f"http://127.0.0.1:{server.server_port}/")
server.serve_forever()

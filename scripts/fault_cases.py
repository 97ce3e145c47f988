"""The cases for kills and power cuts, and the comparison of their results."""

import collections
import csv
import gzip
import io
import itertools
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile

from fault_server import Server

MODEL = {
    "x-table": "note", "x-key": "id", "x-timestamp": "at", "x-unmapped-column": "more",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer"},
        "text": {"type": ["string", "null"]},
        "at": {"type": ["integer", "null"], "x-unit": "seconds"},
        "gone": {"type": ["boolean", "null"]},
        "kind": {
            "type": ["object", "null"], "x-relation": {"table": "kind", "unique": "name"},
            "required": ["name"], "properties": {"name": {"type": "string"}}},
        "tags": {
            "type": ["array", "null"], "items": {"type": "string"},
            "x-relation": {"table": "tag", "unique": "name", "join": "note_tag"}},
        "parts": {
            "type": ["array", "null"], "x-relation": {"table": "part", "unique": "n"},
            "items": {
                "type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}}}}

# A first import by this model appends its records, and merges them at the end.
PLAIN_MODEL = MODEL | {
    "properties": {
        name: schema for name, schema in MODEL["properties"].items() if name not in ("tags", "parts")}}

POLICIES = ["newest", "object-trump", "store-trump", "overwrite", "rollback", "newest-by-property"]
SHAPES = ["array", "lines", "envelope", "gzip", "standard input"]
RESULTS = ["exit code", "digest", "content", "rejects", "output"]

# The programs that compress an export, by the end of its name.
COMPRESSORS = {".gz": "gzip", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2"}

# A page replaces only a page.
OLD = b"<!DOCTYPE html>"


class Case:
    """One kind of work: an initial store, a command, and the command that continues it.

    An export has the name of its output. It replaces an old file, unless the output is a database. A cycle of
    synchronisation has a server, whose records are what they were before each run.
    """

    def __init__(self, name, folder, base, command, retry=None, piped=None, output=None, server=None):
        self.name, self.folder, self.base, self.server = name, folder, base, server
        self.command, self.retry, self.piped = command, retry or command, piped
        self.output = folder / output if output else None
        self.replaces = output is not None and not output.endswith((".gpkg", ".app"))

    def begin(self, store):
        """Makes everything what it was before the work."""
        reset(self.base, store)
        self.restore_output()
        if self.server:
            self.server.restore()

    def restore_output(self):
        """Makes the output what it was before the work; what killed runs left stays."""
        if self.output:
            self.output.unlink(missing_ok=True)
            if self.replaces:
                self.output.write_bytes(OLD)

    def output_content(self):
        """The rows of a database, or the bytes of another file; and what was left beside it."""
        if not self.output:
            return None
        left = sorted(path.name for path in self.folder.glob(f".{self.output.name}.partial-*"))
        if not self.output.exists():
            return None, left
        if not self.replaces:
            return database_rows(self.output), left
        program = COMPRESSORS.get(self.output.suffix)
        content = self.output.read_bytes()
        if program and content != OLD:
            content = subprocess.run(
                [program, "-dc", self.output], capture_output=True, check=True).stdout
        return content, left

    def problem_of_output(self, whole, is_ended=False):
        """The problem with the output after a failure, if any: it must be the old file or the whole new one."""
        if not self.output:
            return None
        try:
            found = self.output_content()[0]
        except (sqlite3.DatabaseError, subprocess.CalledProcessError) as error:
            return f"the output is damaged: {error}"
        possible = [whole[0]] if is_ended else [whole[0], OLD if self.replaces else None]
        return None if found in possible else f"the output is torn: {found!r:.100}"


def database_rows(path):
    """All rows of a database, except the time at which a GeoPackage was made."""
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    rows = connection.execute("PRAGMA integrity_check").fetchall()
    for (table,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
            " AND name <> 'gpkg_contents' ORDER BY name").fetchall():
        rows += connection.execute(f'SELECT \'{table}\', * FROM "{table}"').fetchall()
    connection.close()
    return rows


class Tools:
    """Runs the tools of a folder."""

    def __init__(self, folder):
        self.folder = folder.resolve()

    def start(self, case, command, store, environment=None):
        words = [self.folder / command[0], "--store", store, "--quiet", *command[1:]]
        source = None
        if case.piped:
            source = subprocess.Popen(["cat", case.piped], stdout=subprocess.PIPE)
        run = subprocess.Popen(
            words, cwd=case.folder, stdin=source.stdout if source else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        if source:
            source.stdout.close()
        return run, source

    def run(self, case, command, store, seconds=None, environment=None):
        """Runs a command to its end, or kills it; returns its exit code and its output."""
        run, source = self.start(case, command, store, environment)
        try:
            _, messages = run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            run.kill()
            _, messages = run.communicate()
        if source:
            source.wait()
        return run.returncode, messages

    def digest(self, case, store):
        done = subprocess.run(
            [self.folder / "poi-dedup", "--store", store, "--digest"], cwd=case.folder,
            capture_output=True, text=True)
        return done.stdout + done.stderr

    def results(self, case, code, store):
        """The results that must be equal with and without a failure, by the names of RESULTS."""
        return code, self.digest(case, store), content(store, case.server), rejects(case), case.output_content()


def difference(left, right):
    if isinstance(left, list):
        left, right = collections.Counter(left), collections.Counter(right)
        return f"missing {list(left - right)[:3]}, added {list(right - left)[:3]}"
    return f"{left!r:.200} and {right!r:.200}"


def reset(base, store):
    """Restores a store as it was before the work."""
    for end in ["", "-wal", "-shm", "-journal"]:
        pathlib.Path(f"{store}{end}").unlink(missing_ok=True)
    if base:
        shutil.copy(base, store)


def rejects(case):
    path = case.folder / "bad"
    return path.read_text() if path.exists() else ""


def is_done(case, store, whole):
    """Whether the run had finished when it was killed: repeating the work would do it twice.

    The store's content is then the same as after a run that was not killed. An export is repeated.
    """
    if case.output or not store.exists():
        return False
    connection = sqlite3.connect(store)
    try:
        running = connection.execute(
            "SELECT count(*) FROM poikit_run WHERE state IN ('running', 'failed')").fetchone()[0]
    except sqlite3.DatabaseError:
        return False
    finally:
        connection.close()
    return running == 0 and content(store, case.server) == whole


def content(store, server=None):
    """All rows, except the records of unfinished runs, and whether the store is intact.

    With a server, a page may have come twice, and a request of a killed run may act late. So runs, versions and checkpoints differ.
    """
    connection = sqlite3.connect(store)
    lines = []
    for (table,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            " AND name NOT IN ('poikit_run', 'poikit_checkpoint', 'poikit_digest')").fetchall():
        columns = [
            row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')
            if row[1] not in ("run", "poikit_run", "poikit_version", "checkpoint", "ended", "error")]
        values = ", ".join(f'quote("{column}")' for column in columns)
        lines += [
            f"{table}: {row}" for row in connection.execute(f'SELECT {values} FROM "{table}"')]
    if not server:
        lines += [
            f"run: {row}" for row in connection.execute(
                "SELECT tool, state, counters FROM poikit_run WHERE state IN ('finished', 'undone')")]
    # What is remembered of a finished run is not a part of its results.
    lines += [
        f"schema: {row}" for row in connection.execute(
            "SELECT type, name FROM sqlite_schema WHERE tbl_name <> 'poikit_digest'"
            " AND name NOT LIKE 'poikit_digest_%'")]
    whole = connection.execute("PRAGMA integrity_check").fetchone()[0]
    dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    if whole != "ok" or dangling:
        lines.append(f"damaged: {whole} {dangling[:3]}")
    connection.close()
    return sorted(lines)


def records(generator, count, keys, padding="", damaged=0.01):
    """Lines of records with few keys and instants, a share of them damaged."""
    lines = []
    for _ in range(count):
        record = {
            "id": generator.randrange(keys), "at": generator.choice([None, 1, 2, 3, 4]),
            "text": generator.choice([None, "a", "b", padding]), "other": generator.randrange(3),
            "kind": generator.choice([None, {"name": "x"}, {"name": "y"}]),
            "tags": generator.choice([[], ["p"], ["q", "p"]]),
            "parts": generator.choice([[], [{"n": 1}], [{"n": 2}, {"n": 1}]])}
        for name in list(record)[1:]:
            if generator.random() < 0.2:
                del record[name]
        lines.append(json.dumps(record))
        if generator.random() < damaged:
            lines.append(generator.choice(['{"id": "none"}', '{"id": nul}']))
    return lines


def write_input(folder, shape, lines):
    """Writes an input; returns its name, and the file to pipe if it is standard input."""
    if shape in ("lines", "standard input"):
        (folder / "lines").write_text("\n".join(lines))
        return ("-", folder / "lines") if shape == "standard input" else ("lines", None)
    text = "[" + ",\n".join(lines) + "]"
    if shape == "envelope":
        text = '{"meta":[1],"data":{"notes":' + text + '},"x":1}'
    if shape == "gzip":
        (folder / "array.gz").write_bytes(gzip.compress(text.encode()))
        return "array.gz", None
    (folder / shape).write_text(text)
    return shape, None


def prepared(tools, folder, lines, *arguments):
    """A store made by an import."""
    (folder / "base").write_text("\n".join(lines))
    store = folder / "base.sqlite"
    case = Case("preparation", folder, None, ["poi-import", "--model", "model.json", *arguments, "base"])
    prepare(tools, case, store)
    return store


def prepare(tools, case, store):
    code, messages = tools.run(case, case.command, store)
    if code > 1:
        script = pathlib.Path(sys.argv[0]).name
        sys.exit(f"scripts/{script}: the preparation ends with {code}: {messages}")


def importing(generator, folder, name, lines, shape, *arguments, base=None, batch=None):
    file, piped = write_input(folder, shape, lines)
    # Without a size, one batch has all of such a small input.
    batch = batch or generator.choice(["5", "20", "50", None])
    jobs = str(generator.randrange(1, 3))
    size = ["--batch", batch] if batch else []
    command = ["poi-import", "--model", "model.json", *size, "--jobs", jobs, "--rejects", "bad",
               *arguments, file]
    return Case(name, folder, base, command, [*command, "--resume"], piped)


def case_folder(scratch, model=MODEL):
    made = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    (made / "model.json").write_text(json.dumps(model))
    return made


def round_of_cases(tools, generator, scratch, scale=1):
    """Every kind of work once, on its own input, with kinds of each group in turn.

    A scale below 1 means fewer records, and more of them damaged.
    """
    groups = [
        imports(tools, generator, scratch, scale), inferred(generator, scratch, scale),
        removals(tools, generator, scratch, scale), exports(tools, generator, scratch, scale),
        widened(tools, generator, scratch, scale), tracked(tools, generator, scratch, scale),
        synchronised(tools, generator, scratch, scale)]
    for cases in itertools.zip_longest(*groups):
        yield from (case for case in cases if case)


def imports(tools, generator, scratch, scale):
    """Imports from every shape of input and by every policy, large records, and a snapshot."""
    damaged = min(0.01 / scale, 0.05)

    def lines(count, keys, padding=""):
        return records(generator, int(count * scale), int(keys * scale), padding, damaged)

    def folder_with_base():
        place = case_folder(scratch)
        return place, prepared(tools, place, lines(600, 500), "--merge", "newest")

    for shape in SHAPES:
        yield importing(
            generator, case_folder(scratch), f"append, {shape}", lines(1500, 700), shape)
    yield importing(
        generator, case_folder(scratch, PLAIN_MODEL), "first merge", lines(1500, 700), generator.choice(SHAPES),
        "--merge", "newest")
    place = case_folder(scratch, PLAIN_MODEL)
    ordered = [json.dumps({"id": number, "at": 1, "text": "a"}) for number in range(int(2000 * scale))]
    base = prepared(tools, place, ordered, "--merge", "newest")
    for number in range(5, len(ordered), 9):
        ordered[number] = json.dumps({"id": number, "at": 2, "text": "b"})
    yield importing(
        generator, place, "again in the order of the rows", ordered[3:], generator.choice(SHAPES),
        *generator.choice([[], ["--snapshot"]]), base=base)
    for policy in POLICIES:
        place, base = folder_with_base()
        yield importing(
            generator, place, f"merge {policy}", lines(1200, 500), generator.choice(SHAPES),
            "--merge", policy, base=base)
    place, base = folder_with_base()
    landing = lines(2600, 900, "p" * 18_000) if scale == 1 else blown_up(lines(2600, 900))
    yield importing(
        generator, place, "landing", landing, generator.choice(["array", "lines", "envelope"]),
        "--merge", "newest", base=base)
    place, base = folder_with_base()
    yield importing(
        generator, place, "snapshot",
        [line for line in lines(900, 300) if '"none"' not in line and "nul}" not in line],
        "array", "--snapshot", "--max-removals", "100%", base=base)


def removals(tools, generator, scratch, scale):
    """Deduplications, enforcing, undoing, and an import that folds again."""
    damaged = min(0.01 / scale, 0.05)

    def lines(count, keys):
        return records(generator, int(count * scale), int(keys * scale), damaged=damaged)

    place = case_folder(scratch)
    base = prepared(tools, place, lines(1500, 500))
    batch = str(generator.choice([5, 20]))
    yield Case("deduplicate", place, base, ["poi-dedup", "--batch", batch])
    yield Case("deduplicate, enforce", place, base, ["poi-dedup", "--batch", batch, "--enforce"])
    yield Case("merge losers", place, base, ["poi-dedup", "--batch", batch, "--merge-losers"])
    alone, unique = place / "alone.sqlite", place / "unique.sqlite"
    for store, options in [(alone, []), (unique, ["--enforce"])]:
        reset(base, store)
        prepare(tools, Case("preparation", place, None, ["poi-dedup", *options]), store)
    yield Case("enforce", place, alone, ["poi-dedup", "--enforce"])
    yield Case("enforce by hash", place, alone, ["poi-dedup", "--enforce", "--hash-key"])
    yield Case("undo", place, unique, ["poi-dedup", "--undo"])
    named = ["--references", "part.n=note.id", "--ignore", "text", "--busy", "1s"]
    yield Case("deduplicate, references", place, base, ["poi-dedup", "--batch", batch, *named])
    place = case_folder(scratch)
    folded = prepared(tools, place, lines(1500, 500))
    for options in [["--enforce"], ["--key", "kind"]]:
        prepare(tools, Case("preparation", place, None, ["poi-dedup", *options]), folded)
    yield importing(
        generator, place, "fold", lines(1500, 500), "lines", "--merge", "newest", base=folded)


def tracked(tools, generator, scratch, scale):
    """Tracking, a delivery that meets local changes, handing them out, and a server's answer to them."""
    place = case_folder(scratch)

    def lines(count, keys):
        return records(generator, int(count * scale), int(keys * scale), damaged=0)

    base = prepared(tools, place, lines(1200, 900), "--merge", "newest")
    yield Case("track", place, base, ["poi-import", "--track"])
    edited = place / "edited.sqlite"
    reset(base, edited)
    prepare(tools, Case("preparation", place, None, ["poi-import", "--track"]), edited)
    app = sqlite3.connect(edited)
    app.executescript(
        "PRAGMA foreign_keys = ON; UPDATE note SET text = 'mine' WHERE id % 3 = 0; DELETE FROM note WHERE id % 7 = 1;"
        " INSERT OR REPLACE INTO note (id, text) SELECT id + 100000, 'new' FROM note WHERE id % 5 = 2;")
    app.close()
    yield Case("hand out", place, edited, ["poi-export", "--unsent", "-o", "out.ndjson"], output="out.ndjson")
    yield importing(
        generator, place, "delivery to local changes", lines(1500, 900), "lines", "--merge", "newest", base=edited)
    yield Case(
        "deduplicate, tracked", place, edited, ["poi-dedup", "--key", "text", "--batch", "20", "--null-key", "keep"])
    handed = place / "handed.sqlite"
    reset(edited, handed)
    prepare(tools, Case("preparation", place, None, ["poi-export", "--unsent", "-o", "out.ndjson"]), handed)
    answers = []
    for line in (place / "out.ndjson").read_text().splitlines()[::2]:
        change = json.loads(line)
        key = {"id": change.get("record", change.get("removed"))["id"]}
        answers.append(json.dumps({"key": key, "edition": change["edition"]}))
    (place / "answers").write_text("\n".join(answers))
    yield Case("acknowledge", place, handed, ["poi-import", "--acknowledge", "answers"])
    yield Case("discard", place, handed, ["poi-import", "--discard-all"])


def synchronised(tools, generator, scratch, scale):
    """A first pull, and a cycle in which both sides changed the same records."""
    def documents(count, keys):
        lines = records(generator, int(count * scale), int(keys * scale), damaged=0)
        return list({record["id"]: record for record in map(json.loads, lines)}.values())

    place = case_folder(scratch)
    server = Server(documents(1500, 1200))
    sizes = ["--page", "50", "--batch", "20"]
    yield Case(
        "first pull", place, None, ["poi-sync", "--model", "model.json", "--server", server.address, *sizes],
        server=server)
    base = prepared(tools, place, records(generator, int(1200 * scale), int(900 * scale), damaged=0), "--merge", "newest")
    prepare(tools, Case("preparation", place, None, ["poi-import", "--track"]), base)
    app = sqlite3.connect(base)
    app.executescript(
        "PRAGMA foreign_keys = ON; UPDATE note SET text = 'mine' WHERE id % 3 = 0; DELETE FROM note WHERE id % 7 = 1;")
    app.close()
    pulled = case_folder(scratch)
    yield Case(
        "pull", pulled, prepared(tools, pulled, records(generator, int(900 * scale), int(900 * scale)), "--merge", "newest"),
        ["poi-sync", "--pull", server.address + "/items", "--next-at", "/next", "--ids", server.address + "/ids",
         "--max-removals", "100%"], server=server)
    yield Case("cycle", place, base, ["poi-sync", "--server", server.address, *sizes], server=server)


def feed(generator, count, start=0):
    """Records of a feed whose key and timestamp are inferred."""
    return [
        {"id": number, "name": generator.choice(["a", "b", "long enough to be no short text"]),
         "updatedAt": f"2026-01-{1 + number % 28:02}T00:00:00Z", "level": generator.randrange(9)}
        for number in range(start, start + count)]


def extended(record):
    return {
        "_id": {"$oid": f"{record['id']:024x}"}, "level": {"$numberLong": str(record["level"])},
        "updatedAt": {"$date": record["updatedAt"]}}


def delimited(table):
    """Rows as CSV, one of them damaged."""
    text = io.StringIO()
    writer = csv.writer(text)
    for number, row in enumerate(table):
        writer.writerow(["" if value is None else value for value in row])
        if number == 100:
            text.write('damaged,"x"y\n')
    return text.getvalue()


def zipped(text):
    """An archive with one file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.csv", text)
    return data.getvalue()


def inferred(generator, scratch, scale):
    """First imports with an inferred model, in every form of input."""
    records = feed(generator, int(2000 * scale))
    lines = [json.dumps(record) for record in records]
    text = "\n".join(lines)
    table = [list(records[0]), *[list(record.values()) for record in records]]
    groups = {"groups": {"x": {"items": records[::2]}, "y": {"items": records[1::2]}}}
    forms = [
        ("lines", text, []), ("gzip", gzip.compress(text.encode()), []), ("pipe", text, []),
        ("text sequences", "".join(f"\x1e{line}\n" for line in lines), []),
        ("extended JSON", "\n".join(json.dumps(extended(record)) for record in records), []),
        ("wildcard", json.dumps(groups), ["--at", "/groups/*/items"]),
        ("header", json.dumps(table), ["--header"]), ("rows", delimited(table), []),
        ("rows in UTF-16", delimited(table).encode("utf-16"), []), ("zip", zipped(delimited(table)), []),
        ("ties", text, ["--merge", "newest", "--ties", "later"]), ("shard", text, ["--shard", "0/2"]),
    ]
    for name, content, options in forms:
        place = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        (place / "data").write_bytes(content if isinstance(content, bytes) else content.encode())
        yield inferring(generator, f"infer, {name}", place, None, options, "-" if name == "pipe" else "data")
    server = Server([], delimited(table).encode())
    yield inferring(
        generator, "infer, address", pathlib.Path(tempfile.mkdtemp(dir=scratch)), None, [], server.address + "/file")
    place = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    (place / "data").write_text(text)
    app = sqlite3.connect(place / "app.sqlite")
    app.executescript("CREATE TABLE own (id INTEGER PRIMARY KEY, t); INSERT INTO own VALUES (1, 'x');")
    app.close()
    yield inferring(generator, "infer into another program's database", place, place / "app.sqlite", [])


def inferring(generator, name, place, base, options, file="data"):
    """An import of the file `data`, of the same through a pipe, or of an address, that infers a model."""
    key = ["--key", "_id"] if "extended" in name else ["--key", "id"]
    keys = key if "shard" in name else []
    size = ["--batch", generator.choice(["20", "100"])]
    command = ["poi-import", "--infer", "--table", "feed", *size, "--rejects", "bad", *keys, *options]
    return Case(
        name, place, base, [*command, file], [*command, "--resume", file],
        place / "data" if file == "-" else None)


def widened(tools, generator, scratch, scale):
    """Deliveries that change the columns of an inferred table, and an import into a shipped store."""
    def table(*arguments):
        place = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        records = feed(generator, int(1000 * scale))
        records[3]["level"] = "none yet"
        (place / "first").write_text("\n".join(map(json.dumps, records)))
        later = feed(generator, int(1000 * scale), int(500 * scale))
        for record in later:
            record |= {"level": generator.choice([1, 2.5, "x"]), "phone": "1"}
        (place / "data").write_text("\n".join(map(json.dumps, later)))
        store = place / "base.sqlite"
        words = ["poi-import", "--infer", "--table", "feed", *arguments, "first"]
        prepare(tools, Case("preparation", place, None, words), store)
        return place, store

    merging = ["--merge", "newest"]
    for name, first, options in [
        ("widen, append", [], ["--widen"]), ("add columns", [], ["--add-columns"]),
        ("widen, object-trump", merging, ["--widen", "--add-columns", "--merge", "object-trump"]),
        ("widen, snapshot", merging, ["--widen", "--snapshot", "--max-removals", "100%"]),
    ]:
        place, store = table(*first)
        yield inferring(generator, name, place, store, options)
    place, store = table(*merging)
    words = ["--widen", "--snapshot", "--max-removals", "100%"]
    prepare(tools, inferring(generator, "preparation", place, None, words), store)
    yield Case("undo of a snapshot", place, store, ["poi-dedup", "--undo"])
    place, store = table(*merging)
    shipping = ["poi-export", "--table", "feed", "--ship", "app.sqlite", "--full-text", "name"]
    prepare(tools, Case("preparation", place, None, shipping), store)
    # The triggers of the search call a virtual table.
    yield inferring(
        generator, "into a shipped store", place, place / "app.sqlite", [*merging, "--trust-schema"])


def exports(tools, generator, scratch, scale):
    """Every format and compression, two checks, a GeoPackage, a store to ship, and differences as lines and as a page."""
    place = case_folder(scratch)
    number = {"type": ["number", "null"]}
    model = {**MODEL, "properties": {**MODEL["properties"], "latitude": number, "longitude": number}}
    (place / "model.json").write_text(json.dumps(model))

    def store(count):
        lines = [json.loads(line) for line in records(generator, int(count * scale), count, damaged=0)]
        for line in lines:
            line |= {"latitude": generator.random(), "longitude": generator.random()}
        return prepared(tools, place, map(json.dumps, lines), "--merge", "newest")

    store(700).rename(place / "old.sqlite")
    base = store(3000)
    names = ["out.ndjson", "out.geojson", "out.geojsonseq", "out.csv", "out.gpkg"]
    for name in names + [f"out.json{end}" for end in ["", *COMPRESSORS]]:
        yield Case(f"export {name[4:]}", place, base, ["poi-export", "-o", name], output=name)
    for name in ["out.ndjson", "out.json.gz"]:
        yield Case(
            f"checked export {name[4:]}", place, base, ["poi-export", "--check", "-o", name],
            output=name)
    indexes = ["--index", "at", "--spatial-index", "--full-text", "text"]
    yield Case(
        "ship", place, base, ["poi-export", "--table", "note", "--ship", "out.app", *indexes],
        output="out.app")
    yield Case(
        "differences", place, base, ["poi-export", "--diff", "old.sqlite", "-o", "out.diff"],
        output="out.diff")
    yield Case(
        "page of differences", place, base, ["poi-export", "--diff", "old.sqlite", "--html", "out.html"],
        output="out.html")


def blown_up(lines):
    """The same records with so many blanks after them that the records land."""
    return [line + " " * (9 * 1024 * 1024 // len(lines)) for line in lines]

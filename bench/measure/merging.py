"""A later delivery into a store whose identifiers are unique: poi-import and the floor's ways.

A store of N rows gets N records: half are new, half are older or newer versions of stored ones. Every
store is compared with the floor's: rows, contents and the row ids of previously stored rows.
"""

import json
import shutil
import sqlite3
import subprocess

import verification
from contestants import IMPORT_CACHE, LARGEST_BATCH, Contestant, floor_pragmas
from places import PRODUCTS, TOOLS

# The largest size for the floor in input order, which changes another page with each record.
UPSERT_RECORDS = 100_000

# Into a table whose local changes are tracked; it has none.
TRACKED = "merge, tracked"

CONTENT = """
    SELECT count(*), sum(updatedAt % 1000003), sum(length(information)),
      sum(CASE WHEN poikit_id <= {rows} THEN poikit_id * (updatedAt % 1009) END)
    FROM poi
"""


class Delivery:
    """A store, the delivered records, and the expected content afterwards."""

    def __init__(self, folder, record_count):
        self.record_count = record_count
        self.base, self.later = folder / "base.sqlite", folder / "later.json"
        self.tracked = folder / "tracked.sqlite"
        self.content = None
        first = folder / "first.json"
        self.generate(first, "--duplicates", "0")
        self.generate(self.later, "--later", "50")
        for command in ([TOOLS / "poi-import", first], [TOOLS / "poi-dedup", "--enforce"]):
            subprocess.run([*command, "--quiet", "--store", self.base], check=True,
                           stdout=subprocess.DEVNULL)
        first.unlink()
        shutil.copy(self.base, self.tracked)
        subprocess.run([TOOLS / "poi-import", "--quiet", "--track", "--store", self.tracked], check=True)

    def generate(self, path, *options):
        subprocess.run(
            [PRODUCTS / "generate-poi", "--records", str(self.record_count), *options,
             "--output", path], check=True)

    def expect_content(self, store):
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            found = connection.execute(CONTENT.format(rows=self.record_count)).fetchone()
        self.content = self.content or found
        verification.expect_equal(found, self.content, "content of the merged store")

    def remove(self):
        for path in (self.base, self.tracked, self.later):
            path.unlink()


class Merge(Contestant):
    """One program that merges a delivery into a copy of its store."""

    def __init__(self, name, kind, *arguments):
        self.name, self.kind, self.arguments = name, kind, arguments

    def commands(self, delivery, store):
        shutil.copy(delivery.tracked if self.name == TRACKED else delivery.base, store)
        source = ["--input", delivery.later] if self.kind == "floor" else [delivery.later]
        yield "merge", [*self.arguments, *source, "--store", store]

    def verify_step(self, step, delivery, store, output, counts):
        report = json.loads(output.read_text())
        counters = report.get("counters", report)
        verification.expect_equal(
            [counters["read"], counters["rejected"], counters["inserted"]],
            [delivery.record_count, 0, delivery.record_count // 2], f"counters of {self.name}")
        counts |= {name: counters[name] for name in ("read", "rejected", "inserted", "updated")}
        if self.kind == "toolkit":
            counts["digest"] = report["digest"]
        return {}

    def verify(self, delivery, store):
        delivery.expect_content(store)


def contestants(record_count):
    """The floor comes first: the others are checked against its store."""
    roads = ["landing", "sorted"] + (["upsert"] if record_count <= UPSERT_RECORDS else [])
    for road in roads:
        yield Merge("floor merge" if road == "landing" else f"floor merge, {road}", "floor",
                    PRODUCTS / "floor", "merge", "--road", road, "--batch", str(LARGEST_BATCH),
                    "--pragmas", floor_pragmas(IMPORT_CACHE))
    for name in ("merge", TRACKED):
        yield Merge(name, "toolkit", TOOLS / "poi-import", "--quiet", "--report", "json")

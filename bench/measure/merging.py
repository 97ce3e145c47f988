"""Deliveries into a store whose identifiers are unique: poi-import and the floor's ways.

A store of N rows gets N records: half are new, half are older or newer versions of stored ones; or the same records
again; or the same with one in a hundred changed, as a snapshot. A new store gets N records with duplicates. Every
store is compared with the floor's: rows, contents and the row ids of previously stored rows.
"""

import json
import re
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
AGAIN, AGAIN_FLOOR = "merge, the same again", "floor merge, the same again"
SNAPSHOT, SNAPSHOT_FLOOR = "merge, a snapshot", "floor merge, a snapshot"
FIRST, FIRST_FLOOR = "merge, a first import", "floor merge, a first import"

CONTENT = """
    SELECT count(*), sum(updatedAt % 1000003), sum(length(information)),
      sum(CASE WHEN poikit_id <= {rows} THEN poikit_id * (updatedAt % 1009) END)
    FROM poi
"""


class Delivery:
    """A store, the delivered records, and the expected content afterwards by the kind of the delivery."""

    def __init__(self, folder, record_count):
        self.record_count = record_count
        self.base, self.later = folder / "base.sqlite", folder / "later.json"
        self.tracked = folder / "tracked.sqlite"
        self.first, self.snapshot, self.duplicated = (
            folder / name for name in ("first.json", "snapshot.json", "duplicated.json"))
        self.contents = {}
        self.generate(self.first, "--duplicates", "0")
        self.generate(self.later, "--later", "50")
        self.generate(self.duplicated)
        with open(self.first) as lines, open(self.snapshot, "w") as changed:
            for number, line in enumerate(lines):
                changed.write(line if number % 100 else re.sub(r'("updatedAt":")\d{4}', r"\g<1>2024", line))
        for command in ([TOOLS / "poi-import", self.first], [TOOLS / "poi-dedup", "--enforce"]):
            subprocess.run([*command, "--quiet", "--store", self.base], check=True,
                           stdout=subprocess.DEVNULL)
        shutil.copy(self.base, self.tracked)
        subprocess.run([TOOLS / "poi-import", "--quiet", "--track", "--store", self.tracked], check=True)

    def generate(self, path, *options):
        subprocess.run(
            [PRODUCTS / "generate-poi", "--records", str(self.record_count), *options,
             "--output", path], check=True)

    def input_of(self, name):
        """What a contestant reads."""
        return {AGAIN: self.first, AGAIN_FLOOR: self.first, SNAPSHOT: self.snapshot, SNAPSHOT_FLOOR: self.snapshot,
                FIRST: self.duplicated, FIRST_FLOOR: self.duplicated}.get(name, self.later)

    def expect_content(self, kind, store):
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            found = connection.execute(CONTENT.format(rows=self.record_count)).fetchone()
        verification.expect_equal(found, self.contents.setdefault(kind, found), "content of the merged store")

    def remove(self):
        for path in (self.base, self.tracked, self.later, self.first, self.snapshot, self.duplicated):
            path.unlink()


class Merge(Contestant):
    """One program that merges a delivery into a copy of its store."""

    def __init__(self, name, kind, *arguments):
        self.name, self.kind, self.arguments = name, kind, arguments

    def commands(self, delivery, store):
        if self.name not in (FIRST, FIRST_FLOOR):
            shutil.copy(delivery.tracked if self.name == TRACKED else delivery.base, store)
        source = [delivery.input_of(self.name)]
        if self.kind == "floor":
            source.insert(0, "--input")
        yield "merge", [*self.arguments, *source, "--store", store]

    def verify_step(self, step, delivery, store, output, counts):
        report = json.loads(output.read_text())
        counters = report.get("counters", report)
        verification.expect_equal(
            [counters["read"], counters["rejected"]], [delivery.record_count, 0], f"counters of {self.name}")
        if delivery.input_of(self.name) == delivery.later:
            verification.expect_equal(
                counters["inserted"], delivery.record_count // 2, f"inserted by {self.name}")
        counts |= {name: counters[name] for name in ("read", "rejected", "inserted", "updated") if name in counters}
        if self.kind == "toolkit":
            counts["digest"] = report["digest"]
        return {}

    def verify(self, delivery, store):
        delivery.expect_content(delivery.input_of(self.name).name, store)


def contestants(record_count):
    """The floor comes first: the others are checked against its store."""
    roads = ["landing", "sorted"] + (["upsert"] if record_count <= UPSERT_RECORDS else [])
    for road in roads:
        yield Merge("floor merge" if road == "landing" else f"floor merge, {road}", "floor",
                    PRODUCTS / "floor", "merge", "--road", road, "--batch", str(LARGEST_BATCH),
                    "--pragmas", floor_pragmas(IMPORT_CACHE))
    settings = ["--batch", str(LARGEST_BATCH), "--pragmas", floor_pragmas(IMPORT_CACHE)]
    for name in (AGAIN_FLOOR, SNAPSHOT_FLOOR):
        yield Merge(name, "floor", PRODUCTS / "floor", "merge", "--road", "window", *settings)
    yield Merge(FIRST_FLOOR, "floor", PRODUCTS / "floor", "whole", *settings)
    for name, *options in (
            ("merge",), (TRACKED,), (AGAIN,), (SNAPSHOT, "--snapshot"), (FIRST, "--merge", "newest")):
        yield Merge(name, "toolkit", TOOLS / "poi-import", "--quiet", "--report", "json", *options)

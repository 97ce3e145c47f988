#!/usr/bin/env python3
"""Merging a later delivery into a store whose identifiers are unique: poi-import beside the roads
of the floor.

usage: python3 bench/measure/merging.py [--records N[,N…]] [--rounds N] [--all-roads]

A store of N rows takes N records, half of them new and half changed versions of stored ones, before
or after them in time. Contestants take turns. Every store is compared with that of the floor: rows,
contents and row ids of what was stored before. Build before: bench/run --quick does.
"""

import argparse
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from places import PRODUCTS, TOOLS
from process import Failure, become_reaper, measure
from contestants import FLOOR_PRAGMAS

ROADS = ["landing", "sorted", "upsert"]
CONTENT = """
    SELECT count(*), sum(updatedAt % 1000003), sum(length(information)),
      sum(CASE WHEN poikit_id <= {rows} THEN poikit_id * (updatedAt % 1009) END)
    FROM poi
"""


def generate(path, records, *options):
    subprocess.run(
        [PRODUCTS / "generate-poi", "--records", str(records), *options, "--output", path],
        check=True)


def make_store(store, source):
    tools = [[TOOLS / "poi-import", source], [TOOLS / "poi-dedup", "--enforce"]]
    for command in tools:
        subprocess.run([*command, "--quiet", "--store", store], check=True,
                       stdout=subprocess.DEVNULL)


def contestants(source, store, has_all_roads):
    yield "poi-import", [TOOLS / "poi-import", "--quiet", "--store", store, source]
    for road in ROADS if has_all_roads else ROADS[:1]:
        yield f"floor, {road}", [
            PRODUCTS / "floor", "merge", "--road", road, "--input", source, "--store", store,
            "--pragmas", FLOOR_PRAGMAS]


def content_of(store, rows):
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        return connection.execute(CONTENT.format(rows=rows)).fetchone()


def measure_size(records, rounds, has_all_roads, scratch):
    first, later = scratch / "first.json", scratch / "later.json"
    base, store = scratch / "base.sqlite", scratch / "store.sqlite"
    generate(first, records, "--duplicates", "0")
    generate(later, records, "--later", "50")
    make_store(base, first)
    found, contents = {}, set()
    for _ in range(rounds):
        for name, command in contestants(later, store, has_all_roads):
            shutil.copy(base, store)
            found.setdefault(name, []).append(measure(command, scratch / "output"))
            contents.add(content_of(store, records))
            for path in scratch.glob("store.sqlite*"):
                path.unlink()
    if len(contents) != 1:
        raise Failure(f"the stores differ: {contents}")
    for path in (first, later, base):
        path.unlink()
    return found


def table(records, found):
    floor = {kind: statistics.median(run[kind] for run in found["floor, landing"])
             for kind in ("wall", "cpu")}
    for name, runs in found.items():
        wall, cpu, peak = (
            statistics.median(run[kind] for run in runs) for kind in ("wall", "cpu", "peakBytes"))
        yield (f"| {records:,} | {name} | {wall:.2f} | {wall / floor['wall']:.2f} | {cpu:.2f} "
               f"| {cpu / floor['cpu']:.2f} | {peak / 1e6:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--records", default="100000,1000000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all-roads", action="store_true")
    arguments = parser.parse_args()
    become_reaper()
    print("| records | who | seconds | to the floor | CPU seconds | to the floor | peak MB |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="poi-bench-") as folder:
        try:
            for records in map(int, arguments.records.split(",")):
                found = measure_size(
                    records, arguments.rounds, arguments.all_roads, pathlib.Path(folder))
                print("\n".join(table(records, found)), flush=True)
        except (Failure, subprocess.CalledProcessError, OSError) as failure:
            sys.exit(f"merging: error: {failure}")


if __name__ == "__main__":
    main()

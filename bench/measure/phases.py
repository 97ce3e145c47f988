"""Single phases of the toolkit and the floor, in nanoseconds per record.

They are measured in processor time, which excludes other load and a slow disk.
"""

import json
import subprocess

from places import PRODUCTS, TOOLS
from process import Failure

# How often short phases run in a round.
REPETITIONS = 3


def seconds_of(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{command[1]} of the phases failed: {done.stderr.strip()[-200:]}")
    return json.loads(done.stdout)["cpu"]


def keep_least(known, found):
    for name, seconds in found.items():
        known[name] = min(seconds, known.get(name, seconds))


def one_round(work, scratch, remove_store):
    """Seconds of each program's phases."""
    data, store = work.path("array"), scratch / "phases.sqlite"
    phases, floor = PRODUCTS / "phases", PRODUCTS / "floor"
    remove_store(store)
    subprocess.run([TOOLS / "poi-import", data, "--store", store, "--quiet"],
                   check=True, capture_output=True)
    ours, floors = seconds_of(phases, "dedup", store), {}
    remove_store(store)
    for _ in range(REPETITIONS):
        for mode, argument in (("parse", data), ("check", data), ("digest", work.record_count)):
            keep_least(ours, seconds_of(phases, mode, argument))
        for mode in ("parse", "check"):
            keep_least(floors, seconds_of(floor, mode, "--input", data))
        keep_least(floors, seconds_of(floor, "digest", "--records", work.record_count))
    whole = seconds_of(floor, "whole", "--input", data, "--store", store)
    floors |= {name: whole[name] for name in ("scan", "sort", "delete", "index")}
    remove_store(store)
    return {"ours": ours, "floor": floors}


def table(rounds, write, record_count, loser_count):
    """Rows: phase, nanoseconds of the toolkit and of the floor, per record or per loser.

    The minimum of the rounds is used, because times are subtracted and disturbances only add to them.
    """
    def least(side, name):
        return min(one[side][name] for one in rounds)

    def row(phase, ours, floor, count, unit="record"):
        return {"phase": phase, "ours": ours / count * 1e9, "floor": floor / count * 1e9,
                "per": unit}

    parse, check, digest = (
        [least(side, name) for side in ("ours", "floor")] for name in ("parse", "check", "digest"))
    rows = [
        row("parse", *parse, record_count),
        # The floor computes no digest here, so the digest phase is added to it.
        row("decode, validate, digest", check[0] - parse[0], check[1] - parse[1] + digest[1],
            record_count),
        row("digest of 400 bytes", *digest, record_count),
    ]
    if write:
        rows.append(row("write", *write, record_count))
    for name in ("scan", "sort", "index"):
        rows.append(row(name, least("ours", name), least("floor", name), record_count))
    rows.append(row("delete", least("ours", "delete"), least("floor", "delete"),
                    loser_count, "loser"))
    return rows


def write_seconds(runs):
    """Import minus dry run, both on one thread, for toolkit and floor; None if not measured."""
    def least(name):
        return min((next(iter(run["steps"].values()))["cpu"]
                    for run in runs if run["contestant"] == name), default=None)

    times = [least(name) for name in (
        "import, 1 job", "dry run", "floor append, 1 thread", "floor check")]
    return None if None in times else (times[0] - times[1], times[2] - times[3])

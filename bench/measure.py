#!/usr/bin/env python3
"""Measures poi-import and poi-dedup on made-up records and keeps the numbers.

The tools run in turn, several rounds. A round counts only if the tools' own counters and the
store that they leave are right.
"""

import argparse
import ctypes
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
TOOLS = ROOT / ".build" / "release"
GENERATOR = BENCH / ".build" / "release" / "generate-poi"


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="bench/run",
        description="Measures import and deduplication of made-up points of interest.")
    parser.add_argument("--records", type=int, default=1_000_000, metavar="N",
                        help="how many records (1000000)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N",
                        help="how often each tool runs (5)")
    parser.add_argument("--batch", type=int, default=500, metavar="N",
                        help="records per transaction (500)")
    parser.add_argument("--format", default="array",
                        choices=["array", "ndjson", "envelope", "geojson"],
                        help="how the records are put together to a file (array)")
    parser.add_argument("--quick", action="store_true",
                        help="100000 records and 3 rounds, and nothing is kept in bench/runs")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.records, arguments.rounds = 100_000, 3
    if arguments.records < 1 or arguments.rounds < 1:
        parser.error("--records and --rounds need a number from 1")
    return arguments


class Failure(Exception):
    """Why the numbers of a run do not count."""


def become_reaper():
    """Makes orphans below this process its own children: prctl(PR_SET_CHILD_SUBREAPER)."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(36, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def measure(command, output_path):
    """Runs a command and returns its times in seconds and its peak memory in bytes.

    The kernel counts the memory of the process that starts a program as the program's own, until
    it starts. So a shell of a megabyte starts it and leaves, and the orphan comes to this process.
    """
    launcher = '"$@" <&3 >"$BENCH_OUTPUT" & echo $!'
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.sync()
    begin = time.monotonic()
    shell = subprocess.Popen(
        ["sh", "-c", 'exec 3</dev/null; ' + launcher, "sh", *map(str, command)],
        stdin=nothing, stdout=subprocess.PIPE, env=os.environ | {"BENCH_OUTPUT": str(output_path)})
    identifier = int(shell.stdout.readline())
    shell.wait()
    _, status, usage = os.wait4(identifier, 0)
    wall = time.monotonic() - begin
    shell.stdout.close()
    os.close(nothing)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise Failure(f"{command[0]} ended with {code}, see its message above")
    return {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peakBytes": usage.ru_maxrss * 1024,
    }


def counters(report_path, expected):
    """The counters of a tool's report, which must agree with `expected`."""
    report = json.loads(report_path.read_text())
    found = {name: report["counters"].get(name) for name in expected}
    if found != expected:
        raise Failure(f"{report['tool']} reports {found}, expected {expected}")
    return report


def row_count(store):
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT count(*) FROM poi").fetchone()[0]


def expect_rows(store, expected):
    found = row_count(store)
    if found != expected:
        raise Failure(f"the store holds {found} rows, expected {expected}")


def remove_store(store):
    for suffix in ("", "-wal", "-shm", "-journal"):
        pathlib.Path(f"{store}{suffix}").unlink(missing_ok=True)


def run_round(data, store, expected, arguments, scratch):
    """One import and one deduplication of its store."""
    remove_store(store)
    report = scratch / "report.json"
    records, losers, left = expected["records"], expected["losers"], expected["rowsLeft"]

    imported = measure(
        [TOOLS / "poi-import", "--batch", arguments.batch, data, "--store", store,
         "--quiet", "--report", "json"], report)
    counters(report, {"read": records, "inserted": records, "rejected": 0})
    expect_rows(store, records)

    deduplicated = measure(
        [TOOLS / "poi-dedup", "--key", "identifier", "--store", store,
         "--quiet", "--report", "json"], report)
    digest = counters(
        report, {"rowsBefore": records, "losers": losers, "rowsLeft": left}).get("digest")
    expect_rows(store, left)
    return {"poi-import": imported, "poi-dedup": deduplicated, "digest": digest,
            "storeBytes": store.stat().st_size}


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def machine():
    """What the numbers depend on."""
    processors = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*:\s*(.+)$", processors, re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text(), re.MULTILINE)
    changes = first_line("git", "status", "--porcelain", "--", "Sources", "Package.swift", "bench/Sources")
    return {
        "processor": model[1] if model else platform.machine(),
        "cores": os.cpu_count(),
        "memoryBytes": int(memory[1]) * 1024 if memory else None,
        "kernel": platform.release(),
        "swift": first_line("swift", "--version"),
        "sqlite": first_line("pkg-config", "--modversion", "sqlite3"),
        "yajl": first_line("pkg-config", "--modversion", "yajl"),
        "commit": first_line("git", "rev-parse", "--short", "HEAD"),
        "uncommittedChanges": bool(changes),
    }


def summarise(rounds, tool, records, data_bytes):
    runs = [one[tool] for one in rounds]
    wall = statistics.median(run["wall"] for run in runs)
    return {
        "wall": wall,
        "wallLeast": min(run["wall"] for run in runs),
        "wallMost": max(run["wall"] for run in runs),
        "cpu": statistics.median(run["cpu"] for run in runs),
        "rowsPerSecond": records / wall,
        "megabytesPerSecond": data_bytes / 1e6 / wall if tool == "poi-import" else None,
        "peakMegabytes": max(run["peakBytes"] for run in runs) / 1e6,
    }


def table(summaries):
    lines = [
        "| tool | seconds (least to most) | cpu seconds | rows/s | MB/s | peak MB |",
        "|---|---|---|---|---|---|",
    ]
    for tool, found in summaries.items():
        speed = found["megabytesPerSecond"]
        lines.append(
            f"| {tool} | {found['wall']:.2f} ({found['wallLeast']:.2f} to {found['wallMost']:.2f}) "
            f"| {found['cpu']:.2f} | {found['rowsPerSecond']:,.0f} "
            f"| {'' if speed is None else format(speed, '.0f')} | {found['peakMegabytes']:.1f} |")
    return "\n".join(lines)


def description(result):
    place, work = result["machine"], result["work"]
    memory = place["memoryBytes"]
    return "\n".join([
        f"# Import and deduplication, {result['date']}",
        "",
        f"{work['records']:,} made-up records ({work['format']}), {work['dataBytes'] / 1e6:.0f} MB, "
        f"{work['losers']:,} of them duplicates by identifier; {work['batch']} records a transaction.",
        f"Medians of {len(result['rounds'])} rounds, the tools in turn; peak memory is the highest.",
        "",
        table(result["summary"]),
        "",
        f"- {place['processor']}, {place['cores']} cores"
        + (f", {memory / 2**30:.0f} GiB" if memory else "") + f", Linux {place['kernel']}",
        f"- {place['swift']}, SQLite {place['sqlite']}, yajl {place['yajl']}",
        f"- commit {place['commit']}"
        + (" with changes that were not committed" if place["uncommittedChanges"] else ""),
        "",
    ])


def run_folder(result):
    """A new folder in bench/runs, named after the day and the machine."""
    place = result["machine"]
    words = re.sub(r"\(.*?\)|@.*|\bCPU\b|\bProcessor\b", " ", place["processor"])
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    name = f"{result['date']}-{name}-{place['cores']}-cores"
    folder, number = BENCH / "runs" / name, 1
    while folder.exists():
        number += 1
        folder = BENCH / "runs" / f"{name}-{number}"
    folder.mkdir(parents=True)
    return folder


def main():
    arguments = parse_arguments()
    for tool in (TOOLS / "poi-import", TOOLS / "poi-dedup", GENERATOR):
        if not tool.exists():
            sys.exit(f"bench/run: error: {tool.relative_to(ROOT)} is not built; start bench/run")
    become_reaper()
    options = ["--records", str(arguments.records), "--format", arguments.format]
    expected = json.loads(
        subprocess.run([GENERATOR, *options, "--expect"], check=True, capture_output=True).stdout)
    place = machine()

    scratch = pathlib.Path(tempfile.mkdtemp(prefix="poi-bench-"))
    try:
        data = scratch / ("data.ndjson" if arguments.format == "ndjson" else "data.json")
        subprocess.run([GENERATOR, *options, "--output", data], check=True)
        rounds = []
        for number in range(arguments.rounds):
            one = run_round(data, scratch / "poi.sqlite", expected, arguments, scratch)
            rounds.append(one)
            print(f"round {number + 1}: import {one['poi-import']['wall']:.2f} s, "
                  f"dedup {one['poi-dedup']['wall']:.2f} s", flush=True)
        if len({one["digest"] for one in rounds}) != 1:
            raise Failure("the rounds left stores with different digests")
        data_bytes = data.stat().st_size
    except (Failure, subprocess.CalledProcessError, OSError) as failure:
        sys.exit(f"bench/run: error: {failure}")
    finally:
        shutil.rmtree(scratch)

    result = {
        "date": datetime.date.today().isoformat(),
        "machine": place,
        "work": expected | {
            "format": arguments.format, "batch": arguments.batch, "dataBytes": data_bytes},
        "rounds": rounds,
        "summary": {
            tool: summarise(rounds, tool, expected["records"], data_bytes)
            for tool in ("poi-import", "poi-dedup")
        },
    }
    print("\n" + description(result))
    if not arguments.quick:
        folder = run_folder(result)
        (folder / "raw.json").write_text(json.dumps(result, indent=2) + "\n")
        (folder / "summary.md").write_text(description(result))
        print(f"kept in {folder.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

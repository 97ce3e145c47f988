"""Measures the toolkit, a floor in C and peers, and records the figures.

Contestants run in turn, round by round. A round counts only if the store that it leaves is right.
"""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import contestants
import formats
import machine
import merging
import phases
import places
import summary
from figures import Figures
from inputs import Input
from process import Failure, become_reaper, start_up_seconds

# A peer runs as many rounds as fit in this time, in seconds, but at least one.
PEER_SECONDS = 30
QUICK_PEER_SECONDS = 1
# From this number of records on each contestant runs once.
LARGEST_SIZE = 20_000_000
# Floors and tools run more rounds if one needs less than a tenth of a second, because other load on the
# machine is then a large part.
SMALL_SIZE = 10_000
SMALL_SIZE_FACTOR = 5
START_UP_COUNT = 51


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="bench/run", description=__doc__.partition("\n")[0],
        epilog="Inputs and stores are in a new folder in TMPDIR: about 2 GB, with --large 15 GB.")
    parser.add_argument("--quick", action="store_true",
                        help="10000 and 100000 records, 2 rounds; nothing is kept in bench/runs")
    parser.add_argument("--large", action="store_true",
                        help="5000000 records too, and 20000000 once, without peers, and a later "
                             "delivery of 2000000")
    parser.add_argument("--records", type=int, action="append", metavar="N",
                        help="the number of records (repeatable; 10000, 100000 and 1000000)")
    parser.add_argument("--sync-delay", default="", metavar="MS,…",
                        help="repeat the whole job of all contestants with each sync MS "
                             "milliseconds longer, as on a slower disk")
    parser.add_argument("--rounds", type=int, metavar="N", help="the runs of each contestant (5)")
    parser.add_argument("--jobs", default="2,1", metavar="N,…",
                        help="the values of poi-import --jobs, the first for the whole job (2,1)")
    parser.add_argument("--no-peers", action="store_true", help="only the floor and the tools")
    parser.add_argument("--no-phases", action="store_true", help="without single phases")
    parser.add_argument("--no-merging", action="store_true",
                        help="without a later delivery into a store")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--no-formats", action="store_true", help="without CSV and Parquet")
    forms.add_argument("--only-formats", action="store_true", help="only CSV and Parquet")
    parser.add_argument("--no-build", action="store_true", help="use the existing build")
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER",
                        help="keep the record there instead of bench/runs")
    arguments = parser.parse_args()
    if arguments.records is None:
        arguments.records = [10_000, 100_000] if arguments.quick else [10_000, 100_000, 1_000_000]
    arguments.deliveries = sorted(
        {size for size in arguments.records if size <= 1_000_000}
        | ({2_000_000} if arguments.large else set()))
    if arguments.no_merging:
        arguments.deliveries = []
    if arguments.large:
        arguments.records += [5_000_000, LARGEST_SIZE]
    arguments.records = sorted(set(arguments.records))
    arguments.rounds = arguments.rounds or (2 if arguments.quick else 5)
    try:
        arguments.delays = [float(delay) for delay in arguments.sync_delay.split(",") if delay]
    except ValueError:
        parser.error("--sync-delay needs numbers of milliseconds, such as 1,5")
    if min(arguments.delays, default=1) <= 0:
        parser.error("--sync-delay needs numbers greater than 0; 0 is measured in any case")
    if min(arguments.records) < 10 or arguments.rounds < 1:
        parser.error("--records needs a number from 10 and --rounds one from 1")
    return arguments


class Recorder:
    """Runs contestants and collects their results."""

    def __init__(self, rounds, peer_seconds, scratch):
        self.rounds, self.peer_seconds, self.scratch = rounds, peer_seconds, scratch
        self.runs, self.skipped, self.remarks = [], {}, {}

    def rounds_of(self, contestant, first_seconds, most):
        if contestant.kind != "peer":
            return most
        if not first_seconds:
            return self.rounds
        return min(self.rounds, max(1, int(self.peer_seconds / first_seconds)))

    def run(self, work, everyone, sync_delay=0):
        first = {}
        slowly = f" with syncs of {sync_delay:g} ms more" if sync_delay else ""
        most = self.rounds * (SMALL_SIZE_FACTOR if work.record_count <= SMALL_SIZE else 1)
        if work.record_count >= LARGEST_SIZE:
            most = 1
        for number in range(most):
            for contestant in everyone:
                name = contestant.name
                if (name in self.skipped
                        or number >= self.rounds_of(contestant, first.get(name), most)):
                    continue
                try:
                    found = contestant.run(work, self.scratch, sync_delay)
                except Failure as failure:
                    if contestant.kind != "peer":
                        raise
                    reason = str(failure).replace(str(self.scratch), "…")
                    # A contestant with a wrong result is dropped at this size and at larger ones.
                    self.runs = [run for run in self.runs if (
                        run["contestant"], run["records"], run["syncDelay"])
                        != (name, work.record_count, sync_delay)]
                    self.skipped[name] = f"{work.record_count:,} records: {reason}"
                    say(f"  {name}: {reason}")
                    continue
                first.setdefault(name, found["wall"])
                self.remarks[name] = contestant.remark
                self.runs.append({"contestant": name, "kind": contestant.kind,
                                  "records": work.record_count, "syncDelay": sync_delay,
                                  "round": number} | found)
                say(f"  {name}: {found['wall']:.2f} s, {found['peakBytes'] / 1e6:.0f} MB")
            say(f"{work.record_count:,} records{slowly}: round {number + 1} of {most} done")


def say(text):
    print(text, flush=True)


def line_up(arguments):
    """Floors and tools, the peers and the readers of other forms that this machine can run; the others with the
    reason."""
    jobs = [number.strip() for number in arguments.jobs.split(",")]
    ours = contestants.floors() + contestants.tools(jobs)
    peers = [] if arguments.no_peers else list(contestants.peers())
    loads = [] if arguments.no_formats else formats.contestants(not arguments.no_peers)
    skipped = {one.name: one.missing() for one in peers + loads if one.missing()}
    return ours, *([one for one in group if one.name not in skipped] for group in (peers, loads)), skipped, jobs


def start_ups(scratch):
    """Seconds of each tool on an input without records."""
    empty, store = scratch / "empty.json", scratch / "empty.sqlite"
    empty.write_text("[]")
    subprocess.run([places.TOOLS / "poi-import", empty, "--store", store, "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    found = {
        "poi-import": [places.TOOLS / "poi-import", empty, "--dry-run", "--quiet"],
        "poi-dedup": [places.TOOLS / "poi-dedup", "--store", store, "--dry-run", "--quiet"],
    }
    os.sync()
    return {tool: start_up_seconds(command, START_UP_COUNT) for tool, command in found.items()}


def measure_phases(figures_runs, work, rounds, scratch):
    found = [phases.one_round(work, scratch, contestants.remove_store) for _ in range(rounds)]
    runs = [run for run in figures_runs
            if run["records"] == work.record_count and not run["syncDelay"]]
    write = phases.write_seconds(runs)
    return phases.table(found, write, work.record_count, work.expected["losers"])


def measure_all(arguments, scratch):
    ours, peers, loads, skipped, jobs = line_up(arguments)
    recorder = Recorder(
        arguments.rounds, QUICK_PEER_SECONDS if arguments.quick else PEER_SECONDS, scratch)
    recorder.skipped |= skipped
    # Before anything is written: pending disk writes would slow down the start.
    start_up = start_ups(scratch)
    inputs, phase_rows = [], []
    main_size = max((size for size in arguments.records if size <= 1_000_000),
                    default=arguments.records[0])
    for size in [] if arguments.only_formats else arguments.records:
        work = Input(scratch, size)
        recorder.run(work, ours + (peers if size <= 1_000_000 else []))
        for delay in arguments.delays if size <= 1_000_000 else []:
            recorder.run(work, [one for one in ours + peers if one.is_whole], delay)
        inputs.append({"records": size, "bytes": work.path("array").stat().st_size,
                       "losers": work.expected["losers"]})
        if size == main_size and not arguments.no_phases:
            phase_rows = measure_phases(
                recorder.runs, work, min(3, arguments.rounds), scratch)
        work.remove()
    if loads:
        say(f"{main_size:,} records in several forms:")
        forms = formats.Forms(scratch, main_size)
        recorder.run(forms, loads)
        forms.remove()
    for size in [] if arguments.only_formats else arguments.deliveries:
        say(f"{size:,} records into a store of as many rows:")
        delivery = merging.Delivery(scratch, size)
        recorder.run(delivery, list(merging.contestants(size)))
        delivery.remove()
    return {
        "format": 2,
        "date": datetime.date.today().isoformat(),
        "machine": machine.description(not arguments.no_peers),
        "jobs": jobs,
        "inputs": inputs,
        "runs": recorder.runs,
        "startUp": start_up,
        "phases": phase_rows,
        "remarks": {name: remark for name, remark in recorder.remarks.items() if remark},
        "skipped": recorder.skipped,
        "charts": [],
    }


def text(raw):
    """The content of raw.json: one line for each member, and for each element of a list of objects."""
    def value(member):
        if not isinstance(member, list) or not any(isinstance(row, dict) for row in member):
            return json.dumps(member)
        return "[\n  " + ",\n  ".join(map(json.dumps, member)) + "\n ]"

    members = (f" {json.dumps(name)}: {value(member)}" for name, member in raw.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def keep(raw, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "raw.json").write_text(text(raw))
    drawn = Figures(raw).sizes and places.PYTHON.exists() and subprocess.run(
        [places.PYTHON, places.BENCH / "measure" / "charts.py", folder]).returncode == 0
    if drawn:
        raw["charts"] = list(summary.CHARTS)
        (folder / "raw.json").write_text(text(raw))
    (folder / "summary.md").write_text(summary.description(Figures(raw)))


def new_folder(raw):
    name = machine.folder_name(raw["date"], raw["machine"])
    folder, number = places.BENCH / "runs" / name, 1
    while folder.exists():
        number += 1
        folder = places.BENCH / "runs" / f"{name}-{number}"
    return folder


def main():
    arguments = parse_arguments()
    start = time.monotonic()
    scratch = None
    # A signal must also remove the files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench/run: error: ended by a signal"))
    try:
        if not arguments.no_build:
            places.build()
        if not arguments.no_peers:
            places.make_environment()
        become_reaper()
        scratch = pathlib.Path(tempfile.mkdtemp(prefix="poi-bench-"))
        raw = measure_all(arguments, scratch)
    except (Failure, subprocess.CalledProcessError, OSError) as failure:
        sys.exit(f"bench/run: error: {failure}")
    finally:
        if scratch:
            shutil.rmtree(scratch)
    if arguments.output or not arguments.quick:
        folder = arguments.output or new_folder(raw)
        keep(raw, folder)
        say(f"kept in {folder}")
    say("\n" + summary.description(Figures(raw)))
    say(f"took {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()

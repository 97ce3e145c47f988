"""The contestants: the floor, the tools, the peers. Each knows its commands and the expected result."""

import json
import os
import re
import shutil
import subprocess

import verification
from places import BENCH, ENVIRONMENT, PRODUCTS, PYTHON, TOOLS
from process import measure

# The page caches of poi-import and poi-dedup, in KiB.
IMPORT_CACHE, DEDUP_CACHE = 1000, 4096

# The maximum records of the tools' transactions without --batch.
LARGEST_BATCH = 5000
SMALL_BATCH = 500


class Contestant:
    """Steps that are measured one after the other and add up."""

    name = ""
    kind = ""
    form = "array"
    remark = ""
    suffix = "sqlite"
    # Whether it does the whole job, from JSON to a store without duplicates.
    is_whole = False
    # Whether it starts other programs and is no shell script.
    is_tree = False

    def missing(self):
        """The requirement that this machine lacks, or None."""

    def run(self, work, scratch, sync_delay=0):
        """Runs once and returns the result to record; raises Failure if it is wrong.

        Each sync takes `sync_delay` milliseconds longer.
        """
        store = scratch / f"store.{self.suffix}"
        remove_store(store)
        steps, counts = {}, {}
        for step, command in self.commands(work, store):
            steps[step] = measure(
                command, scratch / "output", environment(sync_delay), is_tree=self.is_tree)
            steps[step] |= self.verify_step(step, work, store, scratch / "output", counts)
        self.verify(work, store)
        if store.exists():
            counts["storeBytes"] = store.stat().st_size
        remove_store(store)
        return {
            "wall": sum(one["wall"] for one in steps.values()),
            "cpu": sum(one["cpu"] for one in steps.values()),
            "peakBytes": max(one["peakBytes"] for one in steps.values()),
            "steps": steps, "counts": counts,
        }

    def verify_step(self, step, work, store, output, counts):
        return {}

    def verify(self, work, store):
        pass


def environment(sync_delay):
    found = {"BENCH_PRODUCTS_FOLDER": str(PRODUCTS),
             "BENCH_PYTHON_FOLDER": str(ENVIRONMENT / "bin"),
             "PATH": f"{ENVIRONMENT / 'bin'}:{os.environ['PATH']}"}
    if sync_delay:
        found |= {"LD_PRELOAD": str(PRODUCTS / "libsync-delay.so"),
                  "SYNC_DELAY": str(sync_delay)}
    return found


def remove_store(store):
    for path in store.parent.glob(store.name + "*"):
        path.unlink()


def floor_pragmas(cache):
    """The tools' settings for the floor."""
    return ("PRAGMA page_size = 8192; PRAGMA wal_autocheckpoint = 2000; "
            f"PRAGMA cache_size = -{cache};")


class Floor(Contestant):
    """A C program that does the same in one or several steps, each in its own process."""

    kind = "floor"

    def __init__(self, name, *modes, options=(), batch=LARGEST_BATCH):
        self.name, self.modes = name, modes
        self.options = (*options, "--batch", str(batch))
        self.is_whole = modes[-1] in ("dedup", "whole")

    def commands(self, work, store):
        for mode in self.modes:
            command = [PRODUCTS / "floor", mode, *self.options]
            if mode == "dedup":
                command.append("--unique-index")
            else:
                command += ["--input", work.path("array")]
            if mode in ("append", "dedup", "whole"):
                # The whole job on one connection has the larger cache.
                cache = IMPORT_CACHE if mode == "append" else DEDUP_CACHE
                command += ["--store", store, "--pragmas", floor_pragmas(cache)]
            yield mode, command

    def verify_step(self, step, work, store, output, counts):
        report = json.loads(output.read_text())
        if step in ("check", "append", "whole"):
            verification.expect_equal(
                [report["read"], report["rejected"]], [work.record_count, 0], "records")
        if step == "append":
            verification.expect_equal(
                verification.row_count(store), work.record_count, "rows")
        counts |= {name: report[name] for name in ("read", "rejected", "losers") if name in report}
        return {"parts": report["seconds"]}

    def verify(self, work, store):
        if self.is_whole:
            verification.expect_winners(verification.content_of(store), work)


class Tool(Contestant):
    """poi-import, followed by poi-dedup for the whole job."""

    kind = "toolkit"

    def __init__(self, name, import_options=(), dedup_options=(), is_dry_run=False,
                 is_whole=False, batch=None):
        self.name, self.import_options, self.dedup_options = name, import_options, dedup_options
        self.is_dry_run, self.is_whole = is_dry_run, is_whole
        self.batch = ("--batch", str(batch)) if batch else ()
        if is_whole:
            size = batch or f"{SMALL_BATCH} to {LARGEST_BATCH:,}"
            self.remark = f"checks, rejects, digest, archive; {size} records a commit, with a sync"

    def commands(self, work, store):
        shared = ["--quiet", "--report", "json", *self.batch]
        if not self.is_dry_run:
            shared += ["--store", store]
        yield "poi-import", [
            TOOLS / "poi-import", work.path("array"), *self.import_options,
            *(["--dry-run"] if self.is_dry_run else []), *shared]
        if self.is_whole:
            yield "poi-dedup", [
                TOOLS / "poi-dedup", "--key", "identifier", "--enforce", *self.dedup_options,
                *shared]

    def verify_step(self, step, work, store, output, counts):
        report = json.loads(output.read_text())
        records = work.record_count
        if step == "poi-dedup":
            expected = {"rowsBefore": records, "losers": work.expected["losers"],
                        "rowsLeft": work.expected["rowsLeft"]}
        else:
            expected = {"read": records, "rejected": 0}
            expected |= {} if self.is_dry_run else {"inserted": records}
        verification.expect_counters(report, expected)
        if step == "poi-import" and not self.is_dry_run:
            verification.expect_equal(verification.row_count(store), records, "rows")
        # Without --batch the number of batches depends on the time.
        names = ("digest", "batches") if self.batch else ("digest",)
        counts[step] = expected | {
            name: report[name] for name in names if report.get(name) is not None}
        return {}

    def verify(self, work, store):
        if self.is_whole:
            verification.expect_winners(verification.content_of(store), work)


class Peer(Contestant):
    """A file of bench/peers; its first comments say what it needs and what it cannot do."""

    kind = "peer"
    is_whole = True

    def __init__(self, path, fields, variant):
        self.path = path
        parts = [part.strip() for part in variant.split("|")]
        self.name, self.form, self.extra = parts[0], parts[1], parts[2:]
        self.remark = "; ".join(fields.get("remark", []))
        self.needs = fields.get("needs", [])
        self.is_duckdb = "duckdb" in fields.get("store", [])
        self.knows_newest = "last" not in fields.get("winner", [])
        self.suffix = "duckdb" if self.is_duckdb else "gpkg" if self.form == "geojson" else "sqlite"

    def missing(self):
        """The requirement that this machine lacks, or None."""
        for need in self.needs:
            kind, name = need.split()
            if kind == "program" and not shutil.which(name):
                return f"no program {name}"
            if kind == "python":
                found = PYTHON.exists() and subprocess.run(
                    [PYTHON, "-c", f"import {name}"], capture_output=True).returncode == 0
                if not found:
                    return f"no Python module {name}"
        return None

    def commands(self, work, store):
        interpreter = [PYTHON] if self.path.suffix == ".py" else []
        yield "all", [*interpreter, self.path, work.path(self.form), store, *self.extra]

    def verify(self, work, store):
        content = (verification.duckdb_content_of(store) if self.is_duckdb
                   else verification.content_of(store))
        verification.expect_winners(content, work, self.knows_newest)


def peers(folder="peers", kind=Peer):
    for path in sorted((BENCH / folder).glob("*.[ps][yh]")):
        fields = {}
        for name, value in re.findall(r"^# ([a-z]+): (.+)$", path.read_text(), re.MULTILINE):
            fields.setdefault(name, []).append(value.strip())
        for variant in fields.get("variant", []):
            yield kind(path, fields, variant)


def floors():
    return [
        Floor("floor parse", "parse"),
        Floor("floor check", "check"),
        Floor("floor append", "append"),
        Floor(f"floor append, batches of {SMALL_BATCH}", "append", batch=SMALL_BATCH),
        Floor("floor append, 1 thread", "append", options=("--threads", "1")),
        Floor("floor whole", "whole"),
        Floor("floor whole, 2 processes", "append", "dedup"),
    ]


def tools(jobs):
    """`jobs` are the values of poi-import --jobs, the first for the whole job."""
    all_jobs = ("--jobs", jobs[0])
    found = [
        Tool("dry run", ("--jobs", "1"), is_dry_run=True),
        Tool("toolkit", all_jobs, ("--memory", "64MiB"), is_whole=True),
        Tool(f"toolkit, batches of {SMALL_BATCH}", all_jobs, ("--memory", "64MiB"),
             is_whole=True, batch=SMALL_BATCH),
        Tool("toolkit, 4 MiB", all_jobs, ("--memory", "4MiB"), is_whole=True),
    ]
    for number in jobs[1:]:
        found.append(Tool(f"import, {number} job" + ("s" if number != "1" else ""),
                          ("--jobs", number)))
    return found

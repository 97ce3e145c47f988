"""Medians, ratios and their noise, from the runs of one record."""

import statistics


# Begins the names of contestants that read one of several forms into a new store; duplicates stay.
LOAD = "load "


def is_merge(contestant):
    """Whether it merges a later delivery into a store, instead of importing into a new one."""
    return contestant.startswith(("merge", "floor merge"))


def merge_floor(contestant, names):
    """The floor of a delivery: that of its kind, if there is one."""
    kind = contestant.removeprefix("floor ")
    return f"floor {kind}" if kind in names and f"floor {kind}" in names else "floor merge"


class Figures:
    """`raw` is the content of a raw.json; only runs with this sync delay, in ms, count.

    Either the runs of several forms of the same records count, or the others.
    """

    def __init__(self, raw, sync_delay=0, of_forms=False):
        self.raw, self.sync_delay = raw, sync_delay
        self.delays = sorted({run.get("syncDelay", 0) for run in raw["runs"]})
        self.all_runs = [run for run in raw["runs"] if run.get("syncDelay", 0) == sync_delay
                         and run["contestant"].startswith(LOAD) == of_forms]
        self.sizes, self.delivery_sizes = (
            sorted({run["records"] for run in self.all_runs
                    if is_merge(run["contestant"]) == of_deliveries})
            for of_deliveries in (False, True))

    @property
    def main_size(self):
        """The size for reports of one size: a million, or the next smaller one."""
        usual = [size for size in self.sizes if size <= 1_000_000]
        return usual[-1] if usual else min(self.sizes, default=0)

    def runs(self, contestant, records):
        return [run for run in self.all_runs
                if run["contestant"] == contestant and run["records"] == records]

    def names(self, records, kind=None):
        found = []
        for run in self.all_runs:
            if run["records"] == records and kind in (None, run["kind"]):
                if run["contestant"] not in found:
                    found.append(run["contestant"])
        return found

    def wholes(self, records):
        """The variants of the tools that do the whole job."""
        return [name for name in self.names(records, "toolkit") if name.startswith("toolkit")]

    def values(self, contestant, records, figure="wall", step=None):
        return [run["steps"][step][figure] if step else run[figure]
                for run in self.runs(contestant, records)]

    def median(self, contestant, records, figure="wall", step=None):
        """The median of the rounds, or None if it was not measured."""
        values = self.values(contestant, records, figure, step)
        return statistics.median(values) if values else None

    def peak(self, contestant, records, step=None):
        """The most bytes of any round, or None."""
        return max(self.values(contestant, records, "peakBytes", step), default=None)

    def noise(self, contestant, records, figure="wall", step=None):
        """The standard error of the median, as a part of it.

        Estimated from the median absolute deviation, which a single disturbed round does not
        change much: deviation times 1.4826 is the sigma of a normal distribution, and the error of
        the median of n values is 1.2533 sigma / sqrt(n). Two rounds or fewer do not show a spread; a
        tenth is assumed.
        """
        values = self.values(contestant, records, figure, step)
        if len(values) < 3:
            return 0.1
        middle = statistics.median(values)
        deviation = statistics.median(abs(value - middle) for value in values)
        return 1.2533 * 1.4826 * deviation / len(values) ** 0.5 / middle

    def ratio(self, ours, floor, records, figure="wall"):
        """The tool's median divided by its floor's; each is (contestant, step or None)."""
        top = self.median(ours[0], records, figure, ours[1])
        bottom = self.median(floor[0], records, figure, floor[1])
        return top / bottom if top and bottom else None

    def ratio_noise(self, ours, floor, records):
        return (self.noise(ours[0], records, step=ours[1]) ** 2
                + self.noise(floor[0], records, step=floor[1]) ** 2) ** 0.5


# A title, a (contestant, step), its floor as the same pair, and the maximum ratio.
RATIOS = [
    ("decode, validate and digest (`--dry-run`)", ("dry run", None),
     ("floor check", None), 1.15),
    ("`poi-import`", ("toolkit", "poi-import"), ("floor append", None), 1.15),
    ("`poi-import --batch 500`", ("toolkit, batches of 500", "poi-import"),
     ("floor append, batches of 500", None), 1.15),
    ("import and `poi-dedup --enforce`", ("toolkit", None), ("floor whole", None), 1.10),
    ("a later delivery, half of it new, into a store of as many rows", ("merge", None),
     ("floor merge", None), 1.30),
    ("the same delivery again", ("merge, the same again", None), ("floor merge, the same again", None), 2.00),
    ("a snapshot, one record in a hundred changed", ("merge, a snapshot", None),
     ("floor merge, a snapshot", None), 2.00),
    ("a first import with `--merge`", ("merge, a first import", None),
     ("floor merge, a first import", None), 1.15),
]
# Forms of the same records: one contestant, another, and the maximum ratio of their processor times.
FORM_RATIOS = [
    ("load CSV: poi-import", "load lines: poi-import", 1.00),
    ("load CSV: poi-import", "load CSV: sqlite3 .import", 0.95),
    ("load Parquet: poi-import", "load lines: poi-import", 1.60),
]
FORM_MEGABYTES = 25
SPREAD_LIMIT = 1.25
# Smaller deliveries do not land, so their time is not comparable.
LEAST_DELIVERY = 100_000
IMPORT_MEGABYTES = 20
DEDUP_MEGABYTES = 64 * 1.048576 + 20
START_UP_SECONDS = 0.005


def targets(figures):
    """Rows of targets: title, maximum, result, and whether it is reached."""
    main = figures.main_size
    rows = [row for ratio in RATIOS if not is_merge(ratio[1][0])
            for row in against_floor(figures, ratio, [main])]
    for size in figures.sizes:
        if size not in (main, 100_000):
            rows += spread(figures, "toolkit", "floor whole, 2 processes", size, main)
    deliveries = [size for size in figures.delivery_sizes if size >= LEAST_DELIVERY]
    for ratio in RATIOS:
        if is_merge(ratio[1][0]) and deliveries:
            rows += against_floor(figures, ratio, deliveries)
            rows += spread(figures, ratio[1][0], ratio[2][0], deliveries[-1], deliveries[0])
    peaks = {size: figures.peak("toolkit", size, "poi-import") / 1e6 for size in figures.sizes
             if figures.peak("toolkit", size, "poi-import")}
    if peaks:
        most, least = max(peaks.values()), min(peaks.values())
        sizes = f"{min(peaks):,} to {max(peaks):,} records"
        rows.append((f"peak memory of `poi-import`, {sizes}", f"{IMPORT_MEGABYTES} MB",
                     f"{most:.1f} MB", most <= IMPORT_MEGABYTES))
        rows.append(("the same: how far apart", "1 MB", f"{most - least:.1f} MB",
                     most - least <= 1))
        most = max(figures.peak("toolkit", size, "poi-dedup") / 1e6 for size in peaks)
        rows.append((f"peak memory of `poi-dedup` with 64 MiB to sort in, {sizes}",
                     f"{DEDUP_MEGABYTES:.0f} MB", f"{most:.1f} MB", most <= DEDUP_MEGABYTES))
    rows += forms_targets(Figures(figures.raw, of_forms=True))
    rows += against_peers(figures, main)
    for tool, seconds in figures.raw.get("startUp", {}).items():
        middle = statistics.median(seconds)
        rows.append((f"start of `{tool}` on nothing", f"{START_UP_SECONDS * 1e3:.0f} ms",
                     f"{middle * 1e3:.1f} ms", middle <= START_UP_SECONDS))
    return rows


def forms_targets(figures):
    """Rows of forms of the same records, by processor time; wall time has the waits for the disk."""
    sizes = [size for size in figures.sizes if size >= LEAST_DELIVERY]
    for ours, other, limit in FORM_RATIOS:
        for size in sizes:
            reached = figures.ratio((ours, None), (other, None), size, "cpu")
            if reached:
                yield (f"cpu time of {ours} ({size:,}), against {other}", f"{limit:.2f} x", f"{reached:.2f} x",
                       reached <= limit)
    for size in sizes:
        most = figures.peak("load CSV: poi-import", size) / 1e6
        yield (f"peak memory of load CSV: poi-import ({size:,})", f"{FORM_MEGABYTES} MB", f"{most:.1f} MB",
               most <= FORM_MEGABYTES)


def against_floor(figures, ratio, sizes):
    """A row for each size at which both were measured."""
    what, ours, floor, limit = ratio
    for size in sizes:
        reached = figures.ratio(ours, floor, size)
        if reached:
            # CPU time is less sensitive to other load on the machine.
            cpu = figures.ratio(ours, floor, size, "cpu")
            count = f" ({size:,})" if is_merge(ours[0]) else ""
            yield (f"{what}{count}, against {floor[0]} in C", f"{limit:.2f} x",
                   f"{reached:.2f} x (cpu time {cpu:.2f} x)", reached <= limit)


def spread(figures, contestant, floor, size, base):
    """A row of the time per record at one size relative to another, and the same in C.

    The floor runs as many processes as the contestant.
    """
    reached, in_c = (time_per_record(figures, name, size, base) for name in (contestant, floor))
    if size == base or not reached:
        return
    beside = f" (in C {in_c:.2f} x)" if in_c else ""
    yield (f"the same: time per record at {size:,} against {base:,}", f"{SPREAD_LIMIT:.2f} x",
           f"{reached:.2f} x{beside}", reached <= SPREAD_LIMIT)


def time_per_record(figures, contestant, size, base):
    found, other = figures.median(contestant, size), figures.median(contestant, base)
    return found / size / (other / base) if found and other else None


def ends_in_sqlite(peer):
    return not peer.startswith("DuckDB")


def fastest_with_sqlite(figures, records):
    """The fastest peer that leaves a SQLite store, or None."""
    peers = [peer for peer in figures.names(records, "peer") if ends_in_sqlite(peer)]
    return min(peers, key=lambda peer: figures.median(peer, records), default=None)


def against_sqlite(figures, records):
    """A row of the time against the fastest peer that leaves a SQLite store."""
    best = fastest_with_sqlite(figures, records)
    if best:
        reached = figures.median("toolkit", records) / figures.median(best, records)
        slowly = f", syncs {figures.sync_delay:g} ms longer" if figures.sync_delay else ""
        yield (f"time against the best peer with a SQLite store, {records:,} records{slowly}, {best}",
               "1.00 x", f"{reached:.2f} x", reached <= 1)


def against_peers(figures, records):
    """Rows of time and memory against the best peers; DuckDB is shown without a target."""
    rows = [row for delay in figures.delays for size in figures.sizes if size <= records
            for row in against_sqlite(Figures(figures.raw, delay), size)]
    for kind, chosen, measures in (
            ("a SQLite store", ends_in_sqlite, ("peak memory",)),
            ("a store of its own", lambda peer: not ends_in_sqlite(peer), ("time", "peak memory"))):
        peers = [peer for peer in figures.names(records, "peer") if chosen(peer)]
        for what in measures if peers else ():
            figure = figures.median if what == "time" else figures.peak
            best = min(peers, key=lambda peer: figure(peer, records))
            reached = figure("toolkit", records) / figure(best, records)
            aim = chosen is ends_in_sqlite
            rows.append((f"{what} against the best peer with {kind}, {best}",
                         "1.00 x" if aim else "", f"{reached:.2f} x",
                         reached <= 1 if aim else None))
    return rows

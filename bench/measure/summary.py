"""The results of a run as Markdown."""

from figures import LOAD, Figures, is_merge, merge_floor, targets


def seconds(value):
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def megabytes(value):
    return f"{value / 1e6:.0f}" if value >= 20e6 else f"{value / 1e6:.1f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def spread(figures, name, records, step=None):
    values = figures.values(name, records, step=step)
    middle = seconds(figures.median(name, records, step=step))
    if len(values) < 2:
        return middle
    return f"{middle} ({seconds(min(values))} to {seconds(max(values))})"


LABELS = {
    "toolkit": "**`poi-import` and `poi-dedup --enforce`**",
    "toolkit, batches of 500": "**both with `--batch 500`**",
    "toolkit, 4 MiB": "**`poi-import` and `poi-dedup --enforce --memory 4M`**",
    "floor whole": "(a floor: the same work in C, without rejects, checkpoints and archive)",
}


def comparison(figures, records):
    """The toolkit and the peers at one size, the fastest first."""
    base = figures.median("toolkit", records)
    names = figures.wholes(records) + figures.names(records, "peer")
    names.sort(key=lambda name: figures.median(name, records))
    rows = []
    for name in names:
        wall = figures.median(name, records)
        rows.append((LABELS.get(name, name), spread(figures, name, records), f"{wall / base:.2f} x",
                     megabytes(figures.peak(name, records)),
                     len(figures.values(name, records)),
                     figures.raw["remarks"].get(name, "")))
    return table(("who", "seconds (least to most)", "of ours", "peak MB", "rounds", "remark"), rows)


def own(figures, records):
    """The floor and the parts of the toolkit at one size."""
    rows = []
    for name in figures.names(records, "floor") + figures.names(records, "toolkit"):
        if is_merge(name):
            continue
        steps = list(figures.runs(name, records)[0]["steps"])
        for step in ([None] if len(steps) == 1 else [None, *steps]):
            wall = figures.median(name, records, step=step)
            rows.append((f"{name}: {step}" if step else name,
                         spread(figures, name, records, step),
                         seconds(figures.median(name, records, "cpu", step)),
                         f"{wall / records * 1e9:,.0f}",
                         megabytes(figures.peak(name, records, step))))
    return table(
        ("what", "seconds (least to most)", "cpu seconds", "ns per record", "peak MB"), rows)


def deliveries(figures):
    """Deliveries into a store with the same number of rows, or into a new one, at each size."""
    rows = []
    for records in figures.delivery_sizes:
        names = [name for name in figures.names(records) if is_merge(name)]
        for name in names:
            wall, cpu = (figures.median(name, records, kind) for kind in ("wall", "cpu"))
            floor = merge_floor(name, names)
            ratio, cpu_ratio = (figures.ratio((name, None), (floor, None), records, kind)
                                for kind in ("wall", "cpu"))
            rows.append((f"{records:,}", name, spread(figures, name, records), f"{ratio:.2f} x",
                         seconds(cpu), f"{cpu_ratio:.2f} x", f"{wall / records * 1e9:,.0f}",
                         megabytes(figures.peak(name, records))))
    return table(("records", "what", "seconds (least to most)", "of the floor", "cpu seconds",
                  "of the floor", "ns per record", "peak MB"), rows)


def form_table(figures, records):
    """The same records in several forms, at one size, the fastest first."""
    base = figures.median(f"{LOAD}lines: poi-import", records, "cpu")
    rows = [(name.removeprefix(LOAD), spread(figures, name, records),
             seconds(figures.median(name, records, "cpu")),
             f"{figures.median(name, records, 'cpu') / base:.2f} x", megabytes(figures.peak(name, records)),
             figures.raw["remarks"].get(name, ""))
            for name in sorted(figures.names(records), key=lambda name: figures.median(name, records))]
    return table(("what", "seconds (least to most)", "cpu seconds", "of lines", "peak MB", "remark"), rows)


def slower_syncs(figures, records):
    """The whole job by sync delay, at one size."""
    columns = [Figures(figures.raw, delay) for delay in figures.delays]
    last = columns[-1]
    rows = []
    for name in sorted(last.names(records), key=lambda name: last.median(name, records)):
        medians = [(column.median(name, records), column.median("toolkit", records))
                   for column in columns]
        rows.append((LABELS.get(name, name),
                     *(f"{seconds(one)} ({one / ours:.2f} x)" if one else ""
                       for one, ours in medians)))
    header = ("who", *(f"{delay:g} ms: seconds (of ours)" for delay in figures.delays))
    return table(header, rows)


def phases(rows):
    return table(("phase", "ns", "floor, ns", "ratio", "per"),
                 [(row["phase"], f"{row['ours']:,.0f}", f"{row['floor']:,.0f}",
                   f"{row['ours'] / row['floor']:.2f} x" if row["floor"] > 0 else "",
                   row["per"]) for row in rows])


def description(figures):
    raw, place = figures.raw, figures.raw["machine"]
    main = figures.main_size
    parts = [f"# Bench, {raw['date']}", ""]
    for work in raw["inputs"]:
        parts.append(f"- {work['records']:,} made-up records, {work['bytes'] / 1e6:,.0f} MB, "
                     f"{work['losers']:,} of them duplicates by identifier")
    parts += [
        "",
        "Medians of rounds in which the contestants take turns. The peak of a pipeline is the sum "
        "of the peaks of the processes that run at the same time. The result of every round was "
        "checked: rows, unique identifiers, and what the newest records add up to.",
        "", "## What is aimed at", "",
        table(("what", "at most", "reached", ""),
              [(what, limit, reached, {True: "yes", False: "**no**", None: ""}[holds])
               for what, limit, reached, holds in targets(figures)]),
    ]
    for records in reversed(figures.sizes):
        has_peers = bool(figures.names(records, "peer"))
        parts += ["", f"## {records:,} records", ""]
        if has_peers:
            parts += [comparison(figures, records), ""]
        parts.append(own(figures, records))
    if len(figures.delays) > 1:
        parts += ["", "## Slower syncs", "",
                  "The whole job once more, with each sync of a file so many milliseconds longer. A "
                  "contestant that hardly changes waits for no disk: what it has written may be lost "
                  "or damaged by a power cut."]
        for records in reversed(Figures(raw, figures.delays[-1]).sizes):
            parts += ["", f"### {records:,} records", "", slower_syncs(figures, records)]
    if figures.delivery_sizes:
        parts += ["", "## Deliveries", "",
                  "Records into a store of as many rows with unique identifiers; half of them are "
                  "new, the others changed versions of stored ones, before or after them in time. The "
                  "same again: the records of the store, in the order of its rows. A snapshot: the same "
                  "with one in a hundred changed. A first import: with 12 % duplicates, into a new store.",
                  "", deliveries(figures)]
    of_forms = Figures(raw, of_forms=True)
    for records in of_forms.sizes:
        parts += ["", f"## Forms of the same {records:,} records", "",
                  "Into a new store, duplicates too. The cpu seconds of Parquet include the program that reads it; "
                  "the peak is the sum of both.", "", form_table(of_forms, records)]
    if raw.get("phases"):
        parts += ["", f"## Phases at {main:,} records", "",
                  "Processor time, the least of some rounds; the wait for the disk is not in it. The "
                  "floor of the second row is what C decodes and checks, and its digest.",
                  "", phases(raw["phases"])]
    charts = [f"![{text}]({name}.svg)" for name, text in CHARTS.items() if name in raw["charts"]]
    if charts:
        parts += ["", "## Charts", "", *charts]
    if raw["skipped"]:
        parts += ["", "## Not measured", ""]
        parts += [f"- {name}: {reason}" for name, reason in raw["skipped"].items()]
    memory = place["memoryBytes"]
    parts += [
        "", "## Machine", "",
        f"- {place['processor']}, {place['cores']} cores"
        + (f", {memory / 2**30:.0f} GiB" if memory else "") + f", Linux {place['kernel']}",
        "- " + ", ".join(f"{name} {version}" for name, version in place["versions"].items()),
        f"- commit {place['commit']}"
        + (" with changes that were not committed" if place["uncommittedChanges"] else ""),
        "",
    ]
    return "\n".join(parts)


CHARTS = {
    "time": "seconds by contestant",
    "memory": "peak memory by number of records",
    "scaling": "time per record by number of records",
}

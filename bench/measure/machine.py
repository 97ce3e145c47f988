"""The machine and the versions that the figures depend on."""

import os
import pathlib
import platform
import re
import subprocess

from places import PYTHON, ROOT


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def python_versions():
    """Versions of the packages in the peers' virtual environment."""
    if not PYTHON.exists():
        return {}
    listing = subprocess.run(
        [PYTHON, "-m", "pip", "list", "--format", "freeze"], capture_output=True, text=True)
    wanted = {"sqlite-utils", "ijson", "orjson", "duckdb", "polars"}
    pairs = (line.partition("==") for line in listing.stdout.splitlines())
    found = {name: version for name, _, version in pairs if name in wanted}
    return found | {"python": first_line(str(PYTHON), "-c", "import platform; "
                                         "print(platform.python_version())")}


def description(has_peers):
    processors = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*:\s*(.+)$", processors, re.MULTILINE)
    memory = re.search(
        r"^MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text(), re.MULTILINE)
    changes = first_line(
        "git", "status", "--porcelain", "--", "Sources", "Package.swift", "bench/Sources")
    versions = {
        "swift": first_line("swift", "--version"),
        "sqlite": first_line("pkg-config", "--modversion", "sqlite3"),
        "yajl": first_line("pkg-config", "--modversion", "yajl"),
    }
    if has_peers:
        versions |= python_versions() | {
            "jq": first_line("jq", "--version"), "ogr2ogr": first_line("ogr2ogr", "--version")}
    return {
        "processor": model[1] if model else platform.machine(),
        "cores": os.cpu_count(),
        "memoryBytes": int(memory[1]) * 1024 if memory else None,
        "kernel": platform.release(),
        "versions": {name: version for name, version in versions.items() if version},
        "commit": first_line("git", "rev-parse", "--short", "HEAD"),
        "uncommittedChanges": bool(changes),
    }


def folder_name(date, machine):
    """The name of a run's folder: day and machine."""
    words = re.sub(r"\(.*?\)|@.*|\bCPU\b|\bProcessor\b", " ", machine["processor"])
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    return f"{date}-{name}-{machine['cores']}-cores"

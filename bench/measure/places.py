"""Paths, and building the tools and the bench."""

import os
import pathlib
import shutil
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
TOOLS = ROOT / ".build" / "release"
# The bench is a package of its own, built in the toolkit's folder so that the libraries are built once.
PRODUCTS = TOOLS
ENVIRONMENT = BENCH / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"

PACKAGES = ["sqlite-utils", "ijson", "orjson", "duckdb", "duckdb-cli", "polars", "matplotlib"]


def build():
    """Builds the tools and the bench, for release."""
    swift = ["swift", "build", "-c", "release", "--static-swift-stdlib"]
    for product in ("poi-import", "poi-dedup"):
        subprocess.run([*swift, "--product", product], cwd=ROOT, check=True)
    # All products, without the cached build plan: a single product, and the plan, would be those of
    # the package that was built before.
    bench = ["--package-path", str(BENCH), "--scratch-path", str(ROOT / ".build"),
             "--disable-build-manifest-caching"]
    subprocess.run([*swift, *bench], cwd=ROOT, check=True)


def make_environment():
    """The virtual environment of the Python peers, with the packages that can be installed."""
    if not PYTHON.exists():
        done = subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)])
        if done.returncode != 0:
            shutil.rmtree(ENVIRONMENT, ignore_errors=True)
            return
    for package in PACKAGES:
        known = subprocess.run(
            [PYTHON, "-m", "pip", "show", "--quiet", package], capture_output=True)
        if known.returncode != 0:
            subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", package],
                           env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"})

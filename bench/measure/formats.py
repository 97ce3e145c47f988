"""The same records as lines, CSV and Parquet into a new store, beside other programs.

Every row stays, duplicates too. A store is checked for rows, identifiers and the length of a text; the stores of
poi-import must have the same digest.
"""

import csv
import json
import shutil
import subprocess

import verification
from contestants import Contestant, Peer, peers
from figures import LOAD
from inputs import Input
from places import ENVIRONMENT, PYTHON, TOOLS

COLUMNS = ("address", "city", "country", "information", "longitude", "latitude", "identifier", "name", "updatedAt",
           "category.name")

# A file of an open-data publisher has instants as such, not as texts.
TO_PARQUET = """
    import sys, duckdb
    duckdb.execute('''
      COPY (SELECT * FROM read_json(?, format = 'newline_delimited', columns = {
        address: 'VARCHAR', city: 'VARCHAR', country: 'VARCHAR', information: 'VARCHAR', longitude: 'DOUBLE',
        latitude: 'DOUBLE', identifier: 'VARCHAR', name: 'VARCHAR', updatedAt: 'TIMESTAMP',
        category: 'STRUCT(name VARCHAR)'}))
      TO ? (FORMAT parquet)''', sys.argv[1:])
"""


class Forms(Input):
    """A number of records in the forms that are compared, and what a store must hold then."""

    def __init__(self, folder, record_count):
        super().__init__(folder, record_count)
        self.digest = self.loaded = None
        self.write_csv(folder / f"{record_count}.csv")
        if find_duckdb():
            dedented = "\n".join(line[4:] for line in TO_PARQUET.splitlines())
            subprocess.run([PYTHON, "-c", dedented, self.path("lines"), folder / f"{record_count}.parquet"], check=True)

    def path(self, form):
        return self.folder / f"{self.record_count}.{form}" if form in ("csv", "parquet") else super().path(form)

    def write_csv(self, path):
        identifiers, lengths = set(), 0
        with open(self.path("lines")) as lines, open(path, "w", newline="") as output:
            rows = csv.writer(output, lineterminator="\n")
            rows.writerow(COLUMNS)
            # Numbers stay the texts that they are.
            for record in (json.loads(line, parse_float=str) for line in lines):
                identifiers.add(record["identifier"])
                lengths += len(record["information"])
                rows.writerow([record[name] for name in COLUMNS[:-1]] + [record["category"]["name"]])
        self.loaded = [self.record_count, len(identifiers), lengths]


def find_duckdb():
    return PYTHON.exists() and shutil.which("duckdb", path=ENVIRONMENT / "bin")


class Load(Contestant):
    """poi-import of one form."""

    kind = "toolkit"

    def __init__(self, form, title, needs_duckdb=False):
        self.name, self.form, self.is_tree = f"{LOAD}{title}: poi-import", form, needs_duckdb
        self.remark = "checks, rejects, digest" + ("; the program duckdb reads the file" if needs_duckdb else "")

    def missing(self):
        return "no program duckdb" if self.is_tree and not find_duckdb() else None

    def commands(self, forms, store):
        yield "load", [TOOLS / "poi-import", forms.path(self.form), "--quiet", "--report", "json", "--store", store]

    def verify_step(self, step, forms, store, output, counts):
        report = json.loads(output.read_text())
        verification.expect_counters(report, {"inserted": forms.record_count, "rejected": 0})
        forms.digest = forms.digest or report["digest"]
        verification.expect_equal(report["digest"], forms.digest, "digest")
        counts["digest"] = report["digest"]
        return {}

    def verify(self, forms, store):
        verification.expect_equal(verification.loaded_of(store), forms.loaded, "content of the store")


class LoadPeer(Peer):
    """A file of bench/peers/formats."""

    is_whole = False

    def __init__(self, path, fields, variant):
        super().__init__(path, fields, variant)
        self.name = LOAD + self.name

    def verify(self, forms, store):
        found = verification.duckdb_content_of(store) if self.is_duckdb else verification.loaded_of(store)
        if self.is_duckdb:
            found = [found[0], found[1], found[4]]
        verification.expect_equal(found, forms.loaded, "content of the store")


def contestants(has_peers):
    """The forms of poi-import first: the digest of the first is that of the others."""
    ours = [Load("lines", "lines"), Load("csv", "CSV"), Load("parquet", "Parquet", needs_duckdb=True)]
    return ours + (list(peers("peers/formats", LoadPeer)) if has_peers else [])

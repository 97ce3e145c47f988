"""The generated files and their expected results."""

import calendar
import json
import re
import subprocess

from places import PRODUCTS

# The contestants' formats by generate-poi's names.
FORMATS = {
    "array": ("array", "json"), "lines": ("ndjson", "ndjson"), "geojson": ("geojson", "geojson"),
}

# Each record has its own line; this extracts what a winner depends on, without a JSON parser.
RECORD = re.compile(
    rb'"information":"((?:[^"\\]|\\.)*)","longitude":([^,]*),"latitude":([^,]*),'
    rb'"identifier":"([^"]*)".*"updatedAt":"([^"]*)"')


class Input:
    """A number of records in every requested format."""

    def __init__(self, folder, record_count):
        self.folder = folder
        self.record_count = record_count
        done = subprocess.run(
            [PRODUCTS / "generate-poi", "--records", str(record_count), "--expect"],
            check=True, capture_output=True)
        self.expected = json.loads(done.stdout)
        self.content = None

    def path(self, form):
        generated, suffix = FORMATS[form]
        path = self.folder / f"{self.record_count}.{suffix}"
        if not path.exists():
            subprocess.run(
                [PRODUCTS / "generate-poi", "--records", str(self.record_count),
                 "--format", generated, "--output", path], check=True)
        return path

    def winners(self):
        """The expected `verification.content_of`, computed from the file independently."""
        if self.content is None:
            newest = {}
            with open(self.path("array"), "rb") as lines:
                for line in lines:
                    record = RECORD.search(line)
                    if not record:
                        continue
                    information, longitude, latitude, identifier, updated_at = record.groups()
                    known = newest.get(identifier)
                    if known is None or known[0] < updated_at:
                        length = len(information.replace(b'\\"', b'"').decode())
                        newest[identifier] = (updated_at, length, longitude, latitude)
            self.content = summary(newest)
        return self.content

    def remove(self):
        for path in self.folder.glob(f"{self.record_count}.*"):
            path.unlink()


def seconds_since_1970(text):
    """The seconds of an instant as generate-poi writes it."""
    digits = [int(part) for part in re.split(rb"[-T:Z]", text)[:6]]
    return calendar.timegm((*digits, 0, 0, 0))


def summary(newest):
    seconds, weighted, lengths, coordinates = 0, 0, 0, 0
    for identifier, (updated_at, length, longitude, latitude) in newest.items():
        second = seconds_since_1970(updated_at)
        seconds += second
        weighted += second * identifier[0]
        lengths += length
        coordinates += int(float(longitude) * 1e6) + int(float(latitude) * 1e6)
    return [len(newest), len(newest), seconds, weighted, lengths, coordinates]

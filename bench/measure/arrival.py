"""Compares the records of a JSON file with the rows of a table: which values arrived.

The records come from Python's own JSON reader. A row belongs to the record with the same value of a
member that is unique and has a column of its name; without such a member, row n belongs to record n.

A record is divided into members such as `properties/mag`: objects are divided into theirs, an array is
one value. The member's column is the one with the most equal values among those that have its name, with
or without the names of outer members, in lower case and with `_` for other characters. A column that has
all values of another member is not considered. JSON text in a column is divided like a record, and
points in WKB are read as GeoJSON. If no column of its name has an equal value, one of any name may have
all of them; then an array is compared element by element.

A value is kept if its column has an equal one: numbers exactly, null as NULL, true as 1, an array as JSON
text. Other values are counted by what happened to them, see `LOSSES`. Members that a record does not
have, and keys of an object of objects, are not counted.
"""

import collections
import datetime
import json
import re
import struct

# What can happen to a value, most harmless first.
LOSSES = {
    "instant": "{} instants in another notation",
    "type": "{} with another type",
    "text": "{} only in text that is not JSON",
    "differs": "{} changed",
    "missing": "{} missing",
}
EXAMPLE_LENGTH = 40

Arrival = collections.namedtuple("Arrival", "value_count kept_count losses")


def divided(value, path=()):
    """The members of a record: (path, value)."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from divided(inner, (*path, name))
    else:
        yield path, value


def read_point(blob):
    """A point in well-known binary as GeoJSON; None if it is something else."""
    if len(blob) not in (21, 29) or blob[0] > 1:
        return None
    order = "<" if blob[0] else ">"
    kind = struct.unpack_from(order + "I", blob, 1)[0]
    if kind not in (1, 1001, 0x80000001):
        return None
    return {"type": "Point",
            "coordinates": list(struct.unpack_from(f"{order}{len(blob) // 8}d", blob, 5))}


def read_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def cells(column, value):
    """The values of a cell: itself, and those inside if it is JSON or a point."""
    yield (column,), value
    inner = None
    if isinstance(value, bytes):
        inner = read_point(value)
    elif isinstance(value, str) and value[:1] == "{":
        inner = read_json(value)
    elif isinstance(value, dict):
        inner = value
    if isinstance(inner, dict):
        yield from divided(inner, (column,))


def columns_of(values):
    """The values of each path, from one list of (path, value) for each row; None if a row has none."""
    found = {}
    for number, row in enumerate(values):
        for path, value in row:
            found.setdefault(path, {})[number] = value
    return found


def plain_name(path):
    return re.sub(r"\W+", "_", "_".join(map(str, path))).strip("_").lower()


def is_equal(expected, actual):
    if isinstance(expected, (dict, list)):
        return expected == (read_json(actual) if isinstance(actual, str) else actual)
    return expected == actual


def is_ending(one, other):
    return one == other or one.endswith("_" + other) or other.endswith("_" + one)


def instant(value):
    """Microseconds since 1970 of an ISO 8601, a Twitter or an epoch time; None for other values."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # Seconds, milliseconds or microseconds, from 1973 on.
        for limit, factor in ((1e11, 1_000_000), (1e14, 1000), (1e17, 1)):
            if 1e8 <= value < limit:
                return round(value * factor)
    elif isinstance(value, str) and re.match(r"\d{4}[-/]\d\d|\w{3} \w{3} \d", value):
        for reader in (datetime.datetime.fromisoformat,
                       lambda text: datetime.datetime.strptime(text, "%a %b %d %H:%M:%S %z %Y")):
            try:
                time = reader(value.replace("/", "-"))
            except ValueError:
                continue
            if time.tzinfo is None:
                time = time.replace(tzinfo=datetime.timezone.utc)
            return (time - datetime.datetime.fromtimestamp(0, datetime.timezone.utc)
                    ) // datetime.timedelta(microseconds=1)
    return None


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def is_same_number(expected, actual):
    """Whether a number became text that says the same, or the other way round."""
    try:
        return float(expected) == float(actual)
    except (TypeError, ValueError, OverflowError):
        return False


def loss(expected, actual):
    """What happened to a value that is not equal."""
    if actual is None:
        return "missing"
    moment = instant(expected)
    if moment is not None and moment == instant(actual):
        return "instant"
    if type(expected) is not type(actual) and not isinstance(expected, (dict, list)):
        if as_text(expected) == as_text(actual) or (
                isinstance(expected, str) != isinstance(actual, str)
                and is_same_number(expected, actual)):
            return "type"
    if isinstance(expected, (dict, list)) and isinstance(actual, str) and actual[:1] in "{[(":
        return "text"
    return "differs"


class Comparison:
    """The columns of a table, to look for the values of members in."""

    def __init__(self, rows):
        """`rows` are dictionaries of column names and values."""
        self.columns = columns_of(
            [found for name, value in row.items() for found in cells(name, value)] for row in rows)
        self.names = {path: plain_name(path) for path in self.columns}

    def equal_count(self, values, path):
        column = self.columns[path]
        return sum(is_equal(value, column.get(number)) for number, value in values.items())

    def best(self, path, values, taken=()):
        """The column of the member's name with the most equal values; None without such a column."""
        name, ranked = plain_name(path), []
        for candidate, its_name in self.names.items():
            # A second column of a name has a number, such as type_1.
            if candidate not in taken and (
                    is_ending(its_name, name) or is_ending(re.sub(r"_?\d+$", "", its_name), name)):
                filled = sum(self.columns[candidate].get(number) is not None for number in values)
                equal = self.equal_count(values, candidate)
                ranked.append((equal, its_name == name, filled, candidate))
        return max(ranked)[3] if ranked else None

    def elsewhere(self, values):
        """A column of any name that has all the values, if they are not all the same."""
        if len({as_text(value) for value in values.values()}) < 2:
            return None
        return next((path for path in self.columns
                     if self.equal_count(values, path) == len(values)), None)

    def is_in_text(self, path, number):
        """Whether a column of an outer member has text with braces that is not JSON."""
        outer = [plain_name(path[:length]) for length in range(1, len(path))]
        for candidate, name in self.names.items():
            text = self.columns[candidate].get(number)
            if (isinstance(text, str) and text[:1] in ("{", "[") and read_json(text) is None
                    and any(is_ending(name, one) for one in outer)):
                return True
        return False

    def compare(self, path, values, taken=()):
        """(expected, actual, what happened) of each value that is not kept."""
        column = self.best(path, values, taken)
        has_equal = column is not None and self.equal_count(values, column)
        if not has_equal:
            column = self.elsewhere(values) or column
        found = []
        for number, value in values.items():
            actual = None if column is None else self.columns[column].get(number)
            if column is not None and is_equal(value, actual):
                continue
            what = "missing" if column is None else loss(value, actual)
            if what == "missing" or what == "differs" and not has_equal:
                what = "text" if self.is_in_text(path, number) else what
            found.append((value, None if what == "text" and len(path) > 1 else actual, what))
        return found


def elements_of(path, values):
    """The elements of arrays of plain values as members; empty if there are other values."""
    found = {}
    for number, value in values.items():
        if not isinstance(value, list) or any(isinstance(one, (dict, list)) for one in value):
            return {}
        for place, one in enumerate(value):
            found.setdefault((*path, place), {})[number] = one
    return found


def paired(members, rows):
    """The rows in the order of the records, by a unique member that has a column of its name."""
    for path, values in members.items():
        wanted = {str(value): number for number, value in values.items()}
        if len(path) > 1 or len(wanted) < len(rows):
            continue
        for name in rows[0]:
            if plain_name((name,)) == plain_name(path):
                places = {str(row.get(name)): row for row in rows}
                if places.keys() == wanted.keys():
                    return [places[value] for value in wanted]
    return rows


def compare(records, rows):
    """Compares records with rows of the same number."""
    members = columns_of([list(divided(record)) for record in records])
    table = Comparison(paired(members, rows))
    taken = set()
    for path, values in members.items():
        column = table.best(path, values)
        if column and table.equal_count(values, column) == len(values):
            taken.add(column)
    kept_count = value_count = 0
    losses = collections.defaultdict(list)
    for path, values in members.items():
        lost = table.compare(path, values)
        if lost:
            lost = table.compare(path, values, taken)
        if len(lost) == len(values):
            parts = elements_of(path, values)
            if parts and not any(table.compare(*part) for part in parts.items()):
                lost = []
        value_count += len(values)
        kept_count += len(values) - len(lost)
        for expected, actual, what in lost:
            losses[what].append((path, expected, actual))
    return Arrival(value_count, kept_count, losses)


def shortened(value):
    text = json.dumps(value, ensure_ascii=False, default=repr).replace("|", "\\|").replace("`", "'")
    return text if len(text) <= EXAMPLE_LENGTH else text[:EXAMPLE_LENGTH - 1] + "…"


def description(arrival):
    """What was lost, with an example of each kind."""
    parts = []
    for what, text in LOSSES.items():
        found = arrival.losses.get(what)
        if found:
            path, expected, actual = found[0]
            count = len({path for path, _, _ in found})
            became = "" if actual is None else f" → `{shortened(actual)}`"
            members = f"{count} members" if count > 1 else "1 member"
            parts.append(f"{text.format(f'{len(found):,}')} in {members}, such as "
                         f"`{'/'.join(path)}` `{shortened(expected)}`{became}")
    return "; ".join(parts) or "nothing"

#!/usr/bin/env python3
"""Writes the sample files and the expected results of importing and deduplicating them.

    Samples/generate.py           writes the files
    Samples/generate.py --check   lists the files that would change

The places are made up. The files are the same on every machine.
"""

import json
import pathlib
import re
import sys

import canonical
from places import CATEGORIES, CULTURES

SAMPLES = pathlib.Path(__file__).resolve().parent
PLACE_COUNT = 2_600
SHAPE_STEP = 5  # every fifth record goes to the smaller files


class Random:
    """SplitMix64: the same numbers in every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & canonical.MASK
        word = self.state
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & canonical.MASK
        word = (word ^ word >> 27) * 0x94D049BB133111EB & canonical.MASK
        return word ^ word >> 31

    def below(self, bound):
        return self.next() * bound >> 64

    def choice(self, values):
        return values[self.below(len(values))]

    def chance(self, percent):
        return self.below(100) < percent

    def shuffle(self, values):
        for index in range(len(values) - 1, 0, -1):
            other = self.below(index + 1)
            values[index], values[other] = values[other], values[index]


class Raw(str):
    """JSON text that is written verbatim."""


class Members(list):
    """The members of a JSON object as pairs, so that a name may occur twice."""


class Place:
    """The data of a place: Python values for JSON, and the instant in microseconds."""

    def __init__(self, members, instant):
        self.members = members
        self.instant = instant

    def changed(self, instant, **members):
        return Place(self.members | members, instant)

    def row(self):
        """The row that the store must hold."""
        columns = ("name", "address", "city", "country", "information", "category")
        return {
            "identifier": self.members["identifier"].upper(),
            "latitude": float(self.members["latitude"]),
            "longitude": float(self.members["longitude"]),
            "updatedAt": self.instant,
        } | {column: self.members.get(column) for column in columns}


class Record:
    """One record of a file: a place that must become a row, or something that must be rejected."""

    def __init__(self, members, row=None, issues=None, damage=None, element=None, style=0):
        self.members = members      # values by name, in the order in which they are written
        self.row = row              # the row, if the record is good
        self.issues = issues or {}  # the rules broken, by member; '' if the record as a whole is bad
        self.damage = damage        # changes the text after it was written
        self.element = element      # JSON text that stands in place of an object
        self.style = style

    @property
    def is_good(self):
        return self.row is not None

    def rule(self, order):
        """The rule that counts the record: the rule of the first issue found."""
        if "" in self.issues:
            return self.issues[""]
        # Missing members are only known at the end.
        order = {name: place for place, name in enumerate(order)}
        found = [name for name, rule in self.issues.items() if rule != "required"]
        if not found:
            return "required"
        return self.issues[min(found, key=lambda name: order[name.partition(".")[0]])]

    def write(self, members, one_line):
        text = self.element
        if text is None:
            text = write_json(members, self.style, one_line)
        return self.damage(text) if self.damage else text


# Writing JSON in several styles


def write_string(text, style):
    written = json.dumps(text, ensure_ascii=style == 2)
    return written.replace("/", "\\/") if style == 3 else written


def write_json(value, style, one_line, level=1):
    """JSON text: 0 and 3 compact, 1 with spaces, 2 in ASCII, 4 over several lines."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, str):
        return write_string(value, style)
    if isinstance(value, (int, float)) or value is None:
        return json.dumps(value)
    colon, comma = (": ", ", ") if style in (1, 4) else (":", ",")
    begin = end = ""
    if style == 4 and not one_line:
        indent = "\n" + "  " * (level + 1)
        comma, begin, end = "," + indent, indent, "\n" + "  " * level
    if isinstance(value, list) and not isinstance(value, Members):
        return "[" + ", ".join(write_json(one, style, True) for one in value) + "]"
    pairs = value.items() if isinstance(value, dict) else value
    inside = comma.join(
        write_string(name, 0) + colon + write_json(one, style, one_line, level + 1)
        for name, one in pairs)
    return "{" + begin + inside + end + "}"


# Making places


def make_identifier(random):
    bits = random.next() << 64 | random.next()
    bits = bits & ~(0xF << 76) | 4 << 76
    bits = bits & ~(3 << 62) | 2 << 62
    digits = format(bits, "032X")
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])


def make_degrees(random, center):
    """A decimal near `center`, written in one of several usual forms."""
    millionths = round(center * 1_000_000) + random.below(160_000) - 80_000
    whole, fraction = divmod(abs(millionths), 1_000_000)
    sign = "-" if millionths < 0 else ""
    style = random.below(20)
    if style == 0:
        return Raw(f"{sign}{whole}")
    if style == 1:
        return Raw(f"{sign}{whole}.{fraction:06d}000")
    if style == 2:
        return Raw(f"{sign}{abs(millionths)}E-6")
    if style < 12:
        return Raw(f"{sign}{whole}.{fraction:06d}{random.below(10**8):08d}")
    return Raw(f"{sign}{whole}.{fraction:06d}")


def make_information(random, culture):
    sentences = culture["sentences"]
    if random.chance(2):
        count = 60 + random.below(60)
    else:
        count = 1 + random.below(4)
    gap = random.choice([" ", " ", "\n", "\n\n", " — "])
    text = gap.join(random.choice(sentences) for _ in range(count))
    if random.chance(15):
        text += random.choice([" 😀", " 👩‍👩‍👧‍👦 welcome", " 🇮🇸🏴‍☠️", " ⭐⭐⭐⭐½", " https://example.org/?q=a&b=%20", ' "…"'])
    if random.chance(3):
        text = "\u200f" + text + "\u200e\t\\o/\u00a0\ufeff"
    return text


def make_place(random, number):
    culture = CULTURES[number % len(CULTURES)]
    city, country, latitude, longitude = random.choice(culture["cities"])
    kind = random.below(len(culture["kinds"]))
    name = culture["name"].format(culture["kinds"][kind], random.choice(culture["names"]))
    instant = (1_546_300_800 + random.below(6 * 365 * 86_400)) * 1_000_000
    if random.chance(20):
        instant += random.below(1_000) * 1_000
    members = {
        "address": culture["address"].format(random.choice(culture["streets"]), 1 + random.below(240)),
        "city": city,
        "information": make_information(random, culture),
        "longitude": make_degrees(random, longitude),
        "country": country,
        "latitude": make_degrees(random, latitude),
        "identifier": make_identifier(random),
        "name": name,
        "category": {"name": random.choice(CATEGORIES[kind])},
    }
    for optional, percent in [("information", 4), ("address", 3), ("category", 5)]:
        if random.chance(percent):
            members[optional] = None
    if random.chance(2):
        del members["city"]
    return Place(members, None if number % 30 == 7 else instant)


def write_instant(random, instant):
    """RFC 3339 text: in UTC, or in another zone for the same instant."""
    offset = random.choice([0] * 8 + [60, 120, -300, 330])
    second, fraction = divmod(instant, 1_000_000)
    second += offset * 60
    days, time = divmod(second, 86_400)
    date = canonical.datetime.date.fromordinal(719_163 + days)
    text = f"{date}T{time // 3600:02d}:{time // 60 % 60:02d}:{time % 60:02d}"
    if fraction:
        is_short = fraction % 1_000 == 0 and random.chance(50)
        text += f".{fraction // 1_000:03d}" if is_short else f".{fraction:06d}"
    if offset == 0:
        return text + "Z"
    return text + f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"


def make_record(random, place, **change):
    """A record of a place, with `change` applied to its members."""
    members = dict(place.members)
    if random.chance(3):
        members["identifier"] = members["identifier"].lower()
    if place.instant is not None:
        members["updatedAt"] = write_instant(random, place.instant)
    elif random.chance(50):
        members["updatedAt"] = None
    if random.chance(5):
        members["isFavorite"] = Raw("true")
    names = list(members)
    if random.chance(30):
        random.shuffle(names)
    members = {name: members[name] for name in names}
    style = random.choice([0, 0, 0, 1, 2, 3, 4])
    return Record(members, row=place.row(), style=style)


def make_duplicates(random, places):
    """Further records of places, by kind; each place is used for one kind only."""
    dated = [place for place in places if place.instant is not None]
    undated = [place for place in places if place.instant is None]
    random.shuffle(dated)

    def other_text(place):
        return f"{place.members['information'] or ''} ({random.choice(['new', 'moved', 'closed', 'open'])} {random.below(10**6)})"

    made = {
        "newer": [
            place.changed(place.instant + (1 + random.below(400 * 86_400)) * 1_000_000, information=other_text(place))
            for place in dated[:150]],
        "older": [
            place.changed(place.instant - (1 + random.below(400 * 86_400)) * 1_000_000, information=other_text(place))
            for place in dated[150:210]],
        "exact": dated[210:255],
        "tied": [
            place.changed(place.instant, information=other_text(place), address=f"{place.members['address']} bis")
            for place in dated[255:290]],
        "undatedBesideDated": [
            place.changed(None, information=other_text(place)) for place in dated[290:310]],
        "datedBesideUndated": [
            place.changed(1_600_000_000_000_000 + number, information=other_text(place))
            for number, place in enumerate(undated[:15])],
        "undatedTied": [
            place.changed(None, information=other_text(place)) for place in undated[15:35]],
        "manyTimes": [
            place.changed(place.instant + step * 1_000, name=f"{place.members['name']} {step}")
            for place in dated[310:313] for step in range(1, 12)],
    }
    return made


# Making records that must be rejected


def make_bad_records(random):
    """Records with one or more flaws, each with the rule that it breaks."""
    count = 0

    def record(issues, change=None, drop=(), damage=None, repeat=None):
        nonlocal count
        count += 1
        made = make_record(random, make_place(random, count * 30 + 8))
        made.row, made.issues, made.damage = None, issues, damage
        members = made.members
        for name in drop:
            members.pop(name, None)
        for name, value in (change or {}).items():
            members[name] = value
        if repeat:
            made.repeat = repeat
        return made

    def value(member, rule, *values):
        return [record({member: rule}, {member: one}) for one in values]

    def text(rule, pattern, replacement):
        def damage(written):
            changed, number = re.subn(pattern, lambda _: replacement, written, count=1)
            assert number == 1, (rule, pattern, written)
            return changed
        return record({"": rule}, {"city": "Nowhere", "name": "Bad place"}, damage=damage)

    bad = []
    # Not JSON, in several ways; the records around it must stay valid.
    bad += [
        text("syntax", r'"name" ?: ?', '"name" '),
        text("syntax", r'"name" ?: ?', '"name"='),
        text("syntax", r'"Nowhere"', "unknown"),
        text("syntax", r'"Nowhere"', "'Nowhere'"),
        text("syntax", r'"Nowhere"', '"Nowhere",'),
        text("syntax", r'"Nowhere"', '"No\twhere"'),
        text("syntax", r'"Nowhere"', r'"No\where"'),
        text("syntax", r'"Nowhere"', '"Nowhere" "Here"'),
        text("syntax", r'"Nowhere"', "012"),
        text("syntax", r'"Nowhere"', "12.3.4"),
        text("nan", r'"Nowhere"', "NaN"),
        text("syntax", r'"Nowhere"', "[1, 2,]"),
        text("syntax", r'"city"', "city"),
        text("syntax", r'"city" ?:', '"city"::'),
        text("syntax", r"\}\s*$", ",}"),
    ]
    undefined = record({"": "syntax"})
    undefined.element = "undefined"
    bad.append(undefined)
    # Text that is not UTF-8: a stray byte, an overlong slash, a raw surrogate.
    bad += [text("utf-8", "Nowhere", raw) for raw in ("No\udcffwhere", "No\udcc0\udcafwhere", "No\udced\udca0\udc80where")]
    bad += [text("surrogate-escape", "Nowhere", raw) for raw in (r"No\ud83dwhere", r"No\ude00where", r"No\ud83d\u0041")]
    bad += [text("syntax", r'"city"', '\f"city"')]
    # Flaws in the values.
    bad += value("name", "nul", Raw(r'"Caf\u0000"'))
    bad += value("name", "minLength", "", "")
    bad += value("name", "type", 7, None, Raw("true"))
    bad += value("city", "type", {"name": "Berlin"}, ["Berlin"])
    bad += value("category", "type", "Museum")
    bad += [record({"category.name": "required"}, {"category": {"title": "Museum"}})]
    bad += [record({"category.name": "minLength"}, {"category": {"name": ""}})]
    bad += value("latitude", "type", "52.1", None)
    bad += value("latitude", "maximum", Raw("90.000001"), Raw("1e3"), Raw("91"))
    bad += value("latitude", "minimum", Raw("-90.5"), Raw("-9007199254740993"))
    bad += value("longitude", "maximum", Raw("180.5"), Raw("523702"))
    bad += value("longitude", "minimum", Raw("-181"))
    bad += value("latitude", "number-range", Raw("1e400"))
    bad += value("identifier", "format", "1975DB51-5A45-4FD6-AC54", "not-a-uuid", "{1975DB51-5A45-4FD6-AC54-46CA6042C710}",
                 "1975DB51-5A45-4FD6-AC54-46CA6042C71G", "")
    bad += value("identifier", "type", 42)
    bad += value("updatedAt", "format", "2023-02-29T10:00:00Z", "yesterday", "2024-13-01T10:00:00Z",
                 "2024-05-01T10:00:00", "2024-05-01", "")
    bad += value("updatedAt", "type", 1_700_000_000)
    bad += [record({name: "required"}, drop=[name]) for name in ("name", "name", "name", "identifier", "identifier", "latitude")]
    bad += [record({"name": "duplicate-key"}, repeat="name") for _ in range(3)]
    bad += [record({"name": "minLength", "latitude": "maximum", "updatedAt": "format"},
                   {"name": "", "latitude": Raw("95.5"), "updatedAt": "soon"}) for _ in range(3)]
    bad += [record({"name": "required", "longitude": "minimum"}, {"longitude": Raw("-200")}, drop=["name"])]
    for element in ("null", "42", '"Café"', "[1, 2]", "true"):
        made = record({"": "not-an-object"})
        made.element = element
        bad.append(made)
    return bad


# Files


def pairs(record):
    """The members as written, the repeated one twice."""
    found = Members(record.members.items())
    if getattr(record, "repeat", None):
        name = record.repeat
        found.append((name, record.members[name]))
    return found


def plain(record):
    return pairs(record), [name for name, _ in pairs(record)]


def feature(record):
    """A GeoJSON Feature (RFC 7946)."""
    members = dict(record.members)
    outside = {"identifier", "longitude", "latitude"}
    position = [members[name] for name in ("longitude", "latitude") if name in members]
    inside = Members(pair for pair in pairs(record) if pair[0] not in outside)
    whole = Members([("type", "Feature")])
    if "identifier" in members:
        whole.append(("id", members["identifier"]))
    whole += [("geometry", {"type": "Point", "coordinates": position}), ("properties", inside)]
    return whole, ["identifier", "longitude", "latitude"] + [name for name, _ in inside]


def by_id(record):
    """A record whose identifier is the name of the member that holds it."""
    inside = Members(pair for pair in pairs(record) if pair[0] != "identifier")
    return inside, [name for name, _ in inside] + ["identifier"]


def element_text(record, shape=plain, one_line=False):
    members, _ = shape(record)
    return record.write(members, one_line)


def expectation(records, shape=plain):
    """The expected result of importing the records and deduplicating them."""
    rejects, groups, digests, categories = {}, {}, [], set()
    for record in records:
        if not record.is_good:
            rule = record.rule(shape(record)[1])
            rejects[rule] = rejects.get(rule, 0) + 1
            continue
        row = record.row
        digest = canonical.digest(row)
        digests.append(digest)
        if row["category"]:
            categories.add(row["category"]["name"])
        # A missing timestamp is lower than every other.
        instant = row["updatedAt"]
        tuple_ = (instant is not None, instant or 0, digest)
        groups.setdefault(row["identifier"], []).append(tuple_)
    winners = [max(group) for group in groups.values()]
    return {
        "import": {
            "exit": 1 if rejects else 0,
            "counters": {
                "read": len(records), "inserted": len(digests), "rejected": len(records) - len(digests)},
            "rejects": dict(sorted(rejects.items())),
            "categories": len(categories),
            "digest": canonical.table_digest(digests),
        },
        "dedup": {
            "exit": 0,
            "counters": {
                "rowsBefore": len(digests),
                "groups": sum(1 for group in groups.values() if len(group) > 1),
                "losers": len(digests) - len(groups),
                "rowsLeft": len(groups),
            },
            "digest": canonical.table_digest(winner[2] for winner in winners),
        },
    }


def make_records():
    random = Random(20_240_229)
    places = [make_place(random, number) for number in range(PLACE_COUNT)]
    # Two encodings of one name are two categories: the toolkit does not normalise text.
    for place in places[11:14]:
        place.members["category"] = {"name": "Cafe\u0301 ☕"}
    duplicates = make_duplicates(random, places)
    good = [make_record(random, place) for place in places]
    good += [make_record(random, place) for kind in duplicates.values() for place in kind]
    bad = make_bad_records(random)
    records = good + bad
    random.shuffle(records)
    # The first and the last record are valid, so that damaged ones have neighbours.
    for end in (0, -1):
        index = next(number for number, record in enumerate(records) if record.is_good and number)
        records[end], records[index] = records[index], records[end]
    for record in records:
        if record.is_good:
            read = json.loads(element_text(record))
            assert all(read[name] == record.row[name] for name in ("name", "latitude", "longitude"))
    made = {"places": len(places)} | {kind: len(found) for kind, found in duplicates.items()}
    return records, made


def cut_records(records):
    """Truncated lines: inside a string, after a colon, at the end."""
    cut = []
    for record, place in zip([one for one in records if one.is_good][:3], ("string", "colon", "end")):
        text = element_text(record, one_line=True)
        end = text.index('"name"') + (len('"name"') if place == "colon" else 2)
        if place == "colon":
            end = text.index(":", end) + 1
        cut.append(Record({}, issues={"": "truncated" if place == "end" else "syntax"}, element=text[:end]))
    return cut


def make_files():
    """All files, by path below Samples, as bytes."""
    records, made = make_records()
    fewer = [one for number, one in enumerate(records) if number % SHAPE_STEP == 0 or not one.is_good]
    files, expected = {}, {}

    def add(name, text, read, arguments=(), shape=plain, also=None):
        files[name] = text.encode("utf-8", "surrogateescape")
        made = expectation(read, shape)
        expected[name] = {
            "inputs": [name], "import": {"arguments": list(arguments)} | made["import"],
            "dedup": {"arguments": ["--key", "identifier"]} | made["dedup"]} | (also or {})

    lines = ",\n".join("  " + element_text(one) for one in records)
    add("pois.json", f"[\n{lines}\n]\n", records, also={"made": made})

    cut = cut_records(records)
    with_cuts = records[:700] + [cut[0]] + records[700:1_500] + [cut[1]] + records[1_500:] + [cut[2]]
    text = ""
    for number, one in enumerate(with_cuts):
        text += element_text(one, one_line=True) + "\n"
        if number % 400 == 99:
            text += "\n" if number % 800 == 99 else " \t\r\n\n"
    add("pois.ndjson", text[:-1], with_cuts)

    lines = ",\n".join("    " + element_text(one) for one in fewer)
    add("pois-envelope.json",
        '{\n  "meta": {"source": "made up", "sizes": [1, 2, 3], "none": []},\n'
        f'  "data": {{"pois": [\n{lines}\n  ]}},\n  "end": {{"complete": true}}\n}}\n', fewer)

    lines = ",\n".join("  " + element_text(one, feature) for one in fewer)
    add("pois.geojson", f'{{"type": "FeatureCollection", "name": "pois", "features": [\n{lines}\n]}}\n',
        fewer, ["--model", "models/pois-geojson.json"], feature)

    named, seen = [], set()
    for number, one in enumerate(fewer):
        name = one.members.get("identifier")
        if {"identifier"} & set(one.issues) and one.issues["identifier"] != "format":
            continue
        if name is None or name in seen:
            continue
        seen.add(name)
        named.append(one)
    lines = ",\n".join(
        "  " + write_string(one.members["identifier"], 0) + ": " + element_text(one, by_id) for one in named)
    add("pois-by-id.json", f"{{\n{lines}\n}}\n", named, ["--model", "models/pois-by-id.json", "--at", ""], by_id)

    for name, found in expected.items():
        path = "expected/" + name.removesuffix(".json").replace(".", "-") + ".json"
        files[path] = (json.dumps({"folder": ".", "cases": [found]}, indent=2) + "\n").encode()
    files["README.md"] = readme(files, expected)
    return files


def readme(files, expected):
    """The README with an updated table of counts."""
    rows = ["| file | MB | records | rows | rejected | groups | losers | rows left |", "|---|---|---|---|---|---|---|---|"]
    for name, found in expected.items():
        imported, left = found["import"]["counters"], found["dedup"]["counters"]
        rows.append(
            f"| `{name}` | {len(files[name]) / 1e6:.1f} | {imported['read']} | {imported['inserted']} "
            f"| {imported['rejected']} | {left['groups']} | {left['losers']} | {left['rowsLeft']} |")
    begin, end = "<!-- counts: written by generate.py -->\n", "<!-- end of counts -->"
    text = (SAMPLES / "README.md").read_text()
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    return (head + begin + "\n".join(rows) + "\n" + end + tail).encode()


def main():
    files = make_files()
    if sys.argv[1:] == ["--check"]:
        different = [
            name for name, data in files.items()
            if not (SAMPLES / name).exists() or (SAMPLES / name).read_bytes() != data]
        for name in different:
            print(f"Samples/{name} is not what Samples/generate.py writes")
        sys.exit(1 if different else 0)
    if sys.argv[1:]:
        sys.exit("usage: Samples/generate.py [--check]")
    for name, data in files.items():
        (SAMPLES / name).parent.mkdir(exist_ok=True)
        (SAMPLES / name).write_bytes(data)


if __name__ == "__main__":
    main()

"""The canonical content of a record and its digest, computed independently of the toolkit.

This is a second implementation of Sources/POIKit/POIKit.docc/Reference/Digests.md. It gives the samples
their expected digests and checks the rows of a store.
"""

import re
import struct
import datetime

MASK = (1 << 64) - 1


def _rotate(word, count):
    return (word << count | word >> (64 - count)) & MASK


def _finish(word):
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCD & MASK
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return word ^ word >> 33


def murmur_hash_3(data):
    """MurmurHash3, x64, 128 bits, seed 0: the first and the second word."""
    factor1, factor2 = 0x87C37B91114253D5, 0x4CF5AD432745937F

    def scramble1(word):
        return _rotate(word * factor1 & MASK, 31) * factor2 & MASK

    def scramble2(word):
        return _rotate(word * factor2 & MASK, 33) * factor1 & MASK

    first = second = 0
    whole = len(data) & ~15
    for word1, word2 in struct.iter_unpack("<QQ", data[:whole]):
        first = ((_rotate(first ^ scramble1(word1), 27) + second) * 5 + 0x52DCE729) & MASK
        second = ((_rotate(second ^ scramble2(word2), 31) + first) * 5 + 0x38495AB5) & MASK
    word1, word2 = struct.unpack("<QQ", data[whole:].ljust(16, b"\0"))
    first ^= scramble1(word1) ^ len(data)
    second ^= scramble2(word2) ^ len(data)
    first = (first + second) & MASK
    second = (second + first) & MASK
    first, second = _finish(first), _finish(second)
    first = (first + second) & MASK
    second = (second + first) & MASK
    return first, second


_name_tags = {}


def _name_tag(name):
    if name not in _name_tags:
        _name_tags[name] = struct.pack("<Q", murmur_hash_3(name.encode())[0])
    return _name_tags[name]


def content(row):
    """The canonical content of a row: a dictionary from columns to values.

    A value is None, an int, a float, a str, bytes, for a relation to one the dictionary of the related
    row, and for a relation to many a list of such dictionaries.
    """
    parts, arrays = [], []
    for name in sorted(row, key=str.encode):
        value = row[name]
        if value is None:
            continue
        if isinstance(value, list):
            total = sum(map(digest, value)) & (1 << 128) - 1
            if value:
                arrays.append(
                    _name_tag(name) + b"m" + struct.pack("<Q", len(value)) + total.to_bytes(16, "little"))
            continue
        if isinstance(value, float) and value.is_integer() and -2**63 <= value < 2**63:
            value = int(value)
        if isinstance(value, int):
            kind, text = b"i", struct.pack("<q", value)
        elif isinstance(value, float):
            kind, text = b"r", struct.pack("<d", value)
        else:
            if isinstance(value, str):
                kind, text = b"t", value.encode()
            elif isinstance(value, dict):
                kind, text = b"o", content(value)
            else:
                kind, text = b"b", value
            text = struct.pack("<I", len(text)) + text
        parts.append(_name_tag(name) + kind + text)
    return b"".join(parts + arrays)


def digest(row):
    """The digest of one row, as a number."""
    first, second = murmur_hash_3(content(row) or b"\0")
    return second << 64 | first


def table_digest(digests):
    """The digest of a table, computed from its rows' digests, as the tools print it."""
    return format(sum(digests) & (1 << 128) - 1, "032x")


_DATE_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)


def microseconds(text):
    """The instant of an RFC 3339 text, in microseconds since 1970-01-01T00:00:00Z."""
    parts = _DATE_TIME.fullmatch(text)
    year, month, day, hour, minute, second = map(int, parts.group(1, 2, 3, 4, 5, 6))
    days = datetime.date(year, month, day).toordinal() - datetime.date(1970, 1, 1).toordinal()
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    if parts[8]:
        offset = (int(parts[9]) * 60 + int(parts[10])) * 60
        seconds += offset if parts[8] == "-" else -offset
    return seconds * 1_000_000 + int((parts[7] or "").ljust(6, "0")[:6])

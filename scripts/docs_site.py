"""What scripts/docs adds to the site of docc: a bar with a search on each page, styles, an index.

The files are in scripts/site. The index, search.json, is made of the data that docc writes for its
pages.
"""

import json
import pathlib
import re
import shutil

FILES = pathlib.Path(__file__).resolve().parent / "site"
HEAD = '<link rel="stylesheet" href="/site.css"><script defer src="/site.js"></script>'
BAR = (
    '<div class="site-bar"><a href="/">POIKit</a><form action="/search.html" role="search">'
    '<input name="q" type="search" placeholder="Search" aria-label="Search"></form></div>'
)
# The parts of docc's data that have text, in their order.
TEXTS = (
    "name", "text", "code", "term", "definition", "inlineContent", "content", "items", "rows")
# Each of them must find a guide or a page of the reference.
SEARCHES = ["disk full", "UTF-16", "--resume", "poi-sync --pull", "SQLITE_NOTADB"]


class SiteError(Exception):
    """A failure to complete the site."""


def complete(output):
    """Adds the search and the styles to the site in a folder."""
    pages = sorted(output.rglob("*.html"))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        head, body = text.count("</head>"), len(re.findall("<body[^>]*>", text))
        if (head, body) != (1, 1):
            raise SiteError(f"{page.relative_to(output)} has {head} heads and {body} bodies")
        text = text.replace("</head>", HEAD + "</head>")
        page.write_text(re.sub("<body[^>]*>", lambda tag: tag[0] + BAR, text), encoding="utf-8")
    index = []
    for file in sorted((output / "data").rglob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        address = "/" + file.relative_to(output / "data").with_suffix("").as_posix() + "/"
        index += sections(address, data)
        file.write_text(json.dumps(with_short_code(data), ensure_ascii=False), encoding="utf-8")
    check_searches(index)
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (output / "search.json").write_text(text, encoding="utf-8")
    for file in FILES.iterdir():
        shutil.copy(file, output)


def sections(address, data):
    """Returns the entries of a page in the index, one for each of its headings.

    An entry is the address, the title of the page, the heading, the text, and whether the page is a
    guide or one of the reference.
    """
    title = data["metadata"]["title"]
    is_page = data["metadata"].get("role") in ("article", "collectionGroup", "collection")
    titles = {name: other.get("title", "") for name, other in data.get("references", {}).items()}
    found = [[address, title, "", [text_of(data.get("abstract", []), titles, "")]]]
    for part in data.get("primaryContentSections", []):
        if part["kind"] == "declarations":
            tokens = part["declarations"][0]["tokens"]
            found[-1][3].append("".join(token["text"] for token in tokens))
        for node in part.get("content", part.get("parameters", [])):
            if node.get("type") == "heading":
                found.append([f"{address}#{node['anchor']}", title, node["text"], []])
            else:
                found[-1][3].append(text_of(node, titles))
    return [
        [place, title, heading, " ".join(" ".join(texts).split()), int(is_page)]
        for place, title, heading, texts in found
    ]


def text_of(node, titles, separator=" "):
    """Returns the plain text of a part of docc's data."""
    if isinstance(node, str):
        return node
    if isinstance(node, list):
        return separator.join(text_of(part, titles, separator) for part in node)
    if node.get("type") == "reference":
        return titles.get(node["identifier"], "")
    texts = [
        text_of(node[key], titles, "" if key == "inlineContent" else " ")
        for key in TEXTS
        if key in node
    ]
    return separator.join(texts)


def with_short_code(node):
    """Returns docc's data with each code in a text as one code for each word.

    A browser breaks lines inside code at hyphens. The styles prevent it, but for whole codes only.
    """
    if isinstance(node, dict):
        return {key: with_short_code(value) for key, value in node.items()}
    if not isinstance(node, list):
        return node
    parts = []
    for part in node:
        if isinstance(part, dict) and part.get("type") == "codeVoice":
            for count, word in enumerate(part["code"].split(" ")):
                parts += [{"type": "text", "text": " "}] if count else []
                parts.append({"type": "codeVoice", "code": word})
        else:
            parts.append(with_short_code(part))
    return parts


def check_searches(index):
    """Fails if a search that must find a page finds none."""
    for search in SEARCHES:
        words = search.lower().split()
        if not any(
            is_page and all(word in f"{title} {heading} {text}".lower() for word in words)
            for _, title, heading, text, is_page in index
        ):
            raise SiteError(f"a search for '{search}' finds no guide and no page of the reference")

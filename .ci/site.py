"""Checks a built documentation site: no page or stylesheet loads anything over the network, and every local file it names exists."""

import html.parser
import pathlib
import re
import sys
import urllib.parse

# What a browser fetches by itself; an <a> waits for a click and may point anywhere.
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "link": "href"}
REMOTE = re.compile(r"^(https?:)?//", re.I)
CSS_URL = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")


class Page(html.parser.HTMLParser):
    """Collects what the page loads (loads) and where its links lead (links)."""

    def __init__(self, text):
        super().__init__()
        self.loads = []
        self.links = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "link" and attributes.get("rel") == "canonical":
            return
        if tag in LOADS and attributes.get(LOADS[tag]):
            self.loads.append(attributes[LOADS[tag]])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])


def is_missing(page, reference):
    parts = urllib.parse.urlsplit(reference)
    if parts.scheme or parts.netloc or not parts.path:
        return False
    return not (page.parent / urllib.parse.unquote(parts.path)).exists()


def complaints(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".css":
        loads, links = [first or second for first, second in CSS_URL.findall(text)], []
    else:
        page = Page(text)
        loads, links = page.loads, page.links
    for reference in loads:
        if REMOTE.match(reference):
            yield f"loads {reference}"
    for reference in loads + links:
        if not reference.startswith(("data:", "/")) and is_missing(path, reference):
            yield f"names {reference}, which is not there"


def main(site):
    pages = sorted(path for pattern in ("*.html", "*.css") for path in site.rglob(pattern))
    found = [f"{path.relative_to(site)}: {text}" for path in pages if path.name != "404.html" for text in complaints(path)]
    print("\n".join(found) or f"{len(pages)} files, nothing outside")
    return 1 if found or not pages else 0


sys.exit(main(pathlib.Path(sys.argv[1])))

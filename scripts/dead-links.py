# SPDX-License-Identifier: Apache-2.0
"""Reports links and anchors of a site that lead nowhere, and anything that it fetches from elsewhere."""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.ids, self.links, self.fetched = set(), [], []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.add(attrs.get("id"))
        if tag == "a":
            self.ids.add(attrs.get("name"))
            self.links.append(attrs.get("href") or "")
        for key in ("src", "href"):
            if tag in ("img", "script", "link") and attrs.get(key, "").startswith(("http", "//")):
                self.fetched.append(attrs[key])


root = pathlib.Path(sys.argv[1]).resolve()
pages = {file: Page(file) for file in root.rglob("*.html")}
faults = []
for file, page in pages.items():
    faults += [f"{file.relative_to(root)} fetches {url}" for url in page.fetched]
    for link in page.links:
        url = urllib.parse.urlsplit(link)
        if url.scheme or url.netloc or not link:
            continue
        path = urllib.parse.unquote(url.path)
        base = root if path.startswith("/") else file.parent
        target = (base / path.lstrip("/")).resolve() if path else file
        if url.path in ("", ".") and not url.fragment:
            continue
        if target.is_dir():
            target /= "index.html"
        anchor = urllib.parse.unquote(url.fragment)
        if not target.is_file() or (anchor and target in pages and anchor not in pages[target].ids):
            faults.append(f"{file.relative_to(root)}: {link}")
print("\n".join(sorted(set(faults))) or f"{len(pages)} pages, no link is dead")
sys.exit(bool(faults))

# SPDX-License-Identifier: Apache-2.0
"""The pages that a table of docs/README.md links to, as lines of mkdocs' navigation: scripts/site."""
import posixpath
import re
import sys

seen = set()
for title, link in re.findall(r"\[([^]]*)\]\(([^)#]*)[^)]*\)", sys.stdin.read()):
    page = posixpath.normpath(posixpath.join("docs", link))
    if page in seen or not page.endswith(".md") or page == "README.md":
        continue
    seen.add(page)
    name = title.removesuffix(".md").removesuffix("/README").replace("-", " ")
    print(f"      - '{name}': {page}")

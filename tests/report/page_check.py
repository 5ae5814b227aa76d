#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges a page of nettune report: prints what is wrong with it, and exits with 1.

    page_check.py PAGE --nodes N [--has TEXT]... [--most-bytes N] [--names FILE]

It is well-formed, takes nothing from outside, has no inline handler or style, each link leads to an element, each
node has one square and one article. FILE is a JSON list of host names that must be on the page as text.
"""
import argparse
import html.parser
import json
import re
import sys

VOID = {"meta", "input", "br", "link", "img", "hr", "source", "area", "base", "col", "embed", "param", "track", "wbr"}
# What the page is made of. Nothing else may come out of a value.
KNOWN = set("""html head meta title style body header h1 h2 h3 h4 p b nav div a main section ol ul li span i small table
caption thead tbody tr th td details summary code svg g path rect circle line text title article form label input
fieldset legend select option output aside button script footer br wbr""".split())
NOT_IN_P = {"p", "div", "ul", "ol", "table", "details", "section", "h3", "h4", "article", "form"}
ATTRIBUTES_FROM_OUTSIDE = {"src", "srcset", "data", "action", "formaction", "poster", "background", "xlink:href", "ping"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.links = [], [], [], []
        self.squares = self.scripts = self.articles = 0
        self.text, self.titles = [], []
        self.source = {"style": "", "script": ""}
        self.policy = None

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.wrong.append("an attribute twice: %s" % self.get_starttag_text())
        values = dict(attributes)
        if tag not in KNOWN:
            self.wrong.append("an element <%s>" % tag)
        if tag in NOT_IN_P and "p" in self.open:
            self.wrong.append("<%s> in <p> at line %d" % (tag, self.getpos()[0]))
        for name in names:
            if name.startswith("on") or name == "style" or name in ATTRIBUTES_FROM_OUTSIDE:
                self.wrong.append("attribute %s at line %d" % (name, self.getpos()[0]))
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if "id" in values:
            self.ids.append(values["id"])
        if "href" in values:
            if not values["href"].startswith("#"):
                self.wrong.append("a link to %s" % values["href"])
            self.links.append(values["href"][1:])
        if tag == "script":
            self.scripts += 1
        if tag == "article":
            self.articles += 1
        if tag == "a" and "title" in values:
            self.squares += 1
            self.titles.append(values["title"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append("</%s> closes %s at line %d" % (tag, self.open[-1:], self.getpos()[0]))
            return
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in self.source:
            self.source[self.open[-1]] += data
        else:
            self.text.append(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--has", action="append", default=[])
    parser.add_argument("--most-bytes", type=int, default=8_000_000)
    parser.add_argument("--names")
    given = parser.parse_args()
    with open(given.page, "rb") as file:
        content = file.read()
    page = Page()
    page.feed(content.decode("utf-8"))
    page.close()
    wrong = page.wrong[:20]
    if page.open:
        wrong.append("not closed: %s" % page.open)
    if page.scripts != 1:
        wrong.append("%d scripts" % page.scripts)
    if len(page.ids) != len(set(page.ids)):
        wrong.append("an id twice")
    lost = set(page.links) - set(page.ids)
    if lost:
        wrong.append("links that lead nowhere: %s" % sorted(lost)[:5])
    if page.squares != given.nodes or page.articles != given.nodes:
        wrong.append("%d squares and %d articles of %d nodes" % (page.squares, page.articles, given.nodes))
    if len(content) > given.most_bytes:
        wrong.append("%d bytes" % len(content))
    if not page.policy or "default-src 'none'" not in page.policy or "unsafe" in page.policy:
        wrong.append("the policy is %s" % page.policy)
    if re.search(r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(|https?:", "".join(page.source.values())):
        wrong.append("style or script name something outside")
    text = re.sub(r"\s+", " ", "".join(page.text))
    for part in given.has:
        if part not in text:
            wrong.append("does not say: %s" % part)
    if given.names:
        with open(given.names, encoding="utf-8") as file:
            for name in json.load(file):
                if not any(title.startswith(name + ": ") for title in page.titles):
                    wrong.append("no square of %r" % name)
    for line in wrong:
        print("%s: %s" % (given.page, line))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Prints the metrics of nettune that a dashboard of Grafana, or a file of rules, asks for: FILE..."""
import json
import re
import sys

import yaml

NAME = re.compile(r"\bnettune_[a-z_]+")


def expressions(value):
    """All texts below the keys "expr" and "query"."""
    if isinstance(value, dict):
        for key, below in value.items():
            if key in ("expr", "query") and isinstance(below, str):
                yield below
            else:
                yield from expressions(below)
    elif isinstance(value, list):
        for below in value:
            yield from expressions(below)


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        document = json.load(file) if path.endswith(".json") else yaml.safe_load(file)
    for expression in expressions(document):
        for name in NAME.findall(expression):
            print(name)

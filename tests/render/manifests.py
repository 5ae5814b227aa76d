# SPDX-License-Identifier: Apache-2.0
"""Judges manifests by the types of Kubernetes' API, as Debian's python3-kubernetes has them: unknown fields, values of
another type, required ones that are missing. Of kinds that are not Kubernetes' own, the pods in them.

    python3 manifests.py FILE...      77: python3-kubernetes is not here
"""
import re
import sys

import yaml

try:
    from kubernetes.client import models
except ImportError as error:
    print(error)
    sys.exit(77)

PLAIN = {"str": str, "int": int, "bool": bool, "float": (int, float), "datetime": str}
wrong = []


def check(kind, value, at):
    """`kind` is what the API's classes call it: V1Job, list[V1Container], dict(str, str), int."""
    listed = re.fullmatch(r"list\[(.*)\]", kind)
    mapped = re.fullmatch(r"dict\(str, (.*)\)", kind)
    if kind == "object":
        return
    if listed or mapped:
        if not isinstance(value, list if listed else dict):
            wrong.append(f"{at} is no {kind}")
            return
        for key, one in enumerate(value) if listed else value.items():
            # A quantity is a number or a text.
            if mapped and at.endswith((".limits", ".requests")) and isinstance(one, int):
                continue
            check((listed or mapped)[1], one, f"{at}.{key}")
    elif kind in PLAIN:
        if not isinstance(value, PLAIN[kind]) or (kind != "bool" and isinstance(value, bool)):
            wrong.append(f"{at} is {value!r}, and no {kind}")
    else:
        check_object(getattr(models, kind), value, at)


def check_object(api, value, at):
    if not isinstance(value, dict):
        wrong.append(f"{at} is no {api.__name__}")
        return
    names = {field: name for name, field in api.attribute_map.items()}
    for field, one in value.items():
        if field in names:
            check(api.openapi_types[names[field]], one, f"{at}.{field}")
        else:
            wrong.append(f"{at}: {api.__name__} has no {field}")
    try:
        api(**{names[field]: one for field, one in value.items() if field in names})
    except ValueError as error:  # a required one is missing
        wrong.append(f"{at}: {error}")


def pods(node, at):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "template":
                check("V1PodTemplateSpec", value, f"{at}.template")
            else:
                pods(value, f"{at}.{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            pods(value, f"{at}.{index}")


OWN = {("v1", "Service"): "V1Service", ("batch/v1", "Job"): "V1Job"}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for document in yaml.safe_load_all(file):
            own = OWN.get((document["apiVersion"], document["kind"]))
            if own:
                check(own, document, f"{path}: {document['kind']}")
            else:
                pods(document, f"{path}: {document['kind']}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))

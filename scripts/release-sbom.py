# SPDX-License-Identifier: Apache-2.0
"""Prints the SBOM of a package, as SPDX 2.3 in JSON.

    release-sbom.py INPUTS PACKAGE.deb EPOCH      INPUTS: what release-inputs printed
"""
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

inputs, package, epoch = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])


def field(name):
    return subprocess.run(["dpkg-deb", "-f", package, name], check=True, capture_output=True, text=True).stdout.strip()


def entry(name, version, arch, source, source_version):
    purl = f"pkg:deb/debian/{urllib.parse.quote(name)}@{urllib.parse.quote(version)}?arch={arch}"
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", f"{name}-{arch}"),
        "name": name,
        "versionInfo": version,
        "sourceInfo": f"Debian source package {source} {source_version}",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
    }


version, arch = field("Version"), field("Architecture")
digest = hashlib.sha256(package.read_bytes()).hexdigest()
own = entry("nettune", version, arch, "nettune", version)
own |= {
    "packageFileName": package.name,
    "externalRefs": [own["externalRefs"][0] | {"referenceLocator": f"pkg:deb/nettune/nettune@{urllib.parse.quote(version)}?arch={arch}"}],
    "supplier": "Person: " + re.sub(r" <(.*)>", r" (\1)", field("Maintainer")),
    "licenseDeclared": "Apache-2.0",
    "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
}
# How a package is in the programs: code of its headers, members of its archives, or loaded by the system's loader.
relations = {"header": "GENERATED_FROM", "static": "STATIC_LINK", "dynamic": "DYNAMIC_LINK"}
packages, related = {own["SPDXID"]: own}, []
for line in inputs.read_text().splitlines():
    how, name, *rest = line.split("\t")
    name, _, of_arch = name.partition(":")
    one = entry(name, rest[0], of_arch or "all", rest[1], rest[2])
    packages[one["SPDXID"]] = one
    related.append((own["SPDXID"], relations[how], one["SPDXID"]))
hows = {kind for _, kind, _ in related}
if hows != set(relations.values()):
    sys.exit(f"release-sbom.py: {inputs} has only {sorted(hows)}; every nettune has headers, static and dynamic libraries")
# What is loaded on demand is in no program: Depends and Recommends name it, without a version of the build.
linked = {packages[to]["name"] for _, kind, to in related if kind == "DYNAMIC_LINK"}
for kind, names in (("DEPENDS_ON", field("Depends")), ("OPTIONAL_DEPENDENCY_OF", field("Recommends"))):
    for name in re.findall(r"(?:^|, )([a-z0-9+.-]+)", names):
        if name in linked:
            continue
        one = entry(name, "", arch, name, "") | {"sourceInfo": "loaded on demand, in the version of the node"}
        del one["versionInfo"]
        one["externalRefs"][0]["referenceLocator"] = f"pkg:deb/debian/{name}?arch={arch}"
        packages[one["SPDXID"]] = one
        ends = (own["SPDXID"], one["SPDXID"])
        related.append((ends[0], kind, ends[1]) if kind == "DEPENDS_ON" else (ends[1], kind, ends[0]))

created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
document = {
    "spdxVersion": "SPDX-2.3",
    "dataLicense": "CC0-1.0",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": package.stem,
    "documentNamespace": f"https://spdx.org/spdxdocs/{urllib.parse.quote(package.stem)}-{digest}",
    "creationInfo": {"created": created, "creators": ["Tool: nettune-release-sbom"]},
    "documentDescribes": [own["SPDXID"]],
    "packages": list(packages.values()),
    "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]}]
    + [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in related],
}
print(json.dumps(document, indent=2))

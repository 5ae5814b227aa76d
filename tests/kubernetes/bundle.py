# SPDX-License-Identifier: Apache-2.0
"""Makes runc's config.json of a container of a manifest, as containerd does of what a kubelet asks for: mounts, capabilities,
environment and command of the manifest, and the kubelet's own files over /etc/hosts, hostname and resolv.conf.

    runc spec; bundle.py MANIFEST CONTAINER IMAGE-ROOT HOST-ROOT [ARGUMENT-FOR-THE-COMMAND]...     in the bundle's directory
"""
import json
import os
import sys

import yaml

manifest, name, image, host, *more = sys.argv[1:]
with open(manifest, encoding="utf-8") as file:
    pod = next(one for one in yaml.safe_load_all(file) if one["kind"] == "DaemonSet")["spec"]["template"]["spec"]
container = next(one for one in pod["containers"] if one["name"] == name)
security = container["securityContext"]
with open("config.json", encoding="utf-8") as file:
    config = json.load(file)

capabilities = ["CAP_" + one for one in security["capabilities"]["add"]]
config["root"] = {"path": image, "readonly": security["readOnlyRootFilesystem"]}
config["process"].update({
    "terminal": False, "args": container["command"] + more, "rlimits": [],
    "env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"] + [f"{one['name']}={one['value']}" for one in container["env"]],
    "capabilities": {each: capabilities for each in ("bounding", "effective", "permitted")},
    "noNewPrivileges": not security["allowPrivilegeEscalation"],
})
config["linux"]["namespaces"] = [one for one in config["linux"]["namespaces"] if one["type"] != "network" or not pod["hostNetwork"]]
mounts = [one for one in config["mounts"] if one["destination"] != "/sys/fs/cgroup"]
volumes = {one["name"]: one["hostPath"]["path"] for one in pod["volumes"]}
for one in sorted(container["volumeMounts"], key=lambda each: each["mountPath"]):
    mounts.append({"destination": one["mountPath"], "type": "bind", "source": host + volumes[one["name"]],
                   "options": ["rbind", "ro" if one.get("readOnly") else "rw"]})
for one in ("hosts", "hostname", "resolv.conf"):
    with open(one, "w", encoding="utf-8") as file:
        file.write("127.0.0.1 localhost\n")
    mounts.append({"destination": "/etc/" + one, "type": "bind", "source": os.path.abspath(one), "options": ["rbind"]})
config["mounts"] = mounts
with open("config.json", "w", encoding="utf-8") as file:
    json.dump(config, file)

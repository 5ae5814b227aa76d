# SPDX-License-Identifier: Apache-2.0
"""Runs a container of a manifest as a kubelet would have it run, as far as mounts, capabilities, environment and command
go: all of them are read from the manifest. It needs a mount namespace of its own, and the PID namespace of the host if the
pod has hostPID, else one of its own. It stays in the network namespace it is in (hostNetwork). There is no seccomp and no
AppArmor.

    pod.py MANIFEST CONTAINER IMAGE-ROOT HOST-ROOT [VARIABLE=VALUE | ARGUMENT-FOR-THE-COMMAND]...
"""
import os
import subprocess
import sys

import yaml

manifest, name, image, host, *more = sys.argv[1:]


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def read_only(path):
    mount("-o", "remount,bind,ro", path)


with open(manifest, encoding="utf-8") as file:
    pods = [one["spec"]["template"]["spec"] for one in yaml.safe_load_all(file) if one["kind"] == "DaemonSet"]
pod = pods[0]
container = next(one for one in pod["containers"] if one["name"] == name)
security = container["securityContext"]
if not pod.get("hostNetwork"):
    sys.exit("the pod has no network of the host")
if security.get("privileged") or security["capabilities"]["drop"] != ["ALL"]:
    sys.exit("this is not the container that is tried here")

mount("--make-rprivate", "/")
mount("--bind", image, image)
mount("-t", "proc", "proc", f"{image}/proc")
mount("--bind", f"{image}/proc/sys", f"{image}/proc/sys")
read_only(f"{image}/proc/sys")
mount("-t", "sysfs", "-o", "ro", "sysfs", f"{image}/sys")
mount("-t", "tmpfs", "-o", "mode=0755", "dev", f"{image}/dev")
for node in ("null", "zero", "full", "random", "urandom", "tty"):
    with open(f"{image}/dev/{node}", "w", encoding="utf-8"):
        pass
    mount("--bind", f"/dev/{node}", f"{image}/dev/{node}")
volumes = {one["name"]: one for one in pod["volumes"]}
for one in container["volumeMounts"]:
    volume, target = volumes[one["name"]], image + one["mountPath"]
    os.makedirs(target, exist_ok=True)  # as a runtime does
    if "emptyDir" in volume:
        mount("-t", "tmpfs", one["name"], target)
        continue
    source = host + volume["hostPath"]["path"]
    if volume["hostPath"]["type"] == "DirectoryOrCreate":
        os.makedirs(source, mode=0o755, exist_ok=True)
    if not os.path.isdir(source):
        sys.exit(f"{source} is not a directory")
    mount("--bind", source, target)
    if one.get("readOnly"):
        read_only(target)
if security["readOnlyRootFilesystem"]:
    read_only(image)

capabilities = ",".join(["-all"] + ["+" + one.lower() for one in security["capabilities"].get("add", [])])
words = ["setpriv", "--bounding-set", capabilities, "--inh-caps", "-all"]
if security.get("allowPrivilegeEscalation") is False:
    words.append("--no-new-privs")
environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **{one["name"]: one["value"] for one in container.get("env", [])}}
environment.update(one.split("=", 1) for one in more if "=" in one)
more = [one for one in more if "=" not in one]
os.chroot(image)
os.chdir("/")
os.execve("/usr/bin/setpriv", words + container["command"] + container.get("args", []) + more, environment)

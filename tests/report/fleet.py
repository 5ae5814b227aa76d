#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what nettune would print on the nodes of a made-up fleet, with faults that are planted.

    fleet.py DIRECTORY COUNT        a file of JSON lines for each node; mesh.json, ab*.json
    fleet.py DIRECTORY hostile      few nodes, whose names and values try to be markup

What is planted is in planted(), by the numbers of the nodes.
"""
import json
import os
import sys

VERSION = "0.1.0"
HOSTILE = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "a'b&amp;<b>", 'x\u202egpj.exe', 'line\nbreak',
           '</style><style>*{display:none}', '{{body}}', 'https://example.invalid/x', '-->', 'javascript:alert(1)']


def name_of(i, count):
    return "gpu%0*d" % (max(2, len(str(count - 1))), i)


def planted(count):
    """Which node has what."""
    return {"xid": [count // 3], "width": [count // 2], "firmware": [count - 2], "drift": [1, count // 4],
            "hold": [2], "rebooted": list(range(0, count, 7)), "unfinished": [count - 1] if count > 8 else [],
            "no_doctor": [5], "no_history": [6], "undecided": [4],
            "balancing": list(range(3, count, 10))}


def head(kind):
    return {"schema": 1, "kind": kind, "nettune": VERSION}


def facts(i, name, plan):
    last = "%02x:%02x" % (i // 256 % 256, i % 256)
    net, rdma = [], []
    for port in range(2):
        net.append({"name": "ens%df0np0" % port, "ifindex": 2 + port, "driver": "mlx5_core", "mtu": 9000,
                    "mac": "b8:ce:f6:%02x:%s" % (port, last), "link_layer": "Ethernet", "carrier": True,
                    "addresses": ["10.%d.%d.%d/16" % (port, i // 250, i % 250 + 1)]})
        rdma.append({"name": "mlx5_%d" % port, "driver": "mlx5_core", "pci_address": "0000:%d:00.0" % (20 + port),
                     "pci_id": "15b3:1021", "node_guid": "b8ce:f603:00%02x:%s" % (port, last.replace(":", "")),
                     "firmware": "28.36.1010" if i in plan["firmware"] else "28.39.1002",
                     "ports": [{"number": 1, "link_layer": "Ethernet", "state": "ACTIVE", "rate_gbps": 400.0,
                                "netdev": "ens%df0np0" % port}]})
    return {**head("facts"),
            "node": {"hostname": name, "os_id": "debian", "os_version": "12", "kernel": "6.1.0-37-amd64",
                     "architecture": "x86_64", "machine_id": "m%032d" % i, "boot_id": "b%032d" % i, "cpus": 192,
                     "platform": {"bios_version": "2.1"}},
            "net": net, "rdma": rdma,
            "gpus": [{"pci_address": "0000:%d:00.0" % (40 + g), "pci_id": "10de:2330", "driver": "nvidia"}
                     for g in range(2)],
            "at_work": [], "services": ["ssh", "chrony"],
            "full": {"driver": {"module": "550.127.05"},
                     "software": [{"kind": "nccl", "path": "/usr/lib/libnccl.so.2", "version": "2.23.4"}]}}


def finding(rule, verdict, costs, seen, remedy, device=None):
    return {"rule": rule, "verdict": verdict, "device": device, "looks_at": rule.replace("-", "."), "value": None,
            "seen": seen, "sureness": "read", "costs": costs, "why": "a job is as fast as its slowest node (%s)" % rule,
            "remedy": remedy, "undo": None, "source": "NCCL user guide", "explained_by": None, "ignored": None}


def doctor(i, name, plan):
    found = [finding("gpu-count", "good", "fails", "2 GPUs", "look at the BMC"),
             finding("rdma-port", "good", "fails", "both ports are active", "look at the cable", "mlx5_0"),
             finding("roce-mtu", "good", "percent", "active MTU 4096", "set the MTU", "mlx5_0"),
             finding("pci-acs", "not_permitted", "halves", "only root reads the configuration space", "sudo", None)]
    if i in plan["xid"]:
        found.append(finding("gpu-xid", "fault", "fails", "Xid 79: the GPU has fallen off the bus at 0000:41:00.0",
                             "drain the node and reset it; if it comes again, replace the GPU", "0000:41:00.0"))
    if i in plan["width"]:
        found.append(finding("pci-width", "fault", "halves", "x8 of x16: half of the rate",
                             "reseat the card mlx5_1 in its slot", "mlx5_1"))
    if i in plan["balancing"]:
        found.append(finding("numa-balancing", "advice", "risk", "kernel.numa_balancing is 1",
                             "sysctl -w kernel.numa_balancing=0"))
    if i in plan["undecided"]:
        found.append(finding("gpu-driver", "unknown", "fails", "NVML did not answer within 30 s", "reload the driver"))
    bad = any(f["verdict"] == "fault" for f in found)
    verdict = "not_ready" if bad else "undecided" if i in plan["undecided"] else "ready"
    return {**head("doctor"), "node": name, "release": "12", "ready": verdict == "ready", "verdict": verdict,
            "undecided": [], "demand": None, "first": None, "order": [], "counts": {}, "findings": found, "notes": [],
            "took_ms": 900}


def state(i, plan):
    hold = {"who": "alice", "since": "2026-11-20T08:00:00Z", "why": "cable swap"} if i in plan["hold"] else None
    return {"directory": "/var/lib/nettune", "unreadable": None, "volatile": None, "foreign_machine_id": None,
            "journal": "open" if i in plan["unfinished"] else "committed", "at_work": None,
            "confirm_seconds_left": None, "temporary": False, "waiting_profile": None, "active_generation": 2,
            "active_profile": "rocev2-400g", "debts": [], "debts_unreadable": None, "unrecorded": [], "signs": [],
            "hold": hold}


def check(i, plan):
    apart = []
    if i in plan["drift"]:
        apart.append({"address": "link:ens0f0np0:mtu", "relation": "exact", "want": "9000",
                      "now": {"presence": "present", "text": "1500", "why": None}, "verdict": "different",
                      "origin": {"file": "rocev2-400g.toml", "line": 12}})
    return {**head("check"), "settings": 64, "not_in_sync": apart, "not_in_effect": [], "passages": [], "warnings": [],
            "chains": [], "switches": [], "advice": [], "notes": [], "sources_moved": [], "skipped": None,
            "verdict": "drift" if apart else "in_sync", "state": state(i, plan)}


def history(i, plan):
    def change(number, profile, time, result, boot):
        return {"number": number, "id": "t%d" % number, "action": "apply", "profile": profile, "set": {}, "time": time,
                "who": "root (ssh from 10.0.0.9)", "kernel": "6.1.0-37-amd64", "boot_id": boot, "image": False,
                "result": result, "reason": None if result == "committed" else "ens0f0np0 did not come back",
                "settings": 64, "refused_by_the_kernel": [], "changes": [{"address": "link:ens0f0np0:mtu",
                "before": "1500", "after": "9000", "moved_along_with": None}]}
    boot = "b%032d" % i
    old = "b-before" if i in plan["rebooted"] else boot
    return {**head("history"), "transactions": [
        change(1, "rocev2-200g", "2026-09-01T07:00:00Z", "committed", old),
        change(2, "rocev2-400g", "2026-10-15T12:30:00Z", "committed" if i % 5 else "aborted", boot)],
        "state": state(i, plan), "summary": None}


def mesh(names, leaves_of, bad_leaf, bad_node):
    pairs = []
    for a in range(len(names)):
        for b in range(a + 1, len(names)):
            across = leaves_of[a] != leaves_of[b]
            rate = 380 - (a * 7 + b * 3) % 11
            if across and bad_leaf in (leaves_of[a], leaves_of[b]):
                rate = 95
            if bad_node in (a, b):
                rate = 210
            pairs.append({"round": 1, "a": names[a], "b": names[b], "rail": "ens0f0np0", "gbps": rate,
                          "expected_gbps": 392.0, "state": "bad" if rate < 0.8 * 392 else "good", "error": None})
    leaves = sorted(set(leaves_of))
    members = {leaf: [names[i] for i in range(len(names)) if leaves_of[i] == leaf] for leaf in leaves}
    return {**head("test-mesh"), "nodes": len(names), "rounds": len(names) - 1, "median_gbps": 377.0,
            "together_of_alone": None, "reference": {"from": "interfaces", "rate_gbps": None, "low_gbps": 392.0,
            "high_gbps": 392.0}, "groups": [], "undecided": None,
            "leaves": [{"leaf": leaf, "nodes": members[leaf]} for leaf in leaves],
            "findings": [{"where": "leaf", "nodes": members[bad_leaf], "rail": None, "leaf": bad_leaf},
                         {"where": "node", "nodes": [names[bad_node]], "rail": None, "leaf": None}],
            "missing": [], "pairs": pairs}


def ab(host, a, b, verdict, low, estimate, high):
    return {**head("ab"), "time": "2026-11-25T10:00:00Z", "host": host, "kernel": "6.1.0-37-amd64", "command": ["train"],
            "metric": "samples/s", "lower_is_better": False, "delta": 0.02, "seed": 1, "a": {"name": a}, "b": {"name": b},
            "planned_blocks": 12, "blocks": [], "notes": [], "ended": None,
            "verdict": {"verdict": verdict, "ended_early": False, "blocks": 12, "confidence": 0.95, "blocks_missing": 20,
                        "estimate_percent": estimate, "interval_percent": None if low is None else [low, high], "p": 0.01,
                        "strata": {"gpu": {"verdict": verdict, "ended_early": False, "blocks": 12, "confidence": 0.95,
                        "blocks_missing": 0, "estimate_percent": estimate,
                        "interval_percent": None if low is None else [low, high]}}}}


def write(directory, name, documents):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        for document in documents:
            file.write(json.dumps(document, ensure_ascii=False) + "\n")


def fleet(directory, count):
    plan = planted(count)
    names = [name_of(i, count) for i in range(count)]
    for i, name in enumerate(names):
        documents = [facts(i, name, plan)]
        if i not in plan["no_doctor"]:
            documents.append(doctor(i, name, plan))
        documents.append(check(i, plan))
        if i not in plan["no_history"]:
            documents.append(history(i, plan))
        write(directory, name + ".jsonl", documents)
    some = names[:128]
    a_leaf = max(2, len(some) // 8)
    leaves = ["leaf%d" % (i * 7 % len(some) // a_leaf) for i in range(len(some))]  # not in the order of the names
    write(directory, "mesh.json", [mesh(some, leaves, "leaf2", len(some) - 3)])
    write(directory, "ab1.json", [ab(names[0], "current", "rocev2-400g", "better", 3.1, 4.6, 6.0)])
    write(directory, "ab2.json", [ab(names[0], "mtu 4200", "mtu 9000", "equivalent", -0.6, 0.2, 0.9)])
    write(directory, "ab3.json", [ab(names[0], "ring", "tree", "not decided", -4.0, -1.0, 2.1)])
    write(directory, "older.json", [{**doctor(0, names[0], plan), "verdict": "not_ready"}])
    os.utime(os.path.join(directory, "older.json"), (1, 1))
    with open(os.path.join(directory, "notes.json"), "w", encoding="utf-8") as file:
        file.write("this is no JSON\n")
    write(directory, "plan.json", [{**head("plan"), "profile": "x"}])


def hostile(directory):
    plan = planted(len(HOSTILE))
    for i, name in enumerate(HOSTILE):
        found = doctor(i, name, plan)
        for other in HOSTILE:
            found["findings"].append(finding(other, "fault", "fails", other, other, other))
        found["verdict"] = "not_ready"
        dirty = facts(i, name, plan)
        dirty["node"]["kernel"] = HOSTILE[(i + 1) % len(HOSTILE)]
        write(directory, "h%d.jsonl" % i, [dirty, found])
        write(directory, "ab%d.json" % i, [ab(name, name, name, "better", 1, 2, 3)])
        write(directory, HOSTILE[i].replace("/", "_").replace("\n", " ") + ".json", [check(1, plan)])
    write(directory, "mesh.json", [mesh(HOSTILE, ["<b>%d" % (i % 3) for i in range(len(HOSTILE))], "<b>1", 2)])


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    if sys.argv[2] == "hostile":
        hostile(sys.argv[1])
    else:
        fleet(sys.argv[1], int(sys.argv[2]))

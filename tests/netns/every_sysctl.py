# SPDX-License-Identifier: Apache-2.0
"""Whether what nettune knows of the kernel's sysctls is all that there is to know.

Run by tests/netns/every_sysctl inside a namespace that it made. First every sysctl of the network gets a
value that is not its default, wherever the kernel accepts one. Then profiles with a few dozen of them each
are applied and rolled back, and every file below /proc/sys/net is looked at from outside: an apply moves
what its plan names and nothing else, one that fails moves nothing, and a rollback brings all of it back.
"""

import json
import os
import random
import subprocess
import sys
import time

NETTUNE, SEED = sys.argv[1], int(sys.argv[2])
ROOT = "/proc/sys/"
PROFILE = "/etc/nettune/profiles/many.toml"
IN_A_PROFILE = 24
ROUNDS = 2
LEFT_OUT = "/stable_secret"  # once set it cannot be unset
CHANGES = (lambda n: 0, lambda n: 1, lambda n: 2, lambda n: n + 1, lambda n: n - 1, lambda n: 2 * n, lambda n: n // 2)
# What chance may not bring together: values to begin with, and what a profile then wants.
TOGETHER = (
    # Bounds that pass each other's old place, on the way there and on the way back.
    ({"ipv4/ipfrag_low_thresh": 3000, "ipv4/ipfrag_high_thresh": 4000},
     {"ipv4/ipfrag_low_thresh": 5000, "ipv4/ipfrag_high_thresh": 6000}),
    ({"ipv6/ip6frag_low_thresh": 3000, "ipv6/ip6frag_high_thresh": 4000},
     {"ipv6/ip6frag_low_thresh": 1000, "ipv6/ip6frag_high_thresh": 2000}),
    ({"ipv4/ip_unprivileged_port_start": 1024, "ipv4/ip_local_port_range": "32768\t60999"},
     {"ipv4/ip_unprivileged_port_start": 61000, "ipv4/ip_local_port_range": "61000\t65535"}),
    # IPv6 that comes back takes the MTU of its device: by the way back, and by the way there.
    ({"ipv6/conf/nt0/disable_ipv6": 0, "ipv6/conf/nt0/mtu": 1400}, {"ipv6/conf/nt0/disable_ipv6": 1}),
    ({"ipv6/conf/nt0/disable_ipv6": 0, "ipv6/conf/nt0/mtu": 1500},
     {"ipv6/conf/nt0/disable_ipv6": 1, "ipv6/conf/nt0/mtu": 1400}),
    ({"ipv6/conf/nt0/disable_ipv6": 1, "ipv6/conf/nt0/mtu": 1400}, {"ipv6/conf/nt0/disable_ipv6": 0}),
    ({"ipv6/conf/nt0/disable_ipv6": 1, "ipv6/conf/nt0/mtu": 1400},
     {"ipv6/conf/nt0/disable_ipv6": 0, "ipv6/conf/nt0/mtu": 1300}),
    ({"ipv6/conf/all/disable_ipv6": 0, "ipv6/conf/nt0/mtu": 1400, "ipv6/conf/nt1/mtu": 1300},
     {"ipv6/conf/all/disable_ipv6": 1}),
    ({"ipv6/conf/all/disable_ipv6": 1, "ipv6/conf/nt0/mtu": 1400, "ipv6/conf/nt1/mtu": 1300},
     {"ipv6/conf/all/disable_ipv6": 0, "ipv6/conf/nt1/mtu": 1300}),
    # Who forwards for nobody forwards for no interface, and was there before Linux 6.17 without a word.
    ({"ipv6/conf/all/forwarding": 0, "ipv6/conf/nt0/force_forwarding": 1}, {"ipv6/conf/all/forwarding": 1}),
    ({"ipv6/conf/all/forwarding": 1, "ipv6/conf/nt0/force_forwarding": 1},
     {"ipv6/conf/all/forwarding": 0, "ipv6/conf/nt0/force_forwarding": 1}),
)

passed = failed = 0


def read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError as error:
        return "cannot be read: " + os.strerror(error.errno)


def write(path, text):
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return True
    except OSError:
        return False


def snapshot():
    return {
        os.path.join(directory, name): read(os.path.join(directory, name))
        for directory, _, names in os.walk(ROOT + "net")
        for name in names
    }


def differences(before, after):
    return {path: (before.get(path), after.get(path)) for path in before | after if before.get(path) != after.get(path)}


def key_of(path):
    return path[len(ROOT):].translate(str.maketrans("./", "/."))


def nettune(*arguments):
    return subprocess.run([NETTUNE, *arguments], capture_output=True, text=True, check=False)


def judge(good, what, *details):
    global passed, failed
    if good:
        passed += 1
        return
    failed += 1
    print("FAIL", what)
    for detail in details:
        print("    ", str(detail)[:1500])


def taken_values(path):
    """Two values that the kernel accepts and shows as they were written, the present one among them or not."""
    now = read(path)
    numbers = now.split()
    if not numbers or not all(word.lstrip("-").isdigit() for word in numbers):
        return None
    found = [now] if random.random() < 0.5 and not (path.endswith("/addr_gen_mode") and now not in "01") else []
    for change in random.sample(CHANGES, len(CHANGES)):
        text = "\t".join(str(change(int(word))) for word in numbers)
        if path.endswith("/addr_gen_mode") and text not in "01":
            continue  # 2 needs a stable_secret, 3 makes one that stays
        if text != now and text not in found and "-" not in text and write(path, text) and read(path) == text:
            found.append(text)
        if len(found) == 2:
            break
    write(path, now)
    if len(found) == 1 and now not in found and read(path) == now:
        found.append(now)
    return found if len(found) == 2 else None


def try_profile(pairs, before):
    """True when it was applied: values may stand in each other's way, and then all of it is put back."""
    wanted = {path: next((value for value in values if value != before[path]), values[0]) for path, values in pairs}
    with open(PROFILE, "w", encoding="ascii") as file:
        file.write('schema = 1\nname = "many"\nsummary = "many"\n[sysctl]\n')
        file.writelines(f'"{key_of(path)}" = "{value}"\n' for path, value in wanted.items())
    planned = json.loads(nettune("plan", "many", "--json").stdout)
    judge("items" in planned, "there is a plan", planned, wanted)
    named = set()
    for item in planned.get("items", []):
        named.add(item["address"])
        named.update(touched["address"] for touched in item["touches"])
    applied = nettune("apply", "many")
    after = snapshot()
    moved = differences(before, after)
    if applied.returncode == 0:
        unnamed = {path: change for path, change in moved.items() if "sysctl:" + key_of(path) not in named}
        judge(not unnamed, "the plan names all that moves", unnamed, wanted)
        judge(all(after[path] == value for path, value in wanted.items()), "what is wanted is there", wanted)
        checked = nettune("check")
        judge(checked.returncode == 0, f"check says {checked.returncode}", checked.stdout, wanted)
    else:
        judge(not moved, "an apply that fails moves nothing", moved, applied.stdout + applied.stderr, wanted)
        judge(applied.returncode == 4, f"an apply that the kernel refuses ends with {applied.returncode}", applied.stderr)
    back = nettune("rollback", "--to", "baseline")
    judge(back.returncode == 0, f"rollback says {back.returncode}", back.stdout + back.stderr, wanted)
    moved = differences(before, snapshot())
    judge(not moved, "rollback brings all back", moved, wanted)
    for path, (old, _) in moved.items():
        write(path, old or "")
    return applied.returncode == 0


def try_together():
    for begin, wanted in TOGETHER:
        if not all(os.path.exists(f"{ROOT}net/{key}") for key in begin):
            continue
        # Twice, since one may stand in the other's way.
        for key, value in list(begin.items()) * 2:
            write(f"{ROOT}net/{key}", str(value))
        time.sleep(0.1)
        before = snapshot()
        stands = {key: before.get(f"{ROOT}net/{key}") for key in begin}
        judge(stands == {key: str(value) for key, value in begin.items()}, "can be begun with", begin, stands)
        pairs = [(f"{ROOT}net/{key}", [str(value)]) for key, value in wanted.items()]
        judge(try_profile(pairs, before), "is applied", begin, wanted)


def main():
    try_together()
    random.seed(SEED)
    settable = [
        path
        for path in sorted(snapshot())
        if os.stat(path).st_mode & 0o600 == 0o600 and not path.endswith(LEFT_OUT)
    ]
    values = {}
    for path in random.sample(settable, len(settable)):
        pair = taken_values(path)
        if pair:
            values[path] = pair
    for path in random.sample(sorted(values), len(values)):
        write(path, random.choice(values[path]))
    # Keys that bound each other may have crossed: what could not be written again cannot be given back.
    for path in sorted(values):
        if not write(path, read(path)):
            del values[path]
    time.sleep(2)  # until what IPv6 does on its own is done
    before = snapshot()
    applied = tried = 0
    # Those that have to do with each other have similar names.
    for paths in [sorted(values)] + [random.sample(sorted(values), len(values)) for _ in range(ROUNDS - 1)]:
        for start in range(0, len(paths), IN_A_PROFILE):
            pairs = [(path, values[path]) for path in paths[start : start + IN_A_PROFILE]]
            tried += 1
            applied += try_profile(pairs, before)
            if failed >= 10:
                print("... and no more is tried")
                return
    judge(4 * len(values) >= len(settable), f"of {len(settable)} sysctls only {len(values)} can be set")
    judge(2 * applied >= tried, f"only {applied} of {tried} profiles could be applied")
    print(f"ok   {len(values)} of {len(settable)} sysctls set and taken back, {tried} profiles, {applied} of them applied (seed {SEED})")


main()
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed != 0)

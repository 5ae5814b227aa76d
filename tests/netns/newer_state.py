# SPDX-License-Identifier: Apache-2.0
"""Turns a journal or generation into one that a later nettune could have written, intact.

    newer_state.py FILE kind|line|format|record
"""
import pathlib
import re
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def frame(kind, sequence, transaction, payload):
    fields = f"{kind} {sequence} {transaction} {len(payload)}".encode()
    return b"nettune-record 1 %s %08x\n%s\n" % (fields, crc32c(fields + b"\n" + payload), payload)


path, what = pathlib.Path(sys.argv[1]), sys.argv[2]
data, frames, at = path.read_bytes(), [], 0
while match := re.compile(rb"nettune-record 1 (\S+) (\d+) (\S+) (\d+) \S+\n").match(data, at):
    end = match.end() + int(match[4])
    frames.append([match[1].decode(), match[3].decode(), data[match.end():end]])
    at = end + 1
if not frames or frames[0][0] != "INTENT":
    sys.exit(f"newer_state.py: {path} does not begin with INTENT")
intent = re.sub(rb"^writer\t.*\n", b"", frames[0][2])
if what == "kind":
    intent += b"setting\twarp:nine\t0\t=9\t0\t0\t0\tf\t1\t\nowned\twarp:nine\t\t=1\t=9\t=9\t0\t\n"
elif what == "line":
    intent += b"surprise\t1\n"
elif what == "format":
    intent = intent.replace(b"format\t2\n", b"format\t3\n")
elif what == "record":
    frames.insert(1, ["SURPRISE", frames[0][1], b""])
else:
    sys.exit(f"newer_state.py: '{what}' is not a change that it makes")
frames[0][2] = b"writer\t9.9.9\n" + intent
path.write_bytes(b"".join(frame(kind, i, who, payload) for i, (kind, who, payload) in enumerate(frames)))

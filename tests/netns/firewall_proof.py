#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads each rule set of firewall_cases, asks the evaluator, and sends what it was asked about.

    firewall_proof.py JUDGE PEER_PID CASES PATTERN

accepted must come through, every packet that is tried; dropped must not, for the packet that the verdict names; unknown is
counted. Where a case says what it expects of a query, the verdict must be that.
"""
import ctypes
import fnmatch
import os
import re
import select
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

NODE = {4: "10.98.0.129", 6: "fd98:0:0:0:8000::1"}
PORTS = range(5000, 5011)
WAIT = 0.25  # seconds for what should not come in; the way is one veth
LONG_WAIT = 5  # for what should
UNKNOWN_SHARE = 0.12  # of all queries; cases made of what is not modelled count, too
IP_FREEBIND = 15
# What nft and iptables-nft say when the kernel has no such expression, match or target.
LACKS = re.compile(r"No such file or directory$|Operation not supported$|Extension \S+ revision \d+ not supported")

# Name, what is asked of the judge, and packets to try: protocol, source, port.
QUERIES = {
    "tcp": ("tcp 5000 10.98.0.2", [("tcp", "10.98.0.2", 5000)]),
    "udp": ("udp 5000 10.98.0.2", [("udp", "10.98.0.2", 5000)]),
    "ping": ("ping - 10.98.0.2", [("ping", "10.98.0.2", 0)]),
    "tcp6": ("tcp 5000 fd98::2", [("tcp", "fd98::2", 5000)]),
    "udp6": ("udp 5000 fd98::2", [("udp", "fd98::2", 5000)]),
    "ping6": ("ping - fd98::2", [("ping", "fd98::2", 0)]),
    "range": ("tcp 5000-5010 10.98.0.0/26,10.98.0.64/27",
              [("tcp", "10.98.0.%d" % host, port) for host in (1, 33, 95) for port in (5000, 5004, 5010)]),
    "range6": ("tcp 5000-5010 fd98::/112",
               [("tcp", "fd98::" + host, port) for host in ("1", "8000", "ffff") for port in (5000, 5010)]),
}


class Node(threading.Thread):
    """Accepts TCP on all ports and sends back every datagram."""

    def __init__(self):
        super().__init__(daemon=True)
        self.poll = select.poll()
        self.sockets = {}
        for port in PORTS:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                one = socket.socket(socket.AF_INET6, kind)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
                one.bind(("::", port))
                if kind == socket.SOCK_STREAM:
                    one.listen(128)
                self.sockets[one.fileno()] = one
                self.poll.register(one, select.POLLIN)

    def run(self):
        while True:
            for fd, _ in self.poll.poll():
                one = self.sockets[fd]
                if one.type == socket.SOCK_STREAM:
                    one.accept()[0].close()
                else:
                    data, sender = one.recvfrom(100)
                    try:
                        one.sendto(data, sender)
                    except OSError:
                        pass  # the firewall may refuse our answer


class Try:
    """One packet, or connection, on its way from the peer."""

    number = 0

    def __init__(self, protocol, source, port):
        Try.number += 1
        self.came_through = False
        self.closed = False
        self.protocol = protocol
        six = ":" in source
        self.text = "%032d" % Try.number
        family = socket.AF_INET6 if six else socket.AF_INET
        where = (NODE[6 if six else 4], port)
        if protocol == "ping":
            kind = socket.getprotobyname("ipv6-icmp") if six else socket.IPPROTO_ICMP
            self.socket = socket.socket(family, socket.SOCK_RAW, kind)
            where = (where[0], 0)
        else:
            self.socket = socket.socket(family, socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        if not six:
            self.socket.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
        self.socket.bind((source, 0))
        self.reply = 129 if six else 0
        try:
            if protocol == "tcp":
                self.socket.connect(where)
            elif protocol == "udp":
                self.socket.connect(where)
                self.socket.send(self.text.encode())
            else:
                echo = struct.pack("!BBHHH", 128 if six else 8, 0, 0, Try.number & 0xFFFF, 1) + self.text.encode()
                if not six:
                    words = struct.unpack("!%dH" % (len(echo) // 2), echo)
                    total = sum(words)
                    while total > 0xFFFF:
                        total = (total & 0xFFFF) + (total >> 16)
                    echo = echo[:2] + struct.pack("!H", ~total & 0xFFFF) + echo[4:]
                self.socket.sendto(echo, where)
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True

    def events(self):
        return select.POLLOUT if self.protocol == "tcp" else select.POLLIN

    def look(self):
        """Something happened; True when it is decided."""
        try:
            if self.protocol == "tcp":
                self.came_through = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
                return True
            data = self.socket.recv(200)
        except BlockingIOError:
            return False
        except OSError:
            return True
        if self.protocol == "ping":
            if self.socket.family == socket.AF_INET:
                data = data[(data[0] & 15) * 4:]
            if data[0] != self.reply or self.text.encode() not in data:
                return False
        self.came_through = True
        return True


def try_all(packets, expected):
    """{packet: it came through}. Those expected to are waited for longer."""
    tries = {packet: Try(*packet) for packet in packets}
    waiting = {one.socket.fileno(): one for one in tries.values() if not one.closed}
    poll = select.poll()
    for one in waiting.values():
        poll.register(one.socket, one.events())
    start = time.monotonic()
    expected_sockets = {tries[packet].socket.fileno() for packet in expected}
    while waiting:
        end = start + (LONG_WAIT if expected_sockets & waiting.keys() else WAIT)
        if time.monotonic() >= end:
            break
        for fd, _ in poll.poll(max(0, end - time.monotonic()) * 1000):
            if fd in waiting and waiting[fd].look():
                poll.unregister(fd)
                del waiting[fd]
    for one in tries.values():
        one.socket.close()
    return {packet: one.came_through for packet, one in tries.items()}


def read_cases(path, pattern):
    """A line "=== name | query=verdict ..." begins a case; "!" in front of it: the next lines are commands."""
    cases = []
    for line in open(path):
        if line.startswith("=== "):
            name, _, wanted = line[4:].partition("|")
            cases.append((name.strip(), dict(word.split("=") for word in wanted.split()), []))
        elif cases and not line.startswith("#"):
            cases[-1][2].append(line)
    return [case for case in cases if fnmatch.fnmatch(case[0], pattern)]


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, **more)


def load(lines):
    """The case's rule set in place of the last one's; when that fails, why, and whether for want of a tool or of the kernel's."""
    run(["nft", "flush", "ruleset"])
    commands = [line[1:].strip() for line in lines if line.startswith("!")]
    text = "".join(line for line in lines if not line.startswith("!"))
    for command in commands:
        words = shlex.split(command)
        if not shutil.which(words[0]):
            return "there is no " + words[0], True
        done = run(words)
        if done.returncode != 0:
            why = done.stderr.strip()
            return "%s: %s" % (command, why), LACKS.search(why) is not None
    if text.strip():
        done = run(["nft", "-f", "-"], input=text)
        if done.returncode != 0:
            why = done.stderr.strip().split("\n")[0]
            return "nft: " + why, LACKS.search(why) is not None
    return "", False


def packet_of(text):
    """("tcp", "10.98.0.1", 5003) of "10.98.0.1 -> tcp 5003 on nt0"."""
    found = re.match(r"(\S+) -> (\w+)(?: (\d+))? on ", text)
    return found and (found[2], found[1], int(found[3] or 0))


def main():
    judge, peer, path, pattern = sys.argv[1:]
    Node().start()
    # Threads have a network namespace each: from here on this one is the peer.
    here = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open("/proc/%s/ns/net" % peer, os.O_RDONLY)
    setns = ctypes.CDLL(None, use_errno=True).setns
    passed = failed = skipped = unknown = asked = 0
    for name, wanted, lines in read_cases(path, pattern):
        why, lacks = load(lines)
        if why:
            print("%s firewall_proof/%s: %s" % ("SKIP" if lacks else "FAIL", name, why))
            skipped += lacks
            failed += not lacks
            continue
        said = run([judge, "nt0", NODE[4] + "," + NODE[6]] + [query for query, _ in QUERIES.values()])
        verdicts = [line.split("\t") for line in said.stdout.splitlines()]
        if len(verdicts) != len(QUERIES):
            print("FAIL %s: the judge said: %s" % (name, said.stderr.strip()))
            failed += 1
            continue
        packets = {packet for _, tried in QUERIES.values() for packet in tried}
        expected = {packet for (_, tried), verdict in zip(QUERIES.values(), verdicts) if verdict[0] == "accepted"
                    for packet in tried}
        packets |= {packet_of(verdict[4]) for verdict in verdicts if verdict[0] == "dropped"}
        setns(there, 0)
        came_through = try_all(packets, expected)
        setns(here, 0)
        wrong = []
        for (query, (_, tried)), (verdict, where, reason, _, packet) in zip(QUERIES.items(), verdicts):
            asked += 1
            unknown += verdict == "unknown"
            if query in wanted and wanted[query] != verdict:
                wrong.append("%s: %s (%s %s), and %s was expected" % (query, verdict, where, reason, wanted[query]))
            if verdict == "accepted":
                wrong += ["%s: accepted, and %s -> %s %d does not come in" % (query, source, protocol, port)
                          for protocol, source, port in tried if not came_through[protocol, source, port]]
            if verdict == "dropped" and came_through[packet_of(packet)]:
                wrong.append("%s: dropped by %s, and %s comes in" % (query, where, packet))
        if wrong:
            failed += 1
            print("FAIL %s" % name)
            for line in wrong:
                print("     " + line)
        else:
            passed += 1
            print("ok   %s: %s" % (name, " ".join("%s=%s" % (query, verdict[0]) for query, verdict in zip(QUERIES, verdicts))))
    if fnmatch.fnmatch("every case", pattern):
        if asked and unknown / asked <= UNKNOWN_SHARE:
            passed += 1
            print("ok   %d of %d verdicts are unknown" % (unknown, asked))
        else:
            failed += 1
            print("FAIL %d of %d verdicts are unknown" % (unknown, asked))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed else 0


sys.exit(main())

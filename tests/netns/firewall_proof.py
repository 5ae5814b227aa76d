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
OWN_PORTS = range(32768, 61000)  # net.ipv4.ip_local_port_range
WAIT = 0.25  # seconds for what should not come in; the way is one veth
LONG_WAIT = 5  # for what should
UNKNOWN_SHARE = 1 / 8  # of all queries; cases made of what is not modelled count, too
IP_FREEBIND = 15
setns = ctypes.CDLL(None, use_errno=True).setns
# What nft and iptables-nft say when the kernel has no such expression, match or target.
LACKS = re.compile(r"No such file or directory$|set type not supported$|Operation not supported$|Extension \S+ revision \d+ not supported")

# Name, what is asked of the judge, and what to try: protocol, the peer's address, port, and whether this node begins.
QUERIES = {
    "tcp": ("tcp 5000 10.98.0.2", [("tcp", "10.98.0.2", 5000, False)]),
    "udp": ("udp 5000 10.98.0.2", [("udp", "10.98.0.2", 5000, False)]),
    "ping": ("ping - 10.98.0.2", [("ping", "10.98.0.2", 0, False)]),
    "tcp6": ("tcp 5000 fd98::2", [("tcp", "fd98::2", 5000, False)]),
    "udp6": ("udp 5000 fd98::2", [("udp", "fd98::2", 5000, False)]),
    "ping6": ("ping - fd98::2", [("ping", "fd98::2", 0, False)]),
    "range": ("tcp 5000-5010 10.98.0.0/26,10.98.0.64/27",
              [("tcp", "10.98.0.%d" % host, port, False) for host in (1, 33, 95) for port in (5000, 5004, 5010)]),
    "range6": ("tcp 5000-5010 fd98::/112",
               [("tcp", "fd98::" + host, port, False) for host in ("1", "8000", "ffff") for port in (5000, 5010)]),
    "tcp-out": ("tcp-out 5000 10.98.0.2", [("tcp", "10.98.0.2", 5000, True)]),
    "udp-out": ("udp-out 5000 10.98.0.2", [("udp", "10.98.0.2", 5000, True)]),
    "tcp6-out": ("tcp-out 5000 fd98::2", [("tcp", "fd98::2", 5000, True)]),
    "udp6-out": ("udp-out 5000 fd98::2", [("udp", "fd98::2", 5000, True)]),
    "range-out": ("tcp-out 5000-5010 10.98.0.0/26,10.98.0.64/27",
                  [("tcp", "10.98.0.%d" % host, port, True) for host in (1, 33, 95) for port in (5000, 5004, 5010)]),
}


class Listener(threading.Thread):
    """In one network namespace: accepts TCP on all ports, and sends back what comes, as every datagram."""

    def __init__(self, namespace):
        super().__init__(daemon=True)
        self.namespace = namespace
        self.ready = threading.Event()

    def listen(self):
        self.poll = select.poll()
        self.sockets = {}
        self.listening = set()
        for port in PORTS:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                one = socket.socket(socket.AF_INET6, kind)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
                one.bind(("::", port))
                if kind == socket.SOCK_STREAM:
                    one.listen(128)
                    self.listening.add(one.fileno())
                self.add(one)

    def add(self, one):
        self.sockets[one.fileno()] = one
        self.poll.register(one, select.POLLIN)

    def answer(self, one):
        """False when it is over."""
        if one.fileno() in self.listening:
            self.add(one.accept()[0])
            return True
        try:
            if one.type == socket.SOCK_DGRAM:
                data, sender = one.recvfrom(100)
                one.sendto(data, sender)
                return True
            data = one.recv(100)
            return bool(data) and one.send(data) > 0
        except OSError:
            return one.type == socket.SOCK_DGRAM  # the firewall may refuse our answer

    def run(self):
        setns(self.namespace, 0)
        self.listen()
        self.ready.set()
        while True:
            for fd, _ in self.poll.poll():
                one = self.sockets[fd]
                if not self.answer(one):
                    self.poll.unregister(fd)
                    del self.sockets[fd]
                    one.close()


class Try:
    """One conversation: what begins it, the answer, and both once more. TCP's handshake is the first of two."""

    number = 0

    def __init__(self, protocol, peer, port, outgoing):
        Try.number += 1
        self.came_through = False
        self.closed = False
        self.protocol = protocol
        six = ":" in peer
        self.number = Try.number
        self.text = "%032d" % self.number
        family = socket.AF_INET6 if six else socket.AF_INET
        self.where = (peer if outgoing else NODE[6 if six else 4], 0 if protocol == "ping" else port)
        if protocol == "ping":
            kind = socket.getprotobyname("ipv6-icmp") if six else socket.IPPROTO_ICMP
            self.socket = socket.socket(family, socket.SOCK_RAW, kind)
        else:
            self.socket = socket.socket(family, socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        # A port of its own: conntrack takes a conversation with the addresses and ports of an earlier one for that one.
        port = 0 if protocol == "ping" else OWN_PORTS[Try.number % len(OWN_PORTS)]
        if outgoing:
            self.socket.bind(("::" if six else "0.0.0.0", port))
        else:
            if not six:
                self.socket.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
            self.socket.bind((peer, port))
        self.six = six
        self.reply = 129 if six else 0
        self.answers = 0
        self.connected = False
        try:
            if protocol != "ping":
                self.socket.connect(self.where)
            if protocol != "tcp":
                self.send()
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True

    def send(self):
        if self.protocol != "ping":
            self.socket.send(self.text.encode())
            return
        echo = struct.pack("!BBHHH", 128 if self.six else 8, 0, 0, self.number & 0xFFFF, 1) + self.text.encode()
        if not self.six:
            words = struct.unpack("!%dH" % (len(echo) // 2), echo)
            total = sum(words)
            while total > 0xFFFF:
                total = (total & 0xFFFF) + (total >> 16)
            echo = echo[:2] + struct.pack("!H", ~total & 0xFFFF) + echo[4:]
        self.socket.sendto(echo, self.where)

    def events(self):
        return select.POLLOUT if self.protocol == "tcp" and not self.connected else select.POLLIN

    def look(self):
        """Something happened; True when it is decided."""
        try:
            if self.protocol == "tcp" and not self.connected:
                if self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0:
                    return True
                self.connected = True
                self.answers += 1
                self.send()
                return False
            data = self.socket.recv(200)
            if self.protocol == "ping":
                if not self.six:
                    data = data[(data[0] & 15) * 4:]
                if data[0] != self.reply or self.text.encode() not in data:
                    return False
            self.answers += 1
            self.came_through = bool(data) and self.answers >= 2
            if not self.came_through and data:
                self.send()
                return False
        except BlockingIOError:
            return False
        except OSError:
            pass
        return True


def try_all(packets, expected):
    """{packet: it came through}. Those expected to are waited for longer."""
    tries = {packet: Try(*packet) for packet in sorted(packets)}
    waiting = {one.socket.fileno(): one for one in tries.values() if not one.closed}
    poll = select.poll()
    for one in waiting.values():
        poll.register(one.socket, one.events())
    start = time.monotonic()
    expected_sockets = {tries[packet].socket.fileno() for packet in expected & tries.keys()}
    while waiting:
        end = start + (LONG_WAIT if expected_sockets & waiting.keys() else WAIT)
        if time.monotonic() >= end:
            break
        for fd, _ in poll.poll(max(0, end - time.monotonic()) * 1000):
            if fd in waiting and waiting[fd].look():
                poll.unregister(fd)
                del waiting[fd]
            elif fd in waiting:
                poll.modify(fd, waiting[fd].events())
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
    """("tcp", "10.98.0.1", 5003, False) of "the answer to 10.98.0.1 -> tcp 5003 on nt0"."""
    text = re.sub("^(the answer to|what follows the answer to|what follows) ", "", text)
    found = re.match(r"this node -> (\w+)(?: (\d+))? of (\S+) on ", text)
    if found:
        return found[1], found[3], int(found[2] or 0), True
    found = re.match(r"(\S+) -> (\w+)(?: (\d+))? on ", text)
    return found and (found[2], found[1], int(found[3] or 0), False)


def main():
    judge, peer, path, pattern = sys.argv[1:]
    # Threads have a network namespace each.
    here = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open("/proc/%s/ns/net" % peer, os.O_RDONLY)
    for namespace in (here, there):
        listener = Listener(namespace)
        listener.start()
        listener.ready.wait()
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
        came_through = try_all({one for one in packets if one[3]}, expected)
        setns(there, 0)
        came_through.update(try_all({one for one in packets if not one[3]}, expected))
        setns(here, 0)
        wrong = []
        for (query, (_, tried)), (verdict, where, reason, _, packet) in zip(QUERIES.items(), verdicts):
            asked += 1
            unknown += verdict == "unknown"
            if query in wanted and wanted[query] != verdict:
                wrong.append("%s: %s (%s %s), and %s was expected" % (query, verdict, where, reason, wanted[query]))
            if verdict == "accepted":
                wrong += ["%s: accepted, and %s %s does not come through" % (query, " ".join(map(str, one)), reason)
                          for one in tried if not came_through[one]]
            if verdict == "dropped" and came_through[packet_of(packet)]:
                wrong.append("%s: dropped by %s, and %s comes through" % (query, where, packet))
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

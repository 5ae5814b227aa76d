#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Connections for the firewall tests, judged by the kernel's own TCP and UDP.

    knock.py listen PORT...            TCP and UDP on these ports of every address, IPv4 and IPv6, until killed
    knock.py ask SOURCE,DESTINATION PROTOCOL/PORT...    prints "PROTOCOL/PORT=yes" or "=no" for each, all asked at once;
                                                        icmp/0 is a ping of IPv4
"""
import select
import socket
import struct
import sys
import time

PATIENCE_S = 0.7


def listen(ports):
    sockets = []
    for port in ports:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            one = socket.socket(socket.AF_INET6, kind)
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("::", port))
            if kind == socket.SOCK_STREAM:
                one.listen(64)
            sockets.append(one)
    print("ready", flush=True)
    kept = []
    while True:
        for one in select.select(sockets, [], [])[0]:
            if one.type == socket.SOCK_STREAM:
                kept.append(one.accept()[0])
            else:
                data, who = one.recvfrom(64)
                try:
                    one.sendto(data, who)
                except OSError:
                    pass  # the firewall may refuse our answer


def ping():
    """An echo request (RFC 792): number 7 of this process, which is nobody else's here."""
    packet = struct.pack("!BBHHH", 8, 0, 0, 7, 1)
    total = sum(struct.unpack("!4H", packet))
    return packet[:2] + struct.pack("!H", 0xFFFF - (total & 0xFFFF) - (total >> 16)) + packet[4:]


def ask(pair, wanted):
    source, destination = pair.split(",")
    family = socket.AF_INET6 if ":" in destination else socket.AF_INET
    open_ones, answers = {}, {}
    for name in wanted:
        protocol, port = name.split("/")
        if protocol == "icmp":
            one = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        else:
            one = socket.socket(family, socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM)
        one.setblocking(False)
        one.bind((source, 0))
        code = one.connect_ex((destination, int(port)))
        answers[name] = "no"
        if protocol != "tcp":
            try:
                one.send(ping() if protocol == "icmp" else b"knock")
            except PermissionError:
                continue  # our own firewall
        if protocol == "tcp" and code == 0:
            answers[name] = "yes"
        else:
            open_ones[one] = name
    end = time.monotonic() + PATIENCE_S
    while open_ones and time.monotonic() < end:
        tcp = [one for one in open_ones if one.type == socket.SOCK_STREAM]
        others = [one for one in open_ones if one.type != socket.SOCK_STREAM]
        readable, writable, _ = select.select(others, tcp, [], end - time.monotonic())
        for one in readable:
            try:
                one.recv(64)
                answers[open_ones.pop(one)] = "yes"
            except OSError:
                open_ones.pop(one)
        for one in writable:
            failed = one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            answers[open_ones.pop(one)] = "no" if failed else "yes"
    print(" ".join(f"{name}={answers[name]}" for name in wanted))


if sys.argv[1] == "listen":
    listen([int(port) for port in sys.argv[2:]])
else:
    ask(sys.argv[2], sys.argv[3:])

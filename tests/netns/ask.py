#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a terminal of its own and types an answer once it asks; prints what it said.

    ask.py ANSWER COMMAND ARGUMENT...    ANSWER is typed behind "[y/N]"; "" is an empty line. Exits as the command.

BEFORE, where it is set, is a line of shell that is run while the question waits.
"""
import os
import pty
import subprocess
import sys

answer, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
said, answered = b"", False
while True:
    try:
        more = os.read(terminal, 4096)
    except OSError:  # EIO: nobody has the other end any more
        break
    if not more:
        break
    said += more
    if b"[y/N] " in said and not answered:
        answered = True
        if "BEFORE" in os.environ:
            subprocess.run(os.environ["BEFORE"], shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
        os.write(terminal, answer.encode() + b"\n")
sys.stdout.write(said.decode(errors="replace").replace("\r\n", "\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

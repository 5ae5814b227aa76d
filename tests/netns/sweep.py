# SPDX-License-Identifier: Apache-2.0
"""Stops nettune at every system call and looks at what is left, with eyes of its own.

Run by tests/netns/sweep inside a namespace that it made. Each point begins in the same old state, kills the
process at its Nth system call (or makes that call fail), runs `nettune recover` where something is
unfinished, and compares the kernel's files and every byte below /etc with the only two states allowed. A rollback may leave
a device out and say so (3): then recover has to bring it there.
What the exit code promised must be true as well, and from the new state the way back must end in the
old one.
"""

import errno
import glob
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys

NETTUNE, AT_SYSCALL, STRIDE, ONLY, PROFILE = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
# A disk of a test need not be one that GRUB writes to.
APPLY = ("apply", PROFILE) + (("--allow-no-trial",) if PROFILE == "kernel" else ())
TREES = ("/etc", "/boot") if PROFILE == "kernel" else ("/etc",)
# With it each call fails with each of the errors, not only with the one whose turn it is.
EVERY_ERROR = os.environ.get("SWEEP_EVERY_ERROR") == "1"
STATE = "/var/lib/nettune"
# Where the profile "node" could touch anything, side effects included.
KERNEL_FILES = sorted(
    path
    for pattern in (
        "/proc/sys/net/ipv4/tcp_?mem", "/proc/sys/net/ipv4/tcp_mtu_probing", "/proc/sys/net/ipv4/ip_forward",
        "/proc/sys/net/ipv4/ip_local_*", "/proc/sys/net/core/somaxconn",
        "/proc/sys/net/ipv4/conf/*/*", "/proc/sys/net/ipv6/conf/*/mtu",
        "/sys/class/net/*/mtu", "/sys/class/net/*/tx_queue_len",
    )
    for path in glob.glob(pattern)
)

# A sanitized binary makes system calls of the sanitizer, too. Refused memory, that dies on the spot, which is
# a death like any other; a report of what our code did is not.
SANITIZER_DIED = re.compile(r"AddressSanitizer failed to |(AddressSanitizer|SanitizerTool): CHECK failed")
SANITIZER_REPORT = re.compile(r"ERROR: \w+Sanitizer: |: runtime error: ")

passed = failed = points = 0


def snapshot():
    lines = []
    for path in KERNEL_FILES:
        try:
            with open(path, "rb") as file:
                lines.append((path, file.read()))
        except OSError as error:
            lines.append((path, errno.errorcode[error.errno].encode()))
    for directory, names, files in (entry for tree in TREES for entry in os.walk(tree)):
        if directory.startswith("/etc/alternatives"):
            continue
        for path in [directory] + [os.path.join(directory, name) for name in files]:
            status = os.lstat(path)
            content = b""
            if stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest().encode()
            lines.append((path, b"%o %d:%d " % (status.st_mode, status.st_uid, status.st_gid) + content))
    return dict(lines)


def difference(left, right):
    return ["%s: %r -> %r" % (path, left.get(path), right.get(path))
            for path in sorted(left.keys() | right.keys()) if left.get(path) != right.get(path)]


def run(*command):
    done = subprocess.run([NETTUNE, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


def run_at(number, how, *command):
    """Exit status, output and how many system calls there were."""
    read_end, write_end = os.pipe()
    os.dup2(write_end, 9, inheritable=True)
    os.close(write_end)
    done = subprocess.run([AT_SYSCALL, str(number), str(how), NETTUNE, *command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=(9,))
    os.close(9)
    calls = int(os.read(read_end, 100).split()[0])
    os.close(read_end)
    output = done.stdout.decode(errors="replace")
    return 137 if SANITIZER_DIED.search(output) else done.returncode, output, calls


def clear_state():
    for name in os.listdir(STATE):
        path = os.path.join(STATE, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def reset_fresh():
    """Nothing is applied, nothing is remembered."""
    if snapshot() != baseline:
        code, output = run("rollback", "--to", "baseline")
        if snapshot() != baseline:
            sys.exit("no way back to the baseline (rollback: %d):\n%s\n%s"
                     % (code, output, "\n".join(difference(baseline, snapshot()))))
    clear_state()


def reset_applied():
    if snapshot() != applied or not os.path.exists(STATE + "/generations/1"):
        reset_fresh()
        run(*APPLY)


class Sweep:
    def __init__(self, name, old, new):
        self.name, self.old, self.new = name, old, new
        self.wrong, self.points = [], 0

    def judge(self, what, code, output):
        """Recovers where that is due, then compares."""
        global points
        points += 1
        self.points += 1
        promised = code
        if code in (137, 5):
            recover_code, recover_output = run("recover")
            if recover_code not in (0, 4):
                self.bad(what, "recover ends with %d" % recover_code, recover_output)
            promised = None
        if code == 3:
            # A device that could not be read is owed its values; recover pays, and then it is done.
            if '"debts": []' in run("status", "--json")[1]:
                self.bad(what, "something is left, and no debt says so", output)
            recover_code, recover_output = run("recover")
            if recover_code != 0:
                self.bad(what, "the debt is not paid: recover ends with %d" % recover_code, recover_output)
            promised = 0
        now = snapshot()
        if SANITIZER_REPORT.search(output):
            self.bad(what, "a sanitizer reports", output)
        if any(name.startswith("journal") for name in os.listdir(STATE)):
            self.bad(what, "a journal is left (exit %d)" % code, output)
        if now != self.old and now != self.new:
            self.bad(what, "neither old nor new (exit %d)" % code,
                     "\n".join(["from the old:"] + difference(self.old, now)[:6] +
                               ["from the new:"] + difference(self.new, now)[:6] + [output[-600:]]))
        elif promised == 0 and now != self.new:
            self.bad(what, "it said that it was done, and the old state stands", output)
        elif promised not in (None, 0) and now != self.old:
            self.bad(what, "it said that it failed (exit %d), and the new state stands" % code, output)

    def bad(self, what, text, detail):
        self.wrong.append(what)
        if len(self.wrong) <= 5:
            print("     %s, %s: %s" % (self.name, what, text))
            for line in detail.splitlines()[-16:]:
                print("       | " + line)

    def total(self):
        global passed, failed
        if self.wrong:
            failed += 1
            print("FAIL %s: %d of %d injection points end badly" % (self.name, len(self.wrong), self.points))
        else:
            passed += 1
            print("ok   %s: %d injection points, 0 states neither old nor new" % (self.name, self.points))
        sys.stdout.flush()


def sweep(name, reset, old, new, hows, *deed):
    """Each system call in one of the ways `hows`; neighbours meet different ones."""
    one = Sweep(name, old, new)
    number, calls = 1, 1
    while number <= calls:
        reset()
        how = hows[number // STRIDE % len(hows)]
        # A call that fails may lead elsewhere: the count is the one of this very run.
        code, output, seen = run_at(number, how, *deed)
        calls = max(calls, seen if code != 137 else number + STRIDE)
        if code != 137 and seen < number:
            break
        one.judge("system call %d, %s" % (number, how), code, output)
        number += STRIDE
    reset_fresh()
    one.total()


def sweep_recover():
    """An apply is killed at some places, and recover at each of its system calls."""
    one = Sweep("recover, killed", baseline, applied)
    calls = run_at(0, "kill", *APPLY)[2]
    for percent in (70, 85, 97):
        at, number = calls * percent // 100, 1
        while True:
            reset_fresh()
            run_at(at, "kill", *APPLY)
            code, output, _ = run_at(number, "kill", "recover")
            one.judge("apply killed at %d, recover at %d" % (at, number), 137, output)
            if code != 137:
                break
            number += STRIDE
    reset_fresh()
    one.total()


baseline = snapshot()
run(*APPLY)
applied = snapshot()
if applied == baseline:
    sys.exit("the apply does nothing: " + run(*APPLY)[1])
reset_fresh()

ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EINTR]
if ONLY in ("all", "killed"):
    sweep("apply, killed", reset_fresh, baseline, applied, ["kill"], *APPLY)
    sweep("rollback, killed", reset_applied, applied, baseline, ["kill"], "rollback", "--to", "baseline")
    sweep_recover()
if ONLY in ("all", "failing"):
    for turn in range(len(ERRORS) if EVERY_ERROR else 1):
        errors = ERRORS[turn:] + ERRORS[:turn]
        sweep("apply, each call fails", reset_fresh, baseline, applied, errors, *APPLY)
        sweep("rollback, each call fails", reset_applied, applied, baseline, errors, "rollback", "--to", "baseline")

print("injection points in all: %d" % points)
print("%d passed, %d failed, 0 skipped" % (passed, failed))
sys.exit(failed != 0)

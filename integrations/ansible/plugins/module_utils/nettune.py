# SPDX-License-Identifier: Apache-2.0
"""Runs the nettune command and reads the JSON that it prints; its exit codes become reasons."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

import json

# The exit codes of nettune(8), which are stable: what each means here, and what a person does next.
REASONS = {
    1: ("failed", "Nothing was changed."),
    2: ("usage", "Fix the profile or /etc/nettune/site.toml on this host; nettune show PROFILE --origin explains them."),
    3: ("pending", "Nothing was changed; run it again when the host is idle, or set allow_busy."),
    4: ("rolled_back", "Everything is as before."),
    5: ("unfinished", "Check nettune status on this host, and run nettune recover."),
    6: ("not_permitted", "Use become: true; in a container not even root may write some settings."),
    7: ("busy", "Wait for the other nettune, or end its window with nettune confirm or nettune rollback; see nettune status."),
    8: ("refused", "Check nettune plan and nettune status on this host."),
    9: ("unknown", "Use become: true."),
}
# Exit code 3 of a change that was made.
LEFT = ("left", "The rest was written; look at nettune check on this host.")


class Answer:
    """What one run of nettune came to: its exit code, its document ({} for none), its complaint."""

    def __init__(self, rc, document, complaint):
        self.rc = rc
        self.document = document
        self.complaint = complaint

    def report(self):
        return self.document.get("report") or {}

    def message(self):
        """Why it ended so, in the words of nettune itself."""
        if self.complaint:
            return self.complaint
        error = self.document.get("error") or self.report().get("error") or {}
        notes = (self.document.get("notes") or []) + self.report().get("notes", [])
        return (error.get("text") or self.document.get("refused") or self.unfinished() or "; ".join(notes)
                or "it ended with %d" % self.rc)

    def unfinished(self):
        """What the state directory says of a transaction that is not at its end; '' for nothing."""
        state = self.document.get("state") or {}
        if state.get("confirm_seconds_left") is not None:
            return "a change is waiting for confirmation, %d s left" % state["confirm_seconds_left"]
        if state.get("at_work"):
            return "another nettune is running (%s)" % state["at_work"]
        return "a transaction is unfinished" if state.get("journal", "none") != "none" else ""


def installed(module):
    return module.get_bin_path("nettune") is not None


def ask(module, command, *arguments):
    """Runs `nettune COMMAND --json ARGUMENTS`, without a shell. Fails the task where no nettune answers."""
    program = module.get_bin_path("nettune")
    if program is None:
        module.fail_json(msg="there is no nettune on this host; install the package, for example with the role nettune.nettune.node",
                         reason="not_installed")
    line = [program, command, "--json"] + list(arguments)
    rc, out, err = module.run_command(line, environ_update={"LC_ALL": "C.UTF-8", "NETTUNE_STARTED_BY": "Ansible"})
    complaint = err.strip()
    if complaint.startswith("error: "):
        complaint = complaint[len("error: "):]
    try:
        document = json.loads(out or "{}")
    except ValueError:
        document = None
    if not isinstance(document, dict) or not (document or complaint) or rc < 0 or rc > 9:
        module.fail_json(msg="%s ended with %d and no answer that can be read" % (" ".join(line), rc), reason="no_answer", rc=rc,
                         stdout=out, stderr=err)
    return Answer(rc, document, complaint)


def awaited(document):
    """What is written and not yet in effect, by when that changes: from the JSON of status or check."""
    found = {"pending": [], "reboot_owed": document.get("reboot_owed", []), "not_in_effect": [], "effect_unseen": []}
    names = {"pending": "pending", "refused": "not_in_effect", "unseen": "effect_unseen"}
    for one in document.get("not_in_effect", []):
        found[names[one["state"]]].append(one["setting"])
    return found


def fail(module, answer, why="", **result):
    """Ends the task with the words of nettune, and with what its exit code means."""
    reason, next_step = REASONS.get(answer.rc, REASONS[1])
    if answer.rc == 3 and answer.report().get("outcome") in ("committed", "waiting"):
        reason, next_step = LEFT
    state = answer.document.get("state") or {}
    module.fail_json(msg="nettune: %s. %s" % ((why or answer.message()).rstrip("."), next_step), reason=reason, rc=answer.rc,
                     confirm_seconds_left=state.get("confirm_seconds_left"), **result)

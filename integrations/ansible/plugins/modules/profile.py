#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
"""Makes a host what a profile of nettune says."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: profile
short_description: Bring a host to the state of a nettune profile
description:
  - Runs C(nettune apply), which makes a plan, writes only what differs, reads it back, and reverts everything if a
    part of it fails. If nothing differs, nothing is written, and the task is not changed.
  - With O(confirm) the change is reverted after that time, unless M(nettune.nettune.confirm) comes over an ssh connection
    that was made after the change. A connection that Ansible keeps open (ControlPersist) is older, so reset it first; the
    role P(nettune.nettune.node#role) does all of it.
  - A host on hold (C(nettune hold)) is refused.
version_added: 0.1.0
author: nettune maintainers (@nettune)
options:
  name:
    description: The profile. Needed for O(state=present).
    type: str
  state:
    description:
      - V(present) applies the profile.
      - V(absent) restores the host to what it was before nettune first changed it; what others changed since stays.
    type: str
    choices: [present, absent]
    default: present
  profiles:
    description: A directory on the host that is searched for profiles first.
    type: path
  site:
    description: A file on the host with the site values, instead of C(/etc/nettune/site.toml).
    type: path
  confirm:
    description:
      - Seconds after which the change is reverted unless it is confirmed. V(0) keeps it at once.
    type: int
    default: 0
  probe:
    description:
      - Probes that show that the host still works, as for nettune's option C(--probe), for example C(path:10.0.0.2%eth1). If all
        probes succeed, the change is confirmed, otherwise it is reverted; M(nettune.nettune.confirm) is not needed then.
      - A change of the MTU of an interface that carries addresses is refused without a C(path:) that leaves by it.
    type: list
    elements: str
    default: []
  allow_management:
    description: Also allow changes that can cut off the interface through which the host is reached. Needs O(confirm) or O(probe).
    type: bool
    default: false
  allow_busy:
    description: Also allow changes that disturb traffic while jobs run on the host.
    type: bool
    default: false
  allow_stop_units:
    description: Also stop and mask units of systemd, as the profile says.
    type: bool
    default: false
  allow_no_trial:
    description:
      - Also set kernel arguments on a host whose boot loader cannot give them a first boot as a trial. Only for O(state=present).
    type: bool
    default: false
  allow_weaker_security:
    description: Also set kernel arguments that weaken the host. Only for O(state=present).
    type: bool
    default: false
  accept_cautions:
    description: Apply even if the profile advises against it on this host. Only for O(state=present).
    type: bool
    default: false
  accept_no_undo:
    description: Also allow changes that cannot be undone. Only for O(state=present).
    type: bool
    default: false
  accept_owners:
    description: Also write settings that another manager on the host (lldpad) would revert. Only for O(state=present).
    type: bool
    default: false
attributes:
  check_mode:
    support: full
    description: Makes the plan and writes nothing. If nettune is not installed yet, the task only says that it would change.
  diff_mode:
    support: full
    description: Shows every value before and after, and the contents of files line by line.
notes:
  - Needs root on the host (C(become)), and nothing there but nettune and what Ansible itself needs.
  - In check mode V(absent) reports that it would change something, but not what; and nothing is probed.
seealso:
  - module: nettune.nettune.check
  - module: nettune.nettune.confirm
  - module: nettune.nettune.node_facts
"""

EXAMPLES = r"""
- name: Make the node ready for NCCL over TCP
  nettune.nettune.profile:
    name: tcp-fallback
  become: true

- name: See what another profile would do
  nettune.nettune.profile:
    name: tcp-100g
  become: true
  check_mode: true
  diff: true

- name: Restore the node to its state before nettune
  nettune.nettune.profile:
    state: absent
  become: true
"""

RETURN = r"""
waiting:
  description: The change is reverted unless it is confirmed.
  returned: success
  type: bool
outcome:
  description: How the transaction ended, as nettune reports it.
  returned: success and not in check mode
  type: str
  sample: committed
generation:
  description: Number of the generation that is active now.
  returned: success and not in check mode
  type: int
written:
  description: Addresses of the settings that were written; in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: ["sysctl:net.ipv4.tcp_mtu_probing", "link:eth1:mtu"]
pending:
  description:
    - Addresses of the settings that are written and take effect later, at the next boot or when a module or unit is started again.
      They make no task changed. While a change is waiting for confirmation, its files are not written; ask
      M(nettune.nettune.node_facts) after that.
  returned: success and not in check mode
  type: list
  elements: str
  sample: ["modprobe:mlx5_core:prof_sel"]
reboot_owed:
  description: Those of them that the next boot brings. Nettune reboots nothing; the role does, with C(nettune_reboot).
  returned: success and not in check mode
  type: list
  elements: str
not_in_effect:
  description: Addresses of the settings that the last boot should have brought, and did not. Another boot brings them neither.
  returned: success and not in check mode
  type: list
  elements: str
notes:
  description: Nettune's notes.
  returned: success
  type: list
  elements: str
reason:
  description:
    - Why it failed. One of V(failed) (nothing was changed), V(usage) (a mistake in a profile or in the site values),
      V(pending) (the host is busy), V(left) (written, but somebody else changed a part of it in the meantime),
      V(rolled_back) (a write failed, and everything was reverted), V(unfinished) (needs C(nettune recover)),
      V(not_permitted), V(busy) (another nettune is running, or a window is open), V(refused) (a guard, a hold, or the
      profile does not match the host), V(unknown), V(not_installed), V(no_answer).
  returned: failure
  type: str
rc:
  description: Exit code of nettune.
  returned: failure
  type: int
confirm_seconds_left:
  description: When a window is open, the time until it is undone.
  returned: failure
  type: int
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.nettune.nettune.plugins.module_utils import changes
from ansible_collections.nettune.nettune.plugins.module_utils.nettune import ask, awaited, fail, installed


# The first three are those of a rollback, too.
FLAGS = ("allow_management", "allow_busy", "allow_stop_units", "allow_no_trial", "allow_weaker_security", "accept_cautions",
         "accept_no_undo", "accept_owners")


def options(module, flags):
    """The options of nettune for what the task allows, and for what keeps the change."""
    found = ["--" + flag.replace("_", "-") for flag in flags if module.params[flag]]
    if module.params["confirm"] > 0:
        found += ["--confirm", str(module.params["confirm"])]
    for probe in module.params["probe"]:
        found += ["--probe", probe]
    return found


def subject(module):
    """The arguments that name the profile and where it comes from. Behind the -- nothing is an option."""
    arguments = []
    for source in ("profiles", "site"):
        if module.params[source]:
            arguments += ["--" + source, module.params[source]]
    return arguments + ["--", module.params["name"]]


def look(module):
    """What `present` would do; for check mode."""
    if not installed(module):
        module.exit_json(changed=True, waiting=False, written=[], notes=[],
                         msg="nettune is not installed on this host yet, so what it would change cannot be said")
    answer = ask(module, "plan", *(options(module, FLAGS) + ["--unattended"] + subject(module)))
    plan = answer.document
    if answer.rc not in (0, 3) or plan.get("kind") != "plan" or plan["refused"]:
        fail(module, answer)
    result = {"changed": plan["writes"] or plan["record_only"], "waiting": False,
              "written": [item["address"] for item in changes.pending(plan)], "notes": plan["notes"]}
    if module._diff and result["changed"]:
        result["diff"] = [changes.of_plan(plan)] + file_differences(module)
    module.exit_json(**result)


def look_absent(module):
    """What `absent` would do; for check mode."""
    applied = False
    if installed(module):
        answer = ask(module, "status")
        state = answer.document.get("state") or {}
        # Nothing is recorded although there is a site file: with `absent` that is as it should be.
        unmanaged = answer.rc == 3 and state.get("signs") and not state["debts"] and not state["unrecorded"]
        if answer.rc != 0 and not unmanaged:
            fail(module, answer)
        applied = state["active_profile"] is not None
    module.exit_json(changed=applied, waiting=False, written=[], notes=[])


def file_differences(module):
    answer = ask(module, "diff", *subject(module))
    return changes.of_files(answer.document.get("differences", []))


def change(module, command, flags, files=()):
    """Runs a command that writes, and tells what became of it."""
    answer = ask(module, command[0], *(options(module, flags) + ["--unattended"] + command[1:]))
    document = answer.document
    report = document.get("report") or {}
    written = report.get("outcome") in ("committed", "waiting")
    # What an interrupted run had left was put in order first.
    changed = written or document.get("recovered") is not None
    if answer.rc != 0:
        fail(module, answer, changed=changed or bool(report.get("not_restored")),
             **{key: [step["address"] for step in report.get(key, [])] for key in ("restored", "not_restored", "left")})
    plan = document["plan"] or {}
    result = {"changed": changed, "waiting": report.get("outcome") == "waiting",
              "outcome": report.get("outcome", "unchanged"), "generation": report.get("generation"),
              "written": [step["address"] for step in report.get("written", [])],
              "notes": document["notes"] + plan.get("notes", []) + report.get("notes", [])}
    # An open window is nothing to fail for here.
    result.update(awaited(ask(module, "status").document))
    if module._diff and changed:
        result["diff"] = [changes.of_plan(plan)] + list(files)
    module.exit_json(**result)


def main():
    module = AnsibleModule(
        argument_spec={
            "name": {"type": "str"},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "profiles": {"type": "path"},
            "site": {"type": "path"},
            "confirm": {"type": "int", "default": 0},
            "probe": {"type": "list", "elements": "str", "default": []},
            "allow_management": {"type": "bool", "default": False},
            "allow_busy": {"type": "bool", "default": False},
            "allow_stop_units": {"type": "bool", "default": False},
            "allow_no_trial": {"type": "bool", "default": False},
            "allow_weaker_security": {"type": "bool", "default": False},
            "accept_cautions": {"type": "bool", "default": False},
            "accept_no_undo": {"type": "bool", "default": False},
            "accept_owners": {"type": "bool", "default": False},
        },
        required_if=[("state", "present", ("name",))],
        supports_check_mode=True,
    )
    name = module.params["name"]
    if module.params["state"] == "absent":
        if module.check_mode:
            look_absent(module)
        change(module, ["rollback", "--to", "baseline"], FLAGS[:3])
    if "/" in name or name.endswith((".json", ".plan")):
        module.fail_json(msg="name: %s is a saved plan; this module takes the name of a profile" % name, reason="usage")
    if module.check_mode:
        look(module)
    files = file_differences(module) if module._diff else []
    change(module, ["apply"] + subject(module), FLAGS, files)


if __name__ == "__main__":
    main()

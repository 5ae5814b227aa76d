#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
"""Keeps a change that is waiting for confirmation."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: confirm
short_description: Keep a change that would otherwise be reverted
description:
  - Runs C(nettune confirm), which keeps what M(nettune.nettune.profile) with O(nettune.nettune.profile#module:confirm) would undo.
  - It counts only over an ssh connection that is newer than the change by a second, because only that shows that the host can still be
    reached. Run C(meta=reset_connection), and M(ansible.builtin.wait_for_connection) with a delay of two seconds, before it.
version_added: 0.1.0
author: nettune maintainers (@nettune)
attributes:
  check_mode:
    support: full
    description: Whether a change is waiting for confirmation.
  diff_mode:
    support: none
    description: The change was shown when it was made.
notes:
  - It fails if nothing is waiting. Then either there was nothing to confirm, or it came too late and everything is as it was before.
seealso:
  - module: nettune.nettune.profile
"""

EXAMPLES = r"""
- name: Apply, and revert in two minutes
  nettune.nettune.profile:
    name: tcp-100g
    confirm: 120
  become: true

- name: Drop the connection that is older than the change
  ansible.builtin.meta: reset_connection

- name: Reach the host again
  ansible.builtin.wait_for_connection:
    delay: 2
    timeout: 120

- name: Keep the change
  nettune.nettune.confirm:
  become: true
"""

RETURN = r"""
outcome:
  description: How the transaction ended, as nettune reports it.
  returned: success and not in check mode
  type: str
  sample: committed
generation:
  description: Number of the generation that is active now.
  returned: success and not in check mode
  type: int
reason:
  description: Why it failed; see M(nettune.nettune.profile). V(refused) means that the connection is too old, or does not count.
  returned: failure
  type: str
rc:
  description: Exit code of nettune.
  returned: failure
  type: int
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.nettune.nettune.plugins.module_utils.nettune import ask, fail


def main():
    module = AnsibleModule(argument_spec={}, supports_check_mode=True)
    if module.check_mode:
        state = ask(module, "status").document.get("state") or {}
        module.exit_json(changed=state.get("confirm_seconds_left") is not None)
    answer = ask(module, "confirm")
    if answer.rc != 0:
        fail(module, answer)
    report = answer.report()
    module.exit_json(changed=report.get("outcome") == "committed", outcome=report.get("outcome"), generation=report.get("generation"))


if __name__ == "__main__":
    main()

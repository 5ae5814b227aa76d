#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
"""Compares a host with what nettune applied there."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: check
short_description: Check that a host is as nettune left it
description:
  - Runs C(nettune check), which reads every setting of the active generation. Nothing is changed.
  - It fails on drift. What is written and takes effect at the next boot is no drift; with O(effective) it is.
version_added: 0.1.0
author: nettune maintainers (@nettune)
options:
  effective:
    description:
      - Also fail on what is not in effect, and on what nothing shows to be in effect. This is the check after a reboot.
    type: bool
    default: false
  strict:
    description: Also fail on a host to which nothing is applied, and on traffic that is unknown.
    type: bool
    default: false
attributes:
  check_mode:
    support: full
    description: It only reads.
  diff_mode:
    support: none
    description: It changes nothing.
notes:
  - Needs root on the host (C(become)).
seealso:
  - module: nettune.nettune.profile
"""

EXAMPLES = r"""
- name: Fail where something drifted
  nettune.nettune.check:
  become: true

- name: Wait until the boot has made everything effective
  nettune.nettune.check:
    effective: true
  become: true
  register: checked
  until: checked is success
  retries: 12
  delay: 10
"""

RETURN = r"""
verdict:
  description: What C(nettune check) says in one word, such as V(in_sync), V(drift), V(unmanaged), V(unknown).
  returned: always
  type: str
drift:
  description: Addresses of the settings that are not as they were applied.
  returned: always
  type: list
  elements: str
  sample: ["link:eth1:mtu"]
pending:
  description: Addresses of the settings that are written and take effect later.
  returned: always
  type: list
  elements: str
not_in_effect:
  description: Addresses of the settings that the last boot should have brought, and did not.
  returned: always
  type: list
  elements: str
effect_unseen:
  description: Addresses of the settings whose effect nothing shows.
  returned: always
  type: list
  elements: str
settings:
  description: The number of settings that were read.
  returned: always
  type: int
reason:
  description: Why it failed, C(drift) or a reason of M(nettune.nettune.profile).
  returned: failure
  type: str
rc:
  description: Exit code of nettune.
  returned: failure
  type: int
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.nettune.nettune.plugins.module_utils.nettune import ask, awaited, fail


def main():
    module = AnsibleModule(argument_spec={"effective": {"type": "bool", "default": False},
                                          "strict": {"type": "bool", "default": False}}, supports_check_mode=True)
    answer = ask(module, "check", *["--" + flag for flag in ("effective", "strict") if module.params[flag]])
    document = answer.document
    if document.get("kind") != "check":
        fail(module, answer)
    found = dict(awaited(document), drift=[item["address"] for item in document["not_in_sync"]], settings=document["settings"],
                 verdict=document["verdict"])
    del found["reboot_owed"]
    if answer.rc == 0:
        module.exit_json(changed=False, **found)
    said = ["%s: %s" % (word, ", ".join(found[key])) for key, word in
            (("drift", "drift"), ("not_in_effect", "not in effect"), ("pending", "pending"), ("effect_unseen", "effect unseen"))
            if found[key]]
    module.fail_json(msg="nettune: %s. Look at nettune check on this host." % ("; ".join(said) or document["verdict"].replace("_", " ")),
                     reason={3: "drift"}.get(answer.rc, "unknown"), rc=answer.rc, **found)


if __name__ == "__main__":
    main()

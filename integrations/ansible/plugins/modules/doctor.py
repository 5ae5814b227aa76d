#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
"""Asks nettune's doctor whether a host is fit."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: doctor
short_description: Find what keeps training slow on a host
description:
  - Runs C(nettune doctor), which looks for what keeps NCCL and PyTorch from running at full speed. Nothing is changed.
  - It fails on a fault, unless that is in O(known).
version_added: 0.1.0
author: nettune maintainers (@nettune)
options:
  demand:
    description: What the host must provide.
    type: str
    choices: [nccl, ddp, ib, roce, tcp]
  quick:
    description: Skip checks that wait, or that ask firmware.
    type: bool
    default: false
  known:
    description: Faults to pass over, as RV(faults) of an earlier task names them. So only what is new fails.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    support: full
    description: It only reads. If nettune is not installed yet, there are no findings.
  diff_mode:
    support: none
    description: It changes nothing.
notes:
  - Without root (C(become)) some rules cannot be decided.
"""

EXAMPLES = r"""
- name: Fail where a host is not fit for RoCE
  nettune.nettune.doctor:
    demand: roce
  become: true
"""

RETURN = r"""
verdict:
  description: V(ready), V(not_ready) or V(undecided).
  returned: always
  type: str
faults:
  description: Each fault, as rule and device.
  returned: always
  type: list
  elements: str
  sample: ["name-own", "rdma-port mlx5_0"]
findings:
  description: The faults and advice, as in doctor.schema.json.
  returned: always
  type: list
  elements: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.nettune.nettune.plugins.module_utils.nettune import ask, fail, installed


def name_of(finding):
    return finding["rule"] + (" " + finding["device"] if finding["device"] else "")


def main():
    module = AnsibleModule(
        argument_spec={
            "demand": {"type": "str", "choices": ["nccl", "ddp", "ib", "roce", "tcp"]},
            "quick": {"type": "bool", "default": False},
            "known": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    if module.check_mode and not installed(module):
        module.exit_json(changed=False, verdict="undecided", faults=[], findings=[])
    options = ["--quick"] if module.params["quick"] else []
    if module.params["demand"]:
        options += ["--for", module.params["demand"]]
    answer = ask(module, "doctor", *options)
    document = answer.document
    if document.get("kind") != "doctor":
        fail(module, answer)
    findings = [one for one in document["findings"] if one["verdict"] in ("fault", "advice") and not one["ignored"]]
    faults = [one for one in findings if one["verdict"] == "fault"]
    result = {"verdict": document["verdict"], "faults": [name_of(one) for one in faults], "findings": findings}
    new = [one for one in faults if name_of(one) not in module.params["known"]]
    if not new:
        module.exit_json(changed=False, **result)
    module.fail_json(msg="nettune doctor: %s" % "; ".join("%s: %s. %s" % (name_of(one), one["seen"], one["remedy"]) for one in new),
                     reason="fault", rc=answer.rc, **result)


if __name__ == "__main__":
    main()

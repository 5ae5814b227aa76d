#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
"""Gathers what nettune knows of a host."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: node_facts
short_description: Gather what nettune knows about a host
description:
  - Runs C(nettune facts) and C(nettune status) and returns them as the fact RV(ansible_facts.nettune). Nothing is changed.
version_added: 0.1.0
author: nettune maintainers (@nettune)
attributes:
  check_mode:
    support: full
    description: It only reads. If nettune is not installed yet, there are no facts.
  diff_mode:
    support: none
    description: It changes nothing.
  facts:
    support: full
    description: Sets RV(ansible_facts.nettune).
notes:
  - Works without root as far as things may be read.
"""

EXAMPLES = r"""
- name: Read the node
  nettune.nettune.node_facts:

- name: Name the interfaces of 200 Gb/s and more
  ansible.builtin.debug:
    msg: "{{ ansible_facts.nettune.net | selectattr('max_speed_mbps', 'defined')
             | selectattr('max_speed_mbps', 'ge', 200000) | map(attribute='name') | list }}"
"""

RETURN = r"""
ansible_facts:
  description: Facts to add to the host's.
  returned: always
  type: dict
  contains:
    nettune:
      description:
        - What C(nettune facts --json) says (facts.schema.json), and in C(status) what C(nettune status --json) says
          (status.schema.json).
      returned: where nettune is installed
      type: dict
      sample: {"node": {"hostname": "node17"}, "net": [], "status": {"state": {"active_profile": "tcp-fallback"}}}
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.nettune.nettune.plugins.module_utils.nettune import ask, fail, installed


def main():
    module = AnsibleModule(argument_spec={}, supports_check_mode=True)
    if module.check_mode and not installed(module):
        module.exit_json(changed=False, ansible_facts={})
    facts = ask(module, "facts")
    if facts.rc != 0:
        fail(module, facts)
    # An open window or an interrupted run is something to know, not a failure to look.
    status = ask(module, "status")
    module.exit_json(changed=False, ansible_facts={"nettune": dict(facts.document, status=status.document)})


if __name__ == "__main__":
    main()

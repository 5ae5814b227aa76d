# SPDX-License-Identifier: Apache-2.0
"""Writes /etc/nettune/site.toml: every string comes out as itself, whatever is in it."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
name: site_toml
short_description: Write the site file of nettune
description:
  - Turns a mapping into the TOML of C(/etc/nettune/site.toml). Strings are quoted so that they arrive literally.
  - Control characters, newlines among them, are an error, since nettune takes none.
version_added: 0.1.0
author: nettune maintainers (@nettune)
options:
  _input:
    description:
      - A mapping with C(vars) (names and their values; strings, integers and booleans) and C(protect) (with a list C(devices)).
      - Anything else is an error, because nettune would refuse the file.
    type: dict
    required: true
"""

EXAMPLES = r"""
content: "{{ {'vars': {'dscp': 24}, 'protect': {'devices': ['eth0']}} | nettune.nettune.site_toml }}"
"""

RETURN = r"""
_value:
  description: The TOML.
  type: str
"""

import unicodedata
from collections.abc import Mapping

from ansible.errors import AnsibleFilterError


def _quoted(text, where):
    """A basic string of TOML 1.0. Control characters could be escaped in it, but nettune takes none in a value."""
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cs"):
            raise AnsibleFilterError("site_toml: %s holds a control character (U+%04X), which nettune does not take"
                                     % (where, ord(character)))
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def _value(value, where):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -2**63 <= value < 2**63:
            raise AnsibleFilterError("site_toml: %s does not fit into 64 bits: %d" % (where, value))
        return "%d" % value
    if isinstance(value, str):
        return _quoted(value, where)
    raise AnsibleFilterError("site_toml: %s must be a string, an integer or a boolean, not %s" % (where, type(value).__name__))


def _mapping(value, where, known=None):
    if not isinstance(value, Mapping):
        raise AnsibleFilterError("site_toml: %s must be a mapping, not %s" % (where, type(value).__name__))
    for key in value:
        if not isinstance(key, str) or (known and key not in known):
            raise AnsibleFilterError("site_toml: %s does not take %r%s" % (where, key, ", only " + ", ".join(known) if known else ""))
    return value


def site_toml(site):
    site = _mapping(site, "the site", ("vars", "protect"))
    variables = _mapping(site.get("vars", {}), "vars")
    protect = _mapping(site.get("protect", {}), "protect", ("devices",))
    devices = protect.get("devices", [])
    if not isinstance(devices, (list, tuple)) or not all(isinstance(name, str) for name in devices):
        raise AnsibleFilterError("site_toml: protect.devices must be a list of names")
    lines = ["[vars]"]
    for name in sorted(variables):
        lines.append("%s = %s" % (_quoted(name, "the name of a variable"), _value(variables[name], "vars." + name)))
    lines += ["", "[protect]"]
    lines.append("devices = [%s]" % ", ".join(_quoted(name, "protect.devices") for name in devices))
    return "\n".join(lines)


class FilterModule:
    def filters(self):
        return {"site_toml": site_toml}

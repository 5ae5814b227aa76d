# SPDX-License-Identifier: Apache-2.0
"""A plan of nettune in the form that ansible-playbook --diff shows."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type


def _line(address, value):
    return "%s = %s\n" % (address, "(absent)" if value is None else value)


def pending(plan):
    """The items of a plan that would be written."""
    return [item for item in plan.get("items", []) if item["writes"]]


def of_plan(plan):
    """Values before and after, and what the kernel changes along."""
    before = after = ""
    for item in pending(plan):
        before += _line(item["address"], item["now"]["text"])
        after += _line(item["address"], item["after"])
        for touched in item["touches"]:
            after += "    changes along: " + _line(touched["address"], touched["predicted"])
    return {"before": before, "after": after, "before_header": "now", "after_header": plan.get("profile") or "baseline"}


def of_files(differences):
    """The contents of files line by line, as `nettune diff` has them."""
    return [{"prepared": "%s\n%s" % (each["address"], each["text"])} for each in differences if each["text"]]

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails while a profile is applied: `check --strict` of a node without one ends with 9.
"$STEP_ROOT/on-host" check --unattended --strict
test $? = 9

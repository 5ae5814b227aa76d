#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails on drift (3), and if nothing is applied (9).
exec "$STEP_ROOT/on-host" check --unattended --strict

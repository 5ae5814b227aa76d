#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The node as it was before nettune. The package of nettune stays on the host.
exec "$STEP_ROOT/on-host" rollback --to baseline --unattended

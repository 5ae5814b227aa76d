#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# $SKYHOOK_DIR/configmaps/profile has the name of the profile, and options has those of nettune apply.
set -eu
profile=$(cat "$SKYHOOK_DIR/configmaps/profile")
options=$(cat "$SKYHOOK_DIR/configmaps/options")
# shellcheck disable=SC2086  # words
exec "$STEP_ROOT/on-host" apply "$profile" --unattended $options

# SPDX-License-Identifier: Apache-2.0
# For scripts that run inside a system guest, once a boot: what was found goes to /host/report. Sourced.
# shellcheck shell=bash
seen=/root/seen
mkdir -p $seen
stage=$(cat $seen/stage 2> /dev/null || echo install)
ok() { printf 'ok   %s: %s\n' "$stage" "$1" >> /host/report; }
not_ok() { printf 'FAIL %s: %s\n' "$stage" "$1" >> /host/report; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: \"$3\" instead of \"$2\""; fi; }
# ends NAME CODE COMMAND...: it exits with CODE; what it said is shown when it does not.
ends() {
  local name=$1 expected=$2 code=0
  shift 2
  "$@" > /tmp/said 2>&1 < /dev/null || code=$?
  is "$name" "$expected" "$code"
  if [ "$code" != "$expected" ]; then tail -n 4 /tmp/said | sed 's/^/     /' >> /host/report; fi
}
same() {
  if diff "$2" "$3" > /tmp/apart; then ok "$1"; else
    not_ok "$1"
    head -n 8 /tmp/apart | sed 's/^/     /' >> /host/report
  fi
}
# next STAGE: goes on there after a reboot.
next() { echo "$1" > $seen/stage; sync; exit 194; }
# What became of a service that ran; systemd says success of one that never did as well.
result() {
  if [ -z "$(systemctl show -P InvocationID "$1")" ]; then echo "it never ran"; return; fi
  echo "$(systemctl show -P Result "$1") $(systemctl show -P ActiveState "$1")"
}
# ran NAME RESULT UNIT: what it said is shown when that is not its result.
ran() {
  local now deadline=$((SECONDS + 210))
  # Nothing orders this script behind it.
  while [ "$(systemctl show -P ActiveState "$3")" = activating ] && [ $SECONDS -lt $deadline ]; do sleep 1; done
  now=$(result "$3")
  is "$1" "$2" "$now"
  if [ "$now" != "$2" ]; then journalctl -q -b -u "$3" -o cat | tail -n 6 | sed 's/^/     /' >> /host/report; fi
}

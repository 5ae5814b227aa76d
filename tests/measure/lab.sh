# SPDX-License-Identifier: Apache-2.0
# Namespaces for the tests beside this file, which nobody else sees. Sourced inside `unshare -n -m -p`.

export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

begin_lab() {
  mount --make-rprivate /
  mkdir -p /run/netns
  mount -t tmpfs lab /run/netns
  mkdir -p /var/lib/nettune /run/nettune
  mount -t tmpfs -o mode=0755 lab /run/nettune
  mount -t tmpfs -o mode=0700 lab /var/lib/nettune
  ip link set lo up
}

# node NAME: a namespace with a loopback.
node() {
  ip netns add "$1"
  ip -n "$1" link set lo up
}
# wire A ADDRESS B ADDRESS [NAME]: a veth pair between two nodes.
wire() {
  local name=${5:-eth1}
  ip link add "$name" netns "$1" type veth peer name "$name" netns "$3"
  ip -n "$1" address add "$2" dev "$name"
  ip -n "$3" address add "$4" dev "$name"
  ip -n "$1" link set "$name" up
  ip -n "$3" link set "$name" up
}
on() {
  local name=$1
  shift
  ip netns exec "$name" "$@"
}
# await SECONDS COMMAND...: waits until the command succeeds.
await() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || return 1
    sleep 0.05
  done
}
# is_near EXPECTED ACTUAL PER_CENT: as numbers.
is_near() { awk -v e="$1" -v a="$2" -v p="$3" 'BEGIN { d = e > 0 ? a / e - 1 : 1; exit !(d < p / 100 && d > -p / 100) }'; }
# fills EXPECTED ACTUAL PER_CENT: it is not too low. Too high is no fault of a busy machine, and no reason to try again.
fills() { awk -v e="$1" -v a="$2" -v p="$3" 'BEGIN { exit !(a + 0 > e * (1 - p / 100)) }'; }
# settle COMMAND...: at most four times until it succeeds. A machine that is busy with something else fills no link; one
# that does so once shows what is measured of it.
settle() {
  local try
  for try in 1 2 3 4; do
    "$@" && return
    [ $try = 4 ] || sleep 5
  done
}
# near NAME EXPECTED ACTUAL PER_CENT
near() {
  if is_near "$2" "$3" "$4"; then
    ok "$1 ($3, expected $2)"
  else
    not_ok "$1: $3, expected $2 within $4 %"
  fi
}
# shellcheck source=tests/say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"

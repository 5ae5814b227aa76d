# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A node with a firewall of Debian, and a peer beside it. Sourced behind tests/root.sh, inside
# `unshare --net --mount --pid --uts --ipc`.
# shellcheck disable=SC2154  # $base: the root directory that it begins with, $nettune: what is tested

make_node() {
  mount --make-rprivate /
  mount -t tmpfs -o mode=0755 run /run  # ip keeps the names of namespaces there
  world=$(mktemp -d)
  mount -t tmpfs -o mode=0755 world "$world"
  mount_root "$base" "$world"
  root=$world/root
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mkdir -p "$root/run/dbus" "$root/etc/nettune/profiles" "$root/var/lib/nettune"
  printf '%032x\n' 7 > "$root/etc/machine-id"
  case $nettune in
    *.deb) cp "$nettune" "$root/root/nettune.deb" && in_node dpkg -i /root/nettune.deb > /dev/null ;;
    *) install "$nettune" "$root/usr/sbin/nettune" ;;
  esac
  cp tests/netns/knock.py "$root/root/"
  ip link set lo up
  profile "mode = \"allow\""
}

in_node() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root chroot "$root" "$@"; }
in_peer() { ip netns exec peer env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 chroot "$root" "$@"; }

# profile LINES: besides what every node has in [firewall.fabric]
profile() {
  cat > "$root/etc/nettune/profiles/training.toml" << PROFILE
schema = 1
name = "training"
summary = "ranks of other nodes may come in"
[devices.fabric]
match = { name = "eth1" }
[firewall.fabric]
peers = ["10.10.0.0/24", "fd00:10::/64"]
tcp = ["29400", "29500-29510"]
ephemeral = "32768-60999"
icmp = true
$1
PROFILE
}

# One link; a peer with addresses inside of what the profile says, and outside.
make_peer() {
  ip netns add peer
  ip link add eth0 type veth peer name admin0
  ip link add eth1 type veth peer name eth1 netns peer
  ip address add 10.10.0.1/16 dev eth1
  ip -6 address add fd00:10::1/48 dev eth1 nodad
  for device in eth0 admin0 eth1; do ip link set "$device" up; done
  for address in 10.10.0.5/16 10.10.9.9/16; do ip -n peer address add $address dev eth1; done
  for address in fd00:10::5/48 fd00:10:0:9::9/48; do ip -n peer -6 address add $address dev eth1 nodad; done
  ip -n peer link set lo up
  ip -n peer link set eth1 up
}

# A rendezvous, another of the range, two sockets of the kernel's choice, and one that nobody asked for.
start_listening() {
  mkfifo "$world/ready"
  in_node python3 /root/knock.py listen 29400 29505 32768 60999 28000 > "$world/ready" &
  read -r _ < "$world/ready"
}
ask() { in_peer python3 /root/knock.py ask "$1" tcp/29400 tcp/29505 tcp/32768 tcp/60999 tcp/28000; }
# The other way: connections that this node begins with the peer, which listens from then on.
peer_listens() {
  mkfifo "$world/peer-ready"
  in_peer python3 /root/knock.py listen 29400 29505 > "$world/peer-ready" &
  read -r _ < "$world/peer-ready"
}
reach() { in_node python3 /root/knock.py ask "$1" tcp/29400 tcp/29505; }
# shellcheck disable=SC2034  # for the parts
none_out="tcp/29400=no tcp/29505=no" let_out="tcp/29400=yes tcp/29505=yes"
nobody="tcp/29400=no tcp/29505=no tcp/32768=no tcp/60999=no tcp/28000=no"
# shellcheck disable=SC2034  # for the parts
let_in="tcp/29400=yes tcp/29505=yes tcp/32768=yes tcp/60999=yes tcp/28000=no"

# peers_are NAME EXPECTED: of both families; who is no peer is never let in
peers_are() {
  ask 10.10.0.5,10.10.0.1 > "$world/peer4" &
  ask fd00:10::5,fd00:10::1 > "$world/peer6" &
  ask 10.10.9.9,10.10.0.1 > "$world/other4" &
  ask fd00:10:0:9::9,fd00:10::1 > "$world/other6" &
  wait -n; wait -n; wait -n; wait -n
  is "$1" "$2" "$(cat "$world/peer4")"
  is "$1, by IPv6" "$2" "$(cat "$world/peer6")"
  is "and nobody else" "$nobody|$nobody" "$(cat "$world/other4")|$(cat "$world/other6")"
}

# What the kernel has, without what is another in every run; and what stands in files.
rule_set() {
  nft -j list ruleset | jq -S 'walk(if type == "object" then del(.handle, .metainfo) |
    if has("counter") and (.counter | type) == "object" then .counter |= {} else . end else . end)'
}
rules_of_site() { (cd "$root/etc" && find firewalld ufw default/ufw nftables.conf iptables* 2> /dev/null | sort | while read -r file; do
  if [ -f "$file" ]; then stat -c '%n %a %U:%G' "$file"; sha256sum < "$file"; else echo "$file"; fi; done); }

# nettune NAME CODE ARGUMENTS...: what it said is in $said then
nettune() {
  local name=$1 code=$2 ended
  shift 2
  said=$(in_node nettune "$@" 2>&1 < /dev/null)
  ended=$?
  is "$name" "$code" "$ended"
  if [ "$code" != "$ended" ]; then sed 's/^/     | /' <<< "$said" | tail -n 20; fi
}
generations() { ls "$root/var/lib/nettune/generations" 2> /dev/null | wc -l; }

# until COMMAND...: it succeeds, within a while
until_ok() {
  local deadline=$((SECONDS + 90))
  until "$@" > /dev/null 2>&1; do
    if [ $SECONDS -ge $deadline ]; then return 1; fi
    sleep 0.1
  done
}

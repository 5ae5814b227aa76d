# SPDX-License-Identifier: Apache-2.0
# A node of its own for the tests beside this file: a network namespace with a veth pair, and a mount
# namespace with an /etc and a state directory that nobody else sees. Sourced inside `unshare -n -m`.

# A leak check cannot run in a traced process.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

ETC_FILES='passwd group nsswitch.conf os-release machine-id ld.so.cache ld.so.conf hostname'

make_world() {
  mount --make-rprivate /
  world=$(mktemp -d)
  mount -t tmpfs -o mode=0755 world "$world"
  mkdir -p "$world/etc/sysctl.d" "$world/etc/profile.d" "$world/etc/modules-load.d" \
    "$world/etc/security/limits.d" "$world/etc/systemd/system" "$world/etc/nettune/profiles" "$world/state" "$world/run"
  for file in $ETC_FILES; do
    if [ -e "/etc/$file" ]; then cp -L "/etc/$file" "$world/etc/$file"; fi
  done
  printf 'NCCL_DEBUG=WARN\n# a line of the site\nSITE_LINE=1' > "$world/etc/nccl.conf"
  printf 'net.ipv4.tcp_sack = 1\n' > "$world/etc/sysctl.conf"
  ln -s ../sysctl.conf "$world/etc/sysctl.d/99-sysctl.conf"
  cp "$here"/profiles/*.toml "$world/etc/nettune/profiles/"
  cp -a /etc/alternatives "$world/etc/"  # awk and others hang on it
  chmod -R go-w "$world/etc"
  mkdir -p /var/lib/nettune /run/nettune
  mount --bind "$world/etc" /etc
  mount --bind "$world/run" /run/nettune
  mount --bind "$world/state" /var/lib/nettune
  mount -t sysfs sysfs /sys
  ip link set lo up
  ip link add nt0 type veth peer name nt1
  ip link add link nt0 name nt0mac type macvlan mode bridge
  for device in nt0 nt1 nt0mac; do ip link set "$device" up; done
  ip address add 10.99.0.1/24 dev nt0
  # Known values to begin with, whatever this kernel's are.
  sysctl -qw net.ipv4.tcp_rmem='4096 131072 6291456' net.ipv4.tcp_wmem='4096 16384 4194304' \
    net.ipv4.tcp_mtu_probing=0 net.ipv4.ip_forward=0 net.core.somaxconn=4096 \
    net.ipv4.ip_local_reserved_ports=8080,9000-9010
  settle
}

# Duplicate address detection and carrier events change what a snapshot sees for a moment.
settle() { sleep 2.2; }

# await SECONDS COMMAND...: waits until the command succeeds.
await() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || return 1
    sleep 0.05
  done
}

# The node as other people's tools see it: sysctls of the network, links, and every file below /etc.
snapshot() {
  sysctl -a --pattern '^net\.' 2> /dev/null | sort
  # Without what a device that is made anew has anew: its index and its random address.
  ip -o -d link show | sed -E 's/^[0-9]+: ([^:@]+)[^:]*:/link \1/; s/([0-9a-f]{2}:){5}[0-9a-f]{2}/MAC/g
    s/ *(promiscuity|allmulti) [0-9]+//g' | sort
  (cd /etc && find . -printf '%p %y %m %U:%G %l\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum)
}

# In a sweep of thousands a snapshot may look only where the profile could have touched anything.
quick_snapshot() {
  grep -s . /proc/sys/net/ipv4/tcp_?mem /proc/sys/net/ipv4/tcp_mtu_probing /proc/sys/net/ipv4/ip_* \
    /proc/sys/net/ipv4/conf/*/forwarding /proc/sys/net/ipv4/conf/*/rp_filter /proc/sys/net/core/somaxconn \
    /proc/sys/net/ipv4/conf/*/accept_redirects /proc/sys/net/ipv6/conf/*/mtu \
    /sys/class/net/*/mtu /sys/class/net/*/tx_queue_len
  (cd /etc && find . -printf '%p %y %m %U:%G %l\n' && find . -type f -print0 | xargs -0 cksum) | sort
}

# shellcheck source=tests/say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"

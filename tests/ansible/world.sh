# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Hosts for Ansible, each with namespaces, a root and an sshd of its own, and a controller that reaches them by ssh.
# Sourced behind tests/root.sh, inside `unshare --net --mount --pid --uts --ipc`.
# shellcheck disable=SC2154  # $base: a root directory that they all begin with

make_controller() {
  mount --make-rprivate /
  mount -t tmpfs -o mode=0755 run /run  # ip keeps the names of namespaces there
  world=$(mktemp -d)
  mount -t tmpfs -o mode=0755 world "$world"
  control=$world/control/root
  mount_root "$base" "$world/control"
  mount -t proc proc "$control/proc"
  ip link set lo up
  ip link add lan type bridge
  ip address add 10.98.0.1/24 dev lan
  ip link set lan up
  install -d -m 0700 "$control/root/.ssh"
  chroot "$control" ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
}

# make_host NUMBER: host nNUMBER, 10.98.0.1NUMBER, reached over mgmt0; fab0 is its fabric.
make_host() {
  local name=n$1 root=$world/n$1/root
  mount_root "$base" "$world/$name"
  mkdir "$root/run/sshd"
  printf '%s\n' "$name" > "$root/etc/hostname"
  printf '127.0.0.1 localhost %s\n' "$name" > "$root/etc/hosts"
  printf '%032x\n' "$1" > "$root/etc/machine-id"
  printf 'admin ALL=(ALL) NOPASSWD: ALL\n' > "$root/etc/sudoers.d/admin"
  chroot "$root" useradd -m -s /bin/bash -p '*' admin
  install -d -m 0700 -o 1000 -g 1000 "$root/home/admin/.ssh"
  install -m 0600 -o 1000 -g 1000 "$control/root/.ssh/id_ed25519.pub" "$root/home/admin/.ssh/authorized_keys"
  ip netns add "$name"
  ip link add "$name" master lan type veth peer name mgmt0 netns "$name"
  ip link set "$name" up
  ip -n "$name" link set lo up
  ip -n "$name" address add "10.98.0.1$1/24" dev mgmt0
  ip -n "$name" link set mgmt0 up
  ip -n "$name" route add default via 10.98.0.1
  add_fabric "$name"
  # shellcheck disable=SC2016  # expanded inside
  ip netns exec "$name" unshare --mount --pid --uts --ipc --fork --kill-child bash -c '
    hostname "$1"
    mount -t proc proc "$2/proc"
    mount -t sysfs -o ro sysfs "$2/sys"
    exec chroot "$2" bash -c "/usr/sbin/sshd -D -o UsePAM=no & wait"' host "$name" "$root" > "$world/$name/log" 2>&1 &
  until inits[$1]=$(pgrep -P $!) && in_host "$name" test -e /run/sshd.pid 2> /dev/null; do sleep 0.1; done
  # Known values to begin with, whatever this kernel's are.
  in_host "$name" sysctl -qw net.ipv4.tcp_mtu_probing=0 net.ipv4.tcp_slow_start_after_idle=1
}

add_fabric() {
  ip -n "$1" link add fab0 type veth peer name fab1
  ip -n "$1" link set fab0 up
  ip -n "$1" link set fab1 up
}

# in_host NAME COMMAND...
in_host() {
  local name=$1
  shift
  nsenter -t "${inits[${name#n}]}" -m -n -u -i -p -r -w \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root "$@"
}

# on_controller COMMAND...
on_controller() {
  chroot "$control" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root ANSIBLE_NOCOLOR=1 \
    ANSIBLE_CONFIG=/srv/ansible.cfg "$@"
}

# seen NAME: the host as other people's tools see it: sysctls of the network, links, every file below /etc.
seen() { in_host "$1" bash -c "$(declare -f snapshot); snapshot"; }

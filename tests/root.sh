# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A Debian of its own for each host of a test. Sourced in a mount namespace of the test.

# mount_root BASE DIRECTORY: what begins like BASE, and keeps its changes in memory; mounted at DIRECTORY/root.
mount_root() {
  local root=$2/root node
  mkdir -p "$2/upper" "$2/work" "$root"
  mount -t overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" root "$root"
  mount -t tmpfs -o mode=0755 run "$root/run"
  mount -t tmpfs -o mode=0755 dev "$root/dev"
  for node in null zero full random urandom tty; do
    : > "$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
}

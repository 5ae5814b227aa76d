# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A Debian with what the build needs, for builds that nothing of this machine is in. Sourced behind scripts/lib.sh, with
# $cache: where these are kept.

# make_build_root SUITE ROOT BUILD-DEP-OPTIONS MMDEBSTRAP-OPTION...: a Debian with Build-Depends in it. Skipped where it
# cannot be made, as without network.
make_build_root() {
  local suite=$1 root=$2
  if [ -d "$root" ]; then return 0; fi
  if ! is_root; then echo "only root can make a $suite root"; return 77; fi
  mkdir -p "$cache"
  rm -rf --one-file-system "${root%-*}"-*
  export TREE=$PWD BUILD_DEP_OPTIONS=$3
  shift 3
  # shellcheck disable=SC2016  # expanded by the hooks
  if ! make_root "$suite" "$root.new" "$@" \
    --customize-hook='mkdir -p "$1/src" && cp -r "$TREE/debian" "$1/src/"' \
    --customize-hook='chroot "$1" sh -c "cd /src && DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 build-dep --no-install-recommends $BUILD_DEP_OPTIONS ./"'; then
    rm -rf --one-file-system "$root.new"
    echo "mmdebstrap could not make a $suite root from $(mirror)"
    return 77
  fi
  mv "$root.new" "$root"
}

# in_build_root ROOT COMMAND: runs the command in /src of that root, where the copy of the tree is, as on a machine. A
# chroot would not do: in one, the kernel refuses user namespaces, and tests want some.
in_build_root() {
  # shellcheck disable=SC2016  # expanded inside
  unshare --mount --pid --fork --kill-child sh -euc '
    mount --bind "$1" "$1"
    cd "$1"
    mount -t proc proc proc
    mount --rbind /sys sys
    mount --rbind /dev dev
    pivot_root . .
    umount -l .
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=${LC_ALL:-C.UTF-8} TZ=${TZ:-UTC} sh -euc "
      cd /src
      $2
    "' sh "$1" "$2"
}

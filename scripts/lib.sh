# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts beside it; they run with the root of the tree as their directory.

say() { printf '%s\n' "$@"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }
have() { command -v "$1" > /dev/null 2>&1; }
is_root() { [ "$(id -u)" = 0 ]; }

apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 \
    -o Acquire::Retries=3 "$@" < /dev/null
}

# build_dependencies_met [PROFILE]: true when debian/control's Build-Depends are all installed.
build_dependencies_met() {
  have dpkg-checkbuilddeps && dpkg-checkbuilddeps ${1:+-P "$1"} > /dev/null 2>&1
}

# Installs debian/control's Build-Depends; PROFILE "nocheck" leaves out what only the tests need.
install_build_dependencies() {
  if build_dependencies_met "${1-}"; then return 0; fi
  is_root || die "packages are missing, and only root can install them: sudo $0"
  say "Installing what the build needs (Build-Depends of debian/control) ..."
  apt_get update
  apt_get build-dep --no-install-recommends ${1:+-P "$1"} ./
}

# install_packages NAME...: those of them that are not installed yet.
install_packages() {
  missing=
  for package in "$@"; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) in
      installed) ;;
      *) missing="$missing $package" ;;
    esac
  done
  if [ -z "$missing" ]; then return 0; fi
  is_root || die "these packages are missing, and only root can install them:$missing"
  say "Installing$missing ..."
  apt_get update
  # shellcheck disable=SC2086  # a list of names
  apt_get install --no-install-recommends $missing
}

# Runs a command as the owner of the tree, so that a build under sudo leaves no files of root there.
as_owner() {
  owner=$(stat -c %U .)
  if is_root && [ "$owner" != root ] && [ "$owner" != UNKNOWN ]; then
    runuser -u "$owner" -- "$@"
  else
    "$@"
  fi
}

# compile DIRECTORY TARGET CMAKE-OPTION...: configures and builds.
compile() {
  directory=$1 target=$2
  shift 2
  if have ccache; then set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
  as_owner cmake -S . -B "$directory" "$@"
  as_owner cmake --build "$directory" --target "$target" -j "$(nproc)"
}

# The mirror that this machine's own apt uses for Debian.
mirror() {
  apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "Debian" && $2 == "Debian" { print $3; found = 1; exit }
         END { if (!found) print "http://deb.debian.org/debian" }'
}

# make_root SUITE DIRECTORY MMDEBSTRAP-OPTION...: a small Debian of that release, from that mirror.
make_root() {
  suite=$1 directory=$2
  shift 2
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  mmdebstrap --mode=root --variant=minbase ${proxy:+--aptopt="Acquire::http::Proxy \"$proxy\""} "$@" \
    "$suite" "$directory" "$(mirror)"
}

# kept_root SUITE CACHE NAME PACKAGE,...: a small Debian with these packages, made in CACHE unless it is there from an
# earlier run with the same list. Says where it is.
kept_root() {
  root=$2/$3-$1-$(printf '%s\n' "$4" | sha256sum | cut -c 1-16)
  if [ ! -d "$root" ]; then
    mkdir -p "$2"
    rm -rf --one-file-system "$2/$3-$1"-*
    make_root "$1" "$root.new" "--include=$4" >&2 || { rm -rf --one-file-system "$root.new"; return 1; }
    mv "$root.new" "$root"
  fi
  printf '%s\n' "$root"
}
# torch_root SUITE CACHE: one with PyTorch.
torch_root() { kept_root "$1" "$2" torch iproute2,libibverbs1,libkmod2,libsystemd0,nftables,python3-torch; }

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The parts of scripts/test: what each of them does. A function that stands in its table is called with set -e, prints
# what count() in scripts/test-count.sh reads, and exits with 77 to be skipped.

packages=$PWD/build-test/package
plain=$packages/src/build-deb  # what is tested is what is shipped: the build that the package is made of
sanitized=$PWD/build-test/sanitized
cache=${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/nettune-test
. scripts/build-root.sh

this_release() {
  case $(. /etc/os-release && echo "${VERSION_CODENAME-}") in trixie) echo trixie ;; *) echo bookworm ;; esac
}
# The Debian release that this machine does not run: another compiler, toml11 and CLI11.
other_release() {
  case $(this_release) in trixie) echo bookworm ;; *) echo trixie ;; esac
}
# Its root directory has Build-Depends in it; there is one for each content of debian/control. So has that of the cross
# build.
other_root() { echo "$cache/$(other_release)-$(sha256sum debian/control | cut -c 1-16)"; }
arm64_root() { echo "$cache/arm64-$(this_release)-$(sha256sum debian/control | cut -c 1-16)"; }

# release_of WHICH, built_in WHICH: of "this" and of the "other" release.
release_of() { case $1 in this) this_release ;; other) other_release ;; esac; }
built_in() { case $1 in this) echo "$packages" ;; other) other_root ;; esac; }
# The Debian package of a release; "" for none.
package_of() { find "$(built_in "$1")" -maxdepth 1 -name 'nettune_*.deb' | head -n 1; }
# The binary as it is in the package: with debug information it is twenty times as large.
shipped_of() { echo "$(built_in "$1")/src/debian/nettune/usr/sbin/nettune"; }

# --- what is built -----------------------------------------------------------------------------------------------
check_format() {
  case $(clang-format --version) in *'version 14.'*) ;; *) clang-format --version; return 77 ;; esac
  # shellcheck disable=SC2016  # expanded inside
  find src tests -name '*.[ch]pp' -o -name '*.c' | sort | xargs -P "$(nproc)" -n 32 sh -c '
    wrong=0
    for file; do
      clang-format --dry-run -Werror "$file" 2> /dev/null || { echo "clang-format -i $file"; wrong=1; }
    done
    exit $wrong' sh
}

# make_package DIRECTORY BUILDER: makes the package of a copy of the tree in DIRECTORY/src, with the unit tests, and
# sums those up. BUILDER DIRECTORY does $dpkg_build in that copy. debhelper gives the build a HOME that it removes; the
# compiler's cache stays where it is.
# shellcheck disable=SC2016  # expanded inside
dpkg_build='g++ --version | head -n 1
  export CCACHE_DIR=${CCACHE_DIR:-${HOME:-/root}/.cache/ccache}
  export PATH=/usr/lib/ccache:$PATH DEB_CXXFLAGS_APPEND=-Werror DEB_BUILD_OPTIONS=parallel=$(nproc)
  exec dpkg-buildpackage -us -uc -b'
make_package() {
  local status=0
  rm -rf "$1/src" "$1"/nettune*
  mkdir -p "$1/src"
  tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$1/src"
  "$2" "$1" || status=$?
  if [ -e "$1/src/build-deb/ctest.xml" ]; then sum_up_ctest "$1/src/build-deb/ctest.xml"; fi
  return "$status"
}

# On this machine, but without its network: the build must not need one.
build_package() { make_package "$packages" build_here; }
build_here() {
  local alone=()
  if is_root; then alone=(unshare --net); fi
  (cd "$1/src" && "${alone[@]}" sh -euc "ip link set lo up 2> /dev/null || true; $dpkg_build")
}

# In a root of the other release.
build_other() { make_package "$(other_root)" build_in_root; }
build_in_root() { in_build_root "$1" "$dpkg_build"; }
make_other_root() { make_build_root "$(other_release)" "$(other_root)" ''; }
make_arm64_root() {
  make_build_root "$(this_release)" "$(arm64_root)" '-a arm64' --architectures="$(dpkg --print-architecture),arm64" \
    --include=crossbuild-essential-arm64,qemu-user-static
}

# For arm64 (Grace), with the compiler that Debian has for that, and the unit tests under qemu-user. What is left out:
# - tests that start the built nettune: without binfmt_misc, which is the whole machine's, a kernel starts no arm64
#   program; in the emulated one there is none to start others by;
# - catalog_update and include_directions, which judge the sources.
not_under_qemu='^(CliCommandsGolden|CliPrograms|NcclProgramExplain|NcclProgramLint|CompareProgramCommand|CompareProgramReadFiles|ReportProgramCommand|AdviseProgramCommand|DocsTables)\.|CliCommandsGoldenCase\.ThePlanIsTheExpectedOne|^catalog_update$|^include_directions'
build_arm64() {
  local root status=0
  root=$(arm64_root)
  rm -rf --one-file-system "$root/src"
  mkdir -p "$root/src"
  tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$root/src"
  in_build_root "$root" "
    aarch64-linux-gnu-g++ --version | head -n 1
    cmake -S . -B build-arm64 -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
      -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
      -DPKG_CONFIG_EXECUTABLE=/usr/bin/aarch64-linux-gnu-pkg-config \
      -DCMAKE_CROSSCOMPILING_EMULATOR=/usr/bin/qemu-aarch64-static \
      -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1 -DNETTUNE_WERROR=ON
    cmake --build build-arm64 -j $(nproc)
    ctest --test-dir build-arm64 -j $(nproc) --timeout 1200 --output-on-failure --no-tests=error \
      --output-junit ctest.xml -E '$not_under_qemu'" || status=$?
  if [ -e "$root/src/build-arm64/ctest.xml" ]; then sum_up_ctest "$root/src/build-arm64/ctest.xml"; fi
  return "$status"
}

# With the compiler that the other builds do not have.
build_sanitized() {
  local status=0
  compile "$sanitized" all -DCMAKE_CXX_COMPILER=clang++ -DNETTUNE_WERROR=ON -DNETTUNE_SANITIZE=ON
  rm -f "$sanitized/ctest.xml"
  ctest --test-dir "$sanitized" -j "$(nproc)" --timeout 1200 --output-on-failure --no-tests=error \
    --output-junit "$sanitized/ctest.xml" || status=$?
  if [ -e "$sanitized/ctest.xml" ]; then sum_up_ctest "$sanitized/ctest.xml"; fi
  return "$status"
}

# check_tidy SHARE OF: clang-tidy over that share of the sources. Most of the time goes to headers, so it reads many
# sources at a time, as they are compiled. A configured build is enough for it.
check_tidy() {
  local tree=$PWD/build-test/tidy-$1
  case $(clang-tidy --version) in *'version 14.'*) ;; *) clang-tidy --version | head -n 2; return 77 ;; esac
  cmake -S . -B "$tree" -DCMAKE_CXX_COMPILER=clang++ -DNETTUNE_SANITIZE=ON
  # Without the names of the sound files, which would fill the report of a failure.
  # Not all files that are there: CMake leaves those of sources that were removed.
  { jq -r '.[].file' "$tree/compile_commands.json" | grep '/src/CMakeFiles/.*/Unity/'; find "$PWD/src" -name main.cpp; } | sort |
    awk -v share="$1" -v of="$2" 'NR % of == share % of' |
    xargs -P "$(nproc)" -n 1 clang-tidy -quiet -p "$tree" 2>&1 |
    sed -e "s/\x1b\[[0-9;]*m//g" -e '/^clang-tidy[-0-9]* -/d' -e '/warnings\? generated\.$/d' -e '/^$/d'
}

# --- what runs the binary -----------------------------------------------------------------------------------------
# in_netns PART [ARGUMENT]
in_netns() {
  local part=$1
  shift
  NETTUNE=$plain/nettune timeout 1500 "tests/netns/$part" "$@"
}
in_sanitized_netns() { NETTUNE=$sanitized/nettune tests/netns/run; }

test_package() { tests/package/run "$packages"; }
# The integrations, with the ansible-core and cloud-init of each release, and [firewall.SET] on firewalld, ufw and the others.
test_ansible() { tests/ansible/run "$(release_of "$1")" "$(package_of "$1")" "$cache"; }
test_cloud_init() { tests/cloud-init/run "$(release_of "$1")" "$(package_of "$1")" "$cache"; }
test_firewalls() { tests/firewall/run "$(release_of "$1")" "$(package_of "$1")" "$cache"; }
test_release() { tests/release/run "$(this_release)" "$(package_of this)" "$cache"; }
test_gloo() { tests/firewall/gloo "$(this_release)" "$(package_of this)" "$cache"; }
# Its site, without a dead link.
test_docs() { scripts/site build-test/site; }
test_doctor() { tests/doctor/run "$plain"; }
test_report() { tests/report/run "$plain"; }
# The browser is large, so only this part installs it.
test_report_browser() {
  if ! command -v chromium > /dev/null && ! (install_packages chromium); then
    echo "chromium is not there, and could not be installed"
    return 77
  fi
  tests/report/run "$plain" browser
}
in_measure() { NETTUNE=$plain/nettune "tests/measure/$1"; }
test_measure_nccl() { NETTUNE=$plain/nettune tests/measure/nccl "$(this_release)" "$cache"; }
in_render() { NETTUNE=$plain/nettune "tests/render/$1"; }
test_render_jobs() { tests/render/jobs "$(release_of "$1")" "$(package_of "$1")" "$cache"; }
test_slurm() { tests/slurm/run "$(release_of "$1")" "$(package_of "$1")" "$cache"; }
# promtool alone: the package would also start a server.
test_prometheus() {
  local kept=$cache/prometheus
  if [ ! -x "$kept/usr/bin/promtool" ]; then
    rm -rf "$kept"
    mkdir -p "$kept"
    if ! (cd "$kept" && apt-get -qq update && apt-get -qq download prometheus && dpkg-deb -x prometheus_*.deb .); then
      echo "the package prometheus could not be fetched"
      return 77
    fi
  fi
  PATH=$kept/usr/bin:$PATH NETTUNE=$plain/nettune tests/prometheus/run
}
test_kubernetes() { tests/kubernetes/run "$(release_of "$1")" "$(package_of "$1")" "$cache"; }
test_bench() {
  tests/bench/run --smoke "$plain"
  tests/bench/growth --smoke "$plain"
  tests/bench/nccl --smoke "$plain"
  tests/bench/firewall --smoke "$plain"
}

# Debian's own kernels, of this release and, with the binary that was built there, of the other.
in_vm() { tests/vm/run "$(this_release)" "$(shipped_of this)" "$cache" "$(package_of this)" "$@"; }
in_other_vm() {
  # The whole of what can go wrong at a SET is tried on this release.
  QUICK=1 tests/vm/run "$(other_release)" "$(shipped_of other)" "$cache" "$(package_of other)" \
    system power-cuts rdma dcb ethtool stock-kernel testnic
}

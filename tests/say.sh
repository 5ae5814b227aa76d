# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What shell tests say of a check, and their closing count. Sourced.

passed=0 failed=0 skipped=0
ok() { passed=$((passed + 1)); printf 'ok   %s\n' "$1"; }
not_ok() { failed=$((failed + 1)); printf 'FAIL %s\n' "$1"; }
# is NAME EXPECTED ACTUAL
is() {
  if [ "$2" = "$3" ]; then ok "$1"; else
    not_ok "$1"
    diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -40 | sed 's/^/     /'
  fi
}
# has NAME TEXT WORDS: every word (a basic regular expression) is in the text
has() {
  # A message is one text, however it is wrapped.
  local name=$1 text=${2//$'\n'       / } word
  shift 2
  for word in "$@"; do
    if ! grep -q -e "$word" <<< "$text"; then
      not_ok "$name: no \"$word\" in:"
      head -20 <<< "$text" | sed 's/^/     /'
      return
    fi
  done
  ok "$name"
}
total() { printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"; [ "$failed" = 0 ]; }

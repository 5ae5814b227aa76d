# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Counts what the parts of scripts/test print. Sourced with $passed and the like to begin at 0.
passed=0 failed=0 skipped=0 unexpected=0

# judge_skip NAME REASON: a skip is expected when scripts/allowed-skips names it.
judge_skip() {
  local pattern why
  skipped=$((skipped + 1))
  while read -r pattern why; do
    # shellcheck disable=SC2053  # it is a pattern
    if [[ $pattern != '#'* && -n $pattern && $1 == $pattern ]]; then
      printf '  SKIP %s: %s\n' "$1" "${2:-$why}"
      return
    fi
  done < scripts/allowed-skips
  printf '  SKIP %s: %s  <- not expected\n' "$1" "$2"
  unexpected=$((unexpected + 1))
}

# count STATUS NAME LOG SECONDS: adds up what a part printed. A part may end with a line
# "N passed, N failed, N skipped" and print "SKIP NAME: REASON" for each skip; otherwise it counts as
# one. Exit status 77 skips it as a whole; its last line is the reason.
count() {
  local status=$1 name=$2 log=$3 p f s line word=ok
  if [ "$status" = 77 ]; then
    judge_skip "$name" "$(tail -n 1 "$log")"
    return
  fi
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
  if [ -n "$line" ]; then
    read -r p _ f _ s _ <<< "$line"
  else
    p=$((status == 0)) f=0 s=0
  fi
  if [ "$status" != 0 ] && [ "$f" = 0 ]; then f=1; fi
  passed=$((passed + p)) failed=$((failed + f))
  if [ "$f" != 0 ]; then word=FAIL; fi
  printf '%-4s %-20s %4d passed, %d failed, %d skipped  (%d s)\n' "$word" "$name" "$p" "$f" "$s" "$4"
  if [ "$f" != 0 ]; then
    # What failed comes first: whoever keeps only the beginning of a report keeps that.
    grep -E -A 8 '^(FAIL|not ok|fatal:|\[  FAILED)|: error:|Assertion|[*]{3}(Failed|Timeout|Exception|Not Run)|ERROR: [A-Za-z]*Sanitizer' "$log" | grep -v '^ok ' | head -n 40 | sed 's/^/    | /'
    printf '    | the end of it:\n'
    tail -n 30 "$log" | sed 's/^/    | /'
    printf '    | all of it: %s\n' "$log"
  fi
  local seen=0 skip_name reason
  while IFS=: read -r skip_name reason; do
    judge_skip "${skip_name#SKIP }" "${reason# }"
    seen=$((seen + 1))
  done < <(grep -E '^SKIP [^:]+:' "$log")
  while [ "$seen" -lt "$s" ]; do
    judge_skip "$name" "a test in it, without a reason"
    seen=$((seen + 1))
  done
}

# sum_up_ctest REPORT: turns ctest's report into such lines.
sum_up_ctest() {
  python3 - "$1" << 'PYTHON'
import re, sys
import xml.etree.ElementTree as xml
p = f = s = 0
for case in xml.parse(sys.argv[1]).getroot().iter("testcase"):
    if case.get("status") == "run":
        p += 1
    elif case.find("skipped") is not None:
        s += 1
        said = re.search(r"(?:Skipped\n|SKIP:? )(.+)", case.findtext("system-out") or "")
        print(f"SKIP {case.get('name')}: {said.group(1) if said else 'no reason given'}")
    else:
        f += 1
print(f"{p} passed, {f} failed, {s} skipped")
PYTHON
}

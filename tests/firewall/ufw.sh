# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# ufw, with a rule and a denial of the site.
# shellcheck disable=SC2154  # from world.sh

tuples() { grep -h '^### tuple' "$root/etc/ufw/user.rules" "$root/etc/ufw/user6.rules"; }
window_is_over() { in_node nettune status --json | jq -e '.state.journal == "none"'; }
nothing_runs() { ! pgrep -f 'ufw[.a-z]* prepend'; }
in_node ufw allow 22/tcp > /dev/null
in_node ufw deny from 10.10.0.0/24 to any port 29505 proto tcp > /dev/null
nettune "facts where it is not enabled" 0 facts
is "do not take it for the owner" 0 "$(grep -c 'ufw.conf' <<< "$said")"
in_node ufw --force enable > /dev/null
rule_set > "$world/before"
rules_of_site > "$world/before.files"
tuples > "$world/before.tuples"
peers_are "before, no peer comes in" "$nobody"

nettune "facts name it" 0 facts
has "and how it shows" "$said" 'ufw'
nettune "plan says what is to be done" 3 plan training
has "in its own words" "$said" 'firewall ufw#allow in on eth1 from 10.10.0.0/24 to any port 29400,29500:29510,32768:60999 proto tcp'
is "and changes nothing" "$(cat "$world/before" "$world/before.files")" "$(rule_set; rules_of_site)"
nettune "apply" 0 apply training
peers_are "peers come in, before the site's denial" "$let_in"
nettune "check is content" 0 check
has "and proves it, of both families" "$said" 'traffic allowed'
is "its own list has them" 2 "$(in_node ufw status | grep -c '# nettune')"
count=$(generations)
rule_set > "$world/after"
nettune "a second apply" 0 apply training
is "writes nothing" "$count $(sha256sum < "$world/after")" "$(generations) $(rule_set | sha256sum)"

in_node ufw reload > /dev/null
peers_are "after a reload peers come in" "$let_in"
nettune "and check is content" 0 check
in_node ufw disable > /dev/null
in_node ufw --force enable > /dev/null
peers_are "when it is enabled again peers come in" "$let_in"
nettune "and check is content again" 0 check
nft flush ruleset
nettune "where the kernel has nothing of it, check says so" 3 check
has "and what to do" "$said" 'ufw is not active' 'ufw reload'
in_node /lib/ufw/ufw-init start > /dev/null 2>&1
peers_are "after what a boot does peers come in" "$let_in"
nettune "and check is content once more" 0 check

in_node ufw delete allow in on eth1 from 10.10.0.0/24 to any port 29400,29500:29510,32768:60999 proto tcp > /dev/null
nettune "a rule that somebody takes out is drift" 3 check
has "with its name" "$said" 'firewall:ufw#allow in on eth1 from 10.10.0.0/24'
nettune "reapply puts it back" 0 reapply
peers_are "and peers come in" "$let_in"

nettune "rollback" 0 rollback --to baseline
is "leaves the rule set as it was" "$(cat "$world/before")" "$(rule_set)"
is "and what ufw keeps of the site" "$(cat "$world/before.tuples")" "$(tuples)"
peers_are "no peer comes in any more" "$nobody"

# What goes out is denied: the peers are opened, and nobody else.
in_node ufw default deny outgoing > /dev/null
tuples > "$world/before.tuples"
rule_set > "$world/before"
peer_listens
is "before, this node reaches no peer" "$none_out" "$(reach 10.10.0.1,10.10.0.5)"
nettune "plan opens the way out" 3 plan training
has "in its own words" "$said" 'firewall ufw#allow out on eth1 from any to 10.10.0.0/24 port 29400,29500:29510,32768:60999 proto tcp'
nettune "apply" 0 apply training
is "this node reaches peers" "$let_out" "$(reach 10.10.0.1,10.10.0.5)"
is "by IPv6 too" "$let_out" "$(reach fd00:10::1,fd00:10::5)"
is "and nobody else" "$none_out" "$(reach 10.10.0.1,10.10.9.9)"
nettune "check is content" 0 check
has "and proves both ways" "$said" 'traffic allowed'
nettune "rollback" 0 rollback --to baseline
is "leaves what ufw keeps of the site" "$(cat "$world/before.tuples")" "$(tuples)"
is "and the rule set" "$(cat "$world/before")" "$(rule_set)"
in_node ufw default allow outgoing > /dev/null

# What the site adds while ours are there, which a rollback and an undone window leave alone.
in_node ufw allow 80/tcp > /dev/null
rule_set > "$world/before"
tuples > "$world/before.tuples"
in_node ufw delete allow 80/tcp > /dev/null
nettune "apply, once more" 0 apply training
in_node ufw allow 80/tcp > /dev/null
nettune "what the site adds meanwhile is no drift" 0 check
profile "udp = [\"29600\"]"
nettune "another profile" 0 apply training
nettune "rollback takes ours alone" 0 rollback --to baseline
is "theirs is there" "$(cat "$world/before.tuples")" "$(tuples)"
is "and in the kernel" "$(cat "$world/before")" "$(rule_set)"

in_node ufw delete allow 80/tcp > /dev/null
nettune "apply with a window" 0 apply training --confirm 8
in_node ufw allow 80/tcp > /dev/null
until_ok window_is_over
is "which undoes itself: theirs is there" "$(cat "$world/before.tuples")" "$(tuples)"
is "and in the kernel" "$(cat "$world/before")" "$(rule_set)"

# ufw reads its rules before it locks them: beside another ufw it would write that one's rules as they were.
in_node python3 -c '
import fcntl, time
lock = open("/run/ufw.lock", "w")
fcntl.lockf(lock, fcntl.LOCK_EX)
print("locked", flush=True)
time.sleep(2)
path = "/etc/ufw/user.rules"
rules = open(path).read()
theirs = "\n### tuple ### allow tcp 81 0.0.0.0/0 any 0.0.0.0/0 in\n-A ufw-user-input -p tcp --dport 81 -j ACCEPT\n"
open(path, "w").write(rules.replace("### RULES ###\n", "### RULES ###\n" + theirs, 1))
' > "$world/other-ufw" &
until_ok grep -q locked "$world/other-ufw"
nettune "apply while another ufw is at work" 0 apply training
is "does not lose what that one writes" 1 "$(tuples | grep -c 'tcp 81 ')"
nettune "nor does a rollback" 0 rollback --to baseline
in_node ufw delete allow 81/tcp > /dev/null
is "all is as it was" "$(cat "$world/before.tuples")" "$(tuples)"

# ufw keeps one action for the same words, and says "Skipping ..." with status 0.
in_node ufw deny in on eth1 from 10.10.0.0/24 to any port 29400,29500:29510,32768:60999 proto tcp > /dev/null
nettune "a denial in the same words" 6 apply training
has "is refused, and named" "$said" 'a rule of the site with the action "deny"'
in_node ufw delete deny in on eth1 from 10.10.0.0/24 to any port 29400,29500:29510,32768:60999 proto tcp > /dev/null

# Killed while ufw is at work, which goes on: whoever comes next waits for it.
mv "$root/usr/sbin/ufw" "$root/usr/sbin/ufw.real"
printf '#!/bin/sh\nsleep 2\nexec /usr/sbin/ufw.real "$@"\n' > "$root/usr/sbin/ufw"
chmod +x "$root/usr/sbin/ufw"
in_node nettune apply training > /dev/null 2>&1 &
applied=$!
until_ok pgrep -f 'ufw[.a-z]* prepend'
kill -KILL "$(pgrep -x nettune)"
wait $applied 2> /dev/null
nettune "while ufw is at work, recover is told to wait" 7 recover
until_ok nothing_runs
mv "$root/usr/sbin/ufw.real" "$root/usr/sbin/ufw"
nettune "then it takes back what ufw made" 0 recover
has "and says so" "$said" "was reverted"
is "and leaves theirs" "$(cat "$world/before.tuples")" "$(tuples)"
is "and the rule set" "$(cat "$world/before")" "$(rule_set)"

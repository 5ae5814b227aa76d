# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# ufw, with a rule and a denial of the site.
# shellcheck disable=SC2154  # from world.sh

tuples() { grep -h '^### tuple' "$root/etc/ufw/user.rules" "$root/etc/ufw/user6.rules"; }
in_node ufw allow 22/tcp > /dev/null
in_node ufw deny from 10.10.0.0/24 to any port 29505 proto tcp > /dev/null
nettune "facts where it is not enabled" 0 facts
is "do not take it for the owner" 0 "$(grep -c 'ufw.conf' <<< "$said")"
in_node ufw --force enable > /dev/null
sed -i 's/^### RULES ###/### RULES ### of the site/' "$root/etc/ufw/user.rules"
rule_set > "$world/before"
rules_of_site > "$world/before.files"
peers_are "before, no peer comes in" "$nobody"

nettune "facts name it" 0 facts
has "and how it shows" "$said" 'ufw'
nettune "plan says what is to be done" 3 plan training
has "in its own words" "$said" 'firewall:ufw#allow in on eth1 from 10.10.0.0/24 to any port 29400,29500:29510,32768:60999 proto tcp'
is "and changes nothing" "$(cat "$world/before" "$world/before.files")" "$(rule_set; rules_of_site)"
nettune "apply" 0 apply training
peers_are "peers come in, before the site's denial" "$let_in"
nettune "check is content" 0 check
has "and proves that they do" "$said" 'what has to get in is let in'
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
has "and what to do" "$said" 'ufw is not at work' 'ufw reload'
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
is "and the files of the site, byte for byte" "$(cat "$world/before.files")" "$(rules_of_site)"
peers_are "no peer comes in any more" "$nobody"

nettune "apply, once more" 0 apply training
in_node ufw allow 80/tcp > /dev/null
nettune "what the site adds meanwhile is no drift" 0 check
nettune "rollback takes ours alone" 0 rollback --to baseline
is "theirs is there" "0 2" "$(tuples | grep -c 'eth1') $(tuples | grep -c 'tcp 80 ')"

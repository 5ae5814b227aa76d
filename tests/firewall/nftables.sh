# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# /etc/nftables.conf, which flushes everything and loads its own, as Debian's does.
# shellcheck disable=SC2154  # from world.sh

cat > "$root/etc/nftables.conf" << 'RULES'
#!/usr/sbin/nft -f
flush ruleset
table inet filter {
  chain input {
    type filter hook input priority filter; policy drop;
    ct state established,related accept
    iifname "lo" accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    tcp dport 22 accept comment "ours: ssh"
  }
}
RULES
in_node nft -f /etc/nftables.conf
rule_set > "$world/before"
rules_of_site > "$world/before.files"
peers_are "before, no peer comes in" "$nobody"
nettune "apply" 0 apply training
peers_are "peers come in" "$let_in"
nettune "check is content" 0 check
has "and proves that they do" "$said" 'traffic allowed'
in_node nft -f /etc/nftables.conf
peers_are "a reload takes ours away" "$nobody"
nettune "which is drift" 3 check
nettune "reapply, as behind a reload of its service" 0 reapply --unattended --kind firewall
peers_are "and peers come in again" "$let_in"
nettune "rollback" 0 rollback --to baseline
is "leaves the rule set as it was" "$(cat "$world/before")" "$(rule_set)"
is "and the files of the site" "$(cat "$world/before.files")" "$(rules_of_site)"
peers_are "no peer comes in any more" "$nobody"

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Rules that somebody typed, and saved with iptables-save.
# shellcheck disable=SC2154  # from world.sh

for command in iptables ip6tables; do
  in_node $command -A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT
  in_node $command -A INPUT -i lo -j ACCEPT
  in_node $command -A INPUT -p tcp --dport 22 -m comment --comment "ours: ssh" -j ACCEPT
done
in_node ip6tables -A INPUT -p ipv6-icmp -j ACCEPT
for command in iptables ip6tables; do
  in_node $command -A INPUT -p tcp --dport 29505 -j REJECT
  in_node $command -P INPUT DROP
done
save_and_restore() {
  in_node sh -c 'iptables-save > /root/saved4; ip6tables-save > /root/saved6; iptables-restore < /root/saved4; ip6tables-restore < /root/saved6'
}
save_and_restore  # which makes chains that were not there
listed() { in_node iptables -S; in_node ip6tables -S; }
listed > "$world/before.listed"
rule_set > "$world/before"
peers_are "before, no peer comes in" "$nobody"
nettune "apply" 0 apply training
peers_are "peers come in" "$let_in"
nettune "check is content" 0 check
has "and proves that they do" "$said" 'traffic allowed'
listed > "$world/listed"
has "iptables lists ours" "$(cat "$world/listed")" '^-A INPUT .*10.10.0.0/24.*nettune:fabric-tcp4' '^-A INPUT .*fd00:10::/64.*nettune:fabric-tcp6'
save_and_restore
peers_are "what iptables saved and restored lets them in" "$let_in"
nettune "and is no drift" 0 check
nettune "rollback" 0 rollback --to baseline
is "leaves what iptables lists as it was" "$(cat "$world/before.listed")" "$(listed)"
is "and the rule set" "$(cat "$world/before")" "$(rule_set)"
peers_are "no peer comes in any more" "$nobody"

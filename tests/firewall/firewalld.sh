# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# firewalld: eth1 in a zone with a file of the site's own, in which a denial stands; eth0 in none. With firewalld-iptables it
# drives iptables instead of nftables, as FirewallBackend= may say.
# shellcheck disable=SC2154  # from world.sh

start_firewalld() {
  # shellcheck disable=SC2016  # expanded inside
  in_node sh -c 'echo $$ > /run/firewalld.test; exec firewalld --nofork --nopid' > "$world/firewalld.log" 2>&1 &
  daemon=$!
  until_ok in_node firewall-cmd --state
}
stop_firewalld() {
  kill "$(cat "$root/run/firewalld.test")"
  wait "$daemon"
}
permanent() { in_node firewall-cmd --permanent --zone=fabric "$@"; }
runtime() { in_node firewall-cmd --zone=fabric "$@"; }
window_is_over() { in_node nettune status --json | jq -e '.state.journal == "none"'; }
ours() { "$@" --list-rich-rules | grep -c 'priority="-4791"'; }

if [ "$owner" = firewalld-iptables ]; then
  sed -i 's/^FirewallBackend=.*/FirewallBackend=iptables/' "$root/etc/firewalld/firewalld.conf"
fi
cat > "$root/etc/firewalld/zones/fabric.xml" << 'ZONE'
<?xml version="1.0" encoding="utf-8"?>
<!-- written by hand: the fabric -->
<zone target="DROP">
    <short>fabric</short>
    <interface name="eth1"/>
    <rule family="ipv4"> <source address="10.10.0.0/24"/> <port port="29500-29510" protocol="tcp"/> <reject/> </rule>
    <port protocol="tcp" port="2222"/>
</zone>
ZONE
in_node dbus-daemon --system --fork
nettune "facts where it does not run" 0 facts
has "do not start it" "$(in_node dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.fedoraproject.FirewallD1)" false
start_firewalld
rule_set > "$world/before"
rules_of_site > "$world/before.files"
permanent --list-all > "$world/before.zone"
peers_are "before, no peer comes in" "$nobody"

nettune "facts name it" 0 facts
has "with its zones" "$said" firewalld
nettune "plan says what is to be done" 3 plan training
has "permanent and now" "$said" 'firewall firewalld/permanent/fabric#rule' 'firewall firewalld/runtime/fabric#rule' '29500-29510'
is "and changes nothing" "$(cat "$world/before" "$world/before.files")" "$(rule_set; rules_of_site)"
nettune "apply" 0 apply training
peers_are "peers come in, before the site's denial" "$let_in"
nettune "check is content" 0 check
has "and proves it, of both families" "$said" 'traffic allowed'
rule_set > "$world/after"
count=$(generations)
nettune "a second apply" 0 apply training
is "writes nothing" "$count $(sha256sum < "$world/after")" "$(generations) $(rule_set | sha256sum)"

in_node firewall-cmd --reload > /dev/null
peers_are "after a reload peers come in" "$let_in"
nettune "and check is content" 0 check
stop_firewalld
nettune "where it does not run, check says so" 3 check
has "by name" "$said" 'firewalld is not running'
nettune "what udev and timers start goes on without it" 0 reapply --unattended
start_firewalld
peers_are "after a restart peers come in" "$let_in"
nettune "and check is content again" 0 check
stop_firewalld
nft flush ruleset
start_firewalld
peers_are "after what a boot does peers come in" "$let_in"
nettune "and check is content once more" 0 check

rule=$(runtime --list-rich-rules | grep 'port="29400"' | grep ipv4)
runtime --remove-rich-rule="$rule" > /dev/null
nettune "a rule that somebody takes out is drift" 3 check
has "with its name" "$said" 'runtime/fabric#' '29400'
nettune "reapply puts it back" 0 reapply
permanent --remove-rich-rule="$rule" > /dev/null
nettune "so it is where it is permanent" 3 check
nettune "reapply puts that back" 0 reapply
peers_are "and peers come in" "$let_in"

in_node firewall-cmd --panic-on > /dev/null
profile "rdma = true"
nettune "in panic mode nothing is written" 8 apply training
has "and it says why" "$said" 'panic mode'
in_node firewall-cmd --panic-off > /dev/null

nettune "rollback" 0 rollback --to baseline
is "leaves the rule set as it was" "$(cat "$world/before")" "$(rule_set)"
is "and what firewalld keeps of the site" "$(cat "$world/before.zone")" "$(permanent --list-all)"
peers_are "no peer comes in any more" "$nobody"
in_node firewall-cmd --reload > /dev/null
is "nor is anything of ours left behind a reload" "0 0" "$(ours permanent) $(ours runtime)"

nettune "apply, once more" 0 apply training
permanent --add-service=http > /dev/null
runtime --add-service=http > /dev/null
nettune "what the site adds meanwhile is no drift" 0 check
profile "udp = [\"29600\"]"
nettune "another profile" 0 apply training
nettune "rollback takes ours alone" 0 rollback --to baseline
is "ours is gone" "0 0" "$(ours permanent) $(ours runtime)"
is "theirs is there" "http http" "$(permanent --list-services | xargs) $(runtime --list-services | xargs)"
permanent --remove-service=http > /dev/null
runtime --remove-service=http > /dev/null
nettune "apply with a window" 0 apply training --confirm 8
permanent --add-service=http > /dev/null
runtime --add-service=http > /dev/null
until_ok window_is_over
is "which undoes itself: ours is gone" "0 0" "$(ours permanent) $(ours runtime)"
is "and theirs is there" "http http" "$(permanent --list-services | xargs) $(runtime --list-services | xargs)"
stop_firewalld

# A first boot: it starts behind nettune-apply.service.
nft flush ruleset
nettune "where it will start, it is the owner" 0 facts
has "and not nobody" "$said" 'firewalld starts at boot'
nettune "apply before it runs" 0 apply training
has "says what waits for it" "$said" 'missing'
nettune "and check does" 3 check
start_firewalld
nettune "what its unit calls" 0 $(sed -n 's/^ExecStartPost=-+nettune //p' "$root/etc/systemd/system/firewalld.service.d/nettune-firewall.conf")
peers_are "lets peers in" "$let_in"
nettune "and check is content" 0 check
nettune "rollback" 0 rollback --to baseline
is "leaves nothing of ours" "0 0" "$(ours permanent) $(ours runtime)"
stop_firewalld

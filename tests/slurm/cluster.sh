# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A real Slurm: slurmctld on n1, and slurmd on n1, n2 ..., each with its munged. Sourced by tests that have $world, and
# on_node NUMBER COMMAND..., for which node N has the root $world/nN/root and the address 10.10.0.N.

# begin_slurm COUNT [LINE OF slurm.conf]...: begins, and waits until all are idle.
begin_slurm() {
  local count=$1 number root cgroups=disabled i
  shift
  # No cgroups here: 22.05 has no such word, and looks at none with the plugin of the first version.
  case $(on_node 1 slurmd -V) in *' 22.'*) cgroups=cgroup/v1 ;; esac
  dd if=/dev/urandom of="$world/munge.key" bs=1024 count=1 2> /dev/null
  for ((number = 1; number <= count; number++)); do
    root=$world/n$number/root
    install -m 0400 "$world/munge.key" "$root/etc/munge/munge.key"
    chroot "$root" sh -c 'chown -R munge:munge /etc/munge; install -d -o munge -g munge /run/munge; mkdir -p /etc/slurm /var/spool/slurmd /var/spool/slurmctld'
    cat > "$root/etc/slurm/slurm.conf" << 'SLURM'
ClusterName=test
SlurmctldHost=n1(10.10.0.1)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdSpoolDir=/var/spool/slurmd
StateSaveLocation=/var/spool/slurmctld
SlurmdPidFile=/run/slurmd.pid
SlurmctldPidFile=/run/slurmctld.pid
MpiDefault=none
ReturnToService=2
GresTypes=gpu
PartitionName=all Nodes=ALL Default=YES State=UP
SLURM
    for ((i = 1; i <= count; i++)); do
      echo "NodeName=n$i NodeAddr=10.10.0.$i CPUs=2 Gres=gpu:2 State=UNKNOWN" >> "$root/etc/slurm/slurm.conf"
    done
    if [ $# != 0 ]; then printf '%s\n' "$@" >> "$root/etc/slurm/slurm.conf"; fi
    printf 'Name=gpu File=/dev/%s\n' null zero > "$root/etc/slurm/gres.conf"
    echo "CgroupPlugin=$cgroups" > "$root/etc/slurm/cgroup.conf"
    on_node "$number" setpriv --reuid munge --regid munge --clear-groups munged
  done
  on_node 1 slurmctld -D > "$world/slurmctld" 2>&1 &
  for ((number = 1; number <= count; number++)); do
    on_node "$number" slurmd -D -N "n$number" > "$world/slurmd$number" 2>&1 &
  done
  for ((i = 0; i < 100; i++)); do
    if [ "$(on_node 1 sinfo -h -t idle -o %D 2> /dev/null)" = "$count" ]; then return; fi
    sleep 0.2
  done
}

// SPDX-License-Identifier: Apache-2.0
#include "tools/render/names.hpp"

#include <algorithm>
#include <array>

namespace nettune::tools::render {
namespace {

constexpr auto kText = Name::Kind::text;
constexpr auto kNumber = Name::Kind::number;
constexpr auto kList = Name::Kind::list;

constexpr std::string_view kNodes = "give --nodes a,b";
constexpr std::string_view kAddresses = "give --nodes a=10.0.0.1,b=10.0.0.2";
constexpr std::string_view kCount = "give --nodes a,b or --count N";
constexpr std::string_view kProfile = "name a profile: nettune render KIND PROFILE";
constexpr std::string_view kProgram = "give the program to start: -- train.py ARGUMENTS";
constexpr std::string_view kLossless = "name a profile with a [lossless.SET]: rocev2-100g";
constexpr std::string_view kPorts = "give the switch's ports: --ports Ethernet0,Ethernet4";

constexpr auto kNames = std::to_array<Name>({
    {"kind", kText, "the name of the template"},
    {"digest", kText, "SHA-256 of the template and all values, 16 digits"},
    // From the command line.
    {"nodes", kList, "the nodes, in the order of their ranks", kNodes},
    {"nodes.name", kText, "its name"},
    {"nodes.address", kText, "its address", kAddresses},
    {"nodes.rank", kNumber, "0 for the first"},
    {"nodes.short", kText, "the first label of a name with dots, if only this node has it"},
    {"nodes.stem", kText, "a name without dots, if no other node's name begins with it and a dot"},
    {"master", kText, "address of the first node, or its name if none is given", kNodes},
    {"count", kNumber, "number of nodes", kCount},
    {"others", kNumber, "number of nodes besides the first", kCount},
    {"several", kNumber, "1 if there is more than one node", kCount},
    {"gpus", kNumber, "GPUs per node, with one process each", "give --gpus N"},
    {"ranks", kNumber, "total number of processes", "give --gpus N, and --nodes or --count"},
    {"shm_mib", kNumber, "shared memory: 1 GiB for each GPU", "give --gpus N"},
    {"image", kText, "the container image", "give --image NAME"},
    {"job", kText, "the name of the job"},
    {"port", kNumber, "the rendezvous port"},
    {"port_count", kNumber, "how many consecutive ports from there the firewall allows"},
    {"program", kList, "what to start, with python3 before a script", kProgram},
    {"program.word", kText, "one word of it"},
    {"resources", kList, "extra resources of a pod"},
    {"resources.name", kText, "its name"},
    {"resources.count", kText, "its count"},
    {"time", kText, "the longest the job may take, as Slurm writes it: 1-12:00:00",
     "give --time 12h"},
    {"time_s", kNumber, "the same in seconds", "give --time 12h"},
    {"mem_mib", kNumber, "memory per node in MiB", "give --mem 512G"},
    {"partition", kText, "Slurm's partition", "give --partition NAME"},
    {"account", kText, "Slurm's account", "give --account NAME"},
    {"queue", kText, "the queue of Kueue or Volcano", "give --queue NAME"},
    {"mounts", kList, "directories and volumes for containers"},
    {"mounts.name", kText, "a name for it: mount-0"},
    {"mounts.source", kText, "a path of the node, or the name of a volume"},
    {"mounts.target", kText, "the path in the container"},
    {"mounts.read_only", kNumber, "1 with :ro"},
    {"mounts.volume", kNumber, "1 if the source is a volume"},
    {"mounts.text", kText, "SOURCE:TARGET or SOURCE:TARGET:ro"},
    {"options", kList, "the values of --option"},
    {"options.word", kText, "the option"},
    {"explain", kNumber, "1 unless --no-explain"},
    {"log_env", kList, "variables for NCCL's logs, unless --no-explain or the profile sets them"},
    {"log_env.name", kText, "its name"},
    {"log_env.value", kText, "its value"},
    {"preflight", kNumber, "1 unless --no-preflight"},
    // From the profile.
    {"profile", kText, "the name of the profile", kProfile},
    {"set", kList, "the values of --set"},
    {"set.word", kText, "NAME=VALUE"},
    {"env", kList, "variables that are the same on all nodes", kProfile},
    {"env.name", kText, "its name"},
    {"env.value", kText, "its value"},
    {"env.source", kText, "where the profile sets it"},
    {"node_env", kList, "variables whose value differs from node to node", kProfile},
    {"node_env.name", kText, "its name"},
    {"gloo", kNumber, "1 if GLOO_SOCKET_IFNAME is to follow NCCL_SOCKET_IFNAME"},
    {"rdma", kNumber, "1 if NCCL is to use RDMA"},
    {"expect", kText, "what nccl explain --expect asks for"},
    // From its [lossless.SET], for the switch.
    {"ports", kList, "the switch's ports", kPorts},
    {"ports.name", kText, "its name"},
    {"dscp", kNumber, "DSCP of RDMA data", kLossless},
    {"dscp_source", kText, "where the profile sets it", kLossless},
    {"priority", kNumber, "the priority that PFC pauses", kLossless},
    {"priority_source", kText, "where the profile sets it", kLossless},
    {"class", kNumber, "its traffic class: from the hosts' ETS, otherwise its own number",
     kLossless},
    {"cnp_dscp", kNumber, "DSCP of congestion notifications", kLossless},
    {"cnp_dscp_source", kText, "where the profile sets it", kLossless},
    {"cnp_priority", kNumber, "their priority", kLossless},
    {"cnp_class", kNumber, "their traffic class", kLossless},
    {"cnp_priority_source", kText, "where the profile sets it", kLossless},
    {"cable_m", kNumber, "metres of cable", kLossless},
    {"cable_m_source", kText, "where the profile sets it", kLossless},
    {"share", kNumber, "per cent of the line rate for RDMA data; 0 leaves it to the switch",
     kLossless},
    {"share_source", kText, "where the profile sets it", kLossless},
    {"rest_share", kNumber, "per cent for the rest", kLossless},
    {"mtu", kNumber, "MTU of the hosts", kLossless},
    {"switch_mtu", kNumber, "MTU of the switch's ports: 100 bytes more", kLossless},
    {"mtu_source", kText, "where the profile sets it", kLossless},
    {"map", kList, "every priority with its DSCPs, as the hosts have them", kLossless},
    {"map.priority", kNumber, "the priority"},
    {"map.dscps", kText, "its DSCPs: 24,25,27"},
    {"map.class", kNumber, "its traffic class: from the hosts' ETS, otherwise its own number"},
    {"dscps", kList, "every DSCP with its priority", kLossless},
    {"dscps.dscp", kNumber, "the DSCP"},
    {"dscps.priority", kNumber, "its priority"},
});

}  // namespace

std::span<const Name> names() { return kNames; }

const Name* find_name(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &Name::name);
  return found == kNames.end() ? nullptr : found;
}

std::string_view list_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

}  // namespace nettune::tools::render

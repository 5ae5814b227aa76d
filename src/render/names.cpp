// SPDX-License-Identifier: Apache-2.0
#include "render/names.hpp"

#include <algorithm>
#include <array>

namespace nettune::render {
namespace {

using enum Name::Kind;

constexpr std::string_view kNodes = "give --nodes a,b";
constexpr std::string_view kAddresses = "give --nodes a=10.0.0.1,b=10.0.0.2";
constexpr std::string_view kCount = "give --nodes a,b or --count N";
constexpr std::string_view kProfile = "name a profile: nettune render KIND PROFILE";
constexpr std::string_view kProgram = "say what to start: -- train.py ARGUMENTS";
constexpr std::string_view kLossless = "name a profile with a [lossless.SET]: rocev2-100g";
constexpr std::string_view kPorts = "give the switch's ports: --ports Ethernet0,Ethernet4";

constexpr auto kNames = std::to_array<Name>({
    {"kind", text, "the name of the template"},
    {"digest", text, "SHA-256 of the template and all values, 16 digits"},
    // From the command line.
    {"nodes", list, "the nodes, in the order of their ranks", kNodes},
    {"nodes.name", text, "its name"},
    {"nodes.address", text, "its address", kAddresses},
    {"nodes.rank", number, "0 for the first"},
    {"master", text, "address of the first node, or its name where none is given", kNodes},
    {"count", number, "how many nodes", kCount},
    {"several", number, "1 where there is more than one node", kCount},
    {"gpus", number, "GPUs, and so processes, on each node", "give --gpus N"},
    {"ranks", number, "processes in all", "give --gpus N, and --nodes or --count"},
    {"shm_mib", number, "shared memory for NCCL: 1 GiB, or 64 MiB for each GPU", "give --gpus N"},
    {"image", text, "the container image", "give --image NAME"},
    {"job", text, "the name of the job"},
    {"port", number, "where the ranks meet"},
    {"port_count", number, "how many ports in a row from there the firewall lets in"},
    {"program", list, "what to start, with python3 before a script", kProgram},
    {"program.word", text, "a word of it"},
    {"resources", list, "further resources of a pod"},
    {"resources.name", text, "its name"},
    {"resources.count", text, "how many of it"},
    {"explain", number, "1 unless --no-explain"},
    // From the profile.
    {"profile", text, "the name of the profile", kProfile},
    {"set", list, "the values of --set"},
    {"set.word", text, "NAME=VALUE"},
    {"env", list, "variables that are the same on all nodes", kProfile},
    {"env.name", text, "its name"},
    {"env.value", text, "its value"},
    {"env.source", text, "where the profile sets it"},
    {"node_env", list, "variables that each node has its own value of", kProfile},
    {"node_env.name", text, "its name"},
    {"rdma", number, "1 where NCCL is to use RDMA"},
    {"expect", text, "what nccl explain --expect asks for"},
    // From its [lossless.SET], for the switch.
    {"ports", list, "the switch's ports", kPorts},
    {"ports.name", text, "its name"},
    {"dscp", number, "DSCP of RDMA data", kLossless},
    {"dscp_source", text, "where the profile sets it", kLossless},
    {"priority", number, "the priority that PFC pauses", kLossless},
    {"priority_source", text, "where the profile sets it", kLossless},
    {"class", number, "its traffic class: that of the hosts' ETS, else its own number", kLossless},
    {"cnp_dscp", number, "DSCP of congestion notifications", kLossless},
    {"cnp_dscp_source", text, "where the profile sets it", kLossless},
    {"cnp_priority", number, "their priority", kLossless},
    {"cnp_class", number, "their traffic class", kLossless},
    {"cnp_priority_source", text, "where the profile sets it", kLossless},
    {"cable_m", number, "metres of cable", kLossless},
    {"cable_m_source", text, "where the profile sets it", kLossless},
    {"share", number, "per cent of the line for RDMA data; 0 leaves it to the switch", kLossless},
    {"share_source", text, "where the profile sets it", kLossless},
    {"rest_share", number, "per cent for the rest", kLossless},
    {"mtu", number, "MTU of the hosts", kLossless},
    {"switch_mtu", number, "MTU of the switch's ports: 100 bytes more", kLossless},
    {"mtu_source", text, "where the profile sets it", kLossless},
    {"map", list, "every priority with its DSCPs, as the hosts have them", kLossless},
    {"map.priority", number, "the priority"},
    {"map.dscps", text, "its DSCPs: 24,25,27"},
    {"map.class", number, "its traffic class: as the hosts' ETS, else its own number"},
    {"dscps", list, "every DSCP with its priority", kLossless},
    {"dscps.dscp", number, "the DSCP"},
    {"dscps.priority", number, "its priority"},
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

}  // namespace nettune::render

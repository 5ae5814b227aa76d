// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "facts/observe_parts.hpp"

namespace nettune::facts {
namespace {

/// A P_Key of 16 bits: the upper one is full membership (InfiniBand Architecture, 10.9.1.1).
constexpr std::uint32_t kFull = 0x8000;
constexpr std::uint32_t kDefault = 0x7fff;

/// "0xffff"
std::optional<std::uint32_t> hex16(const std::string& text) {
  if (text.size() != 6 || !text.starts_with("0x")) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(2)) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return value;
}

std::string membership(std::uint32_t key) { return (key & kFull) != 0 ? "full" : "limited"; }

void observe_keys(const kernel::Directory& root, const std::string& port, const Tell& tell) {
  const auto first = hex16(root.line(port + "/pkeys/0").value_or(""));
  if (!first) {
    tell(kIbPkeyFirst, std::nullopt, "its P_Key table is not readable");
    tell(kIbPkeyDefault, std::nullopt, "its P_Key table is not readable");
    return;
  }
  std::string found = "absent";
  for (const std::string& index : root.list(port + "/pkeys")) {
    const auto key = hex16(root.line(cat(port, "/pkeys/", index)).value_or(""));
    if (!key || (*key & kDefault) != kDefault || found == "full") continue;
    found = membership(*key);
  }
  tell(kIbPkeyDefault, found,
       found == "absent" ? std::string("the default P_Key (0x7fff) is not in its table")
                         : cat("it is a ", found, " member of the default partition"));
  if (*first == 0)
    tell(kIbPkeyFirst, "absent", "the first entry of its P_Key table is empty");
  else
    tell(kIbPkeyFirst, membership(*first),
         cat("its first P_Key, which NCCL uses unless NCCL_IB_PKEY is set, is a ",
             membership(*first), " membership"));
}

}  // namespace

void observe_infiniband(const kernel::Directory& root, const RdmaDevice& device,
                        const RdmaPort& port, const Tell& tell) {
  const std::string path = cat("sys/class/infiniband/", device.name, "/ports/", port.number);
  const std::string state = port.state.empty() ? "unknown" : port.state;
  tell(kIbState, port.state.empty() ? std::nullopt : std::optional(port.state),
       cat("its port is ", state, " (link ",
           port.physical_state.empty() ? "unknown" : port.physical_state, ")"));
  // It is written in hexadecimal (lid_show, drivers/infiniband/core/sysfs.c).
  const auto lid = root.line(path + "/sm_lid");
  if (port.physical_state != "LinkUp" || !lid)
    tell(kIbSubnetManager, std::nullopt, "a port without a link has no subnet manager");
  else if (lid->find_first_not_of("0x") == std::string::npos)
    tell(kIbSubnetManager, "none", cat("it has no subnet manager and is ", state));
  else
    tell(kIbSubnetManager, "present", cat("its subnet manager has the LID ", *lid));
  observe_keys(root, path, tell);
}

}  // namespace nettune::facts

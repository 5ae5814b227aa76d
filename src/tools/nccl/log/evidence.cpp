// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/evidence.hpp"

#include "base/text.hpp"
#include "tools/nccl/log/communicator_lines.hpp"
#include "tools/nccl/log/message_values.hpp"
#include "tools/nccl/log/network_lines.hpp"

namespace nettune::tools::nccl::log {

namespace {

/// "NCCL_IB_TC set by environment to 106." and "NCCL_IB_HCA set to mlx5".
bool take_environment(Process& process, std::string_view message, bool whole) {
  const auto blank = message.find(' ');
  if (blank > 64) return false;  // npos is, too
  Cursor at(message.substr(blank));
  if (!at.skip(" set by environment to ") && !at.skip(" set from environment to ") &&
      !at.skip(" set to "))
    return false;
  std::string_view value = trim(at.rest()).substr(0, kLongestText);
  if (value.ends_with('.'))
    value.remove_suffix(1);
  else if (!whole)
    return true;
  const std::string_view variable = message.substr(0, blank);
  if (process.environment.size() < kMostValues && !process.environment.contains(variable))
    process.environment.emplace(variable, value);
  return true;
}

/// "Connected all rings, use ring PXN 1 GDR 1": over all ranks of the communicator (2.24.3+).
void take_connected(Process& process, std::string_view message) {
  if (const auto gdr = number_behind(message, "use ring PXN "); gdr) {
    const auto used = number_behind(message, " GDR ");
    if (used) process.ring_gdr = *used == 0 ? Answer::no : process.ring_gdr;
    if (used && process.ring_gdr == Answer::unknown) process.ring_gdr = Answer::yes;
  }
  ++process.progress;
  if (message.starts_with("Connected all rings")) process.rings = true;
  if (message.starts_with("Connected NVLS tree")) process.nvls = Answer::yes;
}

/// "24 coll channels, 0 collnet channels, 16 nvls channels, 32 p2p channels, ..."
void take_channels(Process& process, std::string_view message) {
  const auto at = find_word(message, " nvls channels");
  if (at == message.npos || find_word(message, " coll channels") == message.npos) return;
  const auto begin = message.find_last_not_of("0123456789", at - 1);
  const auto count = Cursor(message.substr(begin == message.npos ? 0 : begin + 1)).number();
  if (!count) return;
  if (*count > 0) process.nvls = Answer::yes;
  if (*count == 0 && process.nvls == Answer::unknown) process.nvls = Answer::no;
}

}  // namespace

bool is_whole_version(std::string_view version, bool newline) {
  version = trim(version);
  const auto cuda = find_word(version, "+cuda");
  if (cuda == version.npos) {
    Cursor at(version);
    if (!at.number() || !at.skip(".") || !at.number() || !at.skip(".")) return false;
    const std::string_view third = at.rest();
    return third.size() == 1 && is_digit(third[0]) && (newline || third[0] != '1');
  }
  Cursor at(version.substr(cuda + 5));
  return at.number() && at.skip(".") && at.rest().size() == 1 && at.number();
}

void take_forced_merge(Process& process, std::string_view text) {
  constexpr std::string_view kVariable = "NCCL_NET_FORCE_MERGE";
  constexpr std::string_view kFront = "TOPO/NET : Force-fusing NICs using ";
  const auto at = text.find(kFront);
  if (at == text.npos) return;
  const std::string_view said = text.substr(at + kFront.size());
  if (!said.starts_with(kVariable) || !said.substr(kVariable.size()).starts_with('=')) return;
  process.environment.emplace(kVariable,
                              trim(said.substr(kVariable.size() + 1)).substr(0, kLongestText));
}

void take_evidence(Log& log, std::uint32_t index, std::uint32_t thread, std::string_view message,
                   bool whole) {
  Process& process = log.processes[index];
  Cursor at(message);
  // By the first letter: this is asked for every line that is not about a connection.
  switch (message.empty() ? '\0' : message.front()) {
    case 'N':
      if (at.skip("NCCL version ")) {
        if (whole || is_whole_version(at.rest(), false))
          add_once(process.versions, id_of_text(log, at.rest()));
        return;
      }
      if (at.skip("NCCL_") && take_environment(process, message, whole)) return;
      if (at.skip("NVLS multicast support is not available")) {
        if (process.nvls == Answer::unknown) process.nvls = Answer::no;
        return;
      }
      [[fallthrough]];
    case 'U':
    case 'B':
    case 'G':
      if (take_network_line(log, process, message, whole)) return;
      break;
    case 'C':
      if (!at.skip("Connected ")) break;
      take_connected(process, message);
      return take_size(log, message);
    case 'n':
      if (whole && at.skip("ncclMaxSharedMem ")) {
        process.shared_memory = id_of_text(log, message);
        return;
      }
      break;
    case 'T':
      if (whole) take_forced_merge(process, message);
      break;
    case 'c':
      if (at.skip("cudaDriverVersion ")) {
        const auto number = at.number();
        if (number && *number >= 1000 && (whole || !at.at_end())) process.cuda_driver = *number;
        return;
      }
      break;
    default:
      break;
  }
  if (take_communicator_line(log, index, thread, message)) return;
  if (find_word(message, " channels") != message.npos) return take_channels(process, message);
  if (whole) take_network_reason(log, process, message);
}

}  // namespace nettune::tools::nccl::log

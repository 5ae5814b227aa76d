// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/fields_below.hpp"

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

constexpr std::size_t kLongestDetail = 100;

/// A line of the block, of which the word is the first one: launchers put something in front.
bool is_field(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  return at != line.npos && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t');
}

}  // namespace

std::optional<std::uint32_t> mpi_rank_in(std::string_view field) {
  Cursor at(field);
  if (!at.skip("process name [[") || !at.number() || !at.skip(",") || !at.number() ||
      !at.skip("],"))
    return {};
  const auto rank = at.number();
  return at.skip("]") ? rank : std::nullopt;
}

void FieldsBelow::begin(std::string_view line, std::uint32_t event) {
  struct Head {
    std::string_view text;
    unsigned lines;
  };
  static constexpr Head kHeads[] = {{"requested component was not found", 12},
                                    {"components were able to be opened in the", 12},
                                    {"peer process has unexpectedly", 18},
                                    {"TCP connect to a peer MPI", 10},
                                    {"handshake with a connecting peer", 10},
                                    {"establish a communication connection to", 8},
                                    {"enough space for", 10},
                                    {"A system call failed during", 10},
                                    {"an OFI Libfabric library call", 8},
                                    {"create the desired directory", 8},
                                    {"find the specified executable", 12},
                                    {"launch the specified application", 12},
                                    {"lost communication with a remote daemon", 8},
                                    {"exited with non-zero status", 8},
                                    {"BAD TERMINATION OF ONE", 6}};
  for (const Head& head : kHeads) {
    if (line.find(head.text) == line.npos) continue;
    clear();
    left_ = head.lines;
    event_ = event;
    return;
  }
}

std::string FieldsBelow::take(std::string_view line) {
  static constexpr std::string_view kFields[] = {
      "Local host", "Local PID",     "Peer host",   "Host",
      "Framework",  "Component",     "PID",         "Message",
      "Error",      "Peer hostname", "Node",        "Executable",
      "Directory",  "Process name",  "Exit code",   "Space Requested",
      "EXIT CODE",  "Remote daemon", "System call", "Location"};
  if (left_ == 0) return {};
  --left_;
  constexpr std::string_view kRunning = " RUNNING AT ";
  if (const auto at = line.find(kRunning); at != line.npos) {
    auto begin = line.find("RANK ");
    if (begin == line.npos) begin = line.find("PID ");
    return begin > at ? std::string()
                      : cat(line.substr(begin, at - begin), " on ",
                            trim(line.substr(at + kRunning.size())));
  }
  for (const std::string_view field : kFields) {
    const auto at = line.find(field);
    if (at == line.npos || !is_field(line, field)) continue;
    const std::string_view rest = trim(line.substr(at + field.size()));
    const std::string_view value = rest.starts_with(':') ? trim(rest.substr(1)) : rest;
    if (!rest.starts_with(':') || value.empty() || value.size() > kLongestDetail) continue;
    if (field == "EXIT CODE") return cat("exit code ", value);
    const bool is_name = field == "PID";
    const char first = is_name ? field[0] : static_cast<char>(field[0] - 'A' + 'a');
    return cat(std::string(1, first), field.substr(1), " ", value);
  }
  return {};
}

}  // namespace nettune::tools::nccl::log::job

// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/fields_below.hpp"

#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

constexpr std::size_t kLongestDetail = 100;
constexpr std::string_view kDigits = "0123456789";

/// `whole`: something must follow them, so that none is missing.
std::string_view digits_behind(std::string_view line, std::string_view word, bool whole) {
  const auto at = line.find(word);
  if (at == line.npos) return {};
  const std::string_view text = line.substr(at + word.size());
  const auto end = text.find_first_not_of(kDigits);
  if (end == text.npos && whole) return {};
  return text.substr(0, end);
}

/// An address behind `word`, also where a document made a link of it ("[10.0.0.5](http://...)").
std::string_view address_behind_word(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == line.npos) return {};
  std::string_view text = line.substr(at + word.size());
  if (text.starts_with('[')) text.remove_prefix(1);
  text = text.substr(0, text.find_first_not_of("0123456789abcdef.:"));
  return text.size() > 64 || text.size() < 2 ? std::string_view() : text;
}

/// A line of the block, of which the word is the first one: launchers put something in front.
bool is_field(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  return at != line.npos && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t');
}

std::string name_worker(std::string_view pid, std::string_view address) {
  return address.empty() ? cat("worker pid ", pid) : cat("worker pid ", pid, " on ", address);
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

std::string FieldsBelow::begin(std::string_view line, std::uint32_t event) {
  struct Head {
    std::string_view text;
    unsigned lines;
    Kind kind = Kind::help_text;
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
                                    {"mismatch: The cluster was started", 6},
                                    {"create the desired directory", 8},
                                    {"find the specified executable", 12},
                                    {"launch the specified application", 12},
                                    {"lost communication with a remote daemon", 8},
                                    {"exited with non-zero status", 8},
                                    {"BAD TERMINATION OF ONE", 6},
                                    {"number of required GPUs exceeds", 80, Kind::ray_status},
                                    {"creating a placement group", 80, Kind::ray_status},
                                    {"actor died unexpectedly", 10, Kind::dead_worker},
                                    {" panicked at ", 1, Kind::panic}};
  // The fields of a worker that died are directly below.
  if (kind_ == Kind::dead_worker) clear();
  if (const auto pid = digits_behind(line, "Worker PID: ", true); !pid.empty())
    return name_worker(pid, address_behind_word(line, "Worker IP address: "));
  for (const Head& head : kHeads) {
    if (line.find(head.text) == line.npos) continue;
    if (head.kind == Kind::panic && !trim(line).ends_with(':')) continue;  // before Rust 1.73
    clear();
    left_ = head.lines;
    kind_ = head.kind;
    event_ = event;
    return {};
  }
  return {};
}

std::string FieldsBelow::take(std::string_view line) {
  static constexpr std::string_view kFields[] = {
      "Local host", "Local PID",     "Peer host",   "Host",
      "Framework",  "Component",     "PID",         "Message",
      "Error",      "Peer hostname", "Node",        "Executable",
      "Directory",  "Process name",  "Exit code",   "Space Requested",
      "EXIT CODE",  "Remote daemon", "System call", "Location",
      "Ray",        "Python"};
  if (left_ == 0) return {};
  --left_;
  if (kind_ == Kind::dead_worker) return take_dead_worker(line);
  if (kind_ == Kind::panic) return begin_of(trim(line), kLongestDetail);
  if (kind_ == Kind::ray_status) {
    // "0.0/1.0 GPU" of "Total Usage:"
    Cursor at(trim(line));
    const auto begin = at.rest();
    const auto slash = begin.find('/');
    if (!begin.ends_with(" GPU") || slash == begin.npos ||
        begin.substr(0, begin.size() - 4).find_first_not_of("0123456789./") != begin.npos)
      return {};
    left_ = 0;
    return cat("ray status: ", begin.substr(0, slash), " of ",
               begin.substr(slash + 1, begin.size() - slash - 5), " GPUs are used");
  }
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

std::string FieldsBelow::take_dead_worker(std::string_view line) {
  if (line.find("actor is dead because") != line.npos) left_ = 0;
  if (is_field(line, "pid: ")) pid_ = digits_behind(line, "pid: ", false);
  if (left_ == 0 && !pid_.empty()) return name_worker(std::exchange(pid_, {}), {});
  if (pid_.empty() || !is_field(line, "ip: ")) return {};
  left_ = 0;
  return name_worker(std::exchange(pid_, {}), address_behind_word(line, "ip: "));
}

}  // namespace nettune::tools::nccl::log::job

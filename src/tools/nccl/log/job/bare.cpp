// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA/nccl issues 210 and 1664; the files and words are those of NVIDIA/nccl's src.
#include "tools/nccl/log/job/bare.hpp"

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

/// Whether a word may begin here: at the begin, or behind what a launcher puts in front.
bool may_begin(std::string_view line, std::size_t at) {
  const std::string_view front = trim(line.substr(0, at));
  if (front.empty()) return true;
  return front.ends_with(':') || front.ends_with(">") || front.ends_with(')') ||
         front.ends_with(']');
}

/// Files of NCCL that warn of sockets and RDMA devices; others may have files of such names.
BareWarning by_place(std::string_view line) {
  static constexpr std::string_view kFiles[] = {
      "include/socket.h:", "misc/socket.c",         "misc/ibvwrap.c", "transport/net_ib.c",
      "transport/net_ib/", "transport/net_socket.", "misc/shmutils.c"};
  for (const std::string_view file : kFiles) {
    const auto at = line.find(file);
    if (at == line.npos || !may_begin(line, at)) continue;
    const std::string_view text = line.substr(at);
    const auto end = text.find(' ');
    if (end == text.npos || end < 2 || !is_digit(text[end - 1])) continue;
    Cursor behind(text.substr(end));
    const bool warns = behind.skip(" WARN ");
    if (!warns && !behind.skip(" ")) continue;
    if (warns || begins(behind.rest(), "Call to ibv_"))
      return {trim(behind.rest()), text.substr(0, end)};
  }
  return {};
}

/// A message begins with the first of these, and has the others.
BareWarning by_words(std::string_view line) {
  static constexpr std::string_view kWords[][3] = {
      {"NET/IB", "Got completion ", "vendor err "},
      {"Got completion from peer ", "with ", "vendor err "},
      {"Got completion with ", "opcode", "vendor err "},
      {"NET/IB", "Got async event", " : "},
      {"Call to ibv_", " failed", ""},
      {"ncclSocketInit: connecting to address ", " with family ", ""},
      {"socketProgress: Connection closed by remote peer ", "<", ">"},
      {"socketProgressOpt: Call to recv from ", "<", "> failed"},
      {"socketProgress: Call to ", "<", "> failed"}};
  for (const auto& words : kWords) {
    const auto at = line.find(words[0]);
    if (at == line.npos || !may_begin(line, at)) continue;
    const std::string_view text = line.substr(at);
    if (text.find(words[1]) != text.npos && text.find(words[2]) != text.npos)
      return {trim(text), {}};
  }
  return {};
}

}  // namespace

BareWarning bare_warning(std::string_view line) {
  const BareWarning placed = by_place(line);
  return placed.message.empty() ? by_words(line) : placed;
}

}  // namespace nettune::tools::nccl::log::job

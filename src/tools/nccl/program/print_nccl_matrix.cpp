// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"

namespace nettune::tools::nccl::program::text {

namespace {
using log::Transport;
using log::judge::Link;

char letter(const Explained& explained, const Link& link) {
  switch (link.transport) {
    case Transport::p2p:
      return 'P';
    case Transport::shm:
      return 'S';
    case Transport::collnet:
      return 'C';
    case Transport::net:
      break;
  }
  if (link.gdr) return 'G';
  if (explained.log.names.text(link.detail) == "Socket") return 'T';
  return 'N';
}

constexpr std::pair<char, const char*> kLegend[] = {
    {'P', "P2P"},
    {'S', "host memory (SHM)"},
    {'G', "network with GPUDirect RDMA"},
    {'N', "network without it"},
    {'T', "sockets (TCP)"},
    {'C', "CollNet"},
};

std::string right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

}  // namespace

std::string nccl_matrix(const Explained& explained) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<char>> cells;
  std::set<std::uint32_t> ranks;
  std::set<char> used;
  for (const Link& link : explained.verdict.links) {
    const char what = letter(explained, link);
    cells[{link.from, link.to}].insert(what);
    used.insert(what);
    ranks.insert({link.from, link.to});
  }
  if (cells.empty()) return {};
  std::size_t width = 2;
  for (const auto& [pair, letters] : cells) width = std::max(width, letters.size());
  width = std::max(width, cat(*ranks.rbegin()).size()) + 1;
  std::string text = "  from \\ to";
  for (const std::uint32_t to : ranks) text += right(cat(to), width);
  for (const std::uint32_t from : ranks) {
    text += cat("\n  ", right(cat(from), 9));
    for (const std::uint32_t to : ranks) {
      const auto cell = cells.find({from, to});
      text += right(
          cell == cells.end() ? "." : std::string(cell->second.begin(), cell->second.end()), width);
    }
  }
  text += "\n ";
  for (const auto& [what, meaning] : kLegend)
    if (used.contains(what)) text += cat(" ", what, " ", meaning, ";");
  return cat(text, " . no connection in the log",
             explained.verdict.open_links == 0 ? "" : " that is known to be of this communicator",
             "\n");
}

}  // namespace nettune::tools::nccl::program::text

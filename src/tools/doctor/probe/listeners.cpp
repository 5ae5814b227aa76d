// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <map>

#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr std::size_t kLargestTable = std::size_t{64} << 20;

struct Socket {
  int port = 0;
  std::string inode;
};

/// The listening sockets of /proc/net/tcp or tcp6: state 0A.
std::vector<Socket> listening(const std::string& text) {
  std::vector<Socket> found;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 10 || fields[3] != "0A") continue;
    const auto colon = fields[1].rfind(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view hex = fields[1].substr(colon + 1);
    int port = 0;
    const auto parsed = std::from_chars(hex.data(), hex.data() + hex.size(), port, 16);
    if (parsed.ec == std::errc()) found.push_back({port, std::string(fields[9])});
  }
  return found;
}

/// The process that has a socket open, "python3 (812)"; "" if it cannot be read.
std::string owner_of(const Directory& root, const std::string& inode) {
  const std::string target = cat("socket:[", inode, "]");
  for (const std::string& entry : root.list("proc")) {
    if (entry.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string files = cat("proc/", entry, "/fd");
    for (const std::string& file : root.list(files))
      if (root.link(cat(files, '/', file)) == target)
        return cat(root.line(cat("proc/", entry, "/comm")).value_or("a process"), " (", entry, ")");
  }
  return {};
}

}  // namespace

void read_listeners(const Place& place, Machine& machine) {
  std::vector<Listener> listeners;
  bool any = false;
  for (const char* const path : {"proc/net/tcp", "proc/net/tcp6"}) {
    const auto text = place.root.read(path, kLargestTable);
    if (!text) continue;
    any = true;
    for (const Socket& socket : listening(*text)) {
      // The ports of torchrun: only for them are all processes searched.
      const bool wanted = socket.port == 29400 || socket.port == 29500;
      listeners.push_back({socket.port, "", wanted ? owner_of(place.root, socket.inode) : ""});
    }
  }
  if (any)
    machine.listeners = std::move(listeners);
  else
    machine.listeners = unknown("/proc/net/tcp could not be read");
}

}  // namespace nettune::tools::doctor::probe

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tools/measure/schedule.hpp"

namespace nettune::tools::measure {
namespace {

/// The text between the first two quotes after `at`, which moves behind it.
std::string_view quoted(std::string_view line, std::size_t& at) {
  const auto begin = line.find('"', at);
  const auto end = begin == line.npos ? line.npos : line.find('"', begin + 1);
  if (end == line.npos) return {};
  at = end + 1;
  return line.substr(begin + 1, end - begin - 1);
}

/// "p0001" of "P0001.site HCA-1": the form in which names are compared.
std::string host_of_description(std::string_view text) {
  return lower(text.substr(0, text.find_first_of(" .")));
}

struct Fabric {
  std::map<std::string, std::string, std::less<>> switches;  ///< descriptions by "S-GUID"
  std::set<std::pair<std::string, std::string>> links;  ///< between switches, the smaller first
  struct Port {
    std::string description;  ///< "p0001 mlx5_0"
    std::string at;           ///< "S-GUID"
  };
  std::vector<Port> ports;  ///< of hosts
};

/// Reads blocks "Switch 40 "S-GUID" # "NAME" ...", with a line for each port with a neighbour:
/// "[1] "H-GUID"[1](...) # "HOST DEVICE" lid ...". Each link is in the blocks of both ends.
Fabric read_fabric(std::string_view text) {
  Fabric out;
  std::string here;
  for (const std::string_view line : split(text, '\n')) {
    std::size_t at = 0;
    if (line.starts_with("Switch")) {
      here = quoted(line, at);
      out.switches[here] = quoted(line, at);
    } else if (line.starts_with("Ca") || line.starts_with("Rt") || line.starts_with("vendid")) {
      here.clear();
    } else if (line.starts_with('[') && !here.empty()) {
      const std::string there(quoted(line, at));
      if (there.starts_with("S-") && there != here)
        out.links.insert(std::minmax(here, there));
      else if (there.starts_with("H-"))
        out.ports.push_back({std::string(quoted(line, at)), here});
    }
  }
  return out;
}

}  // namespace

bool is_ibnetdiscover(std::string_view text) {
  const auto at = text.find("\nSwitch");
  return at != text.npos && text.substr(at, 80).find("\"S-") != text.npos;
}

Result<Topology> parse_ibnetdiscover(std::string_view text, const std::vector<std::string>& nodes) {
  Fabric fabric = read_fabric(text);
  Topology out;
  std::map<std::string, std::size_t> numbers;
  std::map<std::string, int> names;
  for (const auto& [guid, name] : fabric.switches) ++names[name];
  for (const auto& [guid, name] : fabric.switches) {
    numbers[guid] = out.switches.size();
    out.switches.push_back(names[name] == 1 && !name.empty() ? name : cat(name, " ", guid));
  }
  for (const auto& [from, to] : fabric.links)
    if (numbers.contains(from) && numbers.contains(to))
      out.links.push_back({numbers[from], numbers[to]});
  // Of a host with several ports, the first by name counts: its other rails are alike.
  std::ranges::stable_sort(fabric.ports, {}, &Fabric::Port::description);
  for (const std::string& node : nodes) {
    const auto found = std::ranges::find(
        fabric.ports, host_of_description(node),
        [](const Fabric::Port& port) { return host_of_description(port.description); });
    if (found == fabric.ports.end())
      return fail(Errc::invalid,
                  cat("no port of node ", printable(node), " is in the output of ibnetdiscover; ",
                      "its node description must begin with that name (rdma-ndd sets it)"));
    out.leaf.push_back(numbers[found->at]);
  }
  return out;
}

}  // namespace nettune::tools::measure

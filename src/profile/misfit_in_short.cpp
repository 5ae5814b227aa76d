// SPDX-License-Identifier: Apache-2.0
#include "profile/misfit_in_short.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "profile/device_match.hpp"

namespace nettune::profile {
namespace {

/// `port` is what passed so far: "InfiniBand port", "such Ethernet port"; `key` is the first that
/// no device passes.
std::string words_of(const std::string& port, const std::string& key, const toml::Node& wanted) {
  const std::string any_of = join(texts(wanted), " or ");
  if (key == "link_layer") return cat("no ", any_of, " port");
  if (key == "rdma" && wanted.boolean) return cat("no ", port, " has RDMA");
  if (key == "max_speed_gbps" || key == "rate_gbps")
    return cat("no ", port, " of ", wanted.integer, " Gb/s");
  if (key == "addressed" && wanted.boolean) return cat("no ", port, " has an address");
  if (key == "protected" && !wanted.boolean) return cat("every ", port, " is protected");
  if (key == "name") return cat("no ", port, " is named ", any_of);
  return cat("no ", port, " with ", key, " ",
             wanted.is(toml::Node::Kind::boolean) ? toml::shown(wanted) : any_of);
}

}  // namespace

std::string misfit_in_short(const toml::Node& definition,
                            const std::function<bool(const toml::Node& match)>& any,
                            std::size_t found) {
  auto keys = definition.find("match")->entries;
  for (const std::string_view first : {"rdma", "link_layer"})
    std::stable_partition(keys.begin(), keys.end(),
                          [&](const auto& entry) { return entry.first == first; });
  toml::Node part;
  std::string port = "port";
  std::string such;
  for (const auto& [key, wanted] : keys) {
    part.entries.emplace_back(key, wanted);
    if (!any(part)) return words_of(such + port, key, wanted);
    if (key == "link_layer")
      port = cat(join(texts(wanted), " or "), " port");
    else
      such = "such ";
  }
  const toml::Node* const require = definition.find("require");
  return cat(found, found == 1 ? " device matches" : " devices match",
             require != nullptr ? cat(", but it needs ", require->text) : "");
}

}  // namespace nettune::profile

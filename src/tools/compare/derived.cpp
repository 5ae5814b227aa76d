// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "base/text.hpp"
#include "tools/compare/fleet.hpp"

namespace nettune::tools::compare {

std::string roce_gid_index(const Document& document, std::uint32_t port) {
  if (document.text_of(port, "link_layer") != "Ethernet") return {};
  const std::uint32_t gids = document.find(port, "gids");
  if (gids == 0 || !document.is(gids, Document::Kind::array)) return {};
  // An IPv4 address as the kernel prints it in a GID.
  constexpr std::string_view kMapped = "0000:0000:0000:0000:0000:ffff:";
  std::optional<std::int64_t> first;
  document.elements(gids, [&](std::uint32_t gid) {
    if (document.text_of(gid, "type") != "RoCE v2") return;
    if (!document.text_of(gid, "gid").starts_with(kMapped)) return;
    const auto index = parse_int(document.text_of(gid, "index"));
    if (index && (!first || *index < *first)) first = index;
  });
  return first ? std::to_string(*first) : std::string();
}

std::string nccl_host_id(const Document& document, std::uint32_t root) {
  const std::uint32_t node = document.find(root, "node");
  if (node == 0) return {};
  const std::string_view host = document.text_of(node, "hostname");
  const std::string_view boot = document.text_of(node, "boot_id");
  // A container may differ by NCCL_HOSTID or its runtime, but it has the host's boot id.
  if (host.empty() || boot.empty() || !document.text_of(node, "container").empty()) return {};
  return cat(host, " ", boot);
}

}  // namespace nettune::tools::compare

// SPDX-License-Identifier: Apache-2.0
#include "measure/end_json.hpp"

#include <cmath>

namespace nettune::measure {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return {};
  const double value = found->get<double>();
  return std::isfinite(value) && std::abs(value) < 1e15 ? std::optional(value) : std::nullopt;
}

std::optional<int> int_at(const Json& json, const char* key) {
  const auto value = number_at(json, key);
  if (!value || std::abs(*value) > 2e9) return {};
  return static_cast<int>(*value);
}

}  // namespace

Json to_json(const End& end) {
  return {{"host", end.host},
          {"interface", end.interface},
          {"address", end.address},
          {"kind", end.kind},
          {"speed_mbps", or_null(end.speed_mbps)},
          {"mtu", or_null(end.mtu)},
          {"pci_address", end.pci_address},
          {"pci_gtps", or_null(end.pci_gtps)},
          {"pci_lanes", or_null(end.pci_lanes)},
          {"numa_node", or_null(end.numa_node)},
          {"carrier", or_null(end.carrier)},
          {"tcp_rmem_max", end.receive_bytes > 0 ? Json(end.receive_bytes) : Json(nullptr)},
          {"tcp_wmem_max", end.send_bytes > 0 ? Json(end.send_bytes) : Json(nullptr)}};
}

End end_from(const Json& json) {
  End end;
  if (!json.is_object()) return end;
  end.host = text_at(json, "host");
  end.interface = text_at(json, "interface");
  end.address = text_at(json, "address");
  end.kind = text_at(json, "kind");
  end.speed_mbps = int_at(json, "speed_mbps");
  end.mtu = int_at(json, "mtu");
  end.pci_address = text_at(json, "pci_address");
  end.pci_gtps = number_at(json, "pci_gtps");
  end.pci_lanes = int_at(json, "pci_lanes");
  end.numa_node = int_at(json, "numa_node");
  if (const auto found = json.find("carrier"); found != json.end() && found->is_boolean())
    end.carrier = found->get<bool>();
  end.receive_bytes = static_cast<std::int64_t>(number_at(json, "tcp_rmem_max").value_or(0));
  end.send_bytes = static_cast<std::int64_t>(number_at(json, "tcp_wmem_max").value_or(0));
  return end;
}

}  // namespace nettune::measure

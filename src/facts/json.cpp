// SPDX-License-Identifier: Apache-2.0
#include "facts/json.hpp"

#include <algorithm>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/text.hpp"

namespace nettune::facts {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr std::size_t kSizeLimit = std::size_t{64} * 1024 * 1024;
constexpr int kDepthLimit = 16;

template <class T, class Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

// One list of members for each struct, used by the Writer and the Reader, so that both agree.

template <class Io, Is<Gid> T>
void members(Io& io, T& gid) {
  io.required("index", gid.index);
  io.optional("gid", gid.gid);
  io.optional("type", gid.type);
  io.optional("netdev", gid.netdev);
}

template <class Io, Is<RdmaPort> T>
void members(Io& io, T& port) {
  io.required("number", port.number);
  io.optional("link_layer", port.link_layer);
  io.optional("state", port.state);
  io.optional("physical_state", port.physical_state);
  io.optional("rate", port.rate);
  io.optional("rate_gbps", port.rate_gbps);
  io.optional("netdev", port.netdev);
  io.optional("gids", port.gids);
}

template <class Io, Is<RdmaDevice> T>
void members(Io& io, T& device) {
  io.required("name", device.name);
  io.optional("identity", device.identity);
  io.optional("driver", device.driver);
  io.optional("pci_address", device.pci_address);
  io.optional("pci_id", device.pci_id);
  io.optional("virtual_function", device.virtual_function);
  io.optional("node_guid", device.node_guid);
  io.optional("firmware", device.firmware);
  io.optional("numa_node", device.numa_node);
  io.optional("ports", device.ports);
  io.optional("psid", device.psid);
  io.optional("driver_version", device.driver_version);
  io.optional("pcie_speed", device.pcie_speed);
  io.optional("pcie_width", device.pcie_width);
}

template <class Io, Is<NetDevice> T>
void members(Io& io, T& device) {
  io.required("name", device.name);
  io.optional("ifindex", device.ifindex);
  io.optional("identity", device.identity);
  io.optional("kind", device.kind);
  io.optional("physical", device.physical);
  io.optional("driver", device.driver);
  io.optional("pci_address", device.pci_address);
  io.optional("pci_id", device.pci_id);
  io.optional("numa_node", device.numa_node);
  io.optional("near_cpus", device.near_cpus);
  io.optional("interrupts", device.interrupts);
  io.optional("speed_mbps", device.speed_mbps);
  io.optional("max_speed_mbps", device.max_speed_mbps);
  io.optional("mtu", device.mtu);
  io.optional("min_mtu", device.min_mtu);
  io.optional("max_mtu", device.max_mtu);
  io.optional("txqueuelen", device.txqueuelen);
  io.optional("mac", device.mac);
  io.optional("permanent_mac", device.permanent_mac);
  io.optional("operstate", device.operstate);
  io.optional("carrier", device.carrier);
  io.optional("link_layer", device.link_layer);
  io.optional("addresses", device.addresses);
  io.optional("lowers", device.lowers);
  io.optional("uppers", device.uppers);
  io.optional("master", device.master);
  io.optional("rdma_devices", device.rdma_devices);
  io.optional("default_route", device.default_route);
  io.optional("protected_by", device.protected_by);
}

template <class Io, Is<Gpu> T>
void members(Io& io, T& gpu) {
  io.required("pci_address", gpu.pci_address);
  io.optional("pci_id", gpu.pci_id);
  io.optional("driver", gpu.driver);
  io.optional("numa_node", gpu.numa_node);
}

template <class Io, Is<PeerPort> T>
void members(Io& io, T& port) {
  io.required("path", port.path);
  io.required("pci_address", port.pci_address);
  io.optional("has_acs", port.has_acs);
  io.optional("ends", port.ends);
  io.optional("others", port.others);
}

template <class Io, Is<Work> T>
void members(Io& io, T& work) {
  io.required("what", work.what);
  io.optional("pid", work.pid);
  io.optional("detail", work.detail);
  io.optional("device", work.device);
}

template <class Io, Is<FirewallChain> T>
void members(Io& io, T& chain) {
  io.required("family", chain.family);
  io.required("table", chain.table);
  io.required("name", chain.name);
  io.required("hook", chain.hook);
  io.required("priority", chain.priority);
  io.optional("policy", chain.policy);
  io.optional("owner", chain.owner);
  io.optional("can_drop", chain.can_drop);
  io.optional("drops_answers", chain.drops_answers);
}

template <class Io, Is<FirewallZone> T>
void members(Io& io, T& zone) {
  io.required("name", zone.name);
  io.optional("target", zone.target);
  io.optional("interfaces", zone.interfaces);
  io.optional("sources", zone.sources);
}

template <class Io, Is<Firewall> T>
void members(Io& io, T& firewall) {
  io.optional("owner", firewall.owner);
  io.optional("found_by", firewall.found_by);
  io.optional("chains", firewall.chains);
  io.optional("default_zone", firewall.default_zone);
  io.optional("zones", firewall.zones);
  io.optional("panic", firewall.panic);
  io.optional("ufw_ipv6", firewall.ufw_ipv6);
}

template <class Io, Is<SshSession> T>
void members(Io& io, T& session) {
  io.required("local", session.local);
  io.required("local_port", session.local_port);
  io.required("remote", session.remote);
  io.optional("interface", session.interface);
  io.optional("leaves_by", session.leaves_by);
}

template <class Io, Is<KernelOption> T>
void members(Io& io, T& option) {
  io.required("name", option.name);
  io.optional("value", option.value);
}

template <class Io, Is<Platform> T>
void members(Io& io, T& platform) {
  io.optional("vendor", platform.vendor);
  io.optional("product", platform.product);
  io.optional("board_vendor", platform.board_vendor);
  io.optional("board", platform.board);
  io.optional("bios_vendor", platform.bios_vendor);
  io.optional("bios_version", platform.bios_version);
  io.optional("bios_date", platform.bios_date);
  io.optional("controller_firmware", platform.controller_firmware);
  io.optional("cpu_model", platform.cpu_model);
  io.optional("microcode", platform.microcode);
  io.optional("cpufreq_driver", platform.cpufreq_driver);
  io.optional("governor", platform.governor);
  io.optional("cpuidle_driver", platform.cpuidle_driver);
  io.optional("cpuidle_governor", platform.cpuidle_governor);
  io.optional("idle_states", platform.idle_states);
  io.optional("iommu", platform.iommu);
  io.optional("memory_mib", platform.memory_mib);
  io.optional("dimms", platform.dimms);
  io.optional("kernel_options", platform.kernel_options);
}

template <class Io, Is<Node> T>
void members(Io& io, T& node) {
  io.optional("hostname", node.hostname);
  io.optional("os_id", node.os_id);
  io.optional("os_version", node.os_version);
  io.optional("kernel", node.kernel);
  io.optional("architecture", node.architecture);
  io.optional("machine_id", node.machine_id);
  io.optional("boot_id", node.boot_id);
  io.optional("container", node.container);
  io.optional("cpus", node.cpus);
  io.optional("platform", node.platform);
}

template <class Io, Is<Facts> T>
void members(Io& io, T& facts) {
  io.required("schema", facts.schema);
  io.required("node", facts.node);
  io.optional("net", facts.net);
  io.optional("rdma", facts.rdma);
  io.optional("gpus", facts.gpus);
  io.optional("peer_ports", facts.peer_ports);
  io.optional("guests", facts.guests);
  io.optional("at_work", facts.at_work);
  io.optional("firewall", facts.firewall);
  io.optional("ssh", facts.ssh);
  io.optional("services", facts.services);
  io.optional("notes", facts.notes);
}

Json written(const std::string& text) { return text; }
Json written(int number) { return number; }
Json written(bool yes) { return yes; }
Json written(double number) { return number; }
template <class T>
Json written(const std::vector<T>& list);
template <class T>
Json written(const T& object);

bool unknown(const std::string& text) { return text.empty(); }
bool unknown(int number) { return number == 0; }
bool unknown(bool) { return false; }
template <class T>
bool unknown(const std::vector<T>& list) {
  return list.empty();
}
bool unknown(const Platform& platform);
bool unknown(const Firewall& firewall) {
  return firewall.owner.empty() && firewall.found_by.empty();
}
template <class T>
bool unknown(const std::optional<T>& value) {
  return !value;
}

class Writer {
 public:
  template <class T>
  void required(const char* name, const T& value) {
    json_[name] = written(value);
  }
  template <class T>
  void optional(const char* name, const T& value) {
    if (!unknown(value)) required(name, value);
  }
  template <class T>
  void required(const char* name, const std::optional<T>& value) {
    json_[name] = written(*value);
  }
  Json take() { return std::move(json_); }

 private:
  Json json_ = Json::object();
};

template <class T>
Json written(const std::vector<T>& list) {
  Json array = Json::array();
  for (const T& item : list) array.push_back(written(item));
  return array;
}

template <class T>
Json written(const T& object) {
  Writer writer;
  members(writer, object);
  return writer.take();
}

/// Reads members of one object; the first error is kept and ends the reading.
class Reader {
 public:
  Reader(const Json& json, std::string path, std::string& error)
      : json_(json), path_(std::move(path)), error_(error) {
    if (!json.is_object()) wrong(path_, "an object", json);
  }

  template <class T>
  void required(const char* name, T& value) {
    if (!error_.empty()) return;
    if (!json_.contains(name)) {
      error_ = cat(at(name), ": is missing");
      return;
    }
    read(json_[name], at(name), value);
  }
  template <class T>
  void optional(const char* name, T& value) {
    if (error_.empty() && json_.contains(name)) read(json_[name], at(name), value);
  }

 private:
  std::string at(std::string_view name) const {
    return path_.empty() ? std::string(name) : cat(path_, ".", name);
  }

  void wrong(const std::string& path, std::string_view expected, const Json& found) {
    if (!error_.empty()) return;
    error_ = cat(path.empty() ? "the document" : path, ": expected ", expected, ", found ",
                 found.type_name());
  }

  void read(const Json& json, const std::string& path, std::string& value) {
    if (!json.is_string()) return wrong(path, "a string", json);
    value = json.get<std::string>();
  }
  void read(const Json& json, const std::string& path, bool& value) {
    if (!json.is_boolean()) return wrong(path, "true or false", json);
    value = json.get<bool>();
  }
  void read(const Json& json, const std::string& path, double& value) {
    if (!json.is_number()) return wrong(path, "a number", json);
    value = json.get<double>();
  }
  void read(const Json& json, const std::string& path, int& value) {
    if (!json.is_number_integer()) return wrong(path, "an integer", json);
    const bool large = json.is_number_unsigned() &&
                       json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<int>::max()};
    if (large || json.get<std::int64_t>() < std::numeric_limits<int>::min()) {
      if (error_.empty()) error_ = cat(path, ": is out of range");
      return;
    }
    value = json.get<int>();
  }
  template <class T>
  void read(const Json& json, const std::string& path, std::optional<T>& value) {
    T inner{};
    read(json, path, inner);
    value = inner;
  }
  template <class T>
  void read(const Json& json, const std::string& path, std::vector<T>& list) {
    if (!json.is_array()) return wrong(path, "an array", json);
    list.clear();
    for (std::size_t i = 0; i < json.size() && error_.empty(); ++i) {
      list.emplace_back();
      read(json[i], cat(path, "[", i, "]"), list.back());
    }
  }
  template <class T>
  void read(const Json& json, const std::string& path, T& object) {
    Reader reader(json, path, error_);
    if (error_.empty()) members(reader, object);
  }

  const Json& json_;
  std::string path_;
  std::string& error_;
};

/// Counts brackets outside of strings, so that a document of brackets never reaches the parser.
int depth_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') --depth;
  }
  return deepest;
}

Failure invalid(const std::string& text) {
  return fail(Errc::invalid, cat("not a facts document: ", text));
}

Result<Json> parse(std::string_view text) {
  if (text.size() > kSizeLimit) return invalid(cat("larger than ", kSizeLimit, " bytes"));
  if (depth_of(text) > kDepthLimit) return invalid(cat("nested deeper than ", kDepthLimit));
  try {
    return Json::parse(text);
  } catch (const Json::exception& problem) {
    return invalid(printable(problem.what()));
  }
}

/// A document from before there was a platform stays without one.
bool unknown(const Platform& platform) { return written(platform).empty(); }

}  // namespace

std::string to_json(const Facts& facts) {
  return written(facts).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Facts> from_json(std::string_view text) {
  TRY_ASSIGN(const Json json, parse(text));
  // The schema is checked first: another one may differ in everything else.
  if (json.is_object() && json.contains("schema") && json["schema"] != kSchema) {
    return invalid(
        cat("schema: is ", printable(json["schema"].dump()), ", but this nettune reads ", kSchema));
  }
  Facts facts;
  std::string error;
  Reader reader(json, "", error);
  if (error.empty()) members(reader, facts);
  if (!error.empty()) return invalid(error);
  return facts;
}

}  // namespace nettune::facts

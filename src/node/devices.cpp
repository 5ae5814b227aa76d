// SPDX-License-Identifier: Apache-2.0
#include "node/devices.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "kernel/sysfs.hpp"
#include "kinds/registry.hpp"

namespace nettune::node {

namespace {

std::optional<kinds::common::DeviceName> find_device(const Address& address) {
  const kinds::common::Kind* const kind = kinds::find(address.kind());
  if (kind == nullptr || kind->find_device == nullptr) return {};
  auto found = kind->find_device(address.rest());
  if (found) found->begin += kind->name.size() + 1;
  return found;
}

std::string replaced(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

}  // namespace

std::string device_in(const Address& address) {
  const auto span = find_device(address);
  if (!span) return {};
  const std::string name = address.text.substr(span->begin, span->length);
  return span->slashes ? replaced(name, '/', '.') : name;
}

Address with_device(const Address& address, const std::string& name) {
  const auto span = find_device(address);
  if (!span) return address;
  Address moved = address;
  moved.text.replace(span->begin, span->length, span->slashes ? replaced(name, '.', '/') : name);
  return moved;
}

std::string device_token(std::string token, const std::string& sys) {
  const auto root = kernel::Directory::open(sys);
  if (!root) return token;
  std::string text;
  for (const std::string& name : root->list("class/infiniband")) {
    const std::string path = cat("class/infiniband/", name);
    text += cat(name, '=', root->link(path).value_or(""), ' ',
                root->line(path + "/node_guid").value_or(""), '\n');
  }
  if (!text.empty()) token += cat(' ', sha256_hex(text).substr(0, 16));
  return token;
}

DeviceNames::DeviceNames(const facts::Facts& facts) {
  for (const facts::NetDevice& device : facts.net) name_of_.emplace(device.identity, device.name);
  for (const facts::RdmaDevice& device : facts.rdma) name_of_.emplace(device.identity, device.name);
}

std::optional<Address> DeviceNames::locate(const Address& address,
                                           const std::string& device) const {
  if (device.empty()) return address;
  const auto name = name_of(device);
  if (!name) return {};
  return with_device(address, *name);
}

std::string DeviceNames::identity_of(const std::string& name) const {
  const auto found = std::ranges::find(name_of_, name, [](const auto& one) { return one.second; });
  return found == name_of_.end() ? std::string() : found->first;
}

std::optional<std::string> DeviceNames::name_of(const std::string& device) const {
  const auto found = name_of_.find(device);
  if (found == name_of_.end()) return {};
  return found->second;
}

namespace {

/// The device of a managed value: its own, or for a side effect on the same interface that of its
/// cause.
std::string device_of(const Owned& value, const std::map<Address, Owned>& owned) {
  if (!value.device.empty() || value.cause.text.empty()) return value.device;
  const auto cause = owned.find(value.cause);
  if (cause == owned.end() || device_in(value.address) != device_in(value.cause)) return {};
  return cause->second.device;
}

}  // namespace

Located locate_all(const std::vector<Setting>& settings, const std::map<Address, Owned>& owned,
                   const DeviceNames& names) {
  Located located;
  for (const Setting& setting : settings) {
    if (auto address = names.locate(setting.address, setting.device)) {
      located.settings.push_back(setting);
      located.settings.back().address = std::move(*address);
    } else {
      located.gone.push_back(setting);
    }
  }
  for (const auto& [old_address, value] : owned) {
    const std::string device = device_of(value, owned);
    auto address = names.locate(old_address, device);
    if (!address) {
      located.owned_gone.push_back(value);
      continue;
    }
    Owned moved = value;
    moved.address = *address;
    if (!moved.cause.text.empty()) {
      const auto cause = owned.find(moved.cause);
      const bool same = device_in(old_address) == device_in(moved.cause);
      const std::string its = cause != owned.end() ? cause->second.device : same ? device : "";
      moved.cause = names.locate(moved.cause, its).value_or(moved.cause);
    }
    located.owned.emplace(std::move(*address), std::move(moved));
  }
  return located;
}

std::vector<Owned> found_under(const std::map<Address, Owned>& found, const DeviceNames& names) {
  Located located = locate_all({}, found, names);
  std::vector<Owned> present = std::move(located.owned_gone);
  for (auto& [address, one] : located.owned) present.push_back(std::move(one));
  return present;
}

namespace {

/// Adds `reason` to the links stacked above (or below) `device`, recursively.
void protect_stack(facts::Facts& facts, const std::string& device, const std::string& reason,
                   std::vector<std::string> facts::NetDevice::*next) {
  const std::set<std::string> reached = facts.reached_from(device, next);
  for (facts::NetDevice& other : facts.net)
    if (reached.contains(other.name)) other.protected_by.push_back(reason);
}

}  // namespace

void protect_named(facts::Facts& facts, const std::vector<std::string>& names) {
  for (const std::string& pattern : names) {
    const bool matches = std::any_of(
        facts.net.begin(), facts.net.end(),
        [&](const facts::NetDevice& device) { return glob_match(pattern, device.name); });
    if (!matches)
      facts.notes.push_back(cat("[protect] of the site file names ", printable(pattern),
                                ", but no such interface exists"));
  }
  for (facts::NetDevice& device : facts.net) {
    const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& pattern) {
      return glob_match(pattern, device.name);
    });
    if (!named) continue;
    device.protected_by.emplace_back("is protected by the site file");
    protect_stack(facts, device.name,
                  cat("is below ", device.name, ", which the site file protects"),
                  &facts::NetDevice::lowers);
    protect_stack(facts, device.name,
                  cat("is above ", device.name, ", which the site file protects"),
                  &facts::NetDevice::uppers);
  }
}

}  // namespace nettune::node

// SPDX-License-Identifier: Apache-2.0
#include "profile/without_names.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/contents_view.hpp"

namespace nettune::profile {
namespace {

/// Present names by their new ones. Interfaces and RDMA devices may have the same names.
using NewNames = std::map<std::string, std::string>;

void rename(std::string& name, const NewNames& to) {
  if (const auto found = to.find(name); found != to.end()) name = found->second;
}
void rename(std::vector<std::string>& names, const NewNames& to) {
  for (std::string& name : names) rename(name, to);
}

void rename_in(facts::Facts& facts, const NewNames& interfaces, const NewNames& rdma) {
  for (facts::NetDevice& device : facts.net) {
    rename(device.name, interfaces);
    rename(device.master, interfaces);
    rename(device.lowers, interfaces);
    rename(device.uppers, interfaces);
    rename(device.rdma_devices, rdma);
  }
  for (facts::RdmaDevice& device : facts.rdma) {
    rename(device.name, rdma);
    for (facts::RdmaPort& port : device.ports) {
      rename(port.netdev, interfaces);
      for (facts::Gid& gid : port.gids) rename(gid.netdev, interfaces);
    }
  }
  for (facts::FirewallZone& zone : facts.firewall.zones) rename(zone.interfaces, interfaces);
}

/// The same words in any order: lists of names are sorted, and so are the lines of some files.
bool same_words(const std::string& left, const std::string& right) {
  const auto sorted = [](std::string text) {
    std::ranges::replace(text, ',', ' ');
    std::vector<std::string> found;
    for (const std::string_view word : words(text)) found.emplace_back(word);
    std::ranges::sort(found);
    return found;
  };
  return sorted(left) == sorted(right);
}

}  // namespace

Nameless without_names(const facts::Facts& facts, const DeviceSets& sets) {
  Nameless out;
  out.facts = facts;
  NewNames interfaces;
  NewNames rdma;
  const auto add = [&](NewNames& names, const std::string& name, const std::string& identity) {
    std::string token = token_of_device(identity);
    if (names.emplace(name, token).second)
      out.devices.push_back({std::move(token), name, identity});
  };
  for (const auto& [name, set] : sets) {
    for (const facts::NetDevice* const device : set.members)
      add(interfaces, device->name, device->identity);
    for (const facts::PortOfDevice& port : set.ports)
      add(rdma, port.device->name, port.device->identity);
    for (const facts::NetDevice* const device : set.members)
      for (const std::string& of_device : device->rdma_devices)
        if (const auto found = std::ranges::find(facts.rdma, of_device, &facts::RdmaDevice::name);
            found != facts.rdma.end())
          add(rdma, found->name, found->identity);
  }
  rename_in(out.facts, interfaces, rdma);
  std::ranges::sort(out.devices, {}, &NamedDevice::token);
  out.sets = sets;
  for (auto& [name, set] : out.sets) {
    for (const facts::NetDevice*& device : set.members)
      device = &out.facts.net[static_cast<std::size_t>(device - facts.net.data())];
    for (facts::PortOfDevice& port : set.ports) {
      const auto port_at = port.port - port.device->ports.data();
      port.device = &out.facts.rdma[static_cast<std::size_t>(port.device - facts.rdma.data())];
      port.port = &port.device->ports[static_cast<std::size_t>(port_at)];
    }
  }
  return out;
}

NamedTexts named_texts(const Resolved& resolved, const Resolved& nameless,
                       std::vector<NamedDevice> devices) {
  NamedTexts out;
  out.devices = std::move(devices);
  const auto keep = [&](std::map<std::string, std::string>& of, const std::string& name,
                        const std::string& text, const std::string& token_text) {
    const std::string named = out.put_in(token_text);
    if (named != token_text && same_words(named, text)) of.emplace(name, token_text);
  };
  std::map<std::string, const Setting*> settings;
  for (const Setting& setting : resolved.desired.settings)
    settings.emplace(setting.address.text, &setting);
  for (const Setting& other : nameless.desired.settings) {
    const auto found = settings.find(out.put_in(other.address.text));
    if (found == settings.end() || !other.want || !found->second->want) continue;
    const Setting& setting = *found->second;
    const auto content = resolved.desired.contents.find(content_digest(setting.want));
    const auto token_content = nameless.desired.contents.find(content_digest(other.want));
    // A plain value may look like a digest.
    if (content == resolved.desired.contents.end() ||
        token_content == nameless.desired.contents.end())
      keep(out.values, other.address.text, *setting.want, *other.want);
    else
      keep(out.contents, other.address.text, content->second, token_content->second);
  }
  for (const JobVariable& other : nameless.desired.variables)
    for (const JobVariable& variable : resolved.desired.variables)
      if (variable.name == other.name)
        keep(out.variables, variable.name, variable.value, other.value);
  for (const Admission& other : nameless.desired.admissions)
    for (const Admission& admission : resolved.desired.admissions)
      if (admission.name == other.name)
        keep(out.admissions, admission.name, admission.opening, other.opening);
  return out;
}

std::vector<NamedGid> named_gids(const Merged& merged, const DeviceSets& sets) {
  std::vector<NamedGid> gids;
  for (const Item* const item : merged.with_prefix("env:"))
    for (const auto& [name, set] : sets) {
      if (toml::shown(item->value).find(cat("${", name, ".gid_index}")) == std::string::npos)
        continue;
      const auto index = gid_index_of(set);
      if (index && *index) gids.push_back({item->key, name, **index});
    }
  return gids;
}

}  // namespace nettune::profile

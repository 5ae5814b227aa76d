// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "profile/profile.hpp"
#include "profile/rdma_ports.hpp"
#include "profile/section.hpp"
#include "profile/source.hpp"
#include "profile/without_names.hpp"

namespace nettune::profile {
namespace {

/// The identities that a set was chosen by: a later check finds missing members by them.
void add_members(const DeviceSet& set, Resolved& out) {
  std::vector<std::string>& names = out.sets[set.name];
  const auto add = [&](const std::string& name, std::string identity) {
    names.push_back(name);
    out.desired.members.push_back({set.name, name, std::move(identity)});
  };
  if (set.of_rdma)
    for (const facts::PortOfDevice& port : set.ports)
      add(name_of(port), cat(port.device->identity, " port ", port.port->number));
  else
    for (const facts::NetDevice* const device : set.members) add(device->name, device->identity);
}

void add_demand(const toml::Node& definition, Demand& demand) {
  if (definition.find("require") == nullptr) return;
  const toml::Node& match = *definition.find("match");
  const toml::Node* const of = definition.find("of");
  demand.rdma = demand.rdma || match.flag("rdma") || (of != nullptr && of->text == "rdma");
  for (const std::string_view key : {"max_speed_gbps", "rate_gbps"})
    if (const toml::Node* const speed = match.find(key); speed != nullptr)
      demand.speed_gbps = std::max(demand.speed_gbps, speed->integer);
}

Result<DeviceSets> choose_devices(const Merged& merged, const Variables& variables,
                                  const facts::Facts& facts, Resolved& out) {
  const Expander expander(variables, nullptr, facts);
  DeviceSets sets;
  for (const Item* const item : merged.with_prefix("devices:")) {
    TRY_ASSIGN(const Expanded definition, expander.expand(item->value));
    TRY_ASSIGN(Selection selected, select_devices(item->key, definition.node, facts));
    out.shown.push_back({"devices", item->key, toml::shown(definition.node), item->value.origin});
    add_members(selected.set, out);
    add_demand(definition.node, out.demand);
    for (std::string& note : selected.notes) out.desired.notes.push_back(std::move(note));
    if (!selected.misfit.empty()) {
      out.misfits.push_back(cat(selected.misfit, " (", item->value.origin.text(), ")"));
      if (out.in_short.empty()) out.in_short = selected.misfit_in_short;
    }
    sets.emplace(item->key, std::move(selected.set));
  }
  return sets;
}

void show_variables(const Merged& merged, const Variables& variables, Resolved& out) {
  for (const auto& [name, value] : variables) {
    const Item* const item = merged.find(cat("var:", name));
    const std::string text = value ? toml::shown(*value) : "(no value)";
    out.shown.push_back({"vars", name, text, value ? value->origin : item->value.origin});
  }
}

/// Turning RDMA off is legal on a node with active RDMA, but rarely intended.
void find_cautions(const Merged& merged, const facts::Facts& facts, Resolved& out) {
  const Item* const reason = merged.find("refuse:rdma_active");
  if (reason == nullptr) return;
  out.shown.push_back({"refuse", reason->key, toml::shown(reason->value), reason->value.origin});
  std::vector<std::string> active;
  for (const facts::RdmaDevice& device : facts.rdma) {
    for (const facts::RdmaPort& port : device.ports) {
      if (port.state == "ACTIVE") active.push_back(cat(device.name, '/', port.number));
    }
  }
  if (active.empty()) return;
  if (out.in_short.empty())
    out.in_short = cat("not where RDMA is active (", active.size(),
                       active.size() == 1 ? " port" : " ports", " here)");
  out.cautions.push_back(cat("RDMA is ACTIVE on ", join(active, ", "), ": ",
                             toml::shown(reason->value), " (", reason->value.origin.text(), ")"));
}

ReadFile file_reader(Disk& disk, const Sources& sources, Resolved& out) {
  return [&](const std::string& path, const Origin& origin) -> Result<std::string> {
    TRY_ASSIGN(const auto text, read_trusted(disk, path, sources.trusted_uid));
    TRY_ASSIGN(const auto info, disk.info(path));
    if (!text || !info) return toml::fail_at(origin, cat("no such file: ", printable(path)));
    out.desired.sources.push_back({path, sha256_hex(*text), text->size(), info->mtime_ns});
    return *text;
  };
}

/// Everything that the sections of a profile are composed of, but the node.
struct Parts {
  Disk& disk;
  const Sources& sources;
  const Merged& merged;
  const Variables& variables;
  const Site& site;
};

void compose(const Parts& parts, const facts::Facts& facts, const DeviceSets& sets,
             std::function<std::vector<Reading>(std::span<const Address>)> read_sysctls,
             Resolved& out, Mistakes& mistakes) {
  const Expander variables_alone(parts.variables, nullptr, facts);
  const Expander expander(parts.variables, &sets, facts);
  Composer composer(parts.merged, variables_alone, expander,
                    file_reader(parts.disk, parts.sources, out), facts, out, mistakes);
  composer.boot().read_sysctls = std::move(read_sysctls);
  composer.boot().kernel_arguments = parts.site.kernel_arguments;
  composer.boot().acs_with_guests = parts.site.acs_with_guests;
  for (const Section* const section : sections()) {
    const Result<> composed = section->compose(composer);
    // A setting without a line comes from one that has a line, and is wrong because of it.
    if (!composed && (composed.error().line > 0 || !mistakes.any())) mistakes.add(composed.error());
  }
}

/// Composes once more, for a node whose devices have tokens for names: so every text, whatever
/// makes it, shows where its names are.
NamedTexts texts_with_names(const Parts& parts, const facts::Facts& facts, const DeviceSets& sets,
                            const Resolved& resolved) {
  Nameless nameless = without_names(facts, sets);
  if (nameless.devices.empty()) return {};
  NamedTexts names;
  names.devices = nameless.devices;
  std::function<std::vector<Reading>(std::span<const Address>)> read_sysctls;
  if (parts.sources.read_sysctls)
    read_sysctls = [&](std::span<const Address> addresses) {
      std::vector<Address> present;
      for (const Address& address : addresses) present.push_back({names.put_in(address.text)});
      return parts.sources.read_sysctls(present);
    };
  Resolved other;
  Mistakes unused;
  compose(parts, nameless.facts, nameless.sets, std::move(read_sysctls), other, unused);
  NamedTexts texts = named_texts(resolved, other, std::move(nameless.devices));
  texts.gids = named_gids(parts.merged, sets);
  return texts;
}

}  // namespace

Result<Resolved> resolve(Disk& disk, const Sources& sources, const std::string& name,
                         const facts::Facts& facts) {
  Mistakes mistakes;
  TRY_ASSIGN(Resolved resolved, resolve(disk, sources, name, facts, mistakes));
  TRY(mistakes.result());
  return resolved;
}

Result<Resolved> resolve(Disk& disk, const Sources& sources, const std::string& name,
                         const facts::Facts& facts, Mistakes& mistakes) {
  TRY(check_name(name));
  const trace::Step step("resolve the profile ", name);
  TRY_ASSIGN(const Merged merged, load_merged(disk, sources, name));
  mistakes.add_all(merged.mistakes);
  TRY_ASSIGN(const Site site, read_site(disk, sources));
  TRY_ASSIGN(const Variables variables, resolve_variables(merged, site, sources.set));

  Resolved out;
  out.desired.profile = name;
  out.desired.vars = sources.set;
  out.desired.sources = merged.sources;
  if (site.source) out.desired.sources.push_back(*site.source);
  show_variables(merged, variables, out);
  TRY_ASSIGN(DeviceSets sets, choose_devices(merged, variables, facts, out));
  const Expander variables_alone(variables, nullptr, facts);
  for (const Section* const section : sections())
    if (section->prepare != nullptr) TRY(section->prepare(merged, variables_alone, sets));
  const Parts parts{disk, sources, merged, variables, site};
  compose(parts, facts, sets, sources.read_sysctls, out, mistakes);
  if (!mistakes.any()) {
    const NamedTexts texts = texts_with_names(parts, facts, sets, out);
    if (!texts.empty()) keep_named_texts(texts, out.desired);
  }
  find_cautions(merged, facts, out);
  std::ranges::sort(out.desired.settings, {}, &Setting::address);
  return out;
}

std::vector<Listed> list(Disk& disk, const Sources& sources) {
  std::vector<Error> unreadable;
  std::vector<Listed> all;
  const auto located = [](const Error& error) {
    return error.file.empty() ? error.text
                              : cat(Origin{error.file, error.line}.text(), ": ", error.text);
  };
  for (const Found& found : find_profiles(disk, sources, &unreadable)) {
    Listed listed{found.name, "", found.file, found.shadows, ""};
    const auto merged = load_merged(disk, sources, found.name);
    if (merged) listed.summary = merged->summary;
    const Result<> good = merged ? merged->mistakes.result() : Result<>(fail(merged.error()));
    if (!good) listed.error = located(good.error());
    all.push_back(std::move(listed));
  }
  for (const Error& error : unreadable) all.push_back({"", "", error.file, "", located(error)});
  return all;
}

}  // namespace nettune::profile

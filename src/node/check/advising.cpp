// SPDX-License-Identifier: Apache-2.0
#include "node/check/advising.hpp"

#include <optional>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "kernel/sysfs.hpp"
#include "node/check/rule_files.hpp"
#include "node/devices.hpp"

namespace nettune::node::check {

namespace {

bool has_rdma() {
  const auto devices = kernel::Directory::open("/sys/class/infiniband");
  return devices && !devices->list("").empty();
}

/// "FILE:LINE: problem", with the place if there is one.
std::string text_of(const Error& error) {
  if (error.file.empty()) return error.text;
  return cat(error.file, error.line > 0 ? cat(':', error.line) : "", ": ", error.text);
}

Result<> add_advice(Context& context, const Checked& checked, Advised& advised) {
  std::optional<facts::Facts> collected;
  if (!checked.ports) {
    TRY_ASSIGN(collected, facts::collect_ports(facts::live()));
  }
  const facts::Facts& facts = checked.ports ? *checked.ports : *collected;
  const Transaction& active = *checked.state.active;
  TRY_ASSIGN(const Transaction whole, context.state().generation(active.number));
  const std::set<std::string> names = devices_of(active.settings, whole.members, facts);
  if (names.empty()) return {};
  const checks::Observables observables{{facts::kObservables.begin(), facts::kObservables.end()},
                                        false};
  TRY_ASSIGN(const auto rules, read_rules(context.disk(), observables));
  TRY_ASSIGN(const auto observations, facts::observe(facts, names, facts::live_observations()));
  advised.advice = checks::judge(rules, observations);
  return {};
}

}  // namespace

std::set<std::string> devices_of(const std::vector<Setting>& settings,
                                 const std::vector<Member>& members, const facts::Facts& facts) {
  std::set<std::string> names;
  for (const Setting& setting : settings)
    if (std::string name = device_in(setting.address); !name.empty()) names.insert(std::move(name));
  for (const Member& member : members) {
    for (const facts::NetDevice& device : facts.net)
      if (device.identity == member.device) names.insert(device.name);
    // Every port of an RDMA port set is a member.
    for (const facts::RdmaDevice& device : facts.rdma)
      if (member.device.starts_with(cat(device.identity, " port "))) names.insert(device.name);
  }
  return names;
}

Advised advise(Context& context, const Checked& checked) {
  Advised advised;
  if (!has_rdma()) return advised;
  const auto done = add_advice(context, checked, advised);
  if (!done) advised.notes.push_back(cat("no advice: ", text_of(done.error())));
  return advised;
}

}  // namespace nettune::node::check

// SPDX-License-Identifier: Apache-2.0
#include "node/context.hpp"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "facts/collect.hpp"
#include "facts/json.hpp"
#include "kinds/registry.hpp"
#include "kinds/sysctl/kind.hpp"
#include "node/devices.hpp"
#include "node/identity.hpp"
#include "node/recorded.hpp"

namespace nettune::node {

namespace {

constexpr std::uint64_t kRecordLimit = 64U << 20;

}  // namespace

Context::Context(Locations locations)
    : locations_(std::move(locations)),
      disk_(posix_disk()),
      roots_disk_(roots_disk()),
      ruleset_(std::make_shared<firewall::LiveRuleset>()),
      state_(*disk_, locations_.state_directory, kinds::knows) {
  // A recorded path must be valid in the working directory of the next run.
  for (std::string& directory : locations_.profile_directories)
    directory = absolute_path(directory);
  locations_.site_file = absolute_path(locations_.site_file);
}

bool Context::is_root() const { return ::geteuid() == 0; }

profile::Sources Context::profile_sources() {
  profile::Sources sources;
  sources.directories = locations_.profile_directories;
  const std::string& named = locations_.profile_directories.empty()
                                 ? locations_.site_file
                                 : locations_.profile_directories.front();
  struct stat status {};
  const bool chosen = !locations_.profile_directories.empty() || locations_.site_given;
  if (chosen && ::stat(named.c_str(), &status) == 0) sources.trusted_uid = status.st_uid;
  sources.directories.emplace_back("/etc/nettune/profiles");
  sources.directories.emplace_back(NETTUNE_DATADIR "/profiles");
  sources.site_file = locations_.site_file;
  sources.set = locations_.set;
  if (!recorded() && !image())
    sources.read_sysctls = [this](std::span<const Address> addresses) {
      const auto live = providers();
      Provider* const provider = live ? (*live)->find(kinds::sysctl::kSysctl.name) : nullptr;
      return provider ? provider->read(addresses)
                      : std::vector<Reading>(addresses.size(), Reading());
    };
  return sources;
}

Result<facts::Facts> Context::read_facts() {
  facts::Facts facts;
  if (recorded()) {
    TRY_ASSIGN(const std::string text,
               read_named_file(*disk_, locations_.facts_file, kRecordLimit));
    auto parsed = facts::from_json(text);
    if (!parsed) return fail_in(printable(locations_.facts_file), std::move(parsed).error());
    facts = std::move(*parsed);
  } else if (image()) {
    // The devices are unknown until the first boot.
    facts.node.hostname = cat("the image ", locations_.root);
    TRY_ASSIGN(facts.services, facts::installed_services("/"));
    return facts;
  } else {
    facts::Sources sources = facts::live();
    sources.ruleset = [this] { return ruleset_->now(); };
    const trace::Step step("collect facts");
    TRY_ASSIGN(facts, facts::collect(sources));
  }
  const auto names = profile::protected_devices(*disk_, profile_sources());
  if (names) {
    protect_named(facts, *names);
  } else if (locations_.forgives_site_file) {
    facts.notes.push_back(
        cat("the protected devices of the site file are unknown: ", names.error().text));
    facts.access_gaps.push_back(facts.notes.back());
  } else {
    return fail(names.error());
  }
  return facts;
}

Result<const facts::Facts*> Context::facts() {
  if (!facts_) {
    TRY_ASSIGN(facts_, read_facts());
  }
  return &*facts_;
}

Result<facts::Facts> Context::described_facts() {
  TRY_ASSIGN(const facts::Facts* const known, facts());
  facts::Facts described = *known;
  if (!recorded() && !image()) TRY(facts::describe("/", described));
  return described;
}

Result<Providers> Context::make_providers() {
  if (image()) return kinds::providers_of_files(*roots_disk_, kinds::common::Places());
  if (!recorded()) {
    Providers live = kinds::providers(*roots_disk_, kinds::common::Places(), ruleset_);
    return is_root() ? std::move(live) : as_root_providers(std::move(live));
  }
  TRY_ASSIGN(RecordedValues values, recorded_values());
  TRY_ASSIGN(const facts::Facts* const node, facts());
  return recorded_providers(*disk_, *node, std::move(values));
}

Result<RecordedValues> Context::recorded_values() {
  const bool apart = !locations_.values_file.empty();
  const std::string& file = apart ? locations_.values_file : locations_.facts_file;
  TRY_ASSIGN(const std::string text, read_named_file(*disk_, file, kRecordLimit));
  auto parsed = apart ? parse_recorded_values(text) : values_in_facts(text);
  if (!parsed) return fail_in(printable(file), std::move(parsed).error());
  return parsed;
}

Result<const Providers*> Context::providers() {
  if (!providers_) {
    TRY_ASSIGN(providers_, make_providers());
  }
  return &*providers_;
}

void Context::forget() {
  facts_.reset();
  providers_.reset();
  ruleset_ = std::make_shared<firewall::LiveRuleset>();
}

Result<std::string> Context::state_stamp() {
  if (recorded()) return std::string();
  auto stamp = state_.stamp();
  const bool closed = !stamp && (stamp.error().sys == EACCES || stamp.error().sys == EPERM);
  return closed ? Result<std::string>(std::string()) : std::move(stamp);
}

Result<StateView> Context::look_at_state(OnDamage on_damage) {
  if (recorded()) return StateView();
  TRY_ASSIGN(const std::string id, machine_id(*disk_));
  const trace::Step step("read the state directory ", state_.directory());
  return node::look_at_state(*disk_, state_, id, on_damage);
}

std::string absolute_path(const std::string& path) {
  if (path.empty() || path.starts_with('/')) return path;
  char here[4096];
  if (!::getcwd(here, sizeof here)) return path;
  return cat(here, "/", path);
}

Result<std::string> read_named_file(Disk& disk, const std::string& path, std::uint64_t limit) {
  TRY_ASSIGN(auto content, disk.read(absolute_path(path), limit));
  if (!content) return fail(Errc::not_found, cat("there is no file ", printable(path)));
  return std::move(*content);
}

}  // namespace nettune::node

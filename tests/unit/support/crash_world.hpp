// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "core/engine.hpp"
#include "core/undo_path.hpp"
#include "kinds/file/dir_provider.hpp"
#include "kinds/file/file_provider.hpp"
#include "kinds/nccl_conf/provider.hpp"
#include "unit/support/fake_provider.hpp"
#include "unit/support/model_disk.hpp"

namespace nettune::test {

/// A node that can be killed or lose its power at any operation: a modelled disk with real
/// providers for files, and a kernel in memory with runtime and firmware values.
struct World {
  FakeKernel kernel;
  std::unique_ptr<ModelDisk> disk = std::make_unique<ModelDisk>();
  int boot = 1;
  std::int64_t boottime_s = 1000;
  Result<std::size_t> keep = kKeptTransactions;

  World clone() const {
    World copy;
    copy.kernel = kernel;
    copy.disk = disk->clone();
    copy.boot = boot;
    copy.boottime_s = boottime_s;
    copy.keep = keep;
    return copy;
  }
};

inline const std::string kState = "/var/lib/nettune";

/// The values that a boot brings.
inline std::map<std::string, std::string> boot_values() {
  return {{"live:a", "1"}, {"live:a.shadow", "1"}, {"live:b", "2"}, {"live:list.x", "1"}};
}

inline std::map<std::string, std::string> card_boot_values(const std::string& card) {
  return {{cat("live:", card, ".mtu"), "1500"},
          {cat("live:", card, ".pfc"), "0"},
          {cat("live:", card, ".ring"), "512"},
          {cat("live:", card, ".shadow"), "1"}};
}

inline World fresh_world() {
  World world;
  world.kernel.values = boot_values();
  world.kernel.values["fw:f"] = "10";
  world.kernel.moves["live:a"] = {{"live:a.shadow", "moved"}};
  world.kernel.appears_after["live:late"] = "mod:m";
  world.kernel.born["live:late"] = "5";
  world.kernel.appears_after["fw:late"] = "mod:m";
  world.kernel.born["fw:late"] = "15";
  for (const char* const path : {"/var", "/var/lib", "/etc"}) world.disk->put_directory(path);
  world.disk->put("/etc/old", "old content\n", 0640);
  world.disk->put("/etc/nccl.conf", "NCCL_DEBUG=WARN\nUSER_LINE=1");
  return world;
}

/// What fails together, and what is left out.
struct How {
  bool force = false;
  bool per_device = false;
  bool only_debts = false;
  std::map<std::string, std::string> without = {};
};

/// What a process works with; made anew after every crash.
struct Session {
  explicit Session(World& world) : world_(world), state(*world.disk, kState) {
    providers.add(std::make_unique<kinds::file::DirProvider>(*world.disk));
    providers.add(std::make_unique<kinds::file::FileProvider>(*world.disk));
    providers.add(
        std::make_unique<kinds::nccl_conf::NcclConfProvider>(*world.disk, "/etc/nccl.conf"));
    auto module = std::make_unique<FakeProvider>("mod", world.kernel);
    module->stays_text = "a module is never unloaded";
    fakes.push_back(module.get());
    providers.add(std::move(module));
    for (const auto& [kind, lifetime] :
         {std::pair{"fw", Lifetime::firmware}, std::pair{"live", Lifetime::runtime}}) {
      auto fake = std::make_unique<FakeProvider>(kind, world.kernel, lifetime);
      fake->units = {{"live:list.x", "live:list"}, {"live:list.y", "live:list"}};
      fakes.push_back(fake.get());
      providers.add(std::move(fake));
    }
    engine = std::make_unique<Engine>(*world.disk, state, providers, identity(), world.keep);
  }

  Identity identity() const {
    Identity identity;
    identity.machine_id = "machine";
    identity.boot_id = cat("boot-", world_.boot);
    identity.kernel = "6.1";
    identity.who = "root";
    identity.time_s = 1'700'000'000;
    identity.boottime_s = world_.boottime_s;
    return identity;
  }

  bool is_here(const std::string& device) const { return !world_.kernel.away.contains(device); }

  Report recover(RecoverOptions options = {}) {
    options.locate = [this](const Address& address, const std::string& device) {
      return is_here(device) ? std::optional<Address>(address) : std::optional<Address>();
    };
    return engine->recover(options);
  }

  Debts debts() {
    const auto owed = state.debts(identity().boot_id);
    return owed ? owed->debts : Debts();
  }

  /// What the apply command does: recover first, plan, apply.
  Report apply(Desired desired, const ApplyOptions& options = {}, const How& how = {}) {
    Report report;
    if (const auto status = state.journal(); status && status->kind != JournalStatus::Kind::none) {
      report = recover();
      if (report.outcome == Outcome::incomplete) return report;
    }
    const auto active = state.active();
    if (!active) return failed_with(active.error());
    const auto is_gone = [this](const auto& one) { return !is_here(one.device); };
    std::ranges::copy_if(desired.settings, std::back_inserter(desired.absent), is_gone);
    std::erase_if(desired.settings, is_gone);
    std::map<Address, Owned> owned;
    std::vector<Owned> owned_gone;
    if (*active)
      for (const auto& [address, one] : (*active)->owned)
        is_gone(one) ? owned_gone.push_back(one) : void(owned.emplace(address, one));
    const bool same_boot = *active && (*active)->identity.boot_id == identity().boot_id;
    PlanInput input{desired, owned, {}, {}};
    input.force = how.force;
    input.per_device = how.per_device;
    input.only_debts = how.only_debts;
    input.without = how.without;
    input.owned_gone = owned_gone;
    input.debts_gone = debts_of_gone(owned_gone, desired.absent, same_boot);
    for (const Debt& debt : debts())
      (is_here(debt.owed.device) ? input.debts : input.debts_gone).push_back(debt);
    input.debts_gone = add_debts({}, input.debts_gone);
    if (*active)
      for (const auto& [address, found] : (*active)->found) input.found.push_back(found);
    if (same_boot && !how.force) input.refused = (*active)->refused;
    const auto plan = make_plan(input, providers);
    if (!plan) return failed_with(plan.error());
    return engine->apply(*plan, desired, options);
  }
  Report rollback(std::uint64_t to, const How& how = {}) {
    const auto desired = engine->target(to);
    if (!desired) return failed_with(desired.error());
    ApplyOptions options;
    options.action = rollback_action(to);
    return apply(*desired, options, how);
  }
  /// What recover does when the journal is in order.
  Report pay() {
    const auto active = state.active();
    if (!active) return failed_with(active.error());
    const auto desired = engine->target(*active ? (*active)->number : 0);
    if (!desired) return failed_with(desired.error());
    ApplyOptions options;
    options.action = kPay;
    return apply(*desired, options, {.per_device = true, .only_debts = true});
  }

  static Report failed_with(const Error& error) {
    Report report;
    report.error = error;
    return report;
  }

  World& world_;
  State state;
  Providers providers;
  std::vector<FakeProvider*> fakes;
  std::unique_ptr<Engine> engine;
};

inline Setting setting(std::string address, Value want, Relation relation = Relation::exact) {
  Setting made;
  made.address.text = std::move(address);
  made.want = std::move(want);
  made.relation = relation;
  made.origin = {"test.toml", 1};
  return made;
}

inline void add_file(Desired& desired, const std::string& path, const std::string& content) {
  const std::string digest = sha256_hex(content);
  desired.contents[digest] = content;
  desired.settings.push_back(
      setting("file:" + path, cat("sha256:", digest, " mode 0644 owner 0:0")));
}

inline void sort_settings(Desired& desired) {
  std::sort(desired.settings.begin(), desired.settings.end(),
            [](const Setting& x, const Setting& y) { return x.address < y.address; });
}

/// Everything at once: a file changed, one in a new directory, lines of nccl.conf, a module and a
/// value that it brings, a value with a witness, a unit of two, a bound, and one in firmware.
inline Desired first_profile() {
  Desired desired;
  desired.profile = "first";
  desired.settings = {setting("dir:/etc/d", "present"),
                      setting("nccl.conf:NCCL_A", "1"),
                      setting("nccl.conf:NCCL_DEBUG", "INFO"),
                      setting("mod:m", "loaded"),
                      setting("live:late", "6"),
                      setting("fw:late", "16"),
                      setting("live:a", "100"),
                      setting("live:b", "50", Relation::at_least),
                      setting("live:list.x", "7"),
                      setting("live:list.y", "8"),
                      setting("fw:f", "20")};
  add_file(desired, "/etc/d/new", "new file\n");
  add_file(desired, "/etc/old", "changed content\n");
  sort_settings(desired);
  return desired;
}

/// Keeps some of it, changes some, drops the rest.
inline Desired second_profile() {
  Desired desired;
  desired.profile = "second";
  desired.settings = {setting("nccl.conf:NCCL_B", "2"), setting("live:b", "60"),
                      setting("live:list.y", "9"), setting("fw:f", "30")};
  add_file(desired, "/etc/old", "second content\n");
  sort_settings(desired);
  return desired;
}

/// Two cards, with runtime and firmware values each, a side effect on the first, and a host-wide
/// value beside them.
inline World world_with_cards() {
  World world = fresh_world();
  for (const char* const card : {"card1", "card2"}) {
    for (const char* const key : {"mtu", "pfc", "ring", "shadow"})
      world.kernel.device_of[cat("live:", card, ".", key)] = card;
    world.kernel.device_of[cat("fw:", card, ".mode")] = card;
    for (const auto& [address, value] : card_boot_values(card))
      world.kernel.values[address] = value;
    world.kernel.values[cat("fw:", card, ".mode")] = "7";
  }
  world.kernel.moves["live:card1.mtu"] = {{"live:card1.shadow", "moved"}};
  return world;
}

inline Desired cards_profile() {
  Desired desired;
  desired.profile = "cards";
  desired.settings = {setting("live:b", "50", Relation::at_least)};
  for (const char* const card : {"card1", "card2"}) {
    const std::size_t first = desired.settings.size();
    desired.settings.push_back(setting(cat("live:", card, ".mtu"), "9000"));
    desired.settings.push_back(setting(cat("live:", card, ".pfc"), "3"));
    desired.settings.push_back(setting(cat("live:", card, ".ring"), "4096"));
    desired.settings.push_back(setting(cat("fw:", card, ".mode"), "8"));
    for (std::size_t i = first; i < desired.settings.size(); ++i) desired.settings[i].device = card;
  }
  add_file(desired, "/etc/old", "changed content\n");
  sort_settings(desired);
  return desired;
}

/// The kernel's values as text; `runtime` false leaves out what a reboot takes.
inline std::string kernel_text(const World& world, bool runtime) {
  std::string out;
  for (const auto& [name, value] : world.kernel.values) {
    // A module stays, and so does what it brought.
    if (name == "mod:m") continue;
    if (world.kernel.born.contains(name) && value == world.kernel.born.at(name)) continue;
    if (runtime || name.starts_with("fw:")) out += cat(name, "=", value, "\n");
  }
  return out;
}

inline std::string visible(const World& world, bool runtime) {
  return kernel_text(world, runtime) + world.disk->tree("/etc");
}

inline void reboot(World& world, ModelDisk::Survive survive, std::mt19937& random) {
  world.disk->power_cut(survive, random);
  std::erase_if(world.kernel.values,
                [](const auto& value) { return !value.first.starts_with("fw:"); });
  for (const auto& [name, value] : boot_values()) world.kernel.values[name] = value;
  if (!world.kernel.device_of.empty())
    for (const char* const card : {"card1", "card2"})
      for (const auto& [name, value] : card_boot_values(card)) world.kernel.values[name] = value;
  ++world.boot;
  world.boottime_s = 5;
}

}  // namespace nettune::test

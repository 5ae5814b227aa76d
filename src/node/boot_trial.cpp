// SPDX-License-Identifier: Apache-2.0
#include "node/boot_trial.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "core/state.hpp"
#include "facts/peer_ports.hpp"
#include "kernel/sysfs.hpp"
#include "kinds/boot/argument.hpp"
#include "kinds/boot/boot_files.hpp"
#include "kinds/boot/grub.hpp"
#include "node/confirm/probe.hpp"
#include "node/identity.hpp"
#include "profile/source.hpp"

namespace nettune::node {

namespace {

constexpr std::int64_t kPatience_s = 60;
constexpr std::uint64_t kMostCommandLine = 65536;
constexpr int kOneTry_ms = 5000;

/// Until it succeeds, or the error of its last try.
Result<std::string> try_until(const confirm::Probe& probe, std::int64_t deadline_s) {
  while (true) {
    auto tried = confirm::try_probe(probe, kOneTry_ms);
    if (tried || boottime_s() >= deadline_s) return tried;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

/// Why a probe of the site failed; "" if all succeed.
Result<std::string> failed_probe(Context& context) {
  TRY_ASSIGN(const profile::Site site,
             profile::read_site(context.disk(), context.profile_sources()));
  const std::int64_t deadline_s = boottime_s() + kPatience_s;
  for (const std::string& text : site.boot_probes) {
    TRY_ASSIGN(confirm::Probe probe, confirm::parse_probe(text));
    TRY(confirm::resolve_names(probe));
    if (const auto tried = try_until(probe, deadline_s); !tried)
      return cat("a probe failed: ", text, ": ", tried.error().text);
  }
  return std::string();
}

/// Whether this boot has all of these words.
bool has_booted(Disk& disk, const std::vector<std::string>& wanted) {
  const auto text = disk.read("/proc/cmdline", kMostCommandLine);
  if (!text || !*text) return false;
  const auto words = kinds::boot::split_command_line(**text);
  return std::ranges::all_of(wanted, [&](const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  });
}

/// What needs the isolation that these words take away; "" for nothing.
Result<std::string> lost_isolation(Context& context, const std::vector<std::string>& words) {
  if (std::ranges::none_of(words, [](const std::string& word) {
        return word.find("acs_redir") != word.npos || word.find("config_acs") != word.npos;
      }))
    return std::string();
  TRY_ASSIGN(const profile::Site site,
             profile::read_site(context.disk(), context.profile_sources()));
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open_node("/"));
  const auto guests = facts::read_guests(root);
  if (site.acs_with_guests || guests.empty()) return std::string();
  return cat("guests need the isolation of ACS: ", join(guests, ", "));
}

}  // namespace

Result<BootTrial> end_boot_trial(Context& context) {
  using enum BootTrial::State;
  namespace boot = kinds::boot;
  const boot::BootFiles files(context.disk(), true);
  TRY_ASSIGN(const boot::BootFiles::Present present, files.load());
  if (!present.script || !present.script->trial)
    return BootTrial{none, "no kernel arguments are on trial"};
  const std::vector<std::string> words = boot::words_of(present.script->wanted);
  const std::string line = join(words, " ");
  if (!has_booted(context.disk(), words)) {
    TRY_ASSIGN(const bool is_next, boot::is_trial_next(context.disk()));
    if (is_next) return BootTrial{next, cat("the next boot is the trial of: ", line)};
    return BootTrial{failed, cat("the boot with \"", line,
                                 "\" did not come up, or GRUB did not start it: this boot has the "
                                 "line from before; nettune rollback gives the arguments up")};
  }
  TRY_ASSIGN(std::string doubt, failed_probe(context));
  if (doubt.empty()) {
    TRY_ASSIGN(std::string lost, lost_isolation(context, words));
    doubt = std::move(lost);
  }
  if (!doubt.empty())
    return BootTrial{doubted, cat("this boot has \"", line, "\", but ", doubt,
                                  "; the next boot has the line from before")};
  boot::Script script = *present.script;
  script.trial = false;
  script.kept.clear();
  TRY_ASSIGN(const std::string id, boot_id(context.disk()));
  Identity identity;
  identity.boot_id = id;
  identity.boottime_s = boottime_s();
  const std::string transaction = transaction_id(identity, 0);
  TRY(files.stage(script, transaction));
  TRY(files.place(script, transaction));
  return BootTrial{BootTrial::State::kept, cat("the default from now on: ", line)};
}

}  // namespace nettune::node

// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/effective_value.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/nccl/scripts/uncertain_lines.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

using Condition = std::optional<std::string_view>;

Condition login(Source source) {
  switch (source) {
    case Source::pam_conf:
    case Source::pam_environment:
    case Source::profile:
    case Source::profile_d:
    case Source::user_profile:
      return "";
    case Source::bashrc:
    case Source::user_bashrc:
      return "read by an interactive bash, or if a profile reads it";
    default:
      return {};
  }
}

/// A bash started by sshd reads both, although it is not interactive: Debian builds it with
/// SSH_SOURCE_BASHRC (run_startup_files() in shell.c).
Condition ssh_command(Source source) {
  switch (source) {
    case Source::pam_conf:
    case Source::pam_environment:
    case Source::bashrc:
    case Source::user_bashrc:
      return "";
    default:
      return {};
  }
}

/// The user's manager is itself a service, and passes on its environment
/// (manager_default_environment() in src/core/manager.c).
Condition user_service(Source source) {
  switch (source) {
    case Source::system_manager:
    case Source::user_manager:
    case Source::environment_d:
      return "";
    default:
      return {};
  }
}

/// Why an assignment may not reach its program; "" if it does.
std::string_view doubt(const Assignment& set, bool in_environment) {
  if (set.conditional && set.removes) return "unset there, depending on a shell condition";
  if (set.conditional) return "depends on a shell condition";
  if (set.computed) return "its value is known only when it runs";
  if (!set.exported && !in_environment) return "not exported there";
  return "";
}

/// Decides what is in a job's environment before NCCL reads a file.
EffectiveValue decide_environment(const NodePlaces& places, Start start, std::string_view name) {
  EffectiveValue out{start, {}, {}, start == Start::container || start == Start::slurm_task, {}};
  for (std::size_t i = 0; i < places.all.size(); ++i) {
    const VariablePlace& place = places.all[i];
    const Assignment& set = place.set;
    if (place.source <= Source::user_conf || set.name != name) continue;
    const Condition when = reach(start, place.source);
    if (!when) continue;
    const bool nothing_so_far = !out.winner && out.maybe.empty();
    if ((!set.exported || set.removes) && nothing_so_far) continue;
    if (set.if_unset && out.winner) continue;
    std::string why(when->empty() ? doubt(set, out.winner.has_value()) : *when);
    if (place.source == Source::unit)
      why = cat(set.removes ? "unset " : "", "for ", place.unit, " alone");
    if (!why.empty()) {
      out.maybe.insert(out.maybe.begin(), {i, std::move(why)});
      continue;
    }
    if (set.if_unset) {
      out.winner = i;
      continue;
    }
    out = {start, {}, {}, false, {}};
    if (!set.removes) out.winner = i;
  }
  return out;
}

/// The file that replaces ~/.nccl.conf, and those that may.
struct UserConf {
  std::string sure;
  std::vector<std::string> maybe;
};

UserConf user_conf(const NodePlaces& places, Start start) {
  UserConf conf{places.user_conf, {}};
  if (!places.reads_conf_file) return conf;
  const EffectiveValue named = decide_environment(places, start, "NCCL_CONF_FILE");
  if (named.winner && !places.all[*named.winner].set.value.empty())
    conf.sure = places.all[*named.winner].set.value;
  for (const Possibility& one : named.maybe) conf.maybe.push_back(places.all[one.place].set.value);
  return conf;
}

/// The first line of each file that sets it.
std::vector<std::size_t> first_lines(const NodePlaces& places, Source source,
                                     std::string_view name) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < places.all.size(); ++i) {
    const VariablePlace& place = places.all[i];
    if (place.source != source || place.set.name != name) continue;
    const auto same_file = [&](std::size_t other) {
      return places.all[other].set.file == place.set.file;
    };
    if (std::ranges::none_of(found, same_file)) found.push_back(i);
  }
  return found;
}

}  // namespace

std::optional<std::string_view> reach(Start start, Source source) {
  if (start == Start::container) {
    if (source == Source::env_file) return "where --env-file names it";
    if (source == Source::node_conf) return "where it is mounted";
    return {};
  }
  if (source == Source::node_conf) return "";
  if (source == Source::user_conf)
    return start == Start::service ? "where it runs as this user" : "";
  switch (start) {
    case Start::here:
      return source == Source::environment ? Condition("") : Condition();
    case Start::login:
      return login(source);
    case Start::ssh_command:
      return ssh_command(source);
    case Start::service:
      if (source == Source::unit) return "for one unit only";
      return source == Source::system_manager ? Condition("") : Condition();
    case Start::user_service:
      return user_service(source);
    default:
      return source == Source::task_prolog ? Condition("") : Condition();
  }
}

std::string user_conf_file(const NodePlaces& places, Start start) {
  return user_conf(places, start).sure;
}

namespace {

/// NCCL takes variables that are not in the environment from its files.
void add_files(const NodePlaces& places, std::string_view name, EffectiveValue& out) {
  const Start start = out.start;
  const UserConf conf = user_conf(places, start);
  std::vector<Possibility> from_files;
  for (const std::size_t i : first_lines(places, Source::user_conf, name)) {
    const std::string& file = places.all[i].set.file;
    const Condition when = reach(start, Source::user_conf);
    const bool sure = file == conf.sure;
    const bool perhaps = std::ranges::find(conf.maybe, file) != conf.maybe.end();
    if (!when || (!sure && !perhaps)) continue;
    if (sure && conf.maybe.empty() && when->empty()) {
      out.winner = i;
      break;
    }
    from_files.push_back({i, std::string(when->empty() ? "depends on NCCL_CONF_FILE" : *when)});
  }
  if (!out.winner)
    for (const std::size_t i : first_lines(places, Source::node_conf, name)) {
      const Condition when = reach(start, Source::node_conf);
      if (when->empty())
        out.winner = i;
      else
        from_files.push_back({i, std::string(*when)});
    }
  std::ranges::move(from_files, std::back_inserter(out.maybe));
}

}  // namespace

EffectiveValue effective_value(const NodePlaces& places, Start start, std::string_view name) {
  EffectiveValue out = decide_environment(places, start, name);
  if (!out.winner) add_files(places, name, out);
  out.doubts = doubts_of(places, out, name);
  return out;
}

}  // namespace nettune::tools::nccl::scripts

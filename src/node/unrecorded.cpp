// SPDX-License-Identifier: Apache-2.0
#include "node/unrecorded.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "conf/mark.hpp"
#include "kinds/file/kind.hpp"
#include "kinds/firewall/marked_rules.hpp"
#include "kinds/nccl_conf/grammar.hpp"
#include "kinds/nccl_conf/kind.hpp"
#include "node/image.hpp"
#include "node/planning.hpp"
#include "node/write_access.hpp"

namespace nettune::node {

namespace {

constexpr std::uint64_t kLargestMarked = std::uint64_t{1} << 20;
constexpr std::string_view kNcclConfFile = "/etc/nccl.conf";
constexpr std::string_view kNcclConfEnd = "nccl.conf:(end)";

struct MarkedFile {
  std::string path;
  std::string profile;
  std::string content;
};

/// A pattern's paths: the '*' is part of a directory's name.
std::vector<std::string> paths_of(Disk& disk, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return {std::string(pattern)};
  const std::string above = parent_path(std::string(pattern.substr(0, star + 1)));
  const std::string file = std::string(pattern.substr(pattern.find('/', star)));
  const std::string directory = std::string(pattern.substr(0, pattern.find('/', star)));
  std::vector<std::string> paths;
  for (const std::string& name : disk.list(above).value_or(std::vector<std::string>()))
    if (glob_match(directory, cat(above, "/", name))) paths.push_back(cat(above, "/", name, file));
  return paths;
}

std::vector<MarkedFile> marked_files(Disk& disk) {
  std::vector<MarkedFile> files;
  for (const std::string_view pattern : conf::marked_paths()) {
    for (std::string& path : paths_of(disk, pattern)) {
      auto content = disk.read(path, kLargestMarked);
      if (!content || !*content) continue;
      if (auto profile = conf::marked_profile(**content))
        files.push_back({std::move(path), std::move(*profile), std::move(**content)});
    }
  }
  return files;
}

/// Whether a file for jobs sets this variable to this value: of the formats, those that keep a
/// value as it is.
bool sets(const std::string& content, std::string_view name, std::string_view value) {
  return content.find(cat("\n", name, "=", value, "\n")) != content.npos ||
         content.find(cat("\"", name, "=", value, "\"")) != content.npos ||
         content.find(cat(" ", name, "='", value, "';")) != content.npos;
}

/// A line bears no mark. It is named where a marked file says the same.
void add_lines(Disk& disk, const std::vector<MarkedFile>& files, std::vector<Marked>& out) {
  const auto text = disk.read(std::string(kNcclConfFile), kLargestMarked);
  if (!text || !*text || files.empty()) return;
  const kinds::nccl_conf::NcclConf conf(**text);
  std::set<std::string_view> seen;
  for (const std::string_view line : split(**text, '\n')) {
    const std::string_view name = line.substr(0, line.find('='));
    const auto value = conf.get(name);
    if (!value || !seen.insert(name).second) continue;
    const auto found = std::ranges::find_if(
        files, [&](const MarkedFile& file) { return sets(file.content, name, *value); });
    if (found != files.end()) out.push_back({Address{cat("nccl.conf:", name)}, found->profile});
  }
}

/// A rule's mark names no profile. Without permission, nothing is known of rules.
void add_rules(Context& context, std::vector<Marked>& out) {
  if (context.image() || !context.is_root()) return;
  for (Address& address : kinds::firewall::marked_rules(context.disk(), context.ruleset()))
    out.push_back({std::move(address), {}});
}

std::vector<Marked> all_marked(Context& context) {
  const std::vector<MarkedFile> files = marked_files(context.disk());
  std::vector<Marked> marked;
  // First, since a line has its mark from a file.
  add_lines(context.disk(), files, marked);
  for (const MarkedFile& file : files)
    marked.push_back({Address{cat("file:", file.path)}, file.profile});
  add_rules(context, marked);
  return marked;
}

/// Also what a generation found as it wanted it: that is known, and a rollback leaves it.
bool is_recorded(const StateView& state, const Address& address) {
  if (find_debt(state.debts, address) != nullptr) return true;
  return state.active &&
         (state.active->owned.contains(address) || state.active->found.contains(address) ||
          std::ranges::find(state.active->settings, address, &Setting::address) !=
              state.active->settings.end());
}

/// A path is the address of a file.
Address address_of(const std::string& named) {
  return Address{named.starts_with('/') ? cat("file:", named) : named};
}

/// What is named, each with its mark. What is in the record already may be named again.
Result<std::vector<Marked>> marked_of(Context& context, const std::optional<Transaction>& active,
                                      const std::vector<std::string>& named, bool is_again) {
  const std::vector<Marked> all = all_marked(context);
  std::vector<Marked> marked;
  for (const std::string& text : named) {
    const Address address = address_of(text);
    const bool owned = active && active->owned.contains(address);
    if (owned && is_again) continue;
    if (owned)
      return fail(Errc::invalid,
                  cat("--unrecorded: ", printable(address.text), " is in the record (generation ",
                      active->number, "); nettune rollback restores it"));
    const auto found = std::ranges::find(all, address, &Marked::address);
    if (found == all.end())
      return fail(Errc::invalid, cat("--unrecorded: ", printable(address.text),
                                     " is not here, or does not bear nettune's mark; nettune "
                                     "status lists what does"));
    if (std::ranges::find(marked, address, &Marked::address) == marked.end())
      marked.push_back(*found);
  }
  return marked;
}

/// What a profile would write now.
class Writers {
 public:
  explicit Writers(Context& context) : context_(context) {}

  /// Why the profile in its mark would not write `now` at this address; "" if it would.
  Result<std::string> objection(const Marked& marked, const Value& now) {
    if (!marked.profile.empty()) return objection_of(marked.profile, marked.address, now);
    for (const profile::Listed& listed :
         profile::list(context_.disk(), context_.profile_sources())) {
      TRY_ASSIGN(const std::string why, objection_of(listed.name, marked.address, now));
      if (why.empty()) return std::string();
    }
    return std::string("no profile here would write it exactly like this now");
  }

 private:
  Result<std::string> objection_of(const std::string& profile, const Address& address,
                                   const Value& now) {
    const auto [found, is_new] = resolved_.try_emplace(profile);
    if (is_new) found->second.emplace(resolve_profile(context_, profile));
    if (is_new && context_.image() && *found->second) (void)leave_for_first_boot(**found->second);
    const Result<profile::Resolved>& resolved = *found->second;
    const std::string named = cat("the profile ", printable(profile));
    if (!resolved) return cat(named, " cannot be resolved now: ", resolved.error().text);
    if (!resolved->misfits.empty()) return cat(named, " does not match this node now");
    TRY_ASSIGN(const auto wanted, wanted_at(context_, resolved->desired, address));
    if (!wanted) return cat(named, " does not set it on this node now");
    if (*wanted != now)
      return cat(named, " would write something else now, which nettune plan ", shell_word(profile),
                 " shows; if it was applied with --set values, give them");
    return std::string();
  }

 public:
  /// The canonical value that `desired` wants there; nothing if it wants none.
  static Result<std::optional<Value>> wanted_at(Context& context, const Desired& desired,
                                                const Address& address) {
    const auto found = std::ranges::find(desired.settings, address, &Setting::address);
    if (found == desired.settings.end()) return std::optional<Value>();
    TRY_ASSIGN(const Providers* const providers, context.providers());
    TRY_ASSIGN(Value want, providers->find(address.kind())->canonical(address, found->want));
    return std::optional<Value>(std::move(want));
  }

 private:
  Context& context_;
  std::map<std::string, std::optional<Result<profile::Resolved>>> resolved_;
};

Owned owned_now(const Provider& provider, const Address& address, const Value& now) {
  Owned owned;
  owned.address = address;
  owned.committed = owned.wanted = now;
  owned.lifetime = provider.lifetime(address);
  return owned;
}

/// A drop-in directory in which nothing else is, and an nccl.conf of which no line stays.
void add_what_holds_them(Context& context, const Providers& providers, std::vector<Owned>& owned) {
  std::map<std::string, std::size_t> taken_in;
  std::set<std::string, std::less<>> names;
  for (const Owned& one : owned) {
    const std::string above = parent_path(std::string(one.address.rest()));
    if (kinds::file::kFile.has(one.address) && above.ends_with(".service.d")) ++taken_in[above];
    if (kinds::nccl_conf::kNcclConf.has(one.address)) names.emplace(one.address.rest());
  }
  for (const auto& [directory, count] : taken_in) {
    const auto there = context.disk().list(directory);
    if (there && there->size() == count)
      owned.push_back(owned_now(*providers.find(kinds::file::kDir.name),
                                Address{cat("dir:", directory)}, "present"));
  }
  const auto text = context.disk().read(std::string(kNcclConfFile), kLargestMarked);
  if (names.empty() || !text || !*text) return;
  const bool ours = std::ranges::all_of(split(**text, '\n'), [&](std::string_view line) {
    return line.empty() || names.contains(line.substr(0, line.find('=')));
  });
  if (!ours || !(*text)->ends_with('\n')) return;
  Owned end = owned_now(*providers.find(kinds::nccl_conf::kNcclConf.name),
                        Address{std::string(kNcclConfEnd)}, "newline");
  end.baseline = "no file";
  end.cause = Address{cat("nccl.conf:", *names.begin())};
  owned.push_back(std::move(end));
}

/// Takes over what nothing objects to.
template <class Objection>
Result<TakenOver> take(Context& context, const std::vector<Marked>& marked, Objection objection) {
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TakenOver out;
  for (const Marked& one : marked) {
    Provider& provider = *providers->find(one.address.kind());
    const Reading now = provider.read(std::span(&one.address, 1)).front();
    TRY_ASSIGN(std::string why, objection(one, now.value()));
    if (now.presence != Presence::present) why = now.why.empty() ? "it is not here" : now.why;
    if (why.empty())
      out.owned.push_back(owned_now(provider, one.address, now.value()));
    else
      out.left.push_back(cat(one.address.text, " is left: ", why));
  }
  add_what_holds_them(context, *providers, out.owned);
  return out;
}

}  // namespace

void find_unrecorded(Context& context, StateView& state) {
  const bool known = state.unreadable.empty() && state.damaged.empty() &&
                     state.debts_unreadable.empty() && !state.is_open();
  if (context.recorded() || !known) return;
  state.unrecorded = all_marked(context);
  std::erase_if(state.unrecorded,
                [&](const Marked& marked) { return is_recorded(state, marked.address); });
}

Result<TakenOver> take_over(Context& context, const StateView& state,
                            const std::vector<std::string>& named) {
  TRY_ASSIGN(const auto marked, marked_of(context, state.active, named, false));
  for (const Marked& one : marked)
    if (is_recorded(state, one.address))
      return fail(Errc::invalid,
                  cat("--unrecorded: ", printable(one.address.text),
                      " is in the record, as what nettune found or still owes; nettune status "
                      "says more"));
  Writers writers(context);
  return take(context, marked,
              [&](const Marked& one, const Value& now) { return writers.objection(one, now); });
}

Result<TakenOver> take_over_for(Context& context, const std::optional<Transaction>& active,
                                const std::vector<std::string>& named, const Desired& desired) {
  TRY_ASSIGN(const auto marked, marked_of(context, active, named, true));
  TRY_ASSIGN(TakenOver taken,
             take(context, marked, [&](const Marked& one, const Value& now) -> Result<std::string> {
               TRY_ASSIGN(const auto wanted, Writers::wanted_at(context, desired, one.address));
               if (!wanted) return cat(desired.profile, " does not set it on this node");
               if (*wanted == now) return std::string();
               return cat("it is not exactly what ", desired.profile, " would write");
             }));
  // It is wanted, so nothing that holds it would be given back: it must be in the plan.
  std::erase_if(taken.owned, [&](const Owned& one) {
    return one.cause.text.empty() && std::ranges::find(desired.settings, one.address,
                                                       &Setting::address) == desired.settings.end();
  });
  if (!taken.left.empty())
    return fail(Errc::conflict,
                cat("--unrecorded cannot take this over: ", join(taken.left, "; "),
                    "; leave it out, and apply treats it as somebody else's: its present form is "
                    "what rollback restores"));
  return taken;
}

Result<Planned> plan_removal(Context& context, const StateView& state, PlanRequest request,
                             const TakenOver& taken) {
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(Engine engine, make_engine(context, *providers));
  // What is applied stays as it is.
  TRY_ASSIGN(Desired desired, engine.target(state.active ? state.active->number : 0));
  request.taken_over = taken.owned;
  for (const Owned& owned : taken.owned) request.only_settings.push_back(owned.address.text);
  TRY_ASSIGN(Planned planned, plan_desired(context, std::move(desired), state.active, request));
  std::ranges::copy(taken.left, std::back_inserter(planned.plan.notes));
  return planned;
}

}  // namespace nettune::node

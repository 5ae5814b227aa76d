// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/option_groups.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "cli/candidates.hpp"
#include "node/planning.hpp"
#include "node/unrecorded.hpp"

namespace nettune::cli::commands {

namespace {

/// With --probe, if --confirm gives no time.
constexpr std::int64_t kProbeWindow_s = 60;

using Words = std::vector<std::string>;

Words unrecorded_addresses(node::Context& context, std::span<const std::string>) {
  Words names;
  auto state = context.look_at_state();
  if (!state) return names;
  node::find_unrecorded(context, *state);
  for (const node::Marked& marked : state->unrecorded) names.push_back(marked.address.text);
  return names;
}

/// The addresses of the profile among the words before, and the interfaces.
Words profile_addresses(node::Context& context, std::span<const std::string> before) {
  Words names;
  const Words profiles = profile_names(context);
  const auto profile = std::ranges::find_first_of(before, profiles);
  if (profile != before.end())
    if (const auto resolved = node::resolve_profile(context, *profile))
      for (const Setting& setting : resolved->desired.settings)
        names.push_back(setting.address.text);
  std::ranges::move(interface_names(context), std::back_inserter(names));
  return names;
}

/// "90", "90s", "2m", "1h"; nothing for anything else.
std::optional<std::int64_t> parse_duration_s(std::string_view text, std::int64_t longest_s) {
  static constexpr std::array<std::pair<char, std::int64_t>, 4> kUnits = {
      {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}}};
  std::int64_t unit_s = 1;
  for (const auto& [letter, seconds] : kUnits)
    if (!text.empty() && text.back() == letter) {
      unit_s = seconds;
      text.remove_suffix(1);
      break;
    }
  const auto number = parse_int(text);
  if (!number || *number <= 0 || *number > longest_s / unit_s) return {};
  return *number * unit_s;
}

/// Both are whole: 24h, 365d.
std::string longest_text(std::int64_t longest_s) {
  return longest_s > 86400 ? cat(longest_s / 86400, "d") : cat(longest_s / 3600, "h");
}

}  // namespace

Options joined(std::initializer_list<Options> groups) {
  Options all;
  for (const Options& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

Option root_option(GlobalOptions& into) {
  return {"--root", "DIR", "Work on the image mounted at DIR (files only)", &into.root};
}

Option allow_busy_option(ChangeOptions& into) {
  return {"--allow-busy", "", "Allow changes that disturb traffic while jobs run on this node",
          &into.allow_busy};
}

Option accept_owners_option(ChangeOptions& into) {
  return {"--accept-owners", "", "Write settings that another manager (lldpad) would revert",
          &into.accept_owners};
}

Option force_option(ChangeOptions& into) {
  return {"--force", "", "Also revert values that others changed since", &into.force};
}

Option unrecorded_option(ChangeOptions& into, std::string_view help) {
  return {"--unrecorded", "ADDRESS", help, &into.unrecorded, false, unrecorded_addresses};
}

Option only_option(std::vector<std::string>& into, decltype(Option::values) values) {
  return {"--only",
          "ADDRESS|INTERFACE",
          "Limit to this setting, or those of this interface; may be repeated",
          &into,
          false,
          values};
}

Options window_options(ChangeOptions& into) {
  return {
      {"--confirm", "TIME", "Revert after TIME (90, 90s, 2m) unless 'nettune confirm' is run",
       &into.confirm_text},
      {"--probe", "WHAT",
       "Confirm when path:PEER, gateway, tcp:HOST:PORT or command:/PATH succeeds; may be "
       "repeated",
       &into.probe_texts, false,
       [](node::Context&, auto) {
         return Words{"path:", "gateway", "tcp:", "command:/"};
       }},
      {"--allow-management", "",
       "Allow changes that can cut off a protected device; needs --confirm, --probe or --for",
       &into.allow_management},
  };
}

Options permission_options(ChangeOptions& into) {
  return {
      allow_busy_option(into),
      {"--accept-no-undo", "", "Allow changes that cannot be undone", &into.accept_no_undo},
      {"--accept-cautions", "", "Apply even if the profile advises against it on this node",
       &into.accept_cautions},
      accept_owners_option(into),
      {"--allow-stop-units", "", "Allow to stop and mask units of systemd", &into.allow_stop_units},
      {"--allow-no-trial", "", "Allow kernel arguments although their first boot is no trial",
       &into.allow_no_trial},
      {"--allow-weaker-security", "", "Allow kernel arguments that weaken this node",
       &into.allow_weaker_security},
      {"--without", "DEVICE", "Skip this device and record it as a debt; may be repeated",
       &into.without, false, interface_names},
      force_option(into),
      {"--unattended", "", "Run by a timer or automation: respect a hold", &into.unattended},
      only_option(into.only_settings, profile_addresses),
      unrecorded_option(into, "Take over this, which has nettune's mark but no record"),
  };
}

Result<> take_duration(std::int64_t& into_s, std::string_view option, const std::string& text,
                       std::int64_t longest_s) {
  if (text.empty()) return {};
  const auto seconds = parse_duration_s(text, longest_s);
  if (!seconds)
    return fail(Errc::invalid, cat(option, " takes a time from 1s to ", longest_text(longest_s),
                                   " (90, 90s, 2m), not \"", printable(text), "\""));
  into_s = *seconds;
  return {};
}

Result<> take_window(ChangeOptions& into) {
  TRY(take_duration(into.confirm_s, "--confirm", into.confirm_text));
  for (const std::string& text : into.probe_texts) {
    TRY_ASSIGN(node::confirm::Probe probe, node::confirm::parse_probe(text));
    into.probes.push_back(std::move(probe));
  }
  if (!into.probes.empty() && into.confirm_s == 0) into.confirm_s = kProbeWindow_s;
  if (into.for_text.empty()) return {};
  if (into.confirm_s != 0)
    return fail(Errc::invalid,
                "--for reverts the change automatically, so it cannot be combined with --confirm "
                "or --probe");
  into.temporary = true;
  return take_duration(into.confirm_s, "--for", into.for_text);
}

Result<> check_change(const ChangeOptions& options) {
  if (options.allow_management && options.confirm_s == 0)
    return fail(Errc::invalid,
                "--allow-management lets a change cut off the device that you may be logged in "
                "through, so it also needs --confirm TIME, --probe or --for");
  TRY(check_root(options, options.confirm_s != 0));
  if (!options.root.empty() && !options.only_settings.empty())
    return fail(Errc::invalid,
                "the first boot of an image applies all of a profile, so --only cannot be used");
  return {};
}

Result<> take_change(ChangeOptions& into) {
  TRY(take_window(into));
  return check_change(into);
}

Result<> check_root(const GlobalOptions& options, bool waits) {
  if (options.root.empty()) return {};
  if (waits)
    return fail(Errc::invalid,
                "nothing waits in an image: --root cannot be combined with --confirm, --probe, "
                "--for or --at");
  if (options.site_given || !options.profile_directories.empty())
    return fail(Errc::invalid,
                "the paths of --profiles and --site do not exist at the first boot; --root takes "
                "profiles and site.toml from etc/nettune in the image");
  return {};
}

std::vector<std::string> interface_names(node::Context& context, std::span<const std::string>) {
  return context.disk().list("/sys/class/net").value_or(Words());
}

std::vector<std::string> generation_names(node::Context& context, std::span<const std::string>) {
  Words names = {"baseline"};
  if (const auto numbers = context.state().numbers(); numbers)
    for (const std::uint64_t number : *numbers) names.push_back(cat(number));
  return names;
}

std::vector<std::string> profile_first(node::Context& context, std::span<const std::string> words) {
  return words.size() == 1 ? profile_names(context) : Words();
}

}  // namespace nettune::cli::commands

// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/option_texts.hpp"

#include <utility>

#include "base/text.hpp"

namespace nettune::cli::commands {

namespace {

constexpr std::int64_t kLongestWindow_s = std::int64_t{24} * 3600;
/// With --probe, if --confirm gives no time.
constexpr std::int64_t kProbeWindow_s = 60;

Result<> take_to(Arguments& into, const std::string& raw, std::string_view command) {
  if (raw.empty()) return {};
  const auto number = raw == "baseline" ? std::optional<std::int64_t>(0) : parse_int(raw);
  if (!number || *number < 0 || (*number == 0 && raw != "baseline"))
    return usage(
        cat("--to takes a generation's number or \"baseline\", not \"", printable(raw), "\""),
        command);
  into.to = static_cast<std::uint64_t>(*number);
  return {};
}

/// "90", "90s", "2m", "1h"; nothing for anything else.
std::optional<std::int64_t> parse_duration_s(std::string_view text) {
  std::int64_t unit_s = 1;
  if (!text.empty() && (text.back() == 's' || text.back() == 'm' || text.back() == 'h')) {
    unit_s = text.back() == 'm' ? 60 : text.back() == 'h' ? 3600 : 1;
    text.remove_suffix(1);
  }
  const auto number = parse_int(text);
  if (!number || *number <= 0 || *number > kLongestWindow_s / unit_s) return {};
  return *number * unit_s;
}

Result<> take_duration(std::int64_t& into_s, std::string_view option, const std::string& raw,
                       std::string_view command) {
  if (raw.empty()) return {};
  const auto seconds = parse_duration_s(raw);
  if (!seconds)
    return usage(
        cat(option, " takes a time from 1s to 24h (90, 90s, 2m), not \"", printable(raw), "\""),
        command);
  into_s = *seconds;
  return {};
}

/// How long a change lasts, and what makes it permanent.
Result<> take_window(Arguments& into, const OptionTexts& raw, std::string_view command) {
  TRY(take_duration(into.confirm_s, "--confirm", raw.confirm, command));
  for (const std::string& text : raw.probes) {
    auto probe = node::confirm::parse_probe(text);
    if (!probe) return usage(std::move(probe).error().text, command);
    into.probes.push_back(std::move(*probe));
  }
  if (!into.probes.empty() && into.confirm_s == 0) into.confirm_s = kProbeWindow_s;
  if (raw.for_time.empty()) return {};
  if (into.confirm_s != 0)
    return usage(
        "--for reverts the change automatically, so it cannot be combined with --confirm or "
        "--probe",
        command);
  into.temporary = true;
  return take_duration(into.confirm_s, "--for", raw.for_time, command);
}

Result<> take_times(Arguments& into, const OptionTexts& raw, std::string_view command) {
  TRY(take_window(into, raw, command));
  TRY(take_duration(into.every_s, "--every", raw.every, command));
  TRY(take_duration(into.listen_s, "--listen-lldp", raw.listen, command));
  for (const std::string_view word : words(raw.on_drift)) into.on_drift.emplace_back(word);
  if (!raw.on_drift.empty() && (into.on_drift.empty() || !into.on_drift.front().starts_with('/')))
    return usage(cat("--on-drift takes a program by its absolute path, not \"",
                     printable(raw.on_drift), "\" (it runs without a shell)"),
                 command);
  if (!raw.at.empty()) {
    const auto seconds = parse_int(raw.at);
    if (!seconds || *seconds <= 0)
      return usage(cat("--at takes seconds of CLOCK_BOOTTIME, not \"", printable(raw.at), "\""),
                   command);
    into.at_s = *seconds;
  }
  return {};
}

Result<> check_combination(const Arguments& seen, std::string_view command) {
  if (!seen.values_file.empty() && seen.facts_file.empty())
    return usage("--state gives the values of a recorded node and needs --facts", command);
  if (seen.allow_management && seen.confirm_s == 0)
    return usage(
        "--allow-management lets a change cut off the device that you may be logged in through, so "
        "it also needs --confirm TIME, --probe or --for",
        command);
  if (!seen.root.empty() && (seen.confirm_s != 0 || seen.at_s != 0))
    return usage(
        "nothing waits in an image: --root cannot be combined with --confirm, --probe, --for or "
        "--at",
        command);
  if (!seen.root.empty() && (seen.site_given || !seen.profile_directories.empty()))
    return usage(
        "the paths of --profiles and --site do not exist at the first boot; --root takes profiles "
        "and site.toml from etc/nettune in the image",
        command);
  if (!seen.root.empty() && !seen.only_settings.empty())
    return usage("the first boot of an image applies all of a profile, so --only cannot be used",
                 command);
  if (!seen.unrecorded.empty() && seen.command == Command::rollback && (seen.to || seen.force))
    return usage(
        "--unrecorded removes what it names if it is exactly what nettune would write, and nothing "
        "else; it cannot be combined with --to or --force",
        command);
  if (!seen.unrecorded.empty() && !seen.facts_file.empty())
    return usage("--unrecorded is about this machine; it cannot be combined with --facts", command);
  if (!seen.root.empty() && !seen.facts_file.empty())
    return usage("--root plans for an image and --facts for a recorded node; use only one of them",
                 command);
  return {};
}

}  // namespace

Result<> take_texts(Arguments& into, const OptionTexts& raw, std::string_view command) {
  TRY(take_global(into, command));
  TRY(take_to(into, raw.to, command));
  TRY(take_times(into, raw, command));
  return check_combination(into, command);
}

}  // namespace nettune::cli::commands
